"""The figure of topics: a table in which every word, gloss and number has its place."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from minority_topics.report.figures.drawing import draw
from minority_topics.report.figures.style import STYLE
from minority_topics.report.figures.topics import FONT, describe, plot
from minority_topics.scores.matches import TOPIC_COLUMNS
from minority_topics.scores.tables import read_frame, write_rows
from minority_topics.study.registry import read_methods

ODD = ["null", "nan", "-ness", "=1+1", "NA", "'-x", "true", "$x_1$"]
LONG = "epäjärjestelmällistyttämättömyydelläänsäkäänköhän" * 3


def topic(number, words, kind="minority", closest="Suru", gloss="Grief", jsd=0.25, documents=3):
    """Rows of a topic; words are (word, gloss, whether it is a seed word)."""
    known = (number, kind, documents, closest, gloss, jsd)
    rows = [(*known, rank, *word) for rank, word in enumerate(words, start=1)]
    return pd.DataFrame(rows, columns=TOPIC_COLUMNS)


def drawn(table):
    """The figure of a table, and its texts by what they say."""
    with plt.rc_context(STYLE):
        figure = plot(table, {})
        figure.canvas.draw()
    plt.close(figure)
    return figure, {text.get_text(): text for text in figure.axes[0].texts}


def test_words_stand_above_their_glosses_and_seed_words_are_bold():
    words = [("itku", "crying", True), ("yö", "night; dark (old)", False), ("x", None, False)]
    _, texts = drawn(pd.concat([topic(1, words), topic(2, words[1:], "majority", jsd=0.75)]))
    assert texts["itku"].get_weight() == "bold"
    assert texts["yö"].get_weight() == "normal"
    for word, gloss in (("itku", "crying"), ("yö", "night")):
        (x, y), (below_x, below_y) = texts[word].get_position(), texts[gloss].get_position()
        assert x == below_x
        assert y < below_y  # downwards
    assert {"1", "minority", "2", "majority", "3", "Suru", "Grief", "0.25", "0.75"} <= texts.keys()


def test_everything_is_inside_of_two_columns_and_legible():
    words = [(f"{LONG[:n]}", f"{LONG[: n + 3]}", n % 2 == 0) for n in (5, 20, 26, 40, 100, 140)]
    figure, _ = drawn(topic(1, words, closest=LONG, gloss=f"{LONG} {LONG}"))
    width, height = figure.get_size_inches()
    assert width <= 7.2
    for text in figure.axes[0].texts:
        assert text.get_fontsize() == FONT == 7
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= width * figure.dpi
        assert box.y0 >= 0
        assert box.y1 <= height * figure.dpi


@pytest.mark.slow
def test_no_two_texts_overlap_in_many_topics():
    words = [(f"sana{'n' * n}", f"word {'d' * (9 - n)}", False) for n in range(10)]
    topics = [topic(n, words, closest="Mielenterveys ja Eristäytyminen") for n in range(1, 81)]
    small, _ = drawn(topics[0])
    figure, _ = drawn(pd.concat(topics))
    rows = 80 * (small.get_size_inches()[1] - 0.25) + 0.25
    assert figure.get_size_inches()[1] == pytest.approx(rows)
    boxes = [text.get_window_extent() for text in small.axes[0].texts if text.get_text()]
    for number, box in enumerate(boxes):
        # Lines may touch by their descenders, words may not.
        others = [other for other in boxes[:number] if abs(other.y0 - box.y0) < 2]
        assert all(box.x0 >= other.x1 or box.x1 <= other.x0 for other in others)


def test_without_labels_and_glosses_there_are_words_alone():
    figure, texts = drawn(topic(1, [("a", None, False)], closest=None, gloss=None, jsd=None))
    assert "Closest true topic" not in texts
    assert "JSD" not in texts
    assert "Words, seed words in bold" in texts
    with_glosses, _ = drawn(topic(1, [("a", "b", False)]))
    assert figure.get_size_inches()[1] < with_glosses.get_size_inches()[1]


def test_the_description_has_the_main_facts():
    words = [("itku", "crying", True), ("yö", "night", False)]
    parts = [
        topic(1, words, jsd=0.5),
        topic(2, words, jsd=0.25, closest="Viha", gloss=None),
        topic(3, words, "majority", jsd=0.9, documents=10),
    ]
    assert describe(pd.concat(parts), {}) == (
        "A table of 3 topics with their heaviest words, 2 of them minority topics, which 6 of 16 "
        "documents are assigned to. Of the 4 words of minority topics 2 are seed words. Topic 2 is "
        "closest to a true topic, Viha, with a JSD of 0.25."
    )
    unlabelled = topic(1, words, "majority", closest=None, gloss=None, jsd=None)
    assert describe(unlabelled, {}).endswith("which 0 of 3 documents are assigned to.")
    assert describe(unlabelled[:0], {}) == "No fit came out, so there are no topics to show."
    assert drawn(unlabelled[:0])[1].keys() == {"No fit came out."}


def test_words_that_look_like_nothing_or_a_formula_are_shown(tmp_path):
    table = topic(1, [(word, "", False) for word in ODD], closest="01", gloss="")
    write_rows(tmp_path / "table.csv", table.to_dict("records"), TOPIC_COLUMNS)
    draw("topics", tmp_path / "table.csv", read_methods(), tmp_path / "topics.png")
    for name in ("table.csv", "topics.csv"):
        assert read_frame(tmp_path / name)["word"].tolist() == ODD
        assert set(read_frame(tmp_path / name)["closest"]) == {"01"}
        assert "'=1+1" in (tmp_path / name).read_text(encoding="utf-8")
    assert drawn(read_frame(tmp_path / "topics.csv"))[1].keys() >= set(ODD)
