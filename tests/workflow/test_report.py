"""The results page: its sections, where its numbers come from, and hostile text in it."""

import base64
import hashlib
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from helpers import snakemake, tiny
from study_folder import EXTRAS, FIGURE_NAMES, HOSTILE, write_study

from minority_topics.base.files import read_csv
from minority_topics.base.text import listed
from minority_topics.report.abstract import abstract
from minority_topics.report.catalogue import FIGURES
from minority_topics.report.leaderboard import leaderboard
from minority_topics.report.material import Material
from minority_topics.report.numbers import number, p_value, precise, signed
from minority_topics.report.page import SECTIONS, write_report
from minority_topics.report.sections import _place, failures, tone
from minority_topics.scores.cards import CARDS
from minority_topics.scores.tables import read_frame, write_frame

DECIMAL = re.compile(r"\d[\d,]*\.\d+")
LARGEST = 4_000_000


class Page(HTMLParser):
    """Elements of a page with their attributes, and the text of every section."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.texts, self._section, self._silent = [], {}, None, None
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "section":
            self._section = dict(attributes)["id"]
        if tag in ("script", "style"):
            self._silent = tag

    def handle_endtag(self, tag):
        if tag == self._silent:
            self._silent = None
        if tag in ("td", "th"):
            self.handle_data(" ")

    def handle_data(self, text):
        if self._section and not self._silent:
            self.texts[self._section] = self.texts.get(self._section, "") + text

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module", params=[True, False], ids=["full", "quick"])
def study(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "simulated"
    sources, methods = write_study(folder, full=request.param)
    write_report(sources, methods, folder / "report.html")
    return request.param, Material(sources, methods), Page(folder / "report.html")


def test_has_the_sections_that_have_a_table_and_no_other(study):
    full, _, page = study
    shown = [element["id"] for element in page.all("section")]
    missing = {
        "leaderboard", "topics", "comparisons", "decomposition", "published", "variants", "peers",
    }  # fmt: skip
    expected = [name for name in SECTIONS if full or name not in missing]
    assert shown == ["abstract", *expected]
    links = [element["href"] for element in page.all("a")]
    assert [f"#{name}" for name in shown] == [href for href in links if href.startswith("#")][1:]


def test_every_id_is_there_once(study):
    _, _, page = study
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_headings_go_down_one_step_at_a_time(study):
    _, _, page = study
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert max(np.diff(levels)) <= 1


def test_hostile_text_stays_text(study):
    full, _, page = study
    assert len(page.all("script")) == 1
    assert "49" not in page.texts["configuration"]
    assert HOSTILE in page.texts["configuration"].replace("\n  ", " ")
    if full:
        for section in ("verdicts", "leaderboard", "topics", "decomposition", "methods"):
            assert HOSTILE in page.texts[section], section
        alternatives = [image["alt"] for image in page.all("img")]
        assert alternatives == [f"Bars of {name}. {HOSTILE}" for name in FIGURE_NAMES]
    handlers = [name for _, given in page.elements for name in given if name.startswith("on")]
    assert handlers == []
    assert [given for _, given in page.elements if "style" in given] == []


def test_policy_names_the_style_and_the_script_that_are_there(study):
    _, _, page = study
    (policy,) = (m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", page.source, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy


def test_is_small_and_asks_for_nothing_outside(study):
    _, material, page = study
    assert len(page.source.encode()) < LARGEST
    assert all(image["src"].startswith("data:") for image in page.all("img"))
    (icon,) = page.all("link")
    assert icon["href"] == "data:,"
    folder = material.sources.config.parent
    for link in (element["href"] for element in page.all("a")):
        assert link.startswith("#") or (folder / link).is_file(), link
    for name in FIGURE_NAMES:
        for ending in ("csv", "pdf"):
            assert f"figures/{name}.{ending}" in [element["href"] for element in page.all("a")]
        assert FIGURES[name].title in page.texts["figures"]


def known_numbers(sources):
    """Every number of the tables, and every decimal that their text holds."""
    found, words = [], set()
    for path in sources.tables.values():
        for row in read_csv(path):
            for cell in row.values():
                try:
                    found.append(float(cell))
                except (TypeError, ValueError):
                    words |= set(DECIMAL.findall(cell or ""))
    return np.array(found), words


@pytest.mark.parametrize("section", ["abstract", "verdicts"])
def test_every_number_stands_in_a_table(study, section):
    full, material, page = study
    numbers, words = known_numbers(material.sources)
    decimals = DECIMAL.findall(page.texts[section])
    assert decimals or not full
    for text in decimals:
        digits = len(text.partition(".")[2])
        rounded = {f"{abs(value):.{digits}f}" for value in numbers[np.isfinite(numbers)]}
        assert text in words | rounded, text


def test_abstract_tells_controls_and_parts_where_there_are_any(study):
    full, material, _ = study
    sentences = {sentence.text for sentence in abstract(material)}
    text = " ".join(sentences)
    assert ("Against Keyword k-means, Constrained NMF is" in text) == full
    assert ("−0.131 (random start instead of block)" in text) == full
    assert ("−0.004 (one start instead of eight, not clear)" in text) == full
    assert ("clearly ahead (1, not clear of a control)" in text) == full
    assert ("A verdict needs 6 repetitions" in text) == (not full)
    assert ("One control uses no topic model" in text) == full
    assert "Constrained NMF by 2 solvers, 3 other models and 3 controls were fitted" in text
    times = "10 times in each of 2 settings" if full else "2 times in one setting"
    assert times in text
    # A claim without a place in the paper is not one of the paper's.
    assert "not tested" not in text
    assert 2 <= len(sentences) <= 5


def test_abstract_names_the_best_other_model_even_a_newer_one(study):
    full, material, _ = study
    if full:
        rows = material.comparisons
        best = rows[(rows["other"] == "bertopic") & (rows["metric"] == "purity")].iloc[0]
        sentence = next(s.text for s in abstract(material) if "best other model" in s.text)
        assert f"behind in Purity ({best['ours_mean']:.3f}; Gibbs LDA " in sentence


def test_leaderboard_shows_the_first_setting_without_a_script(study):
    full, material, page = study
    if not full:
        return
    bodies = page.all("tbody")[: len(material.settings)]
    assert [body["data-setting"] for body in bodies] == ["20/7", "30/10"]
    assert ["hidden" in body for body in bodies] == [False, True]
    rows = [row for row in page.all("tr") if "data-kind" in row]
    assert ["hidden" in row for row in rows[:10]] == [False] * 8 + [True] * len(EXTRAS)
    (form,) = page.all("form")
    assert "hidden" in form


def test_best_is_marked_among_those_that_compete(study):
    """Not the true labels, though they have the highest purity; newer models, though folded."""
    full, material, page = study
    if full:
        cells = [cell for cell in page.all("td") if cell.get("data-metric") == "purity"]
        best = [float(cell["data-value"]) for cell in cells if "best" in cell["class"].split()]
        means = material.summary.set_index(["method", "n_topics"])["purity"]
        assert best == pytest.approx([means["bertopic", 20], means["constrained_nmf", 30]])


def test_published_numbers_stand_at_the_papers_setting_alone(study):
    full, _, page = study
    if full:
        numbers = re.findall("paper (0.[0-9]{4})<", page.source)
        assert sorted(numbers) == sorted(2 * ["0.1765", "0.0969", "0.0878"])
        second = page.source.index('data-setting="30/10"')
        assert page.source.rindex(">paper 0.") < second


def test_options_are_those_that_were_used(study):
    _, material, page = study
    assert material.options("nmf") == {"max_iter": 321}
    assert '{"max_iter": 321}' in page.texts["methods"]
    assert (
        f"KeyATM, {len(material.settings) * material.repetitions} failed" in page.texts["methods"]
    )


def test_text_is_true_for_the_kind_of_data(study):
    full, _, page = study
    assert ("The background here is simulated" in page.texts["deviations"]) == full
    assert ("used as they are" in page.texts["deviations"]) == (not full)
    assert ("One corpus." in page.texts["limitations"]) == (not full)
    assert ("4 of\n5 documents" in page.texts["limitations"]) == full


def test_text_follows_the_tables(study):
    full, _, page = study
    assert "a corrected p below 0.05" in page.texts["statistics"]
    if full:
        # 2 * 4 / (4 + 2 + 5) is below the share that lets the rule be enough.
        assert "an F1 of 0.727." in page.texts["limitations"]
        assert "In the first corpus 4 of" in page.texts["limitations"]
        assert "4 of 5 documents are in that topic" in page.texts["topics"]


def test_a_variant_that_failed_is_told(tmp_path):
    sources, methods = write_study(tmp_path / "simulated")
    variants = read_frame(sources.tables["variants"])
    variants.loc[variants["method"] == "bertopic", ["status", "reason"]] = ["failed", "no memory"]
    write_frame(sources.tables["variants"], variants)
    found = failures(Material(sources, methods))
    assert [(row["label"], row["count"]) for row in found] == [("KeyATM", 20), ("Gibbs LDA", 10)]


def test_without_labels_the_leaderboard_shows_what_is_known(tmp_path):
    sources, methods = write_study(tmp_path / "simulated")
    summary = read_frame(sources.tables["summary"])
    known = [name for name in CARDS if name not in ("npmi", "diversity", "clusters")]
    summary[known] = np.nan
    write_frame(sources.tables["summary"], summary)
    columns = leaderboard(Material(sources, methods))["metrics"]
    assert [column["card"].name for column in columns if column["shown"]] == [
        "npmi", "diversity", "clusters",
    ]  # fmt: skip


def test_a_published_number_is_first_looked_for_among_the_fits():
    row = {"ours": 0.2, "published": 0.3, "in_interval": True, "in_range": True}
    assert _place(row, True) == "in the range of our fits"
    outside = "outside the range of our fits, inside the interval over documents"
    assert _place({**row, "in_range": False}, True) == outside
    assert _place({**row, "in_range": False, "in_interval": False}, True) == "above ours"


def test_metrics_that_are_resampled_are_named(tmp_path):
    sources, methods = write_study(tmp_path / "simulated")
    summary = read_frame(sources.tables["summary"])
    write_frame(
        sources.tables["summary"], summary.assign(interval_over="random states and documents")
    )
    write_report(sources, methods, tmp_path / "simulated" / "report.html")
    page = Page(tmp_path / "simulated" / "report.html")
    for section in ("leaderboard", "comparisons", "statistics"):
        assert (
            "Intervals of Purity; NMI; AMI; AMI, injected; and F1 are over" in page.texts[section]
        )


def test_dataset_has_the_papers_table_and_ours_beside(study):
    full, _, page = study
    text = " ".join(page.texts["dataset"].split())
    mean = "10.10" if full else "9.60"
    assert f"Average words per document 7.04 10 {mean}" in text
    assert "Vocabulary size 885,945 2,800 32" in text
    assert "Share of words seen once" not in text


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        ("clearly ahead", "good"),
        ("holds", "good"),
        ("clearly ahead, behind the control Keyword k-means", "partly"),
        ("ahead but not clear", "partly"),
        ("holds in part", "partly"),
        ("behind", "bad"),
        ("behind models and the control Keyword k-means", "bad"),
        ("does not hold", "bad"),
        ("too few repetitions", "open"),
        ("not tested", "open"),
    ],
)
def test_a_verdict_that_a_control_limits_is_not_shown_as_good(verdict, expected):
    assert tone(verdict) == expected


def test_numbers_for_reading():
    assert [number(x) for x in (0.1234, -0.1234, 0.0, None, float("nan"), 2e-9)] == [
        "0.123", "−0.123", "0.000", "–", "–", "0.000",
    ]  # fmt: skip
    assert [precise(x) for x in (2e-9, -2e-9, 0.5, 0.0)] == [
        "2.0e-09",
        "−2.0e-09",
        "0.500",
        "0.000",
    ]
    assert signed(-1e-9) == "+0.000"
    assert number(12345, 0) == "12,345"
    assert [signed(x) for x in (0.5, -0.5, float("nan"))] == ["+0.500", "−0.500", "–"]
    assert [p_value(x) for x in (0.0001, 0.2, float("nan"))] == ["< 0.001", "0.200", "–"]
    assert listed(["a"]) == "a"
    assert listed("abc") == "a, b and c"


def test_topics_are_those_of_the_first_model_even_behind_a_control(tmp_path):
    path = tiny(tmp_path, methods=["truth", "constrained_nmf"], repetitions=1)
    target = "results/simulated/tables/topics.csv"
    output = snakemake(target, "--configfile", path, "--dry-run", "-p", folder=tmp_path)
    command = next(line for line in output.splitlines() if "minority_topics topics " in line)
    assert "/fits/constrained_nmf/" in command


def test_the_report_waits_for_the_provenance_of_what_it_shows(tmp_path):
    path = tiny(tmp_path, repetitions=1)
    target = "results/simulated/report.html"
    output = snakemake(target, "--configfile", path, "--dry-run", "-p", folder=tmp_path)
    command = next(line for line in output.splitlines() if "minority_topics provenance " in line)
    locks = re.findall(r"envs/(\w+)\.lock", command)
    assert locks == ["constrained_nmf", "nmf", "study"]
    assert unescape(output).count("simulated/provenance.json") >= 2


def test_a_page_needs_scores(tmp_path):
    sources, methods = write_study(tmp_path / "simulated")
    pd.DataFrame().to_csv(sources.tables["scores"])
    sources.tables["scores"].write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=r"a report needs scores\.csv"):
        write_report(sources, methods, tmp_path / "report.html")
