"""Tables of Markdown files come from CSVs, and those of the README from the ones in docs/."""

import pandas as pd
import pytest

from minority_topics.report.markdown import BLOCKS, fill, keep_tables
from minority_topics.scores.tables import write_frame
from minority_topics.study.paths import ROOT
from minority_topics.study.registry import read_methods

METHODS = read_methods()
PAGES = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))]


@pytest.fixture
def folder(tmp_path):
    """Tables of two methods in two settings, with one repetition too few for intervals."""
    frames = {
        "summary": pd.DataFrame(
            [
                summary_row("constrained_nmf", 20, 7, 0.5, (0.4, 0.6)),
                summary_row("nmf", 20, 7, 0.25, (float("nan"), float("nan"))),
                summary_row("constrained_nmf", 30, 10, 0.75, (0.7, 0.8)),
            ]
        ),
        "paper_vs_ours": pd.DataFrame(
            [{"method": "nmf", "metric": "purity", "published": 0.0969}]
        ),
        "claims": pd.DataFrame(
            [
                claim("best", "constrained_nmf", "clearly ahead"),
                claim("best", "constrained_nmf_paper", "behind"),
                claim("order", "", "holds"),
            ]
        ),
        "parts": pd.DataFrame(
            [
                {
                    "base": "ours", "change": "random start", "metric": metric,
                    "difference": -0.125, "low": -0.25, "high": 0.0625,
                }
                for metric in ("purity", "nmi")
            ]
        ),
    }  # fmt: skip
    for name, frame in frames.items():
        write_frame(tmp_path / "tables" / f"{name}.csv", frame)
    return tmp_path


def summary_row(method, n_topics, n_minority, mean, interval):
    row = {"dataset": "d", "n_topics": n_topics, "n_minority": n_minority, "method": method}
    for metric in ("purity", "nmi", "ami_injected", "jsd_mean", "f1"):
        row[metric] = mean
        row[f"{metric}_low"], row[f"{metric}_high"] = interval
    return row


def claim(name, method, verdict):
    return {
        "claim": name, "statement": f"It is {name}.", "paper": "Figure 1", "method": method,
        "verdict": verdict, "evidence": f"Because of {name}.",
    }  # fmt: skip


def filled(name, folder):
    text = f"Before\n<!-- table {name} tables -->\nstale\n<!-- end -->\nafter\n"
    made = fill(text, folder, METHODS)
    assert made.startswith("Before\n")
    assert made.endswith("<!-- end -->\nafter\n")
    assert "stale" not in made
    assert fill(made, folder, METHODS) == made
    return made


def test_scores_with_intervals_and_published_numbers(folder):
    made = filled("leaderboard", folder)
    assert "| Paper: purity | Paper: NMI |" in made
    assert "| Constrained NMF | 0.500 (0.400–0.600) |" in made
    assert "| NMF | 0.250 | 0.250 | 0.250 | 0.250 | 0.250 | 0.0969 | – |" in made
    assert "0.750" not in made, "of another setting"


def test_settings_side_by_side(folder):
    made = filled("settings", folder)
    assert "| Constrained NMF | 0.500 / 0.500 | 0.750 / 0.750 |" in made


def test_verdicts_name_solvers(folder):
    made = filled("verdicts", folder)
    assert "| It is best. | exact: clearly ahead<br>as published: behind |" in made
    assert "| It is order. | holds |" in made
    assert "- exact: *clearly ahead.* Because of best." in filled("evidence", folder)


def test_parts(folder):
    assert "| ours | random start | −0.125 (−0.250 to +0.062) |" in filled("parts", folder)


def test_faults_as_they_were_counted(folder):
    rows = [["the OOM killer", 10, 9, 1], ["all", 10, 9, 1]]
    table = pd.DataFrame(rows, columns=["fault", "injected", "survived", "defects"])
    write_frame(folder / "faults.csv", table)
    made = fill("<!-- table faults . -->\n<!-- end -->", folder, METHODS).splitlines()
    assert made[2] == "| Fault | Injected | Survived | Defects |"
    assert made[4:6] == ["| the OOM killer | 10 | 9 | 1 |", "| all | 10 | 9 | 1 |"]


def test_sweeps_of_all_sizes_in_one_table(folder):
    (folder / "swept").mkdir()
    for n_documents, lead in ((5000, 0.25), (500, 0)):
        rows = [
            {
                "dataset": f"d{n_documents}", "seed_share": kept, "wrong_seed_share": wrong,
                "method": method, "f1": score, "nmi": score / 2,
            }
            for kept, wrong, score in ((1, 0, 0.75), (0.5, 0, 0.5), (1, 0.1, 0.25), (1, 1, 0.125))
            for method, score in (("constrained_nmf_learnt", score + lead), ("nmf", float("nan")))
        ]  # fmt: skip
        write_frame(folder / "swept" / f"noise_{n_documents}.csv", pd.DataFrame(rows))
    made = fill("<!-- table sweeps swept -->\n<!-- end -->", folder, METHODS).splitlines()
    assert made[2] == "| Dataset | Model | kept 1 | kept 0.5 | wrong 0.1 | wrong 1 |"
    ours = "Constrained NMF (learnt guidance)"
    assert made[4:] == [
        f"| d500 | {ours} | 0.75 / 0.38 | 0.50 / 0.25 | 0.25 / 0.12 | 0.12 / 0.06 |",
        "| d500 | NMF | – / – | – / – | – / – | – / – |",
        f"| d5000 | {ours} | 1.00 / 0.50 | 0.75 / 0.38 | 0.50 / 0.25 | 0.38 / 0.19 |",
        "| d5000 | NMF | – / – | – / – | – / – | – / – |",
        "",
        "<!-- end -->",
    ]


def test_an_unknown_block_is_told(folder):
    with pytest.raises(ValueError, match="table nothing: no such block; there are leaderboard"):
        fill("<!-- table nothing tables -->\n<!-- end -->", folder, METHODS)


def test_kept_tables_are_those_of_the_study(folder, tmp_path):
    write_frame(folder / "tables" / "examples.csv", pd.DataFrame([{"text": "private"}]))
    keep_tables(folder, tmp_path / "kept")
    kept = {path.name for path in (tmp_path / "kept").iterdir()}
    assert kept == {f"{name}.csv" for name in ("summary", "paper_vs_ours", "claims", "parts")}
    assert filled("parts", folder).count("|") > 0
    with pytest.raises(ValueError, match="name the results of a dataset"):
        keep_tables(tmp_path / "nothing", tmp_path / "kept")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_of_the_documentation_are_those_of_the_results(page):
    text = page.read_text(encoding="utf-8")
    assert text.count("<!-- table ") == text.count("<!-- end -->")
    assert fill(text, page.parent, METHODS) == text


def test_the_readme_has_tables_that_are_made():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "verdicts" in {name for name in BLOCKS if f"table {name} " in text}
