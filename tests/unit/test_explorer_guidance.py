"""What the explorer shows of learnt guidance: opinions, discovered words, comments to read."""

import pytest
from tables_folder import HOSTILE, write_tables
from test_explorer import Page, changed

from minority_topics.comments import folders
from minority_topics.report.guidance_section import MOST_COMMENTS, probability, word_share


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    folder = tmp_path_factory.mktemp("usual")
    write_tables(folder / "tables")
    return Page(folder)


def text_of(page, section):
    return " ".join(page.texts[section].split())


def test_the_seed_table_tells_the_share_and_the_trust_in_words(usual):
    text = text_of(usual, "seed-words")
    assert "Learnt guidance distrusts 2 of 11 seed words and discovers 3 others" in text
    assert "it would cap 120 of 1,311 comments with a seed word, and free 14 without one" in text
    assert "This fit follows the list." in text
    assert "masennus word masennus 310 0.62% 81.0% trusted" in text
    assert "6,000 12.0% 12.5% partly trusted, but not uni" in text
    assert "5.0% distrusted" in text
    assert "≥ 99% trusted" in text
    # An entry that is not found has no opinion.
    assert "masenus word 0 0% – uupumus" in text
    bars = [float(rect["width"]) for rect in usual.all("rect") if rect["class"] == "part"]
    assert bars[:2] == [81.0, 12.5]


@pytest.mark.parametrize(
    ("share", "shown"), [(1.0, "> 99.9%"), (0.9996, "> 99.9%"), (0.5, "50.0%"), (None, "–")]
)
def test_no_probability_reads_as_certain(share, shown):
    assert probability(share) == shown


@pytest.mark.parametrize(
    ("share", "shown"), [(0.99, "≥ 99%"), (0.9896, "≥ 99%"), (0.9894, "98.9%"), (None, "–")]
)
def test_the_largest_share_of_a_word_reads_as_a_bound(share, shown):
    assert word_share(share) == shown


def test_discovered_words_are_listed_with_their_seed_words(usual):
    text = text_of(usual, "discovered")
    assert "nousta 90.0% 60 masennus (31), uupumus (4)" in text
    assert "may be added to the list" in text
    assert "tables/discovered_words.csv" in [link["href"] for link in usual.all("a")]


def test_released_comments_have_the_words_that_spoke_for_them_marked(usual):
    text = text_of(usual, "released")
    assert text.count("En jaksa enää nousta aamulla sängystä.") == 14
    assert "about the theme: > 99.9% · because of nousta, sängystä · 2024-02-03" in text
    assert '<mark class="word">nousta</mark> aamulla <mark class="word">sängystä</mark>' in (
        usual.source
    )
    assert '<mark class="seed">Alkoholin</mark> hinta nousee taas.' in usual.source
    assert "does not" in text
    assert {"tables/released_comments.csv", "tables/capped_comments.csv"} <= {
        link["href"] for link in usual.all("a")
    }


def test_a_fit_that_follows_says_so(tmp_path):
    page = changed(
        tmp_path, folders.SUMMARY, lambda summary: summary["fit"].update(guidance="learnt")
    )
    assert "it caps 120 of 1,311" in text_of(page, "seed-words")
    assert "They help to find comments, as in this fit." in text_of(page, "discovered")
    assert "as in this fit" in text_of(page, "released")
    assert "or fit with guidance “list”" in text_of(page, "released")
    made = text_of(page, "made")
    assert "Guidance learnt" in made
    assert "does not take for one about the theme" in made
    assert "Minority topic in a comment that is not free (w_max)" in made


def test_without_an_opinion_there_are_no_sections_and_the_reason_is_told(tmp_path):
    def without(summary):
        summary["fit"]["learnt_guidance"] = {"reason": "every document holds a seed word"}

    page = changed(tmp_path, folders.SUMMARY, without)
    assert not {"discovered", "released"} & set(page.texts)
    assert "About the theme" not in page.texts["seed-words"]
    assert "has no opinion of the list: every document" in text_of(page, "seed-words")


def test_a_fit_that_fell_back_is_told_as_one_of_the_list(tmp_path):
    said = "Learnt guidance falls back to the list of seed words: every document holds one."

    def fallen(summary):
        found = {"reason": "every document holds a seed word"}
        summary["fit"].update(guidance="learnt", learnt_guidance=found, warnings=[said])

    page = changed(tmp_path, folders.SUMMARY, fallen)
    assert page.source.count(said) == 1
    made = text_of(page, "made")
    assert "A comment without a seed word holds almost nothing of a minority topic" in made
    assert "Minority topic in a comment without a seed word (w_max)" in made


def test_tables_of_an_earlier_version_are_shown_without_guidance(tmp_path):
    def without(summary):
        del summary["fit"]["learnt_guidance"], summary["fit"]["guidance"]

    write_tables(tmp_path / "tables")
    page = changed(tmp_path, folders.SUMMARY, without)
    assert not {"discovered", "released"} & set(page.texts)
    assert "Learnt guidance" not in page.texts["seed-words"]


def test_the_page_shows_the_first_comments_and_names_the_table(tmp_path):
    page = changed(tmp_path, folders.RELEASED, lambda rows: rows * 10)
    text = text_of(page, "released")
    assert text.count("En jaksa enää nousta") == MOST_COMMENTS
    assert f"{MOST_COMMENTS} comments without a seed word, the first of 140 in the table" in text


def test_without_texts_no_word_of_a_single_comment_is_on_the_page(tmp_path):
    write_tables(tmp_path / "tables", texts=False)
    page = Page(tmp_path)
    text = text_of(page, "released")
    assert "Texts and words of single comments were left out" in text
    assert "aamulla" not in page.source
    assert "sängystä" not in page.source
    assert text.count("about the theme: ") == 28
    assert "Marked:" not in text


def test_hostile_words_and_comments_stay_text(tmp_path):
    write_tables(tmp_path / "tables", hostile=True)
    page = Page(tmp_path, title=HOSTILE[1])
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert "img" not in [tag for tag, _ in page.elements]
    for section in ("seed-words", "discovered", "released"):
        assert "<script>window.executed = 1</script>" in page.texts[section]
        assert "\x07" not in page.texts[section]
