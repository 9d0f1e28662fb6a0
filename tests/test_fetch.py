"""Items fetched one by one from a server that does as Special:EntityData does."""

import gzip
import hashlib
import json
import string
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from click.testing import CliRunner

from kgbuild import __version__
from kgbuild.cli import cli
from kgbuild.dump.filter import Filter
from kgbuild.errors import KgbuildError, OutputExistsError, UnreadableDumpError
from kgbuild.net import waits
from kgbuild.net.http import Client
from kgbuild.slice import from_endpoint
from kgbuild.slice.from_items import Fetched, fetch
from kgbuild.slice.spec import make_spec
from kgbuild.store import manifest
from kgbuild.store.load import load
from kgbuild.store.sparql.endpoint import Endpoint
from tests.conftest import data, triples
from tests.endpoints import serving
from tests.http_servers import Handler, running

SAID = {
    "Q1": 'wd:Q1 rdfs:label "one"@en\nwd:Q1 rdfs:label "eins"@de\nwd:Q1 wdt:P31 wd:Q2',
    "Q2": 'wd:Q2 rdfs:label "two"@en\nwd:Q2 wdt:P279 wd:Q3\nwd:Q2 wdt:P22 _:someone',
    "Q3": "wd:Q3 wdt:P279 wd:Q404",
}
PAGE = """
<https://www.wikidata.org/wiki/Special:EntityData/{0}> schema:about wd:{0}
<https://en.wikipedia.org/wiki/{0}> schema:about wd:{0}
"""
"""What is said of the page itself, and of articles."""
MOVED = "wd:Q7 <http://www.w3.org/2002/07/owl#sameAs> wd:Q1\n"


Reply: TypeAlias = tuple[int, Mapping[str, str], bytes]


@dataclass
class Pages:
    """A server of items while it runs: what it has, what it answers else, what it was asked.

    What it answers next is its ``plan``, what of some items ``always``. What is to close the
    connection has no length.
    """

    url: str
    pages: dict[str, str]
    plan: list[Reply] = field(default_factory=list)
    always: dict[str, Reply] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


class _Handler(Handler):
    def respond(self) -> None:
        told: Pages = self.told
        told.asked.append(self.path)
        qid = self.path.rsplit("/")[-1].removesuffix(".nt?flavor=simple")
        status, headers, body = 200, {"Content-Type": "application/n-triples"}, b""
        if told.plan:
            status, headers, body = told.plan.pop(0)  # type: ignore[assignment]
        elif qid in told.always:
            status, headers, body = told.always[qid]  # type: ignore[assignment]
        elif qid in told.pages:
            body = told.pages[qid].encode()
        elif qid == "Q8":  # merged: its page leads to the other one's
            status, headers = 303, {"Location": "Q1.nt?flavor=simple"}
        else:
            status = 410 if qid == "Q410" else 404
        self.answer(status, headers, body)


@contextmanager
def serving_pages(pages: dict[str, str]) -> Iterator[Pages]:
    with running(_Handler, lambda at: Pages(f"{at}/wiki/Special:EntityData", pages)) as told:
        yield told


@pytest.fixture
def pages() -> Iterator[Pages]:
    said = {qid: triples(text + PAGE.format(qid)) for qid, text in SAID.items()}
    said["Q7"] = triples(MOVED + SAID["Q1"] + PAGE.format("Q1"))  # merged: told in the data
    said["Q9"] = triples(PAGE.format("Q9"))
    with serving_pages(said) as told:
        yield told


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "PACE", 0.0)
    monkeypatch.setattr(waits, "PAUSES", (0.0,) * 5)


def get(pages: Pages, out: Path, *qids: str, **options: Any) -> Fetched:
    with closing(Client()) as client:
        return fetch(qids, out, client, out.parent / "items", pages.url, **options)


def text(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def test_items_are_written_by_number_without_their_pages(pages, tmp_path):
    found = get(pages, tmp_path / "a.nt.gz", "Q2", "Q1", "Q2")
    lines = text(tmp_path / "a.nt.gz").splitlines(keepends=True)
    own = triples(SAID["Q1"] + "\n" + SAID["Q2"].replace("\nwd:Q2 wdt:P22 _:someone", ""))
    unknown = [line for line in lines if " _:" in line]
    assert Counter(lines) - Counter(unknown) == Counter(own.splitlines(keepends=True))
    assert len(unknown) == 1 and "/P22> _:" in unknown[0]
    assert [line.split()[0][-3:-1] for line in lines] == ["Q1"] * 3 + ["Q2"] * 3
    file = (tmp_path / "a.nt.gz").read_bytes()
    assert found == Fetched(2, 6, len(file), hashlib.sha256(file).hexdigest(), {}, {}, 2, 0)
    prefix = "/wiki/Special:EntityData/"
    assert pages.asked == [f"{prefix}{qid}.nt?flavor=simple" for qid in ("Q2", "Q1")]


def test_hops_go_from_subject_to_object(pages, tmp_path):
    found = get(pages, tmp_path / "a.nt.gz", "Q1", hops=3)
    assert (found.items, found.absent) == (3, {"Q404": "unknown"})
    assert get(pages, tmp_path / "b.nt.gz", "Q1", hops=1).items == 2


def test_redirects_deleted_and_unknown_items_are_listed(pages, tmp_path):
    found = get(pages, tmp_path / "a.nt.gz", "Q7", "Q8", "Q404", "Q410", "Q9")
    assert list(found.redirected.items()) == [("Q7", "Q1"), ("Q8", "Q1")]
    assert list(found.absent.items()) == [("Q404", "unknown"), ("Q410", "deleted"), ("Q9", "empty")]
    same = "<http://www.wikidata.org/entity/{}> <http://www.w3.org/2002/07/owl#sameAs> "
    lines = text(tmp_path / "a.nt.gz").splitlines()
    assert (
        lines[:3] == triples(SAID["Q1"]).splitlines()[1::-1] + triples(SAID["Q1"]).splitlines()[2:]
    )
    assert lines[3:] == [
        same.format(qid) + "<http://www.wikidata.org/entity/Q1> ." for qid in ("Q7", "Q8")
    ]
    # What is kept of them says the same once more.
    assert get(pages, tmp_path / "b.nt.gz", "Q7", "Q8").redirected == found.redirected
    assert text(tmp_path / "b.nt.gz") == text(tmp_path / "a.nt.gz")


def test_pages_are_fetched_once(pages, tmp_path):
    get(pages, tmp_path / "a.nt.gz", "Q1")
    pages.plan = [(404, {}, b"")]  # an absence is no news to keep
    get(pages, tmp_path / "b.nt.gz", "Q1", "Q3")
    assert get(pages, tmp_path / "c.nt.gz", "Q1", "Q3").items == 2
    assert [path.rsplit("/")[-1][:2] for path in pages.asked] == ["Q1", "Q3", "Q3"]


def test_an_unreadable_cache_is_an_error(pages, tmp_path):
    get(pages, tmp_path / "a.nt.gz", "Q2")
    (kept(tmp_path) / "Q1.nt").mkdir()
    with pytest.raises(UnreadableDumpError, match="Is a directory"):
        get(pages, tmp_path / "b.nt.gz", "Q1")


def kept(folder: Path) -> Path:
    """Return the folder that keeps what came from the only server."""
    (found,) = (folder / "items").iterdir()
    return found


def test_each_server_has_a_folder_of_its_own(pages, tmp_path):
    assert get(pages, tmp_path / "a.nt.gz", "Q1").lines == 3
    with serving_pages({"Q1": triples('wd:Q1 rdfs:label "uno"@es')}) as others:
        assert get(others, tmp_path / "b.nt.gz", "Q1").lines == 1
    pages.url = pages.url.replace("Special:", "special-")  # which this server takes for the same
    assert get(pages, tmp_path / "c.nt.gz", "Q1").cached == 0
    names = sorted(path.name for path in (tmp_path / "items").iterdir())
    assert [name.rpartition("-")[0].split("_")[2:] for name in names if "pecial_" in name] == [
        ["wiki", "Special", "EntityData"]
    ] * 2
    assert len(names) == 3 and all(set(name) <= LETTERS for name in names)


LETTERS = {*string.ascii_letters, *string.digits, *"-._"}


@pytest.mark.parametrize(
    "damage",
    [
        lambda body: b"",
        lambda body: body[:100],
        lambda body: b"".join(body.splitlines(keepends=True)[:1]),
        lambda body: b"\xff\x00" + body,
        lambda body: body.replace(b"> ", b">", 1).replace(b"<", b"", 1),
        lambda body: body.replace(b"/Q1>", b"/Q3>"),
    ],
    ids=["empty", "cut", "cut at a line", "bytes", "no triples", "another item"],
)
def test_damaged_pages_in_the_cache_are_fetched_anew(pages, tmp_path, damage):
    get(pages, tmp_path / "a.nt.gz", "Q1")
    path = kept(tmp_path) / "Q1.nt"
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert get(pages, tmp_path / "b.nt.gz", "Q1").cached == 0
    assert text(tmp_path / "b.nt.gz") == text(tmp_path / "a.nt.gz")
    assert path.read_bytes() == whole
    assert get(pages, tmp_path / "c.nt.gz", "Q1").cached == 1
    assert len(pages.asked) == 2


def test_another_items_data_is_no_redirect(pages, tmp_path):
    pages.pages["Q42"] = triples('wd:Q43 rdfs:label "another"@en')
    with pytest.raises(KgbuildError, match="sends no data: ") as caught:
        get(pages, tmp_path / "a.nt.gz", "Q42")
    assert "Q42: it describes Q43 instead of this item" in str(caught.value)
    assert not (tmp_path / "items").exists()


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ('{0} wd:Q1\n{0} wd:Q2\nwd:Q1 rdfs:label "one"@en', "Q7: it redirects to Q1 and Q2"),
        ('{0} wd:Q2\nwd:Q1 rdfs:label "one"@en', "Q7: it describes Q1 instead of this item"),
        ('{0} "Q1"\nwd:Q1 rdfs:label "one"@en', "Q7: it describes Q1 instead of this item"),
    ],
)
def test_contradictory_redirects_are_errors(pages, tmp_path, said, detail):
    pages.pages["Q7"] = triples(said.format("wd:Q7 <http://www.w3.org/2002/07/owl#sameAs>"))
    with pytest.raises(KgbuildError, match="sends no data: ") as caught:
        get(pages, tmp_path / "a.nt.gz", "Q7")
    assert detail in str(caught.value)


def test_a_redirect_without_data_counts_as_absent(pages, tmp_path):
    pages.pages["Q7"] = triples(MOVED)
    found = get(pages, tmp_path / "a.nt.gz", "Q7", "Q1")
    assert list(found.absent.items()) == [("Q7", "redirected to Q1, which is missing")]


def test_a_redirect_beside_data_of_other_items(pages, tmp_path):
    # Q71 was merged into the same one, and the page tells of Q2 beside it.
    pages.pages["Q7"] += triples(f"{MOVED.replace('Q7', 'Q71')}\n{SAID['Q2']}")
    found = get(pages, tmp_path / "a.nt.gz", "Q7")
    assert (found.redirected, found.lines) == ({"Q7": "Q1"}, 4)


BUSY = (429, {"Retry-After": "0"}, b"")
BROKEN = (500, {}, b"<html>Our servers are under maintenance")


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (BUSY, "Q3: HTTP 429 Too Many Requests (5 tries in a row)"),
        (
            (429, {"Retry-After": "900"}, b""),
            "Q3: HTTP 429 Too Many Requests, and it asks for a pause of 900 s",
        ),
        ((403, {}, b"No robots.\n"), "Q3: HTTP 403 Forbidden; it says: No robots"),
        ((400, {}, b"a" * 300), f"Q3: HTTP 400 Bad Request; it says: {'a' * 200}…"),
        ((403, {}, b"<html>No"), "Q3: HTTP 403 Forbidden"),
        ((200, {"Content-Type": "text/html"}, b" <!DOCTYPE html><p>Hello"), "Q3: an HTML page"),
        ((200, {}, b"\n<HTML><p>Hello"), "Q3: an HTML page"),
        ((200, {"Content-Type": "text/html"}, b""), "Q3: text/html is not a format of RDF"),
        (
            (200, {"Content-Type": "Application/JSON"}, b"{}"),
            "Q3: application/json is not a format of RDF",
        ),
    ],
    ids=[
        *("busy", "a long pause", "forbidden", "long-winded", "a page of it", "a page"),
        *("a page of no type", "no page", "JSON"),
    ],
)
def test_pages_before_a_failure_stay_cached(pages, tmp_path, answer, detail):
    get(pages, tmp_path / "before.nt.gz", "Q1")
    pages.plan = [answer] * 5
    out = tmp_path / "a.nt.gz"
    with pytest.raises(KgbuildError, match="sends no data: ") as caught:
        get(pages, out, "Q1", "Q3")
    assert str(caught.value) == f"{pages.url} sends no data: {detail}."  # none came in this run
    assert not out.exists()
    assert [path.name for path in kept(tmp_path).iterdir()] == ["Q1.nt"]


def test_half_an_answer_is_an_error(pages, tmp_path):
    pages.plan = [(200, {}, triples(SAID["Q3"]).encode()[:-3])]
    with pytest.raises(KgbuildError, match="sends no data: ") as caught:
        get(pages, tmp_path / "a.nt.gz", "Q3")
    assert "Q3: Parser error at line 1 " in str(caught.value)
    assert " (no type, 116 bytes)." in str(caught.value)


@pytest.mark.parametrize("kind", ["", "application/octet-stream", "text/plain"])
def test_unspecific_media_types_are_read_as_triples(pages, tmp_path, kind):
    pages.plan = [(200, {"Content-Type": kind}, triples(SAID["Q1"]).encode())]
    assert get(pages, tmp_path / "a.nt.gz", "Q1").lines == 3


def test_an_item_for_which_the_server_fails_is_left_out(pages, tmp_path):
    pages.always = {"Q3": BROKEN, "Q5": BROKEN, "Q6": (503, {}, b"")}
    # No three of them in a row: what is unknown is an answer, too.
    found = get(pages, tmp_path / "a.nt.gz", "Q3", "Q5", "Q1", "Q6", "Q404", "Q3", "Q2")
    broken = "HTTP 500 Internal Server Error"
    assert list(found.absent.items()) == [
        ("Q3", broken),
        ("Q5", broken),
        ("Q6", "HTTP 503 Service Unavailable (5 tries in a row)"),
        ("Q404", "unknown"),
    ]
    assert (found.items, len(pages.asked)) == (2, 10)
    # It was no news to keep.
    pages.always = {}
    assert get(pages, tmp_path / "b.nt.gz", "Q1", "Q3").items == 2


def test_three_failures_in_a_row_end_the_fetch(pages, tmp_path):
    get(pages, tmp_path / "before.nt.gz", "Q2")
    pages.always = dict.fromkeys(("Q3", "Q5", "Q6"), (500, {}, b"out of memory"))
    with pytest.raises(KgbuildError, match="sends no data: ") as caught:
        get(pages, tmp_path / "a.nt.gz", "Q1", "Q3", "Q5", "Q2", "Q6", "Q9")
    assert str(caught.value).endswith(
        "Q6: HTTP 500 Internal Server Error; it says: out of memory (the same for 3 items in a "
        "row). All items that came before are cached: call it again."
    )
    assert len(pages.asked) == 5  # Q2 was kept, which tells nothing of the server


def test_a_failure_is_reported_rather_than_absent_items(pages, tmp_path):
    pages.always = {"Q3": (500, {}, b"out of memory")}
    with pytest.raises(KgbuildError, match="sends no data: ") as caught:
        get(pages, tmp_path / "a.nt.gz", "Q3", "Q404")
    detail = "Q3: HTTP 500 Internal Server Error; it says: out of memory"
    assert str(caught.value).endswith(f"{detail}.")


CLOSING = {"Connection": "close", "Content-Type": "application/n-triples"}


def test_an_answer_without_length_is_requested_twice(pages, tmp_path):
    body = triples(SAID["Q1"]).encode()
    pages.plan = [(200, CLOSING, body), (200, CLOSING, body)]
    assert get(pages, tmp_path / "a.nt.gz", "Q1").lines == 3
    assert len(pages.asked) == 2


@pytest.mark.parametrize("cut", [0, 1])
def test_an_answer_cut_off_at_a_line_is_not_cached(pages, tmp_path, cut):
    body = triples(SAID["Q1"]).encode()
    replies = [(200, CLOSING, body), (200, CLOSING, body)]
    replies[cut] = (200, CLOSING, b"".join(body.splitlines(keepends=True)[:1]))
    pages.plan = list(replies)
    with pytest.raises(KgbuildError, match="sends no data: ") as caught:
        get(pages, tmp_path / "a.nt.gz", "Q1")
    assert "Q1: its answers end at different places" in str(caught.value)
    assert not (tmp_path / "items").exists()


def test_all_items_absent_is_an_error(pages, tmp_path):
    with pytest.raises(KgbuildError, match="has none of the items: ") as caught:
        get(pages, tmp_path / "a.nt.gz", "Q404", "Q410")
    assert "items: Q404 (unknown), Q410 (deleted)." in str(caught.value)


def test_an_existing_file_is_not_overwritten(pages, tmp_path):
    (tmp_path / "a.nt.gz").write_text("mine")
    with pytest.raises(OutputExistsError):
        get(pages, tmp_path / "a.nt.gz", "Q1")
    assert not pages.asked
    assert get(pages, tmp_path / "a.nt.gz", "Q1", force=True).items == 1


def test_the_report_names_all(pages, tmp_path):
    missing = [f"Q{number}" for number in range(4040, 4050)]
    out = tmp_path / "a.nt.gz"
    with closing(Client()) as client:
        url = pages.url.replace("//", "//me:secret@") + "/"
        found = fetch(["Q1", "Q7", *missing], out, client, tmp_path / "items", url)
    report = (tmp_path / "a.nt.gz.report.json").read_text()
    assert report.startswith('{\n "kgbuild_version": ') and report.endswith("\n}\n")
    assert json.loads(report) == {
        "kgbuild_version": __version__,
        "from": pages.url,
        "items": 2,
        "lines": 4,
        "bytes": out.stat().st_size,
        "sha256": hashlib.sha256(out.read_bytes()).hexdigest(),
        "redirected": {"Q7": "Q1"},
        "absent": dict.fromkeys(missing, "unknown"),
    }
    assert found.absent == json.loads(report)["absent"]
    assert "secret" not in "".join(path.name for path in (tmp_path / "items").iterdir())


def test_there_is_no_output_without_its_report(pages, tmp_path):
    (tmp_path / "a.nt.gz.report.json").mkdir()
    with pytest.raises(OutputExistsError):
        get(pages, tmp_path / "a.nt.gz", "Q1")
    assert not (tmp_path / "a.nt.gz").exists()


def run(pages: Pages, out: Path, *arguments: str) -> Any:
    cache = ["--cache", str(out.parent / "items"), "--from", f"{pages.url}/"]
    return CliRunner().invoke(cli, ["fetch", *arguments, "-o", str(out), *cache])


def test_each_hop_is_announced(pages, tmp_path, monkeypatch):
    monkeypatch.setattr(waits, "PACE", 0.3)
    pages.pages["Q1"] += triples("wd:Q1 wdt:P31 wd:Q9\nwd:Q1 wdt:P31 wd:Q405\nwd:Q1 wdt:P31 wd:Q7")
    run(pages, tmp_path / "a.nt.gz", "Q2")
    done = run(pages, tmp_path / "b.nt.gz", "Q1", "--hops", "4")
    assert done.stderr.splitlines()[:3] == [
        "4 items are one statement away, 1 of them cached: about 1 s.",
        "1 item is 2 statements away: about 1 s.",
        "1 item is 3 statements away: about 1 s.",
    ]
    assert "away" not in "".join(done.stderr.splitlines()[3:])
    done = run(pages, tmp_path / "c.nt.gz", "Q2", "--hops", "1")
    assert done.stderr.splitlines()[0] == "1 item is one statement away, and cached."


def test_items_listed_in_a_file_are_fetched(pages, tmp_path):
    (tmp_path / "items.txt").write_text("Q2  # two\n\nq3\nQ1\n")
    done = run(pages, tmp_path / "a.nt.gz", "Q1", "--items", str(tmp_path / "items.txt"))
    assert (done.exit_code, "about 3 items" in done.stderr) == (0, True)
    assert [path.rsplit("/")[-1][:2] for path in pages.asked] == ["Q1", "Q2", "Q3"]
    done = run(pages, tmp_path / "b.nt.gz", "--items", str(tmp_path / "items.txt"))
    assert (done.exit_code, f"3 of 3 were cached in {tmp_path / 'items'}." in done.stderr) == (
        0,
        True,
    )


def test_calls_without_valid_items_are_errors(pages, tmp_path):
    done = run(pages, tmp_path / "a.nt.gz")
    assert (done.exit_code, "a file of ids with --items.\n" in done.stderr) == (2, True)
    done = run(pages, tmp_path / "a.nt.gz", "Q1", "--items", "")
    assert (done.exit_code, "the path is empty." in done.stderr) == (2, True)
    (tmp_path / "items.txt").write_text("Q1\nDouglas Adams\n")
    done = run(pages, tmp_path / "a.nt.gz", "--items", str(tmp_path / "items.txt"))
    assert (done.exit_code, "line 2: 'Douglas'" in done.stderr) == (2, True)
    assert not pages.asked


def test_the_command_reports_failures(pages, tmp_path):
    done = run(pages, tmp_path / "a.nt.gz", "Q404")
    assert (done.exit_code, done.stderr) == (
        1,
        f"Error: {pages.url} has none of the items: Q404 (unknown).\n",
    )
    assert run(pages, tmp_path / "a.nt.gz", "P26").exit_code == 2
    assert run(pages, tmp_path / "a.json", "Q1").exit_code == 2
    pages.url = "ftp://example.org"
    assert run(pages, tmp_path / "a.nt.gz", "Q1").exit_code == 2


def test_dump_endpoint_and_fetch_give_the_same_99_items(tmp_path):
    # As a dump, gathered from an endpoint that holds it, and item by item.
    truthy = data("kg/wikidata-99.truthy.nt.gz")
    said: dict[str, str] = defaultdict(str)
    for line in text(truthy).splitlines(keepends=True):
        said[line.split("> ")[0].rsplit("/")[-1]] += line
    (tmp_path / "items.txt").write_text("\n".join(said))
    wanted = make_spec({"items": str(tmp_path / "items.txt"), "property": "all"})
    with serving(tmp_path / "oxigraph", truthy) as url, closing(Client()) as client:
        made = from_endpoint.cut(partial(Endpoint, url, client), tmp_path / "served.nt.gz", wanted)
    with serving_pages(dict(said)) as pages:
        found = get(pages, tmp_path / "fetched.nt.gz", *said)
    assert made.chosen == found.items == len(said) == 99
    fingerprints = set()
    for way in (truthy, tmp_path / "served.nt.gz", tmp_path / "fetched.nt.gz"):
        load([str(way)], tmp_path / "kg", Filter())
        fingerprints.add(manifest.read(tmp_path / "kg").fingerprint)
    assert len(fingerprints) == 1
