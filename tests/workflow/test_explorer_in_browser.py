"""The page to explore topics in a real browser: seen, operated and judged as a reader would."""

import json
import time

import pytest
from chromium import LOOKS, chromium
from tables_folder import HOSTILE, write_tables

from minority_topics.report.explorer import write_explorer
from minority_topics.report.marking import clipped

PAGES = {
    "usual": {},
    "hostile": {"hostile": True},
    "bare": {"texts": False, "dates": False, "groups": False},
}
LONGEST_LOAD = 2000  # milliseconds
TITLE = 'document.getElementById("detail-title").textContent'
STATUS = 'document.getElementById("search-status").textContent'
SHOWN = """[...document.querySelectorAll(".item")].filter(item => item.checkVisibility())
  .map(item => Number(item.dataset.topic))"""
WORDS = '[...document.querySelectorAll(".word-bars bdi")].map(word => word.textContent)'
ENTRIES = """[...document.querySelectorAll("#seed-table tbody tr:not([hidden]) th")]
  .map(cell => cell.textContent)"""
# A page that scrolls slowly would move under the mouse.
STILL = {"prefers-reduced-motion": "reduce"}
FOCUS = "document.activeElement.id || document.activeElement.getAttribute('href')"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explorer")
    for name, options in PAGES.items():
        write_tables(folder / name / "tables", **options)
        title = HOSTILE[1] if name == "hostile" else "Kommentit"
        write_explorer(folder / name / "tables", folder / name / "explorer.html", title)
    return {name: folder / name / "explorer.html" for name in PAGES}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def go(browser, address):
    """Follow an address within the page, and let the page follow."""
    browser.run(f"location.hash = {json.dumps(address)}")
    number = address.removeprefix("#topic-")
    wait_until(browser, f"{TITLE}.startsWith('Topic {number}:')")
    settle(browser)


def settle(browser):
    browser.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")


def wait_until(browser, condition):
    end = time.monotonic() + 10
    while not browser.run(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("name", "look"),
    [("usual", "light"), ("usual", "dark"), ("usual", "phone"), ("hostile", "dark")],
)
def test_axe_finds_no_violation(pages, browser, name, look):
    width, features = LOOKS[look]
    browser.open(pages[name], width, features=features | STILL)
    if look != "light":  # where the page is judged as it opens
        go(browser, "#topic-1")
    if name == "usual" and look == "dark":
        browser.click(".more")
    assert browser.violations() == []


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_fits_the_window_asks_for_nothing_and_runs_nothing_but_its_script(
    pages, browser, name, look
):
    width, features = LOOKS[look]
    browser.open(pages[name], width, features=features | STILL)
    for topic in (1, 2, 3, 7):
        go(browser, f"#topic-{topic}")
        assert browser.run("document.documentElement.scrollWidth") <= width
    browser.run("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("typeof window.executed") == "undefined"
    assert browser.run("document.scripts.length") == 2
    assert browser.run("document.querySelectorAll('img, iframe, object, embed').length") == 0
    assert browser.complaints() == []
    assert set(browser.requests()) == {pages[name].as_uri()}


@pytest.mark.parametrize("look", ["light", "phone"])
def test_no_word_of_how_it_was_made_is_broken(pages, browser, look):
    width, features = LOOKS[look]
    browser.open(pages["usual"], width, features=features | STILL)
    broken = """[...document.querySelectorAll(".made dt, .made dd bdi")].flatMap(element => {
      const text = element.firstChild, range = document.createRange();
      return [...text.data.matchAll(/[^\\s-]+/g)].filter(word => {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        return range.getClientRects().length > 1;
      }).map(word => word[0]);
    })"""
    assert browser.run(broken) == []


def test_hostile_comments_are_shown_as_they_were_written(pages, browser):
    browser.open(pages["hostile"], features=STILL)
    shown = []
    for topic in range(1, 8):
        go(browser, f"#topic-{topic}")
        browser.click(".more")
        texts = '[...document.querySelectorAll("#detail .text")].map(text => text.textContent)'
        shown += browser.run(texts)
    for text in HOSTILE[:9]:
        assert any(clipped(text)[0] in comment for comment in shown), text
    # What turns the direction of writing in a group's name does not reach what stands behind it.
    behind = browser.run(
        """[...document.querySelectorAll("#detail .about")].map(about => {
          const boxes = (node) => {
            const range = document.createRange();
            range.selectNodeContents(node);
            return [...range.getClientRects()];
          };
          const group = boxes(about.querySelectorAll("bdi")[1]);
          const share = [...about.childNodes].find(node => node.nodeType === Node.TEXT_NODE);
          const lowest = Math.max(...group.map(box => box.top));
          const end = Math.max(...group.filter(box => box.top === lowest).map(box => box.right));
          return boxes(share).every(box => box.top > lowest + 5 || box.left > end - 1);
        })"""
    )
    assert len(behind) == 20
    assert all(behind)


def test_policy_lets_no_other_script_run(pages, browser, tmp_path):
    broken = tmp_path / "broken.html"
    text = pages["usual"].read_text(encoding="utf-8")
    script = "<script>window.executed = 1</script><p onclick='window.executed = 1'>x</p></main>"
    broken.write_text(text.replace("</main>", script), encoding="utf-8")
    browser.open(broken)
    assert browser.run("typeof window.executed") == "undefined"
    assert "Content Security Policy" in json.dumps(browser.complaints())


def test_opens_fast_with_many_topics_and_long_comments(browser, tmp_path):
    weeks = [f"{year}-W{week:02}" for year in range(2015, 2022) for week in range(1, 53)]
    write_tables(tmp_path / "tables", n_majority=47, periods=weeks, hostile=True)
    write_explorer(tmp_path / "tables", tmp_path / "explorer.html", "Many")
    took = []
    for _ in range(3):  # other work on the machine may disturb one of them
        browser.open(tmp_path / "explorer.html")
        assert browser.run("document.querySelectorAll('#detail .text').length") == 6
        took.append(browser.run("performance.getEntriesByType('navigation')[0].loadEventEnd"))
    assert min(took) < LONGEST_LOAD


# Topics.


def test_a_click_and_a_key_open_a_topic(pages, browser):
    browser.open(pages["usual"], features=STILL)
    assert browser.run(TITLE) == "Topic 1: Masennus ja jaksaminenminority"
    assert browser.run("location.hash") == ""
    browser.click('.item a[href="#topic-2"]')
    wait_until(browser, f"{TITLE}.startsWith('Topic 2: Päihteet')")
    assert browser.run("location.hash") == "#topic-2"
    assert browser.run(FOCUS) == "detail-title"
    current = "document.querySelector('.item a[aria-current]').getAttribute('href')"
    assert browser.run(current) == "#topic-2"
    browser.run("document.querySelector('.item a[href=\"#topic-5\"]').focus()")
    browser.press("Enter", 13, "\r")
    wait_until(browser, f"{TITLE} === 'Topic 5: Liikenne'")
    box = "(box => box.top >= 0 && box.bottom <= innerHeight)"
    heading = "document.getElementById('detail-title').getBoundingClientRect()"
    wait_until(browser, f"{box}({heading})")
    browser.run("history.back()")
    wait_until(browser, f"{TITLE}.startsWith('Topic 2')")
    assert browser.complaints() == []


def test_an_address_opens_its_topic(pages, browser, tmp_path):
    browser.open(pages["usual"], features=STILL)
    browser.send("Page.navigate", url=pages["usual"].as_uri() + "?#topic-3")
    wait_until(browser, "document.readyState === 'complete' && location.hash === '#topic-3'")
    wait_until(browser, f"{TITLE}.startsWith('Topic 3')")
    browser.send("Page.navigate", url=pages["usual"].as_uri() + "?other#topic-99")
    wait_until(browser, "document.readyState === 'complete' && location.hash === '#topic-99'")
    wait_until(browser, f"{TITLE}.startsWith('Topic 1')")


def test_a_topic_has_charts_and_their_numbers(pages, browser):
    browser.open(pages["usual"], features=STILL)
    go(browser, "#topic-1")
    label = browser.run("document.querySelector('.chart').getAttribute('aria-label')")
    assert label.startswith("Prevalence by month: 1.3% in 2023-01, ")
    assert "highest 1.9%" in label
    assert browser.run("document.querySelectorAll('.chart .hit title').length") == 24
    browser.run("document.querySelector('#detail details').open = true")
    row = browser.run("document.querySelector('#detail details tbody tr').innerText")
    assert row.split() == ["2023-01", "2,000", "1.3%", "1.0%", "to", "1.6%"]
    rows = browser.run(
        """[...document.querySelectorAll("#detail .halves > :last-child tbody tr")]
          .map(row => row.innerText.replace(/\\s+/g, " ").trim())"""
    )
    assert rows[0] == "Uutiset 12,000 comments 1.3% 1.2% to 1.4%"
    assert rows[3] == "Urheilu 9,000 comments too few comments to show"


def test_words_by_exclusivity_in_the_list_and_in_the_topic(pages, browser):
    browser.open(pages["usual"], features=STILL)
    assert browser.run(WORDS)[:2] == ["masennus", "uupumus"]
    browser.click('input[value="exclusivity"]')
    assert browser.run(WORDS)[:2] == ["väsymys", "uni"]
    listed = 'document.querySelector(".item .words:not([hidden])").innerText'
    assert browser.run(listed).startswith("väsymys, uni")
    browser.press("ArrowLeft", 37)
    assert browser.run(WORDS)[:2] == ["masennus", "uupumus"]


def test_order_of_topics_keeps_minority_first(pages, browser):
    browser.open(pages["usual"], features=STILL)
    choose = """(value => { const box = document.querySelector("select[name=order]");
      box.value = value; box.dispatchEvent(new Event("change", {bubbles: true})); })"""
    browser.run(f"{choose}('title')")
    assert browser.run(SHOWN) == [1, 2, 3, 4, 5, 6, 7]
    browser.run(f"{choose}('prevalence')")
    shown = browser.run(SHOWN)
    assert shown[:3] == [1, 2, 3]
    assert shown[3:] != [4, 5, 6, 7]
    browser.run(f"{choose}('topic')")
    assert browser.run(SHOWN) == [1, 2, 3, 4, 5, 6, 7]


def test_more_comments_come_on_demand(pages, browser):
    browser.open(pages["usual"], features=STILL)
    count = "document.querySelectorAll('#detail .comments li').length"
    assert browser.run(count) == 6
    browser.click(".more")
    assert browser.run(count) == 20
    assert browser.run("document.activeElement.tagName") == "LI"
    assert browser.run("document.querySelector('#detail mark.seed').textContent") == "seed words"
    marked = "document.querySelector('#detail .text mark.seed').textContent"
    assert browser.run(marked) == "Masennuksen"


def test_texts_that_were_left_out_are_said_to_be(pages, browser):
    browser.open(pages["bare"], features=STILL)
    assert "Texts were left out" in browser.run("document.getElementById('detail').innerText")
    assert browser.run("document.querySelectorAll('.chart, #detail table').length") == 0


# Search, tables, map.


def search(browser, text):
    browser.run("document.getElementById('search').focus()")
    browser.run("document.getElementById('search').select()")
    browser.send("Input.insertText", text=text)


def test_search_finds_words_comments_and_seed_words(pages, browser):
    browser.open(pages["usual"], features=STILL)
    search(browser, "VERO")
    wait_until(browser, f"{STATUS} !== ''")
    assert browser.run(STATUS) == (
        "1 of 7 topics found: 1 by their words, 1 by their example comments. 0 seed entries found."
    )
    assert browser.run(SHOWN) == [4]
    assert browser.run(TITLE).startswith("Topic 4")
    assert browser.run("document.querySelector('#detail mark.found').textContent") == "vero"
    search(browser, "yksinäisyys")
    wait_until(browser, f"{STATUS}.includes('1 seed entry found')")
    assert browser.run(SHOWN) == [3]
    assert browser.run(ENTRIES) == ["yksinäisyys"]
    browser.press("Enter", 13, "\r")
    wait_until(browser, "location.hash === '#topic-3'")
    settle(browser)
    search(browser, "<nothing has this>")
    wait_until(browser, f"{STATUS}.startsWith('0 of 7 topics found')")
    assert browser.run(SHOWN) == []
    browser.press("Escape", 27)
    browser.run("document.getElementById('search').value = ''")
    browser.run("document.getElementById('search').dispatchEvent(new Event('input'))")
    wait_until(browser, f"{STATUS} === ''")
    assert len(browser.run(SHOWN)) == 7
    assert len(browser.run(ENTRIES)) == 10
    assert browser.complaints() == []


def test_seed_table_is_sorted_and_filtered(pages, browser):
    browser.open(pages["usual"], features=STILL)
    browser.click("#seed-table thead th:nth-child(4) button")
    assert browser.run(ENTRIES)[:2] == ["uni*", "masennus"]
    assert browser.run("document.querySelector('#seed-table th:nth-child(4)').ariaSort") == (
        "descending"
    )
    browser.press("Enter", 13, "\r")
    assert browser.run(ENTRIES)[:2] == ["masenus", "paniikki kohtaus"]
    browser.click("#only-warnings")
    assert browser.run(ENTRIES) == ["masenus", "uni*"]
    status = "document.getElementById('seed-status').textContent"
    assert browser.run(status) == "2 of 10 entries shown."


def test_map_is_reached_and_used_by_keyboard(pages, browser):
    browser.open(pages["usual"], features=STILL)
    browser.run("document.querySelector('.node').focus()")
    seen = []
    for _ in range(7):
        seen.append(browser.run("document.activeElement.getAttribute('href')"))
        browser.press("Tab", 9)
    assert sorted(seen) == [f"#topic-{number}" for number in range(1, 8)]
    browser.run("document.querySelector('.node[href=\"#topic-6\"]').focus()")
    assert "Topic 6, majority" in browser.run("document.getElementById('map-readout').textContent")
    browser.press("Enter", 13, "\r")
    wait_until(browser, f"{TITLE}.startsWith('Topic 6')")
    assert browser.run(FOCUS) == "detail-title"


# Phone, print, no script.


def test_a_phone_shows_the_list_or_a_topic(pages, browser):
    browser.open(pages["usual"], 390, features=STILL)
    is_open = "document.getElementById('detail').checkVisibility()"
    assert browser.run(SHOWN) == [1, 2, 3, 4, 5, 6, 7]
    assert not browser.run(is_open)
    browser.click('.item a[href="#topic-2"]')
    wait_until(browser, is_open)
    assert browser.run(SHOWN) == []
    browser.click(".back")
    wait_until(browser, f"!{is_open}")
    assert browser.run(SHOWN) == [1, 2, 3, 4, 5, 6, 7]
    assert browser.run(FOCUS) == "#topic-2"
    # A search leads back to the list, from which the same topic opens again.
    browser.click('.item a[href="#topic-2"]')
    wait_until(browser, is_open)
    search(browser, "alkoholi")
    wait_until(browser, f"{STATUS} !== ''")
    assert browser.run(SHOWN) == [2]
    browser.click('.item a[href="#topic-2"]')
    wait_until(browser, is_open)


def test_skip_link_comes_first_and_leads_to_the_content(pages, browser):
    browser.open(pages["usual"], features=STILL)
    browser.press("Tab", 9)
    assert browser.run("document.activeElement.className") == "skip"
    browser.press("Enter", 13, "\r")
    assert browser.run("document.activeElement.id") == "content"


def test_prints_all_that_is_folded_away(pages, browser, tmp_path):
    browser.open(pages["usual"], features=STILL)
    browser.run("""addEventListener("beforeprint", () => {
      document.title = document.querySelectorAll("details:not([open])").length; })""")
    browser.print(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert browser.run("document.title") == "0"


def test_without_a_script_topics_and_tables_are_there(pages, browser):
    browser.open(pages["usual"], script=False)
    # Asked through the tree of the page, since no script may run in it.
    tree = browser.send("DOM.getDocument", depth=-1)["root"]["nodeId"]

    def count(selector):
        found = browser.send("DOM.querySelectorAll", nodeId=tree, selector=selector)
        return len(found["nodeIds"])

    assert count(".item .words:not([hidden])") == 7
    assert count(".item .bar") == 7
    assert count("#seed-table tbody tr") == 10
    assert count("#seed-free .text") == 12
    assert count(".map .node") == 7
    assert count("#controls[hidden]") == count("#detail[hidden]") == 1
    assert count("noscript .notice a[href='tables/examples.csv']") == 1
    assert count("thead button") == 0
    browser.send("Emulation.setScriptExecutionDisabled", value=False)
