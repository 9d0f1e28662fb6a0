"""The server of the review page as a process: whom it lets in, and what it keeps."""

import http.client
import json
import re
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kgbuild.datasets import dataset
from kgbuild.datasets.views import RowView
from kgbuild.errors import DamagedDatabaseError, DatabaseBusyError, KgbuildError
from kgbuild.review import session as session_module
from kgbuild.review.selection import Selection
from kgbuild.review.session import Session, alias
from kgbuild.tables.database import Database
from kgbuild.wikidata import page_of
from tests.reviewed import HOSTILE, Served, database, held, pair, said, served

pytest.importorskip("flask")
pytest.importorskip("waitress")

SYN_QA = Selection(dataset("syn_qa"))


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


def ask(at: Served, path: str, body: object = None, **headers: str) -> Answer:
    """Send a request as it is, of which nothing is tidied up; with a body it is a POST.

    Bytes are sent as they are, all else as JSON.
    """
    connection = http.client.HTTPConnection("127.0.0.1", at.port)
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items() if value}
    connection.request("GET" if body is None else "POST", path, sent, named)
    reply = connection.getresponse()
    told = Answer(reply.status, dict(reply.getheaders()), reply.read().decode())
    connection.close()
    return told


def enter(at: Served) -> str:
    """Open the address, and return the cookie that it gives."""
    reply = ask(at, f"/?token={at.token}")
    assert (reply.status, reply.headers["Location"]) == (303, "/")
    return reply.headers["Set-Cookie"]


def own(at: Served, cookie: str) -> dict[str, str]:
    """Return the headers that the page's own requests have."""
    shown = ask(at, "/", Cookie=cookie.partition(";")[0]).text
    secret = re.search(r'"secret": "([^"]+)"', shown)
    assert secret
    return {
        "Cookie": cookie.partition(";")[0],
        "Origin": f"http://127.0.0.1:{at.port}",
        "Content_Type": "application/json",
        "X_Kgbuild_Review": secret[1],
    }


def says(db: Path, item: str = "pair1", second: int = 0, **answers: object) -> dict[str, object]:
    """Return what a page sends of a row that Ada answers at some second."""
    return {
        "place": f"syn_qa in {db.resolve()}",
        "item": alias(item),
        "reviewer": "Ada",
        "at": 1_700_000_000_000 + 1000 * second,
        "answers": answers or {"false": "yes"},
    }


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("server") / "a.duckdb"
    hostile = pair(1, subject_label=HOSTILE, object_label=HOSTILE, question=HOSTILE)
    return database(path, [hostile, pair(2)])


@pytest.fixture(scope="module")
def at(db: Path) -> Iterator[Served]:
    with served(db, "--reviewer", "Ada") as found:
        yield found


@pytest.fixture(scope="module")
def cookie(at: Served) -> str:
    return enter(at)


def test_nobody_comes_in_without_the_token(at: Served, cookie: str) -> None:
    assert {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    wrong = (
        "/",
        "/?token=",
        f"/?token={at.token}x",
        "/?token=%C3%BC",
        f"/rows/{alias('pair1')}",
        "/agreement",
    )
    assert {ask(at, path).status for path in wrong} == {403}
    assert ask(at, "/", Cookie="kgbuild-review=1").status == 403
    page = ask(at, "/", Cookie=cookie.partition(";")[0])
    assert page.status == 200
    assert at.token not in page.text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'n")
    assert page.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/rows/../../../etc/passwd", "/templates/page.js", "/static/", "/rows/2"],
)
def test_no_folder_is_served(at: Served, cookie: str, path: str) -> None:
    assert ask(at, path).status == 403
    reply = ask(at, path, Cookie=cookie.partition(";")[0])
    assert reply.status == 404 and "root:" not in reply.text


@pytest.mark.parametrize(
    "forged",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},  # not sent
        {"Origin": "http://127.0.0.1:1"},  # another server of this machine
        {"X_Kgbuild_Review": ""},
        {"X_Kgbuild_Review": "1"},  # who has the cookie, but not the page
        {"Origin": "http://["},
        {"Sec_Fetch_Site": "cross-site"},
        {"Host": "evil.example", "Origin": "http://evil.example"},  # DNS rebinding
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://localhost:{port}"},  # not that of the header Host
        {"Host": "127.0.0.1:{port}.evil.example", "Origin": "http://127.0.0.1:{port}.evil.example"},
        {"Cookie": ""},
    ],
    ids=str,
)
def test_other_sites_write_nothing(
    at: Served, cookie: str, db: Path, forged: dict[str, str]
) -> None:
    headers = {name: value.format(port=at.port) for name, value in forged.items()}
    reply = ask(at, "/answers", says(db), **{**own(at, cookie), **headers})
    assert reply.status == 403 and "X-Kgbuild-Review" not in reply.headers
    assert said(db) == {}


def test_what_is_no_answer_is_refused_in_words(at: Served, cookie: str, db: Path) -> None:
    page = own(at, cookie)

    def refused(body: object) -> str:
        reply = ask(at, "/answers", body, **page)
        assert (reply.status, reply.headers["X-Kgbuild-Review"]) == (400, "refused")
        return reply.text

    text = refused(says(db, note="a" * 10_001))
    assert "10,001 letters" in text and "the maximum is 10,000" in text
    assert "no longer exists" in refused(says(db, "pair9"))
    assert "does not have this question" in refused(says(db, false="maybe"))
    others = ("x", "false: junk", "false: " + "a" * 30_000, "correct: Bonn", "wording: pair_id")
    for question in others:
        refused(says(db, **{question: "yes"}))
    refused(says(db, false="yes", natural="maybe"))  # nothing of it is kept
    refused(says(db, false=1))
    for wrong in ({"reviewer": " "}, {"answers": []}, {"at": "now"}, {"at": 1e30}):
        refused({**says(db), **wrong})
    refused([1])
    assert said(db) == {}


def test_what_is_too_large_or_too_deep_is_not_even_read(at: Served, cookie: str) -> None:
    assert ask(at, "/answers", "a" * 70_000).status == 413  # whoever sends it
    assert ask(at, "/answers", b"[" * 60_000, **own(at, cookie)).status == 400


def test_an_answer_to_another_review_is_not_taken(at: Served, cookie: str, db: Path) -> None:
    page = own(at, cookie)
    for place in (f"granola in {db}", f"syn_qa in {db}.other"):
        reply = ask(at, "/answers", {**says(db), "place": place}, **page)
        # The page keeps it: nothing says that it was refused.
        assert reply.status == 409 and "X-Kgbuild-Review" not in reply.headers
    assert said(db) == {}


def test_the_last_answer_counts_whichever_comes_last(at: Served, cookie: str, db: Path) -> None:
    page = own(at, cookie)

    def now(second: int, answer: str) -> str | None:
        reply = ask(at, "/answers", says(db, second=second, natural=answer), **page)
        assert (reply.status, reply.headers["X-Kgbuild-Review"]) == (204, "kept")
        return said(db).get(("pair1", "Ada", "natural"))

    assert [now(2, "no"), now(1, "yes"), now(3, ""), now(2, "no"), now(4, "yes"), now(5, "")] == [
        *("no", "no"),  # what was said before it comes after it
        *(None, None, "yes", None),  # nor does it undo that it was taken back
    ]


def post_form(at: Served, cookie: str, reviewer: str, **more: str) -> Answer:
    """Send the form with the reviewer's name, as a browser sends it."""
    page = {**own(at, cookie), **more}
    fields = {"reviewer": reviewer, "secret": page.pop("X_Kgbuild_Review")}
    page["Content_Type"] = "application/x-www-form-urlencoded"
    return ask(at, "/reviewer", urllib.parse.urlencode(fields).encode(), **page)


def test_the_reviewer_is_a_form_that_a_reload_does_not_send_again(at: Served, cookie: str) -> None:
    reply = post_form(at, cookie, "Bea")
    assert (reply.status, reply.headers["Location"]) == (303, "/")
    changed = reply.headers["Set-Cookie"].partition(";")[0]
    assert "<bdi>Bea</bdi>" in ask(at, "/", Cookie=changed).text
    refused = post_form(at, cookie, " ")
    assert refused.status == 400 and "1 to 60 letters" in refused.text
    assert post_form(at, cookie, "Eve", X_Kgbuild_Review="1").status == 403
    assert post_form(at, cookie, "Eve", Origin="http://evil.example").status == 403


def test_the_page_has_its_first_row(at: Served, cookie: str) -> None:
    opened = {"Cookie": cookie.partition(";")[0]}
    rows = [ask(at, f"/rows/{alias(row)}", **opened).text for row in ("pair1", "pair2")]
    pages = [ask(at, f"/?row={number}", **opened).text for number in (1, 2)]
    assert all(sum(row in page for row in rows) == 1 for page in pages) and pages[0] != pages[1]
    # Numbers beyond the rows are those of the first and the last row.
    for number, page in (("0", pages[0]), ("-1", pages[0]), ("9", pages[1]), ("x", pages[0])):
        shown = ask(at, f"/?row={number}", **opened).text
        assert [row in shown for row in rows] == [row in page for row in rows]


def test_labels_are_text(at: Served, cookie: str) -> None:
    texts = [
        ask(at, path, Cookie=cookie.partition(";")[0]).text
        for path in ("/", *(f"/rows/{alias(row)}" for row in ("pair1", "pair2")))
    ]
    assert any("&lt;script&gt;alert(1)" in text for text in texts)
    assert not any("<script>alert" in text or "<img" in text for text in texts)


def test_sql_runs_beside_the_page(at: Served, cookie: str, db: Path) -> None:
    assert ask(at, "/answers", says(db, second=8, natural="yes"), **own(at, cookie)).status == 204
    query = "SELECT item_id, reviewer, question, answer FROM reviews"
    done = subprocess.run(
        [sys.executable, "-m", "kgbuild", "sql", "--json", "--db", str(db), query],
        capture_output=True,
        text=True,
    )
    row = {"item_id": "pair1", "reviewer": "Ada", "question": "natural", "answer": "yes"}
    assert json.loads(done.stdout) == [row]
    back = says(db, second=9, natural="")
    assert ask(at, "/answers", back, **own(at, cookie)).status == 204
    assert said(db) == {}


def test_answers_wait_for_who_holds_the_database(at: Served, cookie: str, db: Path) -> None:
    told: list[int] = []
    page = own(at, cookie)

    def answer() -> None:
        told.append(ask(at, "/answers", says(db), **page).status)

    waiting = [threading.Thread(target=answer) for _ in range(6)]
    with held(db):
        for one in waiting:
            one.start()
        # Rows are shown meanwhile: they were read before.
        assert ask(at, f"/rows/{alias('pair2')}", Cookie=cookie.partition(";")[0]).status == 200
        assert 204 not in told
    for one in waiting:
        one.join()
    assert {204} <= {*told} <= {204, 503}  # the page sends again what cannot wait longer
    assert said(db)["pair1", "Ada", "false"] == "yes"


def test_who_holds_the_database_too_long_is_named(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(Database(db), SYN_QA, [], frozenset({"pair1"}), lambda _: None)
    monkeypatch.setattr(session_module, "_READ_TIMEOUT", 0.0)  # seconds
    with held(db) as holder, pytest.raises(DatabaseBusyError) as busy:
        session.save(says(db, note="x"))
    assert f"(PID {holder.pid})" in str(busy.value)


def test_a_taken_port_is_named(at: Served, db: Path) -> None:
    from kgbuild.review.app import ReviewServer

    session = Session(Database(db), SYN_QA, [], frozenset(), lambda _: None)
    with pytest.raises(KgbuildError) as taken:
        ReviewServer(session, at.port, "")
    assert str(taken.value) == (
        f"Cannot serve at port {at.port}: Address already in use. Name another port with --port."
    )


def test_only_ids_are_looked_up_in_the_store() -> None:
    row = RowView("", names={"Q6": "own"})
    texts = ("Q5", "Q6", "Piano", "P", "", "Q5; x", "1815-01-01T00:00:00Z", "P26/Q6")
    shown = ["human", "own", "Piano", "P", "", "Q5; x", "1815", "spouse / own"]
    store = {"Q5": "human", "P26": "spouse"}
    assert [row.text_of(text, store.__getitem__) for text in texts] == shown
    assert page_of("Q5") == "https://www.wikidata.org/wiki/Q5" and page_of("Piano") is None


def test_another_database_in_its_place_is_told(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "other.duckdb"
    duckdb.connect(str(path)).close()
    shown = RowView("pair1")
    session = Session(Database(path), SYN_QA, [shown], frozenset({"pair1"}), lambda _: None)
    with pytest.raises(DamagedDatabaseError, match="no table of reviews") as damaged:
        session.save(says(path, note="x"))
    assert "Start 'kgbuild review' anew" in str(damaged.value)
