"""Fetch the data of items from a server, one file ("page") per item, and cache it in a folder."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.dump.atomic_files import write_bytes
from kgbuild.errors import NoEntityDataError
from kgbuild.net import urls
from kgbuild.net.failures import RefusedError, UnansweredError, printable
from kgbuild.net.http import Answer, Client
from kgbuild.store import terms

_FLAVOR = "flavor=simple"
_HEADERS = {"Accept": terms.TRIPLES}
_MISSING = {404: "unknown", 410: "deleted"}
_SERVER_ERROR = 500
"""The lowest status of a failing server; lower statuses mean that it refuses the request."""
_MOST_FAILURES = 3
"""Number of failures in a row after which the server counts as down."""
_NO_TYPE = ("", "application/octet-stream")
"""Media types that say nothing about the format."""
_END = b"# This is all.\n"
"""The last line of a cached page. A page without it is cut off."""
_LONGEST_NAME = 80
_SUBJECT = re.compile(f"<{re.escape(wikidata.ENTITY)}(Q{wikidata.NUMBER})>".encode())
_QID_IN_URL = re.compile(rf"/(Q{wikidata.NUMBER})(?:\.\w+)?(?:[?#].*)?$")


class Item(NamedTuple):
    """The lines about an item; if it was merged into another item, ``target`` is that item's id.

    If there are no lines, ``absent`` is the reason.
    """

    lines: Sequence[bytes]
    target: str = ""
    absent: str = ""


class Pages:
    """The pages of data at a URL, each saved in a folder when it arrives.

    ``kept`` is the number of items that came from the folder; ``failure`` is the server's last
    failure for an item that was left out.

    Raises:
        NoEntityDataError: the URL is invalid, or the server sends no answer or no data.
        WriteError: the folder cannot be written.
    """

    def __init__(self, client: Client, folder: Path, base: str):
        self.name = printable(urls.public(base.rstrip("/")))
        self.kept = 0
        self.failure: NoEntityDataError | None = None
        self._client = client
        self._base = base.rstrip("/")
        self._has_come = False
        self._failures = 0
        try:
            self._folder = folder / _folder_name(self._base)
        except ValueError as error:
            raise NoEntityDataError(self.name, str(error), has_come=False) from error

    def item(self, qid: str) -> Item:
        """Return the statements and names of an item."""
        item = self._cached(qid)
        if item:
            self.kept += 1
            return item
        try:
            item = self._fetched(qid)
        except RefusedError as error:
            message = f"; it says: {error.message}" if error.message else ""
            failure = self._error(qid, error.detail + message)
            return self._absent(error.status, error.detail, failure)
        except UnansweredError as error:
            status = 0 if error.lasts else error.status
            return self._absent(status, error.detail, self._error(qid, error.detail))
        except ValueError as error:
            raise self._error(qid, str(error)) from error
        self._failures = 0
        if item.lines:
            write_bytes(self._path(qid), b"".join([*item.lines, _END]))
            self._has_come = True
        return item

    def lacking(self, qids: Iterable[str]) -> int:
        """Return the number of items that are not in the folder."""
        return sum(not self._path(qid).exists() for qid in qids)

    def _path(self, qid: str) -> Path:
        return self._folder / f"{qid}.nt"

    def _error(self, qid: str, detail: str) -> NoEntityDataError:
        return NoEntityDataError(self.name, f"{qid}: {detail}", self._has_come)

    def _absent(self, status: int, detail: str, failure: NoEntityDataError) -> Item:
        """Return an item without lines, or raise the failure if it concerns all items."""
        if status in _MISSING:
            self._failures = 0
            return Item((), absent=_MISSING[status])
        if status < _SERVER_ERROR:
            raise failure
        self._failures += 1
        if self._failures == _MOST_FAILURES:
            failure.detail += f" (the same for {_MOST_FAILURES} items in a row)"
            raise failure
        self.failure = failure
        return Item((), absent=detail)

    def _cached(self, qid: str) -> Item | None:
        path = self._path(qid)
        try:
            body = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            detail = error.strerror or str(error)
            raise NoEntityDataError(str(path), detail, self._has_come) from error
        try:
            item = _item(qid, terms.lines_of(body, terms.TRIPLES))
        except ValueError:
            return None
        return item if body.endswith(_END) and item.lines else None

    def _fetched(self, qid: str) -> Item:
        answer = self._ask(qid)
        lines = _lines(answer)
        # An answer without a length may be cut off, so the page is requested twice.
        if not answer.is_framed and _lines(self._ask(qid)) != lines:
            raise ValueError("its answers end at different places")
        return _item(qid, lines, answer.url)

    def _ask(self, qid: str) -> Answer:
        return self._client.ask(f"{self._base}/{qid}.nt?{_FLAVOR}", _HEADERS)


def _folder_name(base: str) -> str:
    """Return a readable name for the folder of a URL's pages, different for each URL."""
    parts = urls.parse_web(urls.public(base))
    address = parts._replace(scheme="", netloc=parts.netloc.lower()).geturl()
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", address).strip("_")[:_LONGEST_NAME]
    return f"{readable}-{hashlib.sha256(address.encode()).hexdigest()[:8]}"


def _lines(answer: Answer) -> list[bytes]:
    if answer.is_page:
        raise ValueError("an HTML page")
    # Plain JSON would be read as JSON-LD without any triple.
    if answer.media_type not in _NO_TYPE and not terms.is_rdf(answer.media_type):
        raise ValueError(f"{answer.media_type} is not a format of RDF")
    try:
        return terms.lines_of(answer.body, answer.media_type)
    except ValueError as error:
        raise ValueError(answer.describe(error)) from error


def _item(qid: str, lines: Iterable[bytes], url: str = "") -> Item:
    """Return an item from the lines of its page, or the item that it was merged into.

    Raises:
        ValueError: the lines are about another item without a redirect to it.
    """
    by_subject = defaultdict(list)
    for line in lines:
        by_subject[subject(line)].append(line)
    by_subject.pop("", None)
    redirect = f"<{wikidata.ENTITY}{qid}> <{wikidata.SAME_AS}> "
    own = by_subject.pop(qid, [])
    if any(not line.startswith(redirect.encode()) for line in own):
        return Item(own)
    target = _target({subject(line[len(redirect) :]) for line in own} - {qid, ""}, url)
    if target in by_subject:
        link = f"{redirect}<{wikidata.ENTITY}{target}> .\n".encode()
        return Item([link, *by_subject[target]], target)
    if by_subject:
        raise ValueError(f"it says nothing of it, but of {', '.join(sorted(by_subject)[:3])}")
    return Item((), absent=f"it is {target}, of which nothing is said" if own else "empty")


def _target(targets: set[str], url: str) -> str:
    """Return the id that an item was merged into, from the data or from the URL after redirects."""
    if len(targets) > 1:
        raise ValueError(f"it is said to be {' and '.join(sorted(targets))}")
    match = _QID_IN_URL.search(url)
    return targets.pop() if targets else match[1] if match else ""


def subject(line: bytes) -> str:
    """Return the id of the item that is the subject of a line, or "" for other subjects."""
    match = _SUBJECT.match(line)
    return match[1].decode() if match else ""
