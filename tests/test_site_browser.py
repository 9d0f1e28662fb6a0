"""The website of a release in a real browser, opened from its file."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild import datasets
from kgbuild.export.write_release import publish
from tests.reviewed import HOSTILE, database, pair

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
COUNT = 500
UNREADABLE = "a'b\\c\u2028d</script>\u202e\u200f=1"
"""Signs that end a string in JavaScript, or turn the direction of a text."""


SIGNS = [*map(chr, range(0x20)), *"'\"\\</>&`${}-!u0n", "</script>", "<!--", "\u2028", "\u2029"]
SIGNS += ["\ufeff", "\uffff", "\u202e", "\u0301", "\U0001f600", "é", "ש"]
TEXTS = st.lists(st.sampled_from(SIGNS), min_size=1, max_size=9).map("".join)
"""Signs with a meaning in HTML, JSON or JavaScript, and signs that programs lose."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as engine:
        instance = engine.chromium.launch(executable_path=CHROMIUM)
        yield instance
        instance.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    labels = {f"{end}_label": HOSTILE for end in ("subject", "replacement", "object")}
    pairs = [
        *(pair(number, split="test" if number % 10 else "dev") for number in range(1, COUNT - 1)),
        pair(COUNT - 1, question="Where in Zürich was Ægir born?", subject_label=UNREADABLE),
        pair(COUNT, question=HOSTILE, **labels),
    ]
    db = database(folder / "a.duckdb", pairs)
    release = folder / "out"
    publish(datasets.dataset("syn_qa"), datasets.database(db), release, site_label={}.get)
    return release / "site"


@pytest.fixture
def page(browser: Any, site: Path) -> Iterator[Any]:
    """Open the site; errors, dialogs and requests for other files fail the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: faults.append(dialog.message) or dialog.dismiss())
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url.partition("#")[0]))
    page.goto(address(site))
    page.wait_for_selector(".item")
    yield page
    assert faults == []
    assert {*requests} == {address(site), (site / "rows.js").as_uri()}
    context.close()


def address(site: Path, row: str = "") -> str:
    return (site / "index.html").as_uri() + row


def expect(page: Any, selector: str, text: str) -> None:
    playwright.expect(page.locator(selector)).to_have_text(text)


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def shown(page: Any) -> str:
    """Return the id of the open row; "" without one."""
    return page.text_content("#row .id") if page.is_visible("#row .id") else ""


def test_by_the_keyboard_alone(page: Any) -> None:
    expect(page, "#count", "500 pairs")
    press(page, "ArrowDown ArrowDown ArrowUp ArrowDown")
    assert shown(page) == "pair2" and page.url.endswith("#pair2")
    expect(page, "#position", "2 of 500")
    press(page, "End")
    assert shown(page) == "pair500"
    assert page.locator(".item[aria-selected=true]").is_visible()  # the list scrolled along
    press(page, "/")
    page.keyboard.type("ann 47 TOWN")
    # All words, anywhere in a row: Ann 47, Ann 147 to 447, and Ann 470 to 479.
    expect(page, "#count", "15 of 500 pairs")
    press(page, "ArrowDown ArrowDown")
    assert shown(page) == "pair147"
    press(page, "Escape")
    expect(page, "#count", "500 pairs")
    press(page, "Escape Escape")
    assert shown(page) == "" and page.is_visible("#about")


def test_a_row_has_its_question_evidence_and_links(page: Any, site: Path) -> None:
    page.goto(address(site, "#pair7"))
    question = "In which house in Town 7 was Ann 7 born?"
    expect(page, "#row dd >> nth=0", question)
    assert page.title() == f"{question} – Syn-(QA)²: 500 pairs"
    expect(page, ".facts li >> nth=0", "Ann 7 place of birth Town 7")
    expect(page, ".facts li.false", "Bob 7 place of birth Town 7 assumed, not true")
    links = page.locator(".facts li >> nth=0 >> a")
    assert [link.get_attribute("href") for link in links.all()] == [
        *("https://www.wikidata.org/wiki/Q71", "https://www.wikidata.org/wiki/Property:P19"),
        "https://www.wikidata.org/wiki/Q73",
    ]
    assert {link.get_attribute("rel") for link in links.all()} == {"noopener noreferrer"}
    page.click("#next")
    assert shown(page) == "pair8"
    page.go_back()  # the address of pair 8 replaced that of pair 7
    page.wait_for_selector("#about")


def test_an_address_opens_its_row(browser: Any, site: Path) -> None:
    page = browser.new_page()
    page.goto(address(site, "#pair321"))
    expect(page, "#row .id", "pair321")
    assert page.locator(".item[aria-selected=true]").is_visible()
    page.close()


@pytest.mark.parametrize(
    ("query", "count"),
    [("zurich ÆGIR", 1), ("Q4993", 1), ("pair77", 1), ("alert(1)", 1), ("qq", 0)],
)
def test_the_search_reads_all_fields_without_accents(page: Any, query: str, count: int) -> None:
    page.fill("#query", query)
    expect(page, "#count", f"{count} of 500 pairs")
    assert page.locator(".item").count() == count


def test_filters_and_search_work_together(page: Any) -> None:
    page.get_by_label("split").select_option(label="dev (49)")
    expect(page, "#count", "49 of 500 pairs")
    page.get_by_label("falsity").select_option(label="contradicted (250)")
    expect(page, "#count", "0 of 500 pairs")  # pairs of the split dev have even numbers
    page.get_by_label("falsity").select_option(label="absent (250)")
    page.fill("#query", "ann 40")
    expect(page, "#count", "6 of 500 pairs")  # 40, 140 to 440, and 400


def test_only_rows_in_view_exist(page: Any) -> None:
    height = page.evaluate("document.getElementById('rows').clientHeight")
    assert height == 500 * page.locator(".item").first.bounding_box()["height"]
    assert page.locator(".item").count() < 30
    page.evaluate("document.getElementById('list').scrollTop = 1e9")
    page.wait_for_selector("#row-499")
    assert page.locator(".item").count() < 30
    page.click("#row-498")
    expect(page, "#row .id", "pair499")


def test_hostile_texts_are_texts(page: Any, site: Path) -> None:
    page.goto(address(site, "#pair500"))
    assert page.text_content("#row dd bdi") == HOSTILE
    page.goto(address(site, "#pair499"))
    assert page.text_content(".facts li bdi") == UNREADABLE
    # Each text is isolated: its override ends with it.
    isolation = "getComputedStyle(document.querySelector('.facts bdi')).unicodeBidi"
    assert page.evaluate(isolation) == "isolate"
    assert page.locator("#row script, #row img").count() == 0


def test_a_phone_shows_the_list_or_a_row(page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.is_visible(".item >> nth=0") and not page.is_visible("#side")
    page.click("#row-3")
    expect(page, "#row .id", "pair4")
    assert not page.is_visible("#list")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.go_back()
    page.wait_for_selector("#list")
    assert not page.is_visible("#side")
    page.click("#to-about")
    page.wait_for_selector(".canary >> nth=0")
    page.click("#close")
    page.wait_for_selector("#list")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_print_has_the_open_row_or_the_matches(page: Any) -> None:
    page.fill("#query", "ann 47")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#row section:visible").count() == 15
    assert not page.is_visible("#list") and not page.is_visible("#query")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    press(page, "ArrowDown")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown(page) == "pair47" and page.locator("#row section").count() == 0


def test_a_page_without_its_rows_says_so(browser: Any, site: Path, tmp_path: Path) -> None:
    shutil.copy(site / "index.html", tmp_path)
    page = browser.new_page()
    page.goto(address(tmp_path))
    missing = "The rows are in the file rows.js, which is not beside this page."
    expect(page, "#count", missing)
    page.close()


@settings(max_examples=5)
@given(st.lists(TEXTS, min_size=40, max_size=40))
def test_every_text_reaches_the_page_as_it_is(browser: Any, texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = [pair(n, question=text, object_label=text) for n, text in enumerate(texts)]
        db = datasets.database(database(folder / "a.duckdb", pairs))
        publish(datasets.dataset("syn_qa"), db, folder / "out", site_label={}.get)
        page = browser.new_page()
        page.goto(address(folder / "out" / "site"))
        page.wait_for_function("data.rows.length === 40")
        assert page.evaluate("data.rows.map((row) => row[3][1])") == texts
        # And the page shows it, and only as a text.
        page.keyboard.press("ArrowDown")
        assert page.text_content("#row dd bdi") == texts[0]
        assert page.locator("#row dd bdi *").count() == 0
        page.close()
