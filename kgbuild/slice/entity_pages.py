"""Pages of data about items: those of a server, and those of them that a folder keeps."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.errors import NoEntityDataError
from kgbuild.net import http
from kgbuild.net.http import Answer, Client
from kgbuild.store import terms
from kgbuild.store.endpoint import keep

_FLAVOR = "flavor=simple"
_GONE = {404: "unknown", 410: "deleted"}
_FAILED = 500
"""From this status on, it is the server that fails; below, it refuses."""
_MOST_FAILURES = 3
"""Items in a row at which a server fails, after which it is taken to be down."""
_UNTOLD = ("", "application/octet-stream")
"""What servers of files call a type that they don't know."""
_END = b"# This is all.\n"
"""Ends what is kept of an item: what was cut off at a line would look like all of it."""
_LETTERS = 80
_SUBJECT = re.compile(f"<{re.escape(wikidata.ENTITY)}(Q{wikidata.NUMBER})>".encode())
_NAMED = re.compile(rf"/(Q{wikidata.NUMBER})(?:\.\w+)?(?:[?#].*)?$")


class Item(NamedTuple):
    """The lines about an item, and about the one that it is now (``target``), if it was merged.

    If there are none, ``absent`` says why.
    """

    lines: Sequence[bytes]
    target: str = ""
    absent: str = ""


class Pages:
    """The pages of data at a URL, each of them kept in a folder as soon as it came.

    ``kept`` counts the items that were found there; ``failure`` tells of the last one at which
    the server failed, and which was set aside.

    Raises:
        NoEntityDataError: the URL is none, or the server gives no answer, or no data.
        WriteError: the folder cannot be written.
    """

    def __init__(self, client: Client, folder: Path, base: str):
        self.name = http.harmless(http.public(base.rstrip("/")))
        self.kept = 0
        self.failure: NoEntityDataError | None = None
        self._client = client
        self._base = base.rstrip("/")
        self._has_come = False
        self._failures = 0
        try:
            self._folder = folder / _place(self._base)
        except ValueError as error:
            raise NoEntityDataError(self.name, str(error)) from error

    def item(self, qid: str) -> Item:
        """Return what is said of an item."""
        item = self._from_folder(qid)
        if item:
            self.kept += 1
            return item
        try:
            item = self._from_server(qid)
        except http.RefusedError as error:
            said = http.short(error.body.decode("utf-8", "replace"))
            failure = self._error(qid, f"{error.detail}; it says: {said}" if said else error.detail)
            return self._without(error.status, error.detail, failure)
        except http.UnansweredError as error:
            status = 0 if error.lasts else error.status
            return self._without(status, error.detail, self._error(qid, error.detail))
        except ValueError as error:
            raise self._error(qid, str(error)) from error
        self._failures = 0
        if item.lines:
            keep(self._path(qid), b"".join([*item.lines, _END]))
            self._has_come = True
        return item

    def lacking(self, qids: Iterable[str]) -> int:
        """Return how many items the folder does not have."""
        return sum(not self._path(qid).exists() for qid in qids)

    def _path(self, qid: str) -> Path:
        return self._folder / f"{qid}.nt"

    def _error(self, qid: str, detail: str) -> NoEntityDataError:
        return NoEntityDataError(self.name, f"{qid}: {detail}", self._has_come)

    def _without(self, status: int, detail: str, failure: NoEntityDataError) -> Item:
        """Go on without an item, if the trouble is with this one only; else raise the failure."""
        if status in _GONE:
            self._failures = 0
            return Item((), absent=_GONE[status])
        if status < _FAILED:
            raise failure
        self._failures += 1
        if self._failures == _MOST_FAILURES:
            failure.detail += f" (the same for {_MOST_FAILURES} items in a row)"
            raise failure
        self.failure = failure
        return Item((), absent=detail)

    def _from_folder(self, qid: str) -> Item | None:
        """Return what the folder has of an item; none if that is damaged."""
        path = self._path(qid)
        try:
            body = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            detail = error.strerror or str(error)
            raise NoEntityDataError(str(path), detail, self._has_come) from error
        if not body.endswith(_END):
            return None
        try:
            item = _read(qid, terms.lines_of(body, terms.TRIPLES))
        except ValueError:
            return None
        return item if item.lines else None

    def _from_server(self, qid: str) -> Item:
        """Return what the server says of an item.

        An answer whose end only the end of the connection tells may have been cut off at a line:
        it is asked for twice.
        """
        answer = self._ask(qid)
        lines = _lines(answer)
        if not answer.is_framed and _lines(self._ask(qid)) != lines:
            raise ValueError("its answers end at different places")
        return _read(qid, lines, answer.url)

    def _ask(self, qid: str) -> Answer:
        return self._client.ask(f"{self._base}/{qid}.nt?{_FLAVOR}", {"Accept": terms.TRIPLES})


def _place(base: str) -> str:
    """Return the name of the folder for what a URL gives: legible, and that of no other URL."""
    parts = http.require_http(http.public(base))
    where = parts._replace(scheme="", netloc=parts.netloc.lower()).geturl()
    told = re.sub(r"[^A-Za-z0-9.-]+", "_", where).strip("_")[:_LETTERS]
    return f"{told}-{hashlib.sha256(where.encode()).hexdigest()[:8]}"


def _lines(answer: Answer) -> list[bytes]:
    """Return the lines of an answer, or raise a ValueError that says what it is instead."""
    if http.is_page(answer):
        raise ValueError("a page for people")
    # Plain JSON would be read as JSON-LD, in which it says nothing.
    if answer.media_type not in _UNTOLD and not terms.is_rdf(answer.media_type):
        raise ValueError(f"{answer.media_type} is no form of RDF")
    try:
        return terms.lines_of(answer.body, answer.media_type)
    except ValueError as error:
        kind = f"{answer.media_type or 'no type'}, {len(answer.body):,} bytes"
        raise ValueError(f"{http.short(str(error))} ({kind})") from error


def _read(qid: str, lines: Iterable[bytes], url: str = "") -> Item:
    """Return what lines from a URL say of an item: of one that was merged, another one's data.

    Raises:
        ValueError: they are about another one, and nothing tells that this is the same.
    """
    about = defaultdict(list)
    for line in lines:
        about[subject(line)].append(line)
    about.pop("", None)
    redirect = f"<{wikidata.ENTITY}{qid}> <{wikidata.SAME_AS}> "
    own = about.pop(qid, [])
    if any(not line.startswith(redirect.encode()) for line in own):
        return Item(own)
    target = _target({subject(line[len(redirect) :]) for line in own} - {qid, ""}, url)
    if target in about:
        return Item([f"{redirect}<{wikidata.ENTITY}{target}> .\n".encode(), *about[target]], target)
    if about:
        raise ValueError(f"it says nothing of it, but of {', '.join(sorted(about)[:3])}")
    return Item((), absent=f"it is {target}, of which nothing is said" if own else "empty")


def _target(told: set[str], url: str) -> str:
    """Return the item that another one is now, as the data tell or the URL that it led to."""
    if len(told) > 1:
        raise ValueError(f"it is said to be {' and '.join(sorted(told))}")
    named = _NAMED.search(url)
    return told.pop() if told else named[1] if named else ""


def subject(line: bytes) -> str:
    """Return the id of the item that a line is about; nothing if it is about something else."""
    found = _SUBJECT.match(line)
    return found[1].decode() if found else ""
