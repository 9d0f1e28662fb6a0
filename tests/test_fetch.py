"""Items fetched one by one from a server that does as Special:EntityData does."""

import gzip
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

from kgbuild.cli import cli
from kgbuild.errors import NoEntityDataError, NothingFetchedError, OutputExistsError
from kgbuild.kg import harvest, manifest, web
from kgbuild.kg.endpoint import Endpoint
from kgbuild.kg.fetch import Fetched, fetch
from kgbuild.kg.filter import Filter
from kgbuild.kg.load import load
from kgbuild.kg.spec import spec
from kgbuild.kg.web import Client
from tests.conftest import data, triples
from tests.endpoints import serving

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


@dataclass
class Pages:
    """A server of items while it runs: what it has, what it answers else, what it was asked."""

    url: str
    pages: dict[str, str]
    plan: list[tuple[int, Mapping[str, str], bytes]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    told: Pages


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        told = cast(_Server, self.server).told
        told.asked.append(self.path)
        qid = self.path.rsplit("/")[-1].removesuffix(".nt?flavor=simple")
        status, headers, body = 200, {"Content-Type": "application/n-triples"}, b""
        if told.plan:
            status, headers, body = told.plan.pop(0)  # type: ignore[assignment]
        elif qid in told.pages:
            body = told.pages[qid].encode()
        elif qid == "Q8":  # merged: its page leads to the other one's
            status, headers = 303, {"Location": "Q1.nt?flavor=simple"}
        else:
            status = 410 if qid == "Q410" else 404
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving_pages(pages: dict[str, str]) -> Iterator[Pages]:
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.told = Pages(f"http://127.0.0.1:{server.server_port}/wiki/Special:EntityData", pages)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.told
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def pages() -> Iterator[Pages]:
    said = {qid: triples(text + PAGE.format(qid)) for qid, text in SAID.items()}
    said["Q7"] = triples(MOVED + SAID["Q1"] + PAGE.format("Q1"))  # merged: told in the data
    said["Q9"] = triples(PAGE.format("Q9"))
    with serving_pages(said) as told:
        yield told


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "PACE", 0.0)
    monkeypatch.setattr(web, "PAUSES", (0.0,) * 5)


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
    assert found == Fetched(2, 6, (tmp_path / "a.nt.gz").stat().st_size, [], [])
    prefix = "/wiki/Special:EntityData/"
    assert pages.asked == [f"{prefix}{qid}.nt?flavor=simple" for qid in ("Q2", "Q1")]


def test_hops_go_from_subject_to_object(pages, tmp_path):
    found = get(pages, tmp_path / "a.nt.gz", "Q1", hops=3)
    assert (found.items, found.absent) == (3, [("Q404", "unknown")])
    assert get(pages, tmp_path / "b.nt.gz", "Q1", hops=1).items == 2


def test_redirects_deleted_and_unknown_items_are_told(pages, tmp_path):
    found = get(pages, tmp_path / "a.nt.gz", "Q7", "Q8", "Q404", "Q410", "Q9")
    assert found.redirected == [("Q7", "Q1"), ("Q8", "Q1")]
    assert found.absent == [("Q404", "unknown"), ("Q410", "deleted"), ("Q9", "empty")]
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


def test_nothing_is_fetched_twice(pages, tmp_path):
    get(pages, tmp_path / "a.nt.gz", "Q1")
    pages.plan = [(404, {}, b"")]  # an absence is no news to keep
    get(pages, tmp_path / "b.nt.gz", "Q1", "Q3")
    assert get(pages, tmp_path / "c.nt.gz", "Q1", "Q3").items == 2
    assert [path.rsplit("/")[-1][:2] for path in pages.asked] == ["Q1", "Q3", "Q3"]


def test_what_was_kept_cannot_be_read(pages, tmp_path):
    (tmp_path / "items" / "Q1.nt").mkdir(parents=True)
    with pytest.raises(NoEntityDataError) as caught:
        get(pages, tmp_path / "a.nt.gz", "Q1")
    assert caught.value.detail == "Is a directory"


BUSY = (429, {"Retry-After": "0"}, b"")


def test_a_busy_server_is_waited_for(pages, tmp_path):
    pages.plan = [BUSY, (503, {}, b"")]
    assert get(pages, tmp_path / "a.nt.gz", "Q1").items == 1
    assert len(pages.asked) == 3


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (BUSY, "Q3: HTTP 429 Too Many Requests (5 tries in a row)"),
        ((403, {}, b"no robots"), "HTTP 403 Forbidden"),
        ((500, {}, b""), "HTTP 500 Internal Server Error"),
        ((200, {"Content-Type": "text/html"}, b"<!DOCTYPE html><p>Hello"), None),
        ((200, {}, triples(SAID["Q3"]).encode()[:-9]), None),
    ],
    ids=["busy", "forbidden", "broken", "a page", "cut off"],
)
def test_what_came_before_a_failure_is_kept(pages, tmp_path, answer, detail):
    get(pages, tmp_path / "before.nt.gz", "Q1")
    pages.plan = [answer] * 5
    out = tmp_path / "a.nt.gz"
    with pytest.raises(NoEntityDataError) as caught:
        get(pages, out, "Q1", "Q3")
    assert caught.value.url == pages.url
    assert detail is None or caught.value.detail == detail
    assert not out.exists()
    assert sorted(path.name for path in (tmp_path / "items").iterdir()) == ["Q1.nt"]


def test_none_of_them_is_there(pages, tmp_path):
    with pytest.raises(NothingFetchedError) as caught:
        get(pages, tmp_path / "a.nt.gz", "Q404", "Q410")
    assert caught.value.absent == [("Q404", "unknown"), ("Q410", "deleted")]


def test_a_file_that_is_there_is_kept(pages, tmp_path):
    (tmp_path / "a.nt.gz").write_text("mine")
    with pytest.raises(OutputExistsError):
        get(pages, tmp_path / "a.nt.gz", "Q1")
    assert not pages.asked
    assert get(pages, tmp_path / "a.nt.gz", "Q1", force=True).items == 1


def run(pages: Pages, out: Path, *qids: str) -> Any:
    cache = ["--cache", str(out.parent / "items"), "--from", f"{pages.url}/"]
    return CliRunner().invoke(cli, ["fetch", *qids, "-o", str(out), *cache])


def test_the_command_tells_what_became_of_each(pages, tmp_path):
    out = tmp_path / "a.nt.gz"
    done = run(pages, out, "q1", "Q7", "Q404", "Q410")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == (
        f"4 lines about 2 items are in {out} (0.0 MB).\n"
        "  1 are other items now: Q7 is Q1.\n"
        "  2 are not there: Q404 (unknown), Q410 (deleted).\n"
        f"  Load it with:\n  kgbuild load {out}\n"
    )


def test_the_command_tells_of_failures(pages, tmp_path):
    done = run(pages, tmp_path / "a.nt.gz", "Q404")
    assert (done.exit_code, done.stderr) == (
        1,
        f"Error: {pages.url} has none of the items: Q404 (unknown).\n",
    )
    assert run(pages, tmp_path / "a.nt.gz", "P26").exit_code == 2
    assert run(pages, tmp_path / "a.json", "Q1").exit_code == 2
    pages.url = "ftp://example.org"
    done = run(pages, tmp_path / "a.nt.gz", "Q1")
    assert (done.exit_code, "gives no data" in done.stderr) == (1, True)


def test_the_99_items_are_the_same_by_whichever_way(tmp_path):
    # As a dump, gathered from an endpoint that holds it, and item by item.
    truthy = data("kg/wikidata-99.truthy.nt.gz")
    said: dict[str, str] = defaultdict(str)
    for line in text(truthy).splitlines(keepends=True):
        said[line.split("> ")[0].rsplit("/")[-1]] += line
    (tmp_path / "items.txt").write_text("\n".join(said))
    wanted = spec({"items": str(tmp_path / "items.txt"), "property": "all"})
    with serving(tmp_path / "oxigraph", truthy) as url, closing(Client()) as client:
        made = harvest.cut(partial(Endpoint, url, client), tmp_path / "served.nt.gz", wanted)
    with serving_pages(dict(said)) as pages:
        found = get(pages, tmp_path / "fetched.nt.gz", *said)
    assert made.chosen == found.items == len(said) == 99
    fingerprints = set()
    for way in (truthy, tmp_path / "served.nt.gz", tmp_path / "fetched.nt.gz"):
        load([str(way)], tmp_path / "kg", Filter())
        fingerprints.add(manifest.read(tmp_path / "kg").fingerprint)
    assert len(fingerprints) == 1
