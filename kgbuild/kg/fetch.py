"""Fetch items one by one from Wikidata's own pages of data.

``Special:EntityData`` gives an item as RDF; in the flavor ``simple``, its truthy statements and
names, as a truthy dump has them (https://www.wikidata.org/wiki/Wikidata:Data_access).
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgbuild.errors import NoEntityDataError, NothingFetchedError, OutputExistsError
from kgbuild.kg import output, terms, web, wikidata
from kgbuild.kg.endpoint import keep
from kgbuild.kg.filter import scanned
from kgbuild.kg.web import Client

_FLAVOR = "flavor=simple"
_GONE = {404: "unknown", 410: "deleted"}


class Fetched(NamedTuple):
    """What came of fetching: how many items and lines were written, of how many bytes.

    ``redirected`` are (id, the item that it is now); ``absent`` are (id, why).
    """

    items: int
    lines: int
    bytes: int
    redirected: Sequence[tuple[str, str]]
    absent: Sequence[tuple[str, str]]


class _Item(NamedTuple):
    """The lines about an item, and about the one that it redirects to, if it does."""

    lines: Sequence[bytes]
    target: str = ""
    absent: str = ""


def fetch(
    qids: Iterable[str],
    out: Path,
    client: Client,
    kept: Path,
    base: str = wikidata.ENTITY_PAGE,
    hops: int = 0,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Fetched:
    """Write what is said of some items, and of those up to ``hops`` statements away, to a file.

    It is compressed as its name says; items stand in the order of their numbers, in all languages.
    Whatever is fetched from ``base`` is kept in the folder ``kept``, an item a file, and is not
    fetched again. ``progress`` is told how many items are done, and how many there are so far.

    Raises:
        NoEntityDataError: the server gives no answer, or no data.
        NothingFetchedError: none of the items is there.
        OutputExistsError, OutputBusyError, WriteError: the output is at fault.
    """
    if out.is_dir() or (out.exists() and not force):
        raise OutputExistsError(out)
    pages = _Pages(client, kept, base)
    found: dict[str, _Item] = {}
    ahead = list(dict.fromkeys(qids))
    for hop in range(hops + 1):
        for done, qid in enumerate(ahead):
            progress(len(found), len(found) + len(ahead) - done)
            found[qid] = pages.item(qid)
        if hop < hops:
            ahead = _pointed(found[qid].lines for qid in ahead)
            ahead = [qid for qid in ahead if qid not in found]
    absent = [(qid, item.absent) for qid, item in found.items() if item.absent]
    if len(absent) == len(found):
        raise NothingFetchedError(pages.name, absent)
    redirected = [(qid, item.target) for qid, item in found.items() if item.target]
    return _write(found, out, force, redirected, absent)


def _write(
    found: dict[str, _Item],
    out: Path,
    force: bool,
    redirected: Sequence[tuple[str, str]],
    absent: Sequence[tuple[str, str]],
) -> Fetched:
    lines = {line: None for item in found.values() for line in item.lines}
    ordered = sorted(lines, key=lambda line: (wikidata.number(_subject(line)), line))
    with output.working(out, force) as folder:
        made = folder / out.name
        with output.compressed(made) as file:
            file.write(b"".join(ordered))
        size = made.stat().st_size
        output.publish(made, out)
    items = len({_subject(line) for line in ordered})
    return Fetched(items, len(ordered), size, redirected, absent)


class _Pages:
    """The pages of data at a URL, and those that are kept in a folder."""

    def __init__(self, client: Client, kept: Path, base: str):
        self._client = client
        self._kept = kept
        self._base = base.rstrip("/")
        self.name = web.harmless(web.public(self._base))

    def item(self, qid: str) -> _Item:
        """Return what is said of an item."""
        path = self._kept / f"{qid}.nt"
        try:
            return _read(qid, path.read_bytes().splitlines(keepends=True))
        except FileNotFoundError:
            return self._fetched(qid, path)
        except OSError as error:
            raise NoEntityDataError(str(path), error.strerror or str(error)) from error

    def _fetched(self, qid: str, path: Path) -> _Item:
        """Return what the server says of an item, and keep it."""
        url = f"{self._base}/{qid}.nt?{_FLAVOR}"
        try:
            answer = self._client.ask(url, {"Accept": terms.TRIPLES})
            lines = terms.lines_of(answer.body, answer.media_type)
        except web.RefusedError as error:
            if error.status in _GONE:
                return _Item((), absent=_GONE[error.status])
            raise NoEntityDataError(self.name, error.detail) from error
        except (web.UnansweredError, ValueError) as error:
            raise NoEntityDataError(self.name, f"{qid}: {error}") from error
        found = _read(qid, [line for line in lines if _subject(line)])
        if found.lines:
            keep(path, b"".join(found.lines))
        return found


def _read(qid: str, lines: Sequence[bytes]) -> _Item:
    """Return what lines say of an item: of one that was merged, there is another one's data."""
    own = [line for line in lines if _subject(line) == qid]
    redirect = f"<{wikidata.ENTITY}{qid}> <{wikidata.SAME_AS}> "
    if any(not line.startswith(redirect.encode()) for line in own):
        return _Item(own)
    others = {_subject(line) for line in lines} - {qid}
    if len(others) != 1:
        return _Item((), absent="empty")
    (target,) = others
    leads = f"{redirect}<{wikidata.ENTITY}{target}> .\n".encode()
    return _Item([leads, *(line for line in lines if _subject(line) == target)], target)


def _subject(line: bytes) -> str:
    """Return the id of the item that a line is about; nothing if it is about something else."""
    iri = line[1 : line.index(b">")].decode()
    found = wikidata.of_iri(iri) if iri.startswith(wikidata.ENTITY) else None
    return found if found and found[0] == "Q" else ""


def _pointed(pages: Iterable[Sequence[bytes]]) -> list[str]:
    """Return the items that lines point to with direct statements, by number."""
    numbers: set[int] = set()
    for lines in pages:
        if lines:
            found = scanned([line.rstrip(b"\n") for line in lines])
            numbers.update(np.unique(found.object[found.object > 0]).tolist())
    return [f"Q{number}" for number in sorted(numbers)]
