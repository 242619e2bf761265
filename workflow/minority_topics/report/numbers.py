"""Numbers as the page shows them."""

from ..base.text import counted

__all__ = ["counted", "interval", "number", "p_value", "percent", "precise", "signed"]

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"


def number(value, digits=3):
    """A number for reading; a dash for one that is undefined."""
    if value is None or value != value:
        return NOTHING
    if abs(value) == float("inf"):
        return (MINUS if value < 0 else "") + "∞"
    text = f"{abs(value):,.{digits}f}"
    zero = not float(text.replace(",", ""))
    return MINUS + text if value < 0 and not zero else text


def precise(value, digits=3):
    """The same, but scientific where so few digits would leave nothing of it."""
    if value and abs(value) < 10**-digits:
        return (MINUS if value < 0 else "") + f"{abs(value):.1e}"
    return number(value, digits)


def signed(value, digits=3):
    """A difference: with its sign, whichever it is."""
    text = number(value, digits)
    return text if text[0] in (MINUS, NOTHING) else f"+{text}"


def interval(low, high, digits=3):
    """The ends of an interval, "" where there is none."""
    if any(end is None or end != end for end in (low, high)):
        return ""
    return f"{number(low, digits)} to {number(high, digits)}"


def p_value(value):
    """A p-value; below 0.001 that is all it says."""
    return "< 0.001" if value is not None and value < 0.001 else number(value)


def percent(share):
    """A share in per cent: with two digits at least, or below what they can show."""
    if share is None or share != share:
        return NOTHING
    if 0 < share < 5e-5:
        return "< 0.01%"
    digits = 0 if share >= 0.9995 or not share else 1 if share >= 0.00995 else 2
    return f"{100 * share:.{digits}f}%"
