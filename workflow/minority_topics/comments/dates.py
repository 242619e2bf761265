"""Dates as people and programs write them, as seconds since 1970 in UTC."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

EPOCH = datetime(1970, 1, 1)
SECONDS = re.compile(r"\d{9,10}(?:\.\d+)?", re.ASCII)
MILLISECONDS = re.compile(r"\d{12,13}", re.ASCII)
ZONE = re.compile(r"(.+) (?:UTC|GMT)([+-]\d{1,2})?", re.ASCII)
MONTH = re.compile(r"\d{4}-\d{2}", re.ASCII)
TIME = r"(?:[ T,]+(?:klo )?(?P<time>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)(?: ?(?P<half>[ap])\.?m\.?)?)?"
DAY_FIRST = re.compile(
    rf"(?P<a>\d{{1,2}})(?P<mark>[./-])(?P<b>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d\d){TIME}",
    re.ASCII | re.IGNORECASE,
)
YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}})[/.](?P<b>\d{{1,2}})[/.](?P<a>\d{{1,2}}){TIME}",
    re.ASCII | re.IGNORECASE,
)
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
NAMED = re.compile(
    r"(?:(?P<a>\d{1,2})\.? )?(?P<month>[a-z]{3,9})\.?(?: (?P<day>\d{1,2}))?,? (?P<year>\d{4})"
    + TIME,
    re.ASCII | re.IGNORECASE,
)
TWITTER = "%a %b %d %H:%M:%S %z %Y"


def seconds(text, month_first=False):
    """A date as seconds since 1970 in UTC; None if it is none, or if it has no year and month.

    ISO 8601 with or without time and time zone, epoch seconds or milliseconds, 31.12.2024 and
    31/12/2024 (12/31/2024 with `month_first`), also 31.12.24, 2024/12/31, Dec 31, 2024 and 31 Dec
    2024, each with a time or without, the dates of e-mails and of Twitter. A date without a time
    zone is taken as it stands.

    >>> seconds("2024-05-01T03:00:00+03:00") == seconds("1714521600") == seconds("1.5.2024")
    True
    """
    text, hours = text.strip(), 0
    if zone := ZONE.fullmatch(text):  # as Google Forms and BigQuery write it
        text, hours = zone[1], int(zone[2] or 0)
    try:
        date = _date(text, month_first)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    if date is None:
        return None
    if date.tzinfo is not None:
        try:
            date = date.astimezone(UTC).replace(tzinfo=None)
        except OverflowError:
            return None
    gone = date - EPOCH
    return gone.days * 86400 + gone.seconds - 3600 * hours


def _date(text, month_first):
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    if SECONDS.fullmatch(text):
        return datetime.fromtimestamp(float(text), UTC)
    if MILLISECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(text) / 1000, UTC)
    if MONTH.fullmatch(text):
        return datetime.fromisoformat(f"{text}-01")
    if match := DAY_FIRST.fullmatch(text) or YEAR_FIRST.fullmatch(text):
        day, month = int(match["a"]), int(match["b"])
        if month_first and match.re is DAY_FIRST and match["mark"] != ".":
            day, month = month, day
        return _with_time(match, month, day)
    if match := NAMED.fullmatch(text):
        word = match["month"].lower()
        months = [number for number, name in enumerate(MONTHS, 1) if name.startswith(word)]
        return _with_time(match, months[0], int(match["a"] or match["day"] or 1))
    if not text[:3].isalpha():
        return None
    try:
        return datetime.strptime(text, TWITTER)
    except ValueError:
        return parsedate_to_datetime(text)


def _with_time(match, month, day):
    """The date of a match; a year of two digits is of this century, a time may be am or pm."""
    year = int(match["year"]) + (2000 if len(match["year"]) == 2 else 0)
    clock = re.split("[:.]", match["time"]) if match["time"] else []
    hour, minute, second = (*map(int, clock), 0, 0, 0)[:3]
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    return datetime(year, month, day, hour, minute, second)


def is_month_first(values):
    """Whether 01/02/2024 is the second of January: more of these values can only be read so."""
    matches = [match for value in values if (match := DAY_FIRST.fullmatch(value.strip()))]
    marked = [match for match in matches if match["mark"] != "."]
    return sum(int(m["b"]) > 12 for m in marked) > sum(int(m["a"]) > 12 for m in marked)
