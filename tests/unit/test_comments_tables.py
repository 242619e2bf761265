"""Topic tables in Markdown, LaTeX and Excel: in the style of the paper, with text as text."""

import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minority_topics.comments.answers.tables import (
    LATEX,
    latex_text,
    markdown_text,
    write_excel,
    write_latex,
    write_markdown,
)

ROWS = [
    (1, "Fear & <b>", "minority", [("pelko", True), ("100%_x", False)], ["fear", "100%"]),
    (2, "Work", "minority", [("työ", False)], []),
    (3, "", "majority", [("|a|", False)], []),
]


def test_markdown_by_hand(tmp_path):
    write_markdown(tmp_path / "t.md", ROWS, "Topics of *x*")
    assert (tmp_path / "t.md").read_text(encoding="utf-8").split("\n") == [
        r"# Topics of \*x\*",
        "",
        "Seed words are bold.",
        "",
        "## Minority topics",
        "",
        "| Topic | Top 10 topic words |",
        "| --- | --- |",
        r"| 1 Fear &amp; &lt;b&gt; | **pelko**, 100%\_x<br>*fear, 100%* |",
        "| 2 Work | työ |",
        "",
        "## Majority topics",
        "",
        "| Topic | Top 10 topic words |",
        "| --- | --- |",
        r"| 3 | \|a\| |",
        "",
    ]


def test_latex_has_the_form_of_the_paper(tmp_path):
    write_latex(tmp_path / "t.tex", ROWS, "Topics of 100% of x_y")
    text = (tmp_path / "t.tex").read_text(encoding="utf-8")
    assert text.count(r"\begin{table*}[t]") == text.count(r"\end{table*}") == 2
    assert r"\begin{tabular}{lp{0.8\linewidth}}" in text
    name = r"\textit{Fear \& \textless{}b\textgreater{}:}"
    words = r"\textbf{pelko}, 100\%\_x"
    assert f"Topic 1 & {name} {words} \\\\\n & fear, 100\\% \\\\\n\\hline" in text
    assert r"\caption{Topics of 100\% of x\_y: minority topics 1--2. Seed words are bold.}" in text


def test_a_latex_table_fits_on_a_page(tmp_path):
    rows = [(n, "", "majority", [("a", False)], []) for n in range(1, 46)]
    write_latex(tmp_path / "t.tex", rows, "x")
    text = (tmp_path / "t.tex").read_text(encoding="utf-8")
    assert re.findall(r"topics (\d+--\d+)", text) == ["1--20", "21--40", "41--45"]


@given(st.text())
def test_no_text_becomes_a_latex_command(text):
    shown = latex_text(text)
    for escape in sorted(LATEX.values(), key=len, reverse=True):
        shown = shown.replace(escape, "")
    assert not re.search(r"[\\{}$&#_%~^]", shown)
    assert "\n" not in shown


@given(st.text())
def test_no_text_becomes_markup_or_another_cell(text):
    shown = markdown_text(text)
    assert not re.search(r"[<>\n]", shown)
    # Every mark has one backslash before it, itself escaped where it was in the text.
    assert not re.search(r"[|*`\[_]", re.sub(r"\\.", "", shown))


def test_excel_holds_text_and_numbers_and_no_formula(tmp_path):
    path = tmp_path / "t.xlsx"
    hostile = ["=1+1", "https://example.org", "{=SUM(A1)}", "@x", "00123", "<a>&", "x" * 40_000, ""]
    write_excel(path, [("One", ["a"], [[cell] for cell in [*hostile, 3, 2.5, float("nan"), None]])])
    with zipfile.ZipFile(path) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        strings = book.read("xl/sharedStrings.xml").decode()
        assert not any("rels" in name and "sheet" in name for name in book.namelist())
    assert "<f>" not in sheet
    assert sheet.count('t="s"') == 1 + 7
    assert "<v>2.5</v>" in sheet
    assert "=1+1" in strings
    assert "00123" in strings
    assert "&lt;a&gt;&amp;" in strings
    assert max(map(len, re.findall(r"<t[^>]*>(.*?)</t>", strings))) == 32_767
    before = path.read_bytes()
    write_excel(path, [("One", ["a"], [[cell] for cell in [*hostile, 3, 2.5, float("nan"), None]])])
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["a\u202eb", "a\x00b", "a\ufeffb", "a\r\nb"])
def test_controls_and_marks_of_direction_are_gone(text):
    assert latex_text(text) == markdown_text(text) == "a b"
