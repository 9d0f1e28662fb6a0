"""The review page in a real browser, by the keyboard alone."""

import contextlib
import datetime
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgbuild.tables.database import Database
from kgbuild.tables.records import Review
from tests.reviewed import HOSTILE, Served, add_others, database, held, pair, said, served

pytest.importorskip("flask")
pytest.importorskip("waitress")
playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as engine:
        found = engine.chromium.launch(executable_path=CHROMIUM)
        yield found
        found.close()


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("browser") / "a.duckdb"
    hostile = {f"{who}_label": HOSTILE for who in ("subject", "replacement", "object")}
    return database(path, [*(pair(n) for n in range(1, 4)), pair(4, question=HOSTILE, **hostile)])


@pytest.fixture(scope="module")
def at(db: Path) -> Iterator[Served]:
    with served(db) as found:
        yield found


def opened(browser: Any, at: Served, reviewer: str) -> Any:
    """Return the page of a reviewer who enters her name; what goes wrong in it fails the test."""
    page = browser.new_context(viewport={"width": 360, "height": 740}).new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("dialog", lambda dialog: page.faults.append(dialog.message) or dialog.dismiss())
    page.on("console", lambda told: page.faults.append(told.text) if told.type == "error" else 0)
    enter(page, at, reviewer)
    return page


def enter(page: Any, at: Served, reviewer: str) -> None:
    page.goto(at.address)
    page.wait_for_selector("#name:focus")  # which nobody has to give it
    page.keyboard.type(reviewer)
    page.keyboard.press("Enter")
    page.wait_for_selector("fieldset.current")


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def at_row(page: Any, number: int) -> None:
    """Wait until a row is shown, counted from 1."""
    page.wait_for_url(lambda url: url.endswith(f"?row={number}"))


def all_saved(page: Any) -> None:
    playwright.expect(page.locator("#saving")).to_have_text("All saved.")


def item(page: Any) -> str:
    return str(page.text_content(".id"))


def test_by_the_keyboard_alone(browser: Any, at: Served, db: Path) -> None:
    page = opened(browser, at, "Ada")
    items = []
    for number in range(1, 5):
        at_row(page, number)
        items.append(item(page))
        # The page is as wide as the screen: only the drawing scrolls sideways.
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        if items[-1] == "pair4":
            assert page.text_content(".wording .text bdi") == HOSTILE
        press(page, "y n" if number == 2 else "y y" if number < 4 else "y")
    press(page, "m")
    page.keyboard.type("yes <b>n</b>")  # no answers, while a note is written
    press(page, "Escape e")
    page.keyboard.press("Control+a")
    page.keyboard.type("Where?")
    press(page, "Control+Enter")
    assert page.text_content(".wording .text") == "Where?"
    press(page, "y")
    playwright.expect(page.locator("#status")).to_have_text("All rows are reviewed.")
    assert page.text_content("#done") == "Row 4 of 4, all reviewed"
    all_saved(page)
    answers = {("false", "yes"), ("natural", "yes")}
    for place, one in enumerate(items):
        expected = {("false", "yes"), ("natural", "no")} if place == 1 else answers
        if place == 3:
            expected = answers | {("note", "yes <b>n</b>"), ("wording: question", "Where?")}
        of_row = {(q, a) for (row, who, q), a in said(db).items() if (row, who) == (one, "Ada")}
        assert of_row == expected
    assert page.faults == []
    page.context.close()


def test_undo_and_jump_to_what_is_open(browser: Any, at: Served, db: Path) -> None:
    page = opened(browser, at, "Bea")
    first = item(page)
    press(page, "y n")
    at_row(page, 2)
    press(page, "u")  # goes back to what it takes back, and asks it again
    at_row(page, 1)
    all_saved(page)
    assert {(q, a) for (row, who, q), a in said(db).items() if who == "Bea"} == {("false", "yes")}
    assert page.get_attribute("fieldset.current", "data-question") == "natural"
    press(page, "ArrowUp n u")  # what was yes and became no is yes again
    all_saved(page)
    assert said(db)[first, "Bea", "false"] == "yes"
    press(page, "ArrowRight")
    at_row(page, 2)
    press(page, "a")  # yes to all that is open
    at_row(page, 3)
    press(page, "ArrowRight g")  # from row 4 on: the next open one is the first
    at_row(page, 1)
    assert page.text_content("#done") == "Row 1 of 4, 1 reviewed"
    all_saved(page)
    page.context.close()


def test_reviewers_of_the_same_row_are_compared(browser: Any, at: Served, db: Path) -> None:
    one, other = opened(browser, at, "Cleo"), opened(browser, at, "Dora")
    assert item(one) == item(other)
    one.keyboard.press("y")
    other.keyboard.press("n")
    all_saved(one)
    all_saved(other)
    row = item(one)
    kept = said(db)
    assert (kept[row, "Cleo", "false"], kept[row, "Dora", "false"]) == ("yes", "no")
    press(one, "e Control+a")
    one.keyboard.type("Whose?")
    press(one, "Escape")
    all_saved(one)
    other.reload()
    playwright.expect(other.locator(".others").first).to_have_text("Cleo words it: Whose?")
    one.goto(f"http://127.0.0.1:{at.port}/agreement")
    text = one.text_content("main")
    assert "Cleo, Dora" in text and "Cleo: yes" in text and "Dora: no" in text
    assert one.evaluate("document.documentElement.scrollWidth") == 360
    for page in (one, other):
        page.context.close()


def test_a_note_that_is_too_long_is_refused_in_words(browser: Any, at: Served, db: Path) -> None:
    page = opened(browser, at, "Eve")
    press(page, "m")
    page.evaluate("document.getElementById('note').value = 'a'.repeat(2e4)")
    press(page, "x Escape")
    playwright.expect(page.locator("#problem")).to_contain_text("the most are 10,000: shorten it")
    press(page, "y ArrowRight")
    at_row(page, 2)
    press(page, "ArrowLeft")
    at_row(page, 1)
    # It stays, to be shortened, and so does what was said of it, whatever else is kept meanwhile.
    playwright.expect(page.locator("#saving")).to_have_text("Saved, but for what is refused.")
    assert "shorten it" in page.text_content("#problem")
    assert len(page.input_value("#note")) == 20_001
    assert {q for (_, who, q) in said(db) if who == "Eve"} == {"false"}
    press(page, "m Control+a x Escape")
    all_saved(page)
    assert page.text_content("#problem") == ""
    assert {a for (_, who, q), a in said(db).items() if (who, q) == ("Eve", "note")} == {"x"}
    page.context.close()


def test_nothing_that_is_written_is_lost_on_leaving(browser: Any, at: Served, db: Path) -> None:
    page = opened(browser, at, "Fay")
    row = item(page)
    press(page, "m")
    page.keyboard.type("one")
    page.reload()  # sooner than it is kept while it is written
    page.wait_for_selector("fieldset.current")
    assert page.input_value("#note") == "one"
    press(page, "m End")
    page.keyboard.type(" two")
    page.click("#next")  # at once: it belongs to the row that goes
    at_row(page, 2)
    assert page.input_value("#note") == ""
    press(page, "e Control+a")
    page.keyboard.type("Who?")
    page.click("#next")
    at_row(page, 3)
    press(page, "r Control+a")
    page.keyboard.type("When?")
    press(page, "Escape")
    all_saved(page)
    texts = sorted((q, a) for (_, who, q), a in said(db).items() if who == "Fay")
    wordings = [("wording: false_question", "When?"), ("wording: question", "Who?")]
    assert texts == [("note", "one two"), *wordings]
    press(page, "u u u")
    all_saved(page)
    mine = {(one, q): a for (one, who, q), a in said(db).items() if who == "Fay"}
    assert mine == {(row, "note"): "one"}  # a note that was left, and gone on with, is two
    assert page.faults == []
    page.context.close()


def test_a_key_that_is_held_answers_once(browser: Any, at: Served, db: Path) -> None:
    row = opened(browser, at, "Gil")
    stale = {"natural: of an earlier build": "yes", "authentic": "yes"}
    now = datetime.datetime(2026, 1, 1)  # noqa: DTZ001 - of UTC, as the table
    for question, answer in stale.items():
        Database(db).write_review(Review("syn_qa", item(row), "Gil", question, answer, now))
    row.reload()
    row.wait_for_selector("fieldset.current")
    # Answers to questions that the row has no more make it no reviewed one.
    assert row.text_content("#done") == "Row 1 of 4, 0 reviewed"
    for _ in range(5):
        row.keyboard.down("y")
    row.keyboard.up("y")
    for _ in range(5):
        row.keyboard.down("a")
    at_row(row, 2)
    all_saved(row)
    assert sorted(q for (_, who, q) in said(db) if who == "Gil") == [
        *("authentic", "false", "natural", "natural: of an earlier build")
    ]
    row.context.close()


def test_what_waits_in_two_tabs_is_kept_whoever_said_it(browser: Any, at: Served, db: Path) -> None:
    page = opened(browser, at, "Hal")
    other = page.context.new_page()
    other.goto(f"http://127.0.0.1:{at.port}/?row=2")
    other.wait_for_selector("fieldset.current")
    rows = item(page), item(other)
    # No server of ours: what it says of an answer is nothing.
    page.context.route("**/answers", lambda route: route.fulfill(status=404, body="no"))
    press(page, "n")
    press(other, "n")
    playwright.expect(page.locator("#saving")).to_have_text("Saving 2…")
    playwright.expect(page.locator("#problem")).to_contain_text("Not saved yet: 2")
    other.close()
    page.click("text=change")
    page.fill("#name", "Ivy")
    press(page, "Enter")
    playwright.expect(page.locator("#saving")).to_have_text("Saving 2…")
    page.context.unroute("**/answers")
    all_saved(page)
    kept = {(row, who): a for (row, who, q), a in said(db).items() if who in ("Hal", "Ivy")}
    assert kept == {(row, "Hal"): "no" for row in rows}
    page.context.close()


def test_what_a_killed_server_did_not_keep_is_sent_to_the_next(
    browser: Any, tmp_path: Path
) -> None:
    db = database(tmp_path / "a.duckdb", [pair(1), pair(2)])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with served(db, port=port) as first:
        page = opened(browser, first, "Ada")
        row = item(page)
        press(page, "y")
        all_saved(page)
        with held(db), page.expect_request("**/answers"):
            press(page, "n")  # in flight: the server waits for the database
            at_row(page, 2)  # and the reviewer goes on
            first.process.kill()
            first.process.wait()
        playwright.expect(page.locator("#problem")).to_contain_text("Not saved yet: 1")
    assert said(db) == {(row, "Ada", "false"): "yes"}
    other = Path(shutil.copy(db, tmp_path / "b.duckdb"))
    with served(other, port=port) as stranger:
        enter(page, stranger, "Ada")
        waits = f"All saved. 1 wait for another review: syn_qa in {db}."
        playwright.expect(page.locator("#saving")).to_have_text(waits)
    assert said(other) == said(db)
    with served(db, port=port) as second:
        enter(page, second, "Ada")
        all_saved(page)
    assert said(db) == {(row, "Ada", "false"): "yes", (row, "Ada", "natural"): "no"}
    page.context.close()


def test_the_first_row_is_there_without_a_request(browser: Any, at: Served) -> None:
    page = browser.new_context().new_page()
    requests: list[str] = []
    page.route("**/rows/*", lambda route: requests.append(route.request.url) or route.abort())
    enter(page, at, "Jo")
    assert page.is_visible(".wording .text") and item(page)
    shown = page.text_content(".wording .text")
    press(page, "y")  # the fragments of other rows fail, and this one can be answered
    assert page.get_attribute("[data-answer=yes]", "aria-pressed") == "true"
    assert page.text_content(".wording .text") == shown and len(requests) >= 2
    page.context.close()


def test_answers_are_shown_at_once_and_saved_later(browser: Any, tmp_path: Path) -> None:
    db = database(tmp_path / "a.duckdb", [pair(1), pair(2), pair(3)])
    with served(db) as server:
        page = opened(browser, server, "Ada")
        first = item(page)
        with held(db):  # another process uses the database
            press(page, "y")
            playwright.expect(page.locator("#saving")).to_have_text("Saving 1…")
            answered = page.locator("fieldset[data-question=false]")
            playwright.expect(answered).to_have_attribute("aria-busy", "true")
            assert page.get_attribute("[data-answer=yes]", "aria-pressed") == "true"
            press(page, "y")  # the last answer of the row: the next row comes at once
            at_row(page, 2)
            playwright.expect(page.locator("#saving")).to_have_text("Saving 2…")
        all_saved(page)
        page.keyboard.press("ArrowLeft")
        at_row(page, 1)
        assert page.locator("fieldset[aria-busy=true]").count() == 0
        assert {key: a for key, a in said(db).items() if key[0] == first} == {
            (first, "Ada", "false"): "yes",
            (first, "Ada", "natural"): "yes",
        }
        page.context.close()


def test_each_reviewer_sees_the_own_share(browser: Any, tmp_path: Path) -> None:
    db = database(tmp_path / "a.duckdb", [pair(number) for number in range(1, 11)])
    seen: dict[str, set[str]] = {"Ada": set(), "Bea": set()}
    with served(db, "--reviewers", "Ada,Bea", "--overlap", "0.2") as server:
        page = browser.new_context().new_page()
        page.goto(server.address)
        page.fill("#name", "Cleo")
        page.keyboard.press("Enter")
        problem = "The rows are shared among Ada, Bea: enter one of these names."
        playwright.expect(page.locator("#problem")).to_have_text(problem)
        for reviewer, items in seen.items():
            enter(page, server, reviewer) if reviewer == "Ada" else change(page, reviewer)
            for number in range(1, 7):
                at_row(page, number)
                items.add(item(page))
                press(page, "y y")
            playwright.expect(page.locator("#done")).to_have_text("Row 6 of 6, all reviewed")
            all_saved(page)
        page.context.close()
    assert len(seen["Ada"] | seen["Bea"]) == 10 and len(seen["Ada"] & seen["Bea"]) == 2


def change(page: Any, reviewer: str) -> None:
    page.click("text=change")
    page.fill("#name", reviewer)
    page.keyboard.press("Enter")
    page.wait_for_selector("fieldset.current")


def test_another_reviewer_decides_where_two_disagree(browser: Any, tmp_path: Path) -> None:
    db = database(tmp_path / "a.duckdb", [pair(1), pair(2), pair(3)])
    now = datetime.datetime(2026, 1, 1)  # noqa: DTZ001 - of UTC, as the table
    for row, reviewer, answer in (
        *(("pair1", "Ada", "yes"), ("pair1", "Bea", "yes")),
        *(("pair2", "Ada", "yes"), ("pair2", "Bea", "no")),
    ):
        for question in ("false", "natural"):
            own = "yes" if question == "false" else answer
            Database(db).write_review(Review("syn_qa", row, reviewer, question, own, now))
    with served(db, "--adjudicate") as server:
        page = opened(browser, server, "Cleo")
        assert page.text_content("#done") == "Row 1 of 1, 0 reviewed" and item(page) == "pair2"
        text = "Are both questions natural? (no / yes)"
        assert [field.text_content().strip() for field in page.locator("legend").all()] == [text]
        press(page, "y")
        all_saved(page)
        page.goto(f"http://127.0.0.1:{server.port}/agreement")
        main = page.text_content("main")
        assert "decided: yes" in main and "In which house in Town 2 was Bob 2 born?" in main
        page.click("text=Back to the rows")
        page.click("text=change")
        page.fill("#name", "Ada")  # who took part
        page.keyboard.press("Enter")
        playwright.expect(page.locator("#problem")).to_have_text("No row is left for Ada.")
        assert page.faults == []
        page.context.close()
    assert said(db)["pair2", "Cleo", "decision: natural"] == "yes"


OVERLAPS = """() => {
  const boxes = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const isHidden = text.parentElement.closest("title, script, style, .unseen");
    if (isHidden || !text.textContent.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) if (box.width > 1) boxes.push({ box, text });
  }
  const across = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const down = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return boxes.flatMap(({ box, text }, n) => boxes.slice(n + 1)
    .filter((other) => other.text !== text)
    .filter((other) => across(box, other.box) > 1 && down(box, other.box) > 4)
    .map((other) => `${text.textContent.trim()} / ${other.text.textContent.trim()}`));
}"""
"""Returns the pairs of texts that cover each other; lines of a text may touch the next ones."""
LONG = "Maximiliane Freifrau von und zu Hohenlohe-Langenburg-Weikersheim"[:60]


@pytest.mark.parametrize("dataset", ["syn-qa", "granola", "biokalma"])
@pytest.mark.parametrize("width", [360, 800, 1400])
def test_no_label_covers_another(
    browser: Any, width: int, dataset: str, wide: dict[str, Served]
) -> None:
    page = browser.new_context(viewport={"width": width, "height": 420}).new_page()
    enter(page, wide[dataset], LONG)
    page.evaluate("document.querySelector('header').style.position = 'static'")
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.evaluate("document.querySelector('header').style.position = ''")
    # The header stays at the top, and never covers the question to answer.
    for key in ["ArrowDown"] * 9 + ["ArrowUp"] * 9:
        press(page, key)
        lowest = page.evaluate("document.querySelector('header').getBoundingClientRect().bottom")
        assert page.locator("fieldset.current").bounding_box()["y"] >= lowest
    page.context.close()


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Served]]:
    """Serve a row of each dataset, with long labels."""
    path = tmp_path_factory.mktemp("wide") / "a.duckdb"
    labels = {f"{end}_label": f"{LONG} {end}" for end in ("subject", "replacement", "object")}
    add_others(database(path, [pair(1, question=f"Where was {LONG} born?", **labels)]))
    with contextlib.ExitStack() as stack:
        yield {
            name: stack.enter_context(served(path, dataset=name))
            for name in ("syn-qa", "granola", "biokalma")
        }
