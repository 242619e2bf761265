"""The results page in a real browser: seen, operated and judged as a reader would."""

import json

import pytest
from chromium import LOOKS, chromium
from study_folder import FIGURE_WIDTHS, write_study

from minority_topics.report.page import write_report

# What a reader sees of the leaderboard: labels of rows and columns.
ROWS = """[...document.querySelectorAll("#board tbody:not([hidden]) tr:not([hidden]) th")]
  .map(cell => cell.querySelector("bdi").textContent)"""
COLUMNS = '[...document.querySelectorAll("#board thead th:not([hidden])")].map(e => e.textContent)'
BEST = """[...document.querySelectorAll('#board tbody:not([hidden]) .best[data-metric="purity"]')]
  .map(cell => cell.parentElement.querySelector("bdi").textContent)"""
STATUS = 'document.getElementById("board-status").textContent'


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "simulated"
    sources, methods = write_study(folder)
    write_report(sources, methods, folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_no_violation(page, browser, look):
    width, features = LOOKS[look]
    browser.open(page, width, features=features)
    assert browser.violations() == []


@pytest.mark.parametrize("look", LOOKS)
def test_fits_the_window_and_complains_of_nothing(page, browser, look):
    width, features = LOOKS[look]
    browser.open(page, width, features=features)
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.complaints() == []
    images = browser.run(
        """[...document.images].map(image => ({
          loaded: image.naturalWidth > 0,
          width: image.getBoundingClientRect().width,
          room: image.parentElement.getBoundingClientRect().right,
          scrolls: getComputedStyle(image.parentElement).overflowX,
        }))"""
    )
    for image, points in zip(images, FIGURE_WIDTHS, strict=True):
        # Letters of 7 points get at least 10 pixels; what is too wide scrolls in a box of its own.
        assert image["loaded"], image
        assert 7 * image["width"] / points >= 10, image
        assert image["room"] <= width, image
        assert image["scrolls"] == "auto"


def test_works_without_a_network(page, browser):
    browser.send(
        "Network.emulateNetworkConditions",
        offline=True, latency=0, downloadThroughput=0, uploadThroughput=0,
    )  # fmt: skip
    browser.open(page)
    assert browser.run("document.querySelectorAll('main section').length") > 10
    assert browser.requests() == [page.as_uri()]
    assert browser.complaints() == []


def test_policy_lets_no_other_script_run(page, browser, tmp_path):
    """The page would complain of a handler or a script that came in with a table."""
    broken = tmp_path / "broken.html"
    text = page.read_text(encoding="utf-8")
    broken.write_text(
        text.replace("</main>", '<script>document.title = "run"</script></main>'), encoding="utf-8"
    )
    browser.open(broken)
    assert browser.run("document.title").startswith("Minority topics")
    assert "Content Security Policy" in json.dumps(browser.complaints())


def test_shows_the_first_setting_without_a_script(page, browser):
    browser.open(page, script=False)
    # Asked through the tree of the page, since no script may run in it.
    tree = browser.send("DOM.getDocument")["root"]["nodeId"]

    def count(selector):
        found = browser.send("DOM.querySelectorAll", nodeId=tree, selector=selector)
        return len(found["nodeIds"])

    assert count("#board tbody:not([hidden]) tr:not([hidden])") == 8
    assert count("#board thead th:not([hidden])") == 2 + 5 + 1
    assert count("#board button") == 0
    assert count("#board-filters[hidden]") == 1
    browser.send("Emulation.setScriptExecutionDisabled", value=False)


def test_sorts_by_click_and_by_key(page, browser):
    browser.open(page)
    before = browser.run(ROWS)
    purity = '#board thead th[data-metric="purity"]'
    browser.click(f"{purity} button")
    assert browser.run(f"document.querySelector('{purity}').ariaSort") == "descending"
    descending = browser.run(ROWS)
    assert descending[:3] == ["True labels", "Constrained NMF", "Keyword k-means"]
    assert descending[-1] == "KeyATM"  # which has no result
    assert sorted(descending) == sorted(before)
    # The button has the focus still: a key turns the order round.
    browser.press("Enter", 13, "\r")
    assert browser.run(f"document.querySelector('{purity}').ariaSort") == "ascending"
    ascending = browser.run(ROWS)
    assert ascending[:-1] == descending[:-1][::-1]
    assert ascending[-1] == "KeyATM"
    assert browser.run(STATUS) == "8 methods at 20/7, sorted by Purity, ascending."
    # The next button is one Tab away; of JSD less is better, so the best comes first.
    browser.click('#board thead th[data-metric="jsd_mean"] button')
    assert (
        browser.run("document.querySelector('[data-metric=\"jsd_mean\"]').ariaSort") == "ascending"
    )
    assert browser.run(f"document.querySelector('{purity}').ariaSort") == "none"
    browser.click("#board thead th:first-child button")
    assert browser.run(ROWS) == sorted(before)
    assert browser.complaints() == []


def test_every_column_can_be_reached_and_sorted_by_keyboard(page, browser):
    browser.open(page)
    browser.run("document.querySelector('#board thead button').focus()")
    names = browser.run(COLUMNS)
    for name in names:
        focused = browser.run("document.activeElement.textContent")
        assert focused == name
        browser.press(" ", 32, " ")
        assert browser.run("document.activeElement.parentElement.ariaSort") != "none"
        browser.press("Tab", 9)


def test_filters_rows_and_columns(page, browser):
    browser.open(page)
    assert browser.run(BEST) == ["Gibbs LDA"]
    browser.click('input[value="control"]')
    assert "True labels" not in browser.run(ROWS)
    browser.click('input[value="guided"]')
    assert browser.run(ROWS) == ["NMF"]
    # Who is best of all does not depend on who is shown.
    assert browser.run(BEST) == ["Gibbs LDA"]
    assert browser.run(STATUS) == "1 method at 20/7."
    browser.click('input[value="guided"]')
    browser.click('input[value="peer"]')
    rows = browser.run(ROWS)
    assert "Gibbs LDA" in rows
    assert browser.run(BEST) == ["Gibbs LDA"]
    columns = browser.run(COLUMNS)
    browser.click('input[value="purity"]')
    assert browser.run(COLUMNS) == [name for name in columns if not name.startswith("Purity")]
    browser.click('input[value="npmi"]')
    assert "NPMI coherence" in browser.run(COLUMNS)
    assert browser.complaints() == []


def test_another_setting_has_other_rows_and_no_published_numbers(page, browser):
    browser.open(page)
    browser.run("document.querySelector('select[name=setting]').focus()")
    browser.press("ArrowDown", 40)
    assert browser.run(STATUS) == "8 methods at 30/10."
    assert (
        browser.run(
            '[...document.querySelectorAll("#board tbody:not([hidden]) .published")].length'
        )
        == 0
    )
    assert len(browser.run(ROWS)) == 8


def test_skip_link_comes_first_and_leads_to_the_content(page, browser):
    browser.open(page)
    browser.press("Tab", 9)
    assert browser.run("document.activeElement.className") == "skip"
    assert browser.run("document.activeElement.getBoundingClientRect().left") >= 0
    browser.press("Enter", 13, "\r")
    assert browser.run("document.activeElement.id") == "content"


def test_prints_all_that_is_folded_away(page, browser, tmp_path):
    browser.open(page)
    browser.run("""addEventListener("beforeprint", () => {
      document.title = document.querySelectorAll("details:not([open])").length; })""")
    browser.print(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert browser.run("document.title") == "0"
    assert browser.run('document.querySelectorAll("details:not([open])").length') > 0
