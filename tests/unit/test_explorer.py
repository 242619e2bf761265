"""The page to explore topics: what it shows, what it leaves out, and hostile comments in it."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables_folder import HOSTILE, write_tables

from minority_topics.base.files import read_csv, write_csv, write_json
from minority_topics.base.manifest import DamagedFolder, write_manifest
from minority_topics.comments import folders
from minority_topics.corpus.forms import forms
from minority_topics.report.explorer import NEEDED, USED, write_explorer
from minority_topics.report.marking import Phrases, clipped, form_spans, segments
from minority_topics.report.numbers import percent
from minority_topics.report.standalone import json_inside
from minority_topics.report.topic_map import HEIGHT, WIDTH, places, radii

LARGEST = 4_000_000
OPENERS, ISOLATES = "\u202a\u202b\u202d\u202e", "\u2066\u2067\u2068"


class Page(HTMLParser):
    """Elements of a page, its text by section, its data."""

    def __init__(self, folder, **options):
        super().__init__()
        write_explorer(
            folder / "tables", folder / "explorer.html", **{"title": "Kommentit"} | options
        )
        self.elements, self.texts, self._section, self._silent = [], {"": ""}, "", None
        self.source = (folder / "explorer.html").read_text(encoding="utf-8")
        self.feed(self.source)
        (data,) = re.findall(
            r'<script type="application/json" id="data">(.*?)</script', self.source
        )
        self.data = json.loads(data)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "section":
            self._section = dict(attributes)["id"]
            self.texts[self._section] = ""
        if tag in ("script", "style"):
            self._silent = tag

    def handle_endtag(self, tag):
        if tag == self._silent:
            self._silent = None
        if tag in ("td", "th", "dt", "dd", "div"):
            self.handle_data(" ")

    def handle_data(self, text):
        if not self._silent:
            self.texts[self._section] += text

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def topic(self, number):
        return next(topic for topic in self.data["topics"] if topic["topic"] == number)


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    folder = tmp_path_factory.mktemp("usual")
    write_tables(folder / "tables")
    return Page(folder)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    write_tables(folder / "tables", hostile=True)
    return Page(folder, title=HOSTILE[1])


def changed(folder, name, change):
    """The page after a change to rows of a table, or to the summary."""
    write_tables(folder / "tables")
    path = folder / "tables" / name
    if path.suffix == ".json":
        content = json.loads(path.read_text(encoding="utf-8"))
        change(content)
        write_json(path, content)
    else:
        rows = change(read_csv(path))
        write_csv(path, list(rows[0]), (list(row.values()) for row in rows))
    write_manifest(folder / "tables")
    return Page(folder)


# What the page shows.


def test_header_has_what_was_read_kept_and_skipped(usual):
    header = " ".join(usual.texts[""].split())
    for part in (
        "comments read 50,513", "kept 50,000 99.0%", "with words 49,321 98.6%",
        "with a seed word 1,311 2.6%", "seed entries found 9 of 10", "topics 7 3 minority",
        "513 rows skipped: same text as before 480, empty text 31, no closing quote 2.",
        "1 seed entry matches no comment: masenus.",
    ):  # fmt: skip
        assert part in header


@pytest.mark.parametrize(
    ("kept", "shown"), [(50_513, "100%"), (50_512, "> 99.9%"), (50_400, "99.8%"), (0, "0%")]
)
def test_less_than_all_rows_is_not_called_all(tmp_path, kept, shown):
    page = changed(tmp_path, "summary.json", lambda summary: summary.update(rows_kept=kept))
    assert f"kept {kept:,} {shown} " in " ".join(page.texts[""].split())


def test_minority_topics_come_first_whatever_the_order_of_the_table(tmp_path):
    page = changed(tmp_path, folders.TOPICS, lambda rows: rows[::-1])
    assert [topic["topic"] for topic in page.data["topics"]] == [1, 2, 3, 4, 5, 6, 7]
    kinds = [topic["kind"] for topic in page.data["topics"]]
    assert kinds == ["minority"] * 3 + ["majority"] * 4
    listed = [int(item["data-topic"]) for item in page.all("li") if "data-topic" in item]
    assert listed == [1, 2, 3, 4, 5, 6, 7]


def test_a_topic_has_its_name_or_its_first_words(usual):
    assert usual.topic(1)["title"] == "Masennus ja jaksaminen"
    assert usual.topic(1)["named"]
    assert usual.topic(4)["title"] == "hallitus, ministeri, puolue"
    assert not usual.topic(4)["named"]


def test_bars_are_as_long_as_prevalence_within_each_list(usual):
    bars = [float(rect["width"]) for rect in usual.all("rect") if rect["class"] == "fill"]
    assert bars[:3] == [100, round(100 * 0.0078 / 0.013, 1), round(100 * 0.0004 / 0.013, 1)]
    assert max(bars[3:]) == 100


def test_words_trends_and_groups_are_those_of_the_tables(usual):
    topic = usual.topic(1)
    assert topic["words"][0] == ["masennus", 0.3, 0.1, 1]
    assert [word for word, *_, seed in topic["words"] if seed] == [
        "masennus",
        "uupumus",
        "ahdistus",
    ]
    assert usual.data["periods"][0] == ["2023-01", 2000]
    assert topic["trend"][0] == pytest.approx([0.013, 0.0104, 0.01625])
    assert usual.data["groups"] == ["Uutiset", "Keskustelu", "Kaupunki", "Urheilu"]
    assert topic["groups"][0] == pytest.approx([12000, 0.013, 0.0117, 0.0143])
    assert topic["groups"][3] == [9000, None, None, None]


def test_comments_have_seed_words_and_top_words_marked(usual):
    example = usual.topic(1)["examples"][2]
    assert example["text"] == [
        ["Masennuksen", "seed"], " kanssa on vaikea ", ["jaksaa", "word"],
        " töissä, ja terapiaan jonotetaan kuukausia.",
    ]  # fmt: skip
    assert (example["date"], example["group"], example["weight"]) == (
        "2024-04-11",
        "Urheilu",
        0.925,
    )
    assert len(usual.topic(1)["examples"]) == 20


def test_inflected_top_words_are_marked_by_the_lemmatiser_that_ran(tmp_path):
    def english(summary):
        summary["cleaning"] |= {"language": "en", "lemmas": "simplemma"}

    write_tables(tmp_path / "tables")
    rows = read_csv(tmp_path / "tables" / folders.TOPIC_WORDS)
    rows[0]["word"] = "patient"
    examples = read_csv(tmp_path / "tables" / folders.EXAMPLES)
    examples[0]["text"] = "The patients wait."
    for name, table in ((folders.TOPIC_WORDS, rows), (folders.EXAMPLES, examples)):
        write_csv(tmp_path / "tables" / name, list(table[0]), (list(r.values()) for r in table))
    summary = json.loads((tmp_path / "tables" / folders.SUMMARY).read_text(encoding="utf-8"))
    english(summary)
    write_json(tmp_path / "tables" / folders.SUMMARY, summary)
    write_manifest(tmp_path / "tables")
    page = Page(tmp_path)
    assert page.topic(1)["examples"][0]["text"] == ["The ", ["patients", "word"], " wait."]
    assert {"lang": "en"}.items() <= next(p for p in page.all("p") if "lang" in p).items()


def test_skipped_rows_are_the_first_of_every_reason_the_rarest_reason_first(usual):
    text = usual.texts["skipped"]
    assert text.count("seen before at line 3") == 20 + 20 + 2
    assert text.index("no closing quote", text.index("Detail")) < text.index("seen before")
    assert "tables/input_report.csv" in [link["href"] for link in usual.all("a")]


def test_how_it_was_made_names_settings_constraints_and_agreement(usual):
    text = " ".join(usual.texts["made"].split())
    assert "Languages" not in text
    for part in ("at least 40.0%", "at most 1e-09", "Constraints met yes", "Converged yes",
                 "2.4e-06", "two fits 0.46", "Redact yes"):  # fmt: skip
        assert part in text


def test_folders_of_files_are_not_told(usual):
    assert "comments.csv" in usual.texts["made"]
    assert "comments.csv" in usual.texts["skipped"]
    assert "somebody" not in usual.source


def test_says_that_a_fit_is_not_to_be_relied_on(tmp_path):
    def spoil(summary):
        summary["fit"] |= {"converged": False, "feasible": False, "agreement": None}
        summary["cleaning"]["warnings"] = ["There are no lemmas <here>."]

    text = changed(tmp_path, folders.SUMMARY, spoil).texts
    assert "stopped before it converged" in text[""]
    assert "does not meet its constraints" in text[""]
    assert "There are no lemmas <here>." in text[""]
    assert "nothing can be said about agreement" in text["made"]


def test_links_lead_to_the_tables(usual, tmp_path):
    write_tables(tmp_path / "tables")
    links = [link["href"] for link in usual.all("a") if not link["href"].startswith("#")]
    assert {"tables/topics.csv", "tables/seed_words.csv", "tables/summary.json"} <= set(links)
    assert all((tmp_path / href).is_file() for href in links)
    ids = {attributes["id"] for _, attributes in usual.elements if "id" in attributes}
    anchors = {link["href"][1:] for link in usual.all("a") if link["href"].startswith("#")}
    assert anchors <= ids


# What is not there.


def test_works_without_texts_dates_and_groups(tmp_path):
    write_tables(tmp_path / "tables", texts=False, dates=False, groups=False)
    page = Page(tmp_path)
    assert "texts of comments were left out" in page.texts[""]
    assert page.data["periods"] == page.data["groups"] == []
    for topic in page.data["topics"]:
        assert topic["trend"] == topic["groups"] == []
        assert [example["text"] for example in topic["examples"]] == [[]] * 20
    assert not page.all("path")


def test_works_with_the_tables_that_are_there(tmp_path):
    write_tables(tmp_path / "tables")
    for name in set(USED) - set(NEEDED):
        (tmp_path / "tables" / name).unlink()
    write_manifest(tmp_path / "tables")
    page = Page(tmp_path)
    assert len(page.data["topics"]) == 7
    assert "no table of seed words" in page.texts["seed-words"]
    assert "map" not in page.texts


def test_damaged_and_missing_tables_are_refused(tmp_path):
    write_tables(tmp_path / "tables")
    with open(tmp_path / "tables" / folders.EXAMPLES, "a", encoding="utf-8") as file:
        file.write("1,21,0,x,,,0.1,added\n")
    with pytest.raises(DamagedFolder, match=r"examples\.csv"):
        Page(tmp_path)
    (tmp_path / "tables" / folders.TOPICS).unlink()
    with pytest.raises(DamagedFolder, match=r"topics\.csv"):
        Page(tmp_path)


@pytest.mark.slow
def test_stays_small_whatever_the_corpus(tmp_path):
    weeks = [f"{year}-W{week:02}" for year in range(2000, 2022) for week in range(1, 53)]
    write_tables(tmp_path / "tables", hostile=True, n_majority=57, n_examples=25, periods=weeks)
    page = Page(tmp_path)
    assert len(page.source.encode()) < LARGEST
    assert len(page.data["periods"]) == 1000
    assert page.data["periods"][-1][0] == "2021-W52"
    assert "The last 1,000 of 1,144" in page.texts["topics"]
    for topic in page.data["topics"]:
        assert len(topic["trend"]) == 1000
        assert len(topic["examples"]) == 20
        for example in topic["examples"]:
            assert sum(len(p if isinstance(p, str) else p[0]) for p in example["text"]) <= 610


# Hostile text.


def test_hostile_text_is_text_and_nothing_else(hostile, usual):
    assert len(hostile.all("script")) == len(usual.all("script")) == 2
    assert [tag for tag, _ in hostile.elements if tag in ("img", "iframe", 'b"')] == []
    names = {name for _, given in hostile.elements for name in given}
    assert [name for name in names if name.startswith("on") or name == "style"] == []
    assert {tag for tag, _ in hostile.elements} == {tag for tag, _ in usual.elements}
    assert HOSTILE[1] in hostile.texts[""]
    assert "{{ 7 * 7 }} {% raw %} ${window.executed = 1}" in hostile.texts["topics"]
    assert "49 " not in hostile.texts["seed-words"]


def test_hostile_comments_come_out_of_the_data_as_they_went_in(hostile):
    shown = {
        "".join(piece if isinstance(piece, str) else piece[0] for piece in example["text"])
        for topic in hostile.data["topics"]
        for example in topic["examples"]
    }
    for text in HOSTILE[:5]:
        assert any(text in comment for comment in shown), text


def test_policy_names_the_style_and_the_script_that_are_there(hostile):
    (policy,) = (m["content"] for m in hostile.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", hostile.source, re.DOTALL)
        value = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{value}'" in policy
    (script,) = re.findall("<script>(.*?)</script>", hostile.source, re.DOTALL)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", script)


@given(st.lists(st.text() | st.integers() | st.lists(st.text(), max_size=2), max_size=4))
def test_data_in_a_page_reads_back_and_holds_no_markup(data):
    text = str(json_inside(data))
    assert json.loads(text) == data
    assert not re.search("[<>&\u2028\u2029]", text)


def test_every_id_is_there_once(hostile):
    ids = [attributes["id"] for _, attributes in hostile.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


# Marking.


def test_the_longest_phrase_is_marked_and_of_equal_ones_the_first_kind():
    kinds = {"seed": Phrases(["panic attack", "attack"]), "word": Phrases(["panic", "attack"])}
    assert segments("A Panic  attack, panic and ATTACK!", kinds) == [
        "A ", ["Panic attack", "seed"], ", ", ["panic", "word"], " and ", ["ATTACK", "seed"], "!",
    ]  # fmt: skip
    assert segments("attack@example.org @attack https://attack.org", kinds) == [
        "attack@example.org @attack https://attack.org"
    ]


def test_a_form_is_marked_by_the_word_that_it_counts_as():
    lemmas = {"kissoja": "kissa", "unta": "uni"}
    kinds = {"word": Phrases(["kissa"], lambda form: lemmas.get(form, form))}
    assert segments("Kissoja ja unta", kinds) == [["Kissoja", "word"], " ja unta"]


@given(st.text(max_size=300), st.lists(st.text(max_size=5), max_size=5))
def test_pieces_put_together_are_the_text(text, words):
    pieces = segments(text, {"seed": Phrases(words), "word": Phrases(forms(text)[::2])})
    assert "".join(p if isinstance(p, str) else p[0] for p in pieces) == clipped(text)[0]


@given(st.text(alphabet="aäÖİß1_'’ .,@/wx:-", max_size=60))
def test_words_of_a_text_are_those_of_the_corpus(text):
    shown, _ = clipped(text)
    assert [form for *_, form in form_spans(shown)] == forms(shown)


def test_long_texts_are_cut_at_a_space_or_within_a_word():
    pieces = segments("word " * 200, {})
    assert pieces[-1] == ["…", "cut"]
    assert pieces[0].endswith("word")
    assert 560 <= len(pieces[0]) <= 600
    assert segments("x" * 601, {})[0] == "x" * 600
    assert segments("x" * 600, {}) == ["x" * 600]


def test_controls_and_halves_of_characters_are_not_shown():
    assert clipped("a\x00b\x1b[0m \ud800\n\tc\u2028d")[0] == "a\ufffdb\ufffd[0m \ufffd c d"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u2067abc", "\u2067abc\u2069"),
        ("a\u2069b\u202cc", "abc"),
        ("\u202eabc\u202c", "\u202eabc\u202c"),
        ("\u2066\u202eab\u2069c", "\u2066\u202eab\u202c\u2069c"),
    ],
)
def test_marks_of_direction_end_in_their_text(text, shown):
    assert clipped(text)[0] == shown


@given(st.text(alphabet="ab" + OPENERS + ISOLATES + "\u202c\u2069", max_size=30))
def test_no_mark_of_direction_is_left_open(text):
    open_ = []
    for character in clipped(text)[0]:
        if character in OPENERS + ISOLATES:
            open_.append("\u2069" if character in ISOLATES else "\u202c")
        elif character in "\u202c\u2069":
            assert open_.pop() == character
    assert open_ == []


# Map and numbers.


@pytest.mark.parametrize("n", [2, 15, 50, 100])
def test_circles_of_the_map_are_inside_and_apart(n):
    rng = np.random.default_rng(n)
    sizes = radii(rng.dirichlet(np.ones(n)))
    # Half of the topics are at one place.
    centres = places(np.where(np.arange(n)[:, None] % 2, 0.5, rng.normal(size=(n, 2))), sizes)
    assert (centres - sizes[:, None] >= 0).all()
    assert (centres + sizes[:, None] <= [WIDTH, HEIGHT]).all()
    distance = np.hypot(*(centres[:, None] - centres[None, :]).T)
    np.fill_diagonal(distance, np.inf)
    assert (distance - sizes[:, None] - sizes[None, :]).min() > -2


def test_areas_of_large_circles_are_as_their_shares():
    sizes = radii([0.4, 0.2, 1e-6])
    assert sizes[0] ** 2 / sizes[1] ** 2 == pytest.approx(2)
    assert sizes[2] == 13
    assert list(radii([0, 0])) == [13, 13]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (1e-5, "< 0.01%"), (0.0004, "0.04%"), (0.0123, "1.2%"), (0.5, "50.0%"),
     (0.998, "99.8%"), (1, "100%"), (None, "–"), (float("nan"), "–")],
)  # fmt: skip
def test_percent(share, text):
    assert percent(share) == text
