"""Fetch items one by one from Wikidata's own pages of data.

``Special:EntityData`` gives an item as RDF; in the flavor ``simple``, its truthy statements and
names, as a truthy dump has them (https://www.wikidata.org/wiki/Wikidata:Data_access).
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgbuild import __version__, wikidata
from kgbuild.dump import atomic_files
from kgbuild.dump.filter import scanned
from kgbuild.errors import NothingFetchedError, OutputExistsError
from kgbuild.net.http import Client
from kgbuild.slice.entity_pages import Item, Pages, subject
from kgbuild.slice.slice import beside


class Fetched(NamedTuple):
    """What came of fetching: how many items and lines were written, of how many bytes.

    ``sha256`` is that of the file; ``redirected`` are (id, the item that it is now); ``absent``
    are (id, why). Of all items that were ``wanted``, ``kept`` were there from before.
    """

    items: int
    lines: int
    bytes: int
    sha256: str
    redirected: Sequence[tuple[str, str]]
    absent: Sequence[tuple[str, str]]
    wanted: int
    kept: int


class Hop(NamedTuple):
    """A step to items that are ``away`` statements away; ``requests`` of them are not kept yet."""

    away: int
    items: int
    requests: int


def fetch(
    qids: Iterable[str],
    out: Path,
    client: Client,
    kept: Path,
    base: str = wikidata.ENTITY_PAGE,
    hops: int = 0,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda *_: None,
    ahead: Callable[[Hop], None] = lambda _: None,
) -> Fetched:
    """Write what is said of some items, and of those up to ``hops`` statements away, to a file.

    It is compressed as its name says; items stand in the order of their numbers, in all languages.
    Beside it stands a report.
    Whatever is fetched from ``base`` is kept in the folder ``kept``, an item a file, and is not
    fetched again. An item at which the server fails is set aside, unless it fails at each.
    ``progress`` is told how many items are done, and how many there are so far; ``ahead`` of each
    hop before it is taken.

    Raises:
        NoEntityDataError: the server gives no answer, or no data.
        NothingFetchedError: none of the items is there.
        OutputExistsError, OutputBusyError, WriteError: the output is at fault.
    """
    if out.is_dir() or (out.exists() and not force):
        raise OutputExistsError(out)
    pages = Pages(client, kept, base)
    found: dict[str, Item] = {}
    wanted = list(dict.fromkeys(qids))
    for hop in range(hops + 1):
        if hop and wanted:
            ahead(Hop(hop, len(wanted), pages.lacking(wanted)))
        for done, qid in enumerate(wanted):
            progress(len(found), len(found) + len(wanted) - done)
            found[qid] = pages.item(qid)
        if hop < hops:
            pointed = _pointed(found[qid].lines for qid in wanted)
            wanted = [qid for qid in pointed if qid not in found]
    if all(item.absent for item in found.values()):
        absent = [(qid, item.absent) for qid, item in found.items()]
        raise pages.failure or NothingFetchedError(pages.name, absent)
    return _write(found, pages, out, force)


def _write(found: Mapping[str, Item], pages: Pages, out: Path, force: bool) -> Fetched:
    """Write what was found, and the report before it: whoever sees the one finds the other."""
    lines = {line: None for item in found.values() for line in item.lines}
    ordered = sorted(lines, key=lambda line: (wikidata.number(subject(line)), line))
    with atomic_files.working(out, force) as folder:
        made, report = folder / out.name, folder / "report"
        with atomic_files.compressed(made) as file:
            file.write(b"".join(ordered))
        with made.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        fetched = Fetched(
            items=len({subject(line) for line in ordered}),
            lines=len(ordered),
            bytes=made.stat().st_size,
            sha256=digest,
            redirected=[(qid, item.target) for qid, item in found.items() if item.target],
            absent=[(qid, item.absent) for qid, item in found.items() if item.absent],
            wanted=len(found),
            kept=pages.kept,
        )
        report.write_text(_report(fetched, pages.name), encoding="utf-8")
        atomic_files.publish(report, report_beside(out))
        atomic_files.publish(made, out)
    return fetched


def report_beside(out: Path) -> Path:
    """Return the path of the report on a file of items."""
    return beside(out, "report.json")


def _report(fetched: Fetched, url: str) -> str:
    said = {
        "kgbuild_version": __version__,
        "from": url,
        "items": fetched.items,
        "lines": fetched.lines,
        "bytes": fetched.bytes,
        "sha256": fetched.sha256,
        "redirected": dict(fetched.redirected),
        "absent": dict(fetched.absent),
    }
    return json.dumps(said, indent=1, ensure_ascii=False) + "\n"


def _pointed(pages: Iterable[Sequence[bytes]]) -> list[str]:
    """Return the items that lines point to with direct statements, by number."""
    numbers: set[int] = set()
    for lines in pages:
        if lines:
            found = scanned([line.rstrip(b"\n") for line in lines])
            numbers.update(np.unique(found.object[found.object > 0]).tolist())
    return [f"Q{number}" for number in sorted(numbers)]
