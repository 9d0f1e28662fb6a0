"""Fetch single items from Wikidata's ``Special:EntityData``, and write them as a slice.

``Special:EntityData`` serves an item as RDF. Its flavor ``simple`` has the same triples as a truthy
dump: truthy statements and names (https://www.wikidata.org/wiki/Wikidata:Data_access).
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kgbuild import __version__, wikidata
from kgbuild.dump import atomic_files
from kgbuild.dump.filter import scan_lines
from kgbuild.errors import NothingFetchedError, OutputExistsError
from kgbuild.net.http import Client
from kgbuild.slice.entity_pages import Item, Pages, subject
from kgbuild.slice.report import json_text


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


class Hop(NamedTuple):
    """A step to items ``distance`` statements away; ``requests`` of them are not cached."""

    distance: int
    items: int
    requests: int


def fetch(
    qids: Iterable[str],
    out: Path,
    client: Client,
    cache: Path,
    base: str = wikidata.ENTITY_PAGE,
    hops: int = 0,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda *_: None,
    before_hop: Callable[[Hop], None] = lambda _: None,
) -> Fetched:
    """Write items, and the items up to ``hops`` statements away from them, to the file ``out``.

    The file is compressed if its name ends with .gz or .zst. It has the items sorted by number, in
    all languages; a report is written beside it. ``base`` is the URL of the server, ``cache`` the
    folder for its pages. Items for which the server fails are left out, unless it fails for all.
    ``progress`` is called with the number of finished items and of all items, ``before_hop`` before
    each hop.

    Raises:
        NoEntityDataError: the server sends no answer, or no data.
        NothingFetchedError: the server has none of the items.
        OutputExistsError, OutputBusyError, WriteError: the output cannot be written.
    """
    if out.is_dir() or (out.exists() and not force):
        raise OutputExistsError(out, out.is_dir())
    pages = Pages(client, cache, base)
    items: dict[str, Item] = {}
    pending = list(dict.fromkeys(qids))
    for hop in range(hops + 1):
        if hop and pending:
            before_hop(Hop(hop, len(pending), pages.count_missing(pending)))
        for done, qid in enumerate(pending):
            progress(len(items), len(items) + len(pending) - done)
            items[qid] = pages.item(qid)
        if hop < hops:
            objects = _objects(items[qid].lines for qid in pending)
            pending = [qid for qid in objects if qid not in items]
    if all(item.absent for item in items.values()):
        absent = [(qid, item.absent) for qid, item in items.items()]
        raise pages.failure or NothingFetchedError(pages.name, absent)
    return _write(items, pages, out, force)


def _write(items: Mapping[str, Item], pages: Pages, out: Path, force: bool) -> Fetched:
    """Write the items and their report."""
    lines = {line for item in items.values() for line in item.lines}
    ordered = sorted(lines, key=lambda line: (wikidata.number(subject(line)), line))
    with atomic_files.working_folder(out, force) as folder:
        complete = folder / out.name
        with atomic_files.compressed(complete) as file:
            file.write(b"".join(ordered))
        with complete.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        fetched = Fetched(
            items=len({subject(line) for line in ordered}),
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
