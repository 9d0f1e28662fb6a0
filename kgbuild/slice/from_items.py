"""Fetch single items from Wikidata's ``Special:EntityData``, and write them as a slice.

``Special:EntityData`` serves an item as RDF. Its flavor ``simple`` has the same triples as a truthy
dump: truthy statements and names (https://www.wikidata.org/wiki/Wikidata:Data_access).

A page is the data of an item, which is cached in a file of its own. Its URL is that of the server
and the item's id.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kgbuild import __version__, wikidata
from kgbuild.dump.filter import scan_lines
from kgbuild.errors import (
    KgbuildError,
    OutputExistsError,
    UnreadableDumpError,
    WrongCallError,
    list_first,
)
from kgbuild.files import atomic_files, outputs
from kgbuild.net import urls
from kgbuild.net.failures import RefusedError, UnansweredError, printable
from kgbuild.net.http import Client, HttpAnswer
from kgbuild.slice.report import json_text
from kgbuild.store.sparql import terms

_FLAVOR = "flavor=simple"
"""The parameter of Wikidata's server for truthy statements without metadata."""
_HEADERS = {"Accept": terms.TRIPLES}
_MISSING = {404: "unknown", 410: "deleted"}
"""Reasons why an item is absent, by HTTP status."""
_SERVER_ERROR = 500
"""The lowest status of a failing server; lower statuses mean that it refuses the request."""
_MAX_FAILURES = 3
"""Number of consecutive failures after which no more items are requested."""
_NO_TYPE = ("", "application/octet-stream")
"""Media types that do not name a format."""
_END = b"# This is all.\n"
"""The last line of a cached page. A page without it is not complete."""
_MAX_NAME = 80
"""Maximum number of letters of the URL in the name of a folder."""
_SUBJECT = re.compile(f"<{re.escape(wikidata.ENTITY)}(Q{wikidata.NUMBER})>".encode())
# The id at the end of the path of a URL, as in https://www.wikidata.org/wiki/…/Q42.nt?flavor=simple
_QID_IN_URL = re.compile(rf"/(Q{wikidata.NUMBER})(?:\.\w+)?(?:[?#].*)?$")


class SlicedItem(NamedTuple):
    """The lines of N-Triples about an item.

    If the item was merged into another item, ``target`` is the id of that item. If there are no
    lines, ``absent`` is the reason.
    """

    lines: Sequence[bytes]
    target: str = ""
    absent: str = ""


class Pages:
    """The pages of data at a URL, each saved in a folder when it arrives.

    ``cached_count`` is the number of items that came from the folder; ``failure`` is the server's
    last failure for an item that was left out.

    Raises:
        WrongCallError: the URL is invalid.
        KgbuildError: the server sends no answer or no data.
        WriteError: the folder cannot be written.
    """

    def __init__(self, client: Client, folder: Path, base: str):
        self.name = printable(urls.public(base.rstrip("/")))
        self.cached_count = 0
        self.failure: KgbuildError | None = None
        self._client = client
        self._base = base.rstrip("/")
        self._has_answered = False
        self._failures = 0
        try:
            self._folder = folder / _folder_name(self._base)
        except ValueError as error:
            raise WrongCallError(f"{self.name} sends no data: {error}.") from error
        atomic_files.refuse_link(self._folder)
        outputs.refuse_store(folder.resolve(), folder)

    def item(self, qid: str) -> SlicedItem:
        """Return the statements and names of an item."""
        item = self._read_cached(qid)
        if item:
            self.cached_count += 1
            return item
        try:
            item = self._fetch(qid)
        except RefusedError as error:
            said = f"; it says: {error.message}" if error.message else ""
            return self._absent_item(qid, error.status, error.detail, said)
        except UnansweredError as error:
            return self._absent_item(qid, 0 if error.lasts else error.status, error.detail)
        except ValueError as error:
            raise self._error(f"{qid}: {error}") from error
        self._failures = 0
        if item.lines:
            atomic_files.write_bytes(self._path(qid), b"".join([*item.lines, _END]))
            self._has_answered = True
        return item

    def count_missing(self, qids: Iterable[str]) -> int:
        """Return the number of items that are not in the folder."""
        return sum(not self._path(qid).exists() for qid in qids)

    def _path(self, qid: str) -> Path:
        return self._folder / f"{qid}.nt"

    def _error(self, detail: str) -> KgbuildError:
        kept = " All items that came before are cached: call it again." * self._has_answered
        return KgbuildError(f"{self.name} sends no data: {detail}.{kept}")

    def _absent_item(self, qid: str, status: int, detail: str, said: str = "") -> SlicedItem:
        """Return an item without lines, or raise an error if the failure affects all items."""
        if status in _MISSING:
            self._failures = 0
            return SlicedItem((), absent=_MISSING[status])
        if status < _SERVER_ERROR:
            raise self._error(f"{qid}: {detail}{said}")
        self._failures += 1
        if self._failures == _MAX_FAILURES:
            repeated = f" (the same for {_MAX_FAILURES} items in a row)"
            raise self._error(f"{qid}: {detail}{said}{repeated}")
        self.failure = self._error(f"{qid}: {detail}{said}")
        return SlicedItem((), absent=detail)

    def _read_cached(self, qid: str) -> SlicedItem | None:
        """Return an item from the folder, or None if its page is missing or not complete."""
        path = self._path(qid)
        try:
            body = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            detail = error.strerror or str(error)
            raise UnreadableDumpError(str(path), detail) from error
        try:
            item = _item(qid, terms.lines_of(body, terms.TRIPLES))
        except ValueError:
            return None
        return item if body.endswith(_END) and item.lines else None

    def _fetch(self, qid: str) -> SlicedItem:
        answer = self._ask(qid)
        lines = _lines(answer)
        # An answer without a length may be cut off, so the page is requested twice.
        if not answer.is_framed and _lines(self._ask(qid)) != lines:
            raise ValueError("its answers end at different places")
        return _item(qid, lines, answer.url)

    def _ask(self, qid: str) -> HttpAnswer:
        return self._client.ask(f"{self._base}/{qid}.nt?{_FLAVOR}", _HEADERS)


def _folder_name(base: str) -> str:
    """Return a readable name for the folder of a URL's pages; each URL has a different name."""
    parts = urls.parse_web(urls.without_credentials(base))
    address = parts._replace(scheme="", netloc=parts.netloc.lower()).geturl()
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", urls.public(address)).strip("_")[:_MAX_NAME]
    return f"{readable}-{hashlib.sha256(address.encode()).hexdigest()[:8]}"


def _lines(answer: HttpAnswer) -> list[bytes]:
    """Return the lines of the page in an answer; raise a ValueError if it is not RDF."""
    if answer.is_page:
        raise ValueError("an HTML page")
    # Plain JSON would be read as JSON-LD without any triple.
    if answer.media_type not in _NO_TYPE and not terms.is_rdf(answer.media_type):
        raise ValueError(f"{answer.media_type} is not a format of RDF")
    try:
        return terms.lines_of(answer.body, answer.media_type)
    except ValueError as error:
        raise ValueError(answer.describe(error)) from error


def _item(qid: str, lines: Iterable[bytes], url: str = "") -> SlicedItem:
    """Return an item from the lines of its page, or the item that it was merged into.

    Raises:
        ValueError: the lines are about other items, to which no redirect leads.
    """
    by_subject = defaultdict(list)
    for line in lines:
        by_subject[_subject(line)].append(line)
    by_subject.pop("", None)
    redirect = f"<{wikidata.ENTITY}{qid}> <{wikidata.SAME_AS}> "
    item_lines = by_subject.pop(qid, [])
    if any(not line.startswith(redirect.encode()) for line in item_lines):
        return SlicedItem(item_lines)
    target = _target({_subject(line[len(redirect) :]) for line in item_lines} - {qid, ""}, url)
    if target in by_subject:
        link = f"{redirect}<{wikidata.ENTITY}{target}> .\n".encode()
        return SlicedItem([link, *by_subject[target]], target)
    if by_subject:
        raise ValueError(f"it describes {', '.join(sorted(by_subject)[:3])} instead of this item")
    return SlicedItem(
        (), absent=f"redirected to {target}, which is missing" if item_lines else "empty"
    )


def _target(targets: set[str], url: str) -> str:
    """Return the id that an item was merged into, from the data or from the URL after redirects."""
    if len(targets) > 1:
        raise ValueError(f"it redirects to {' and '.join(sorted(targets))}")
    match = _QID_IN_URL.search(url)
    return targets.pop() if targets else match[1] if match else ""


def _subject(line: bytes) -> str:
    """Return the id of the item that is the subject of a line, or "" for other subjects."""
    match = _SUBJECT.match(line)
    return match[1].decode() if match else ""


class Fetched(NamedTuple):
    """The result of a fetch: the numbers of items and lines written, and the size in bytes.

    ``redirected`` maps ids to the ids that they were merged into; ``absent`` maps ids to the
    reasons why they are absent. ``wanted`` is the number of requested items, of which ``cached``
    came from the cache.
    """

    items: int
    lines: int
    bytes: int
    sha256: str
    redirected: Mapping[str, str]
    absent: Mapping[str, str]
    wanted: int
    cached: int


def fetch(
    qids: Iterable[str],
    out: Path,
    client: Client,
    cache: Path,
    base: str = wikidata.ENTITY_PAGE,
    hops: int = 0,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda *_: None,
    before_hop: Callable[[int, int, int], None] = lambda *_: None,
) -> Fetched:
    """Write items, and the items up to ``hops`` statements away from them, to the file ``out``.

    The file is compressed if its name ends with .gz or .zst. It has the items sorted by number, in
    all languages; a report is written beside it. ``base`` is the URL of the server, ``cache`` the
    folder for its pages. Items for which the server fails are left out, unless it fails for all.
    ``progress`` is called with the number of finished items and of all items, ``before_hop`` before
    each hop, with its distance in statements, the number of its items, and of those not cached.

    Raises:
        KgbuildError: the server sends no answer, or no data; the server has none of the items.
        OutputExistsError, OutputBusyError, WriteError: the output cannot be written.
    """
    if out.is_dir() or (out.exists() and not force):
        raise OutputExistsError(out, out.is_dir())
    pages = Pages(client, cache, base)
    items: dict[str, SlicedItem] = {}
    pending = list(dict.fromkeys(qids))
    for hop in range(hops + 1):
        if hop and pending:
            before_hop(hop, len(pending), pages.count_missing(pending))
        for done, qid in enumerate(pending):
            progress(len(items), len(items) + len(pending) - done)
            items[qid] = pages.item(qid)
        if hop < hops:
            objects = _objects(items[qid].lines for qid in pending)
            pending = [qid for qid in objects if qid not in items]
    if all(item.absent for item in items.values()):
        absent = list_first([f"{qid} ({item.absent})" for qid, item in items.items()])
        raise pages.failure or KgbuildError(f"{pages.name} has none of the items: {absent}.")
    return _write(items, pages, out, force)


def _write(items: Mapping[str, SlicedItem], pages: Pages, out: Path, force: bool) -> Fetched:
    lines = {line for item in items.values() for line in item.lines}
    ordered = sorted(lines, key=lambda line: (wikidata.number(_subject(line)), line))
    with atomic_files.working_folder(out, force) as folder:
        complete = folder / out.name
        with atomic_files.compressed(complete) as file:
            file.write(b"".join(ordered))
        with complete.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        fetched = Fetched(
            items=len({_subject(line) for line in ordered}),
            lines=len(ordered),
            bytes=complete.stat().st_size,
            sha256=digest,
            redirected={qid: item.target for qid, item in items.items() if item.target},
            absent={qid: item.absent for qid, item in items.items() if item.absent},
            wanted=len(items),
            cached=pages.cached_count,
        )
        content = {"kgbuild_version": __version__, "from": pages.name, **fetched._asdict()}
        del content["wanted"], content["cached"]
        atomic_files.publish_with_report(folder, out, json_text(content))
    return fetched


def _objects(pages: Iterable[Sequence[bytes]]) -> list[str]:
    """Return the ids of the items to which the statements in pages lead."""
    numbers: set[int] = set()
    for lines in pages:
        if lines:
            objects = scan_lines([line.rstrip(b"\n") for line in lines]).object
            numbers.update(objects[objects > 0].tolist())
    return [f"Q{number}" for number in sorted(numbers)]
