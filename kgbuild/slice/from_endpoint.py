"""Gather from an endpoint what a slice needs; then cut it as if it were a dump.

What is asked for is a little more than the slice is to hold: the conditions of slices stand in one
place, the scanner, which goes through what was gathered. Answers are kept until the slice is
written, so what a killed run has asked for is not asked for again.
"""

import dataclasses
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import atomic_files, bitmaps, scanner
from kgbuild.dump.filter import HIERARCHY, Sieve
from kgbuild.dump.pipeline import Progress
from kgbuild.dump.reader import Block
from kgbuild.dump.scanner import Scanned
from kgbuild.errors import NothingChosenError, NotOfEndpointError, OutputExistsError
from kgbuild.net import http
from kgbuild.slice import slice as slicing
from kgbuild.slice.selection import Seeds
from kgbuild.slice.slice import Report
from kgbuild.slice.spec import Spec, read_items
from kgbuild.store import terms
from kgbuild.store.endpoint import Endpoint
from kgbuild.store.terms import Row

_PARTS = {"truthy": 25, "outline": 200}
"""Items that each query is asked about at a time."""
_CHAIN = (*map(wikidata.number, HIERARCHY), scanner.SAME_AS)
"""By which statements items are looked up to the last."""


def cut(
    endpoint: Callable[[Path], Endpoint],
    out: Path,
    spec: Spec,
    max_bad: float = 0.01,
    force: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Report:
    """Write the slice of an endpoint that a spec asks for to the file ``out``.

    ``endpoint`` makes one that keeps its answers in a folder. All else is as for a slice of dumps,
    but that chosen items come first, in the order of their numbers.

    Raises:
        NotOfEndpointError: the spec asks for what an endpoint cannot give.
        NoEndpointError, RefusedQueryError, NotResultsError: the endpoint is at fault.
        ItemsFileError, NothingChosenError, OutputExistsError, OutputBusyError, WriteError: as for
            a slice of dumps.
    """
    _require_fit(spec)
    if out.is_dir() or (out.exists() and not force):
        raise OutputExistsError(out)
    kept = kept_beside(out)
    asked = endpoint(kept)
    gathered = kept / f"{http.host(asked.name).replace(':', '-')}.nt.gz"
    is_done = False
    with atomic_files.held(kept, out):
        try:
            _gather(_Harvest(asked, spec, progress), gathered)
            report = slicing.cut(
                [str(gathered)], out, spec, max_bad, force, progress, source=asked.name
            )
            is_done = True
            return report
        except NothingChosenError:
            is_done = True  # what was answered is of no more use
            raise
        finally:
            if is_done or not answers(out):
                shutil.rmtree(kept)
            else:
                gathered.unlink(missing_ok=True)


def kept_beside(out: Path) -> Path:
    """Return the folder beside a slice that keeps the answers until it is complete."""
    return out.with_name(f".{out.name}.pages")


def answers(out: Path) -> int:
    """Return how many answers are kept of a slice that was ended before it was complete."""
    folder = kept_beside(out)
    return sum(len(path.name) == _HASHED for path in folder.iterdir()) if folder.is_dir() else 0


_HASHED = 64
"""Letters of the name of an answer."""


def _gather(harvest: "_Harvest", path: Path) -> None:
    with atomic_files.compressed(path) as file:
        for lines in harvest.lines():
            file.write(b"".join(lines))
    if not harvest.count:
        raise NothingChosenError([harvest.name], 0, harvest.listed)


def _require_fit(spec: Spec) -> None:
    if not (spec.instance_of or spec.items):
        raise NotOfEndpointError("instance-of", "or 'items' is to say of which items")
    if spec.limit is not None:
        raise NotOfEndpointError("limit", "takes a dump's first items; there is 'sample'")


class _Links(NamedTuple):
    """What the lines about some items point to: by any statement, by those of ``_CHAIN``."""

    all: set[int]
    chain: set[int]
    same: set[int]


class _Harvest:
    """What is gathered from an endpoint for a spec.

    ``name`` is the endpoint's; ``listed`` are the items of the spec's file; ``count`` lines were
    gathered so far.
    """

    def __init__(self, endpoint: Endpoint, spec: Spec, progress: Callable[[Progress], None]):
        self.name = endpoint.name
        self.listed = tuple(read_items(spec.items)) if spec.items else ()
        self.count = 0
        self._endpoint = endpoint
        self._spec = spec
        self._progress = progress
        self._sieve = Sieve(spec.filter.rules())
        self._languages = f" {' '.join(code.partition('-')[0] for code in (*spec.lang, 'mul'))} "
        self._now = Progress("asking")
        self._met: set[str] = set()

    def lines(self) -> Iterator[list[bytes]]:
        """Yield lines of N-Triples, of each item all at once.

        Chosen items come first, then what they need, and the properties at the end.
        """
        done: set[int] = set()
        pointed: set[int] = set()
        ahead = self._seeds()
        for hop in range(self._spec.hops + 1):
            found: set[int] = set()
            while ahead := ahead - done:
                done |= ahead
                links = _Links(set(), set(), set())
                yield from self._ask("truthy", _items(ahead), links)
                found |= links.all
                ahead = links.same  # where redirects lead is chosen, too
            pointed |= found
            ahead = found if hop < self._spec.hops else set()
        while pointed := pointed - done:
            done |= pointed
            links = _Links(set(), set(), set())
            yield from self._ask("outline", _items(pointed), links)
            pointed = links.chain
        if self.count:
            yield from self._ask("truthy", self._properties(), _Links(set(), set(), set()))

    def _seeds(self) -> set[int]:
        """Return the items that the spec asks for, without their neighbours."""
        found = {wikidata.number(qid) for qid in (*self._instances(), *self.listed)}
        ordered = np.array(sorted(found), np.int64)
        seeds = Seeds(None, self._spec.sample, self._spec.seed)
        seeds.add(ordered)
        return set(ordered[bitmaps.has(seeds.bits, ordered)].tolist())

    def _instances(self) -> Iterator[str]:
        """Yield the instances of the classes that are wanted, and of those below them."""
        classes = dict.fromkeys(self._spec.instance_of)
        ahead = list(classes)
        while ahead and self._spec.subclasses:
            rows = self._endpoint.select("subclasses", **{"class": ahead})
            ahead = [qid for qid in dict.fromkeys(_ids(rows)) if qid not in classes]
            classes.update(dict.fromkeys(ahead))
        yield from _ids(self._endpoint.select("instances", **{"class": list(classes)}))

    def _properties(self) -> Sequence[str]:
        """Return the properties that are wanted: of all, those that are told of or were met."""
        wanted = self._spec.filter.properties
        if wanted is None:
            rows = self._endpoint.select("all_properties")
            told = {value.text for (value,) in rows if value.kind == "property"}
            return sorted(told | self._met, key=wikidata.number)
        return sorted({*wanted, *HIERARCHY}, key=wikidata.number)

    def _ask(self, query: str, wanted: Sequence[str], links: _Links) -> Iterator[list[bytes]]:
        """Yield the lines about some items or properties, and note what they point to."""
        self._now.size = (self._now.size or 0) + len(wanted)
        for n in range(0, len(wanted), _PARTS[query]):
            part = wanted[n : n + _PARTS[query]]
            rows = self._endpoint.select(query, entity=part, languages=self._languages)
            about = {f"<{wikidata.ENTITY}{entity}".encode(): n for n, entity in enumerate(part)}
            lines = [line for line in terms.lines(rows) if _subject(line) in about]
            lines.sort(key=lambda line: about[_subject(line)])
            self._note(links, self._sieve.sift(Block(1, b"".join(lines), frozenset())))
            yield lines
            self.count += len(lines)
            self._now.read += len(part)
            self._now.lines = self.count
            self._progress(dataclasses.replace(self._now))

    def _note(self, links: _Links, scanned: Scanned) -> None:
        linked = (scanned.subject > 0) & (scanned.object > 0)
        objects, predicates = scanned.object[linked], scanned.predicate[linked]
        links.all.update(objects.tolist())
        links.chain.update(objects[np.isin(predicates, _CHAIN)].tolist())
        links.same.update(objects[predicates == scanner.SAME_AS].tolist())
        used = np.unique(scanned.predicate[scanned.predicate < scanner.PROPERTIES])
        self._met.update(f"P{number}" for number in used.tolist() if number > 0)


def _items(numbers: set[int]) -> Sequence[str]:
    return [f"Q{number}" for number in sorted(numbers)]


def _ids(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the ids in a column, and pass over what is none."""
    return (qid for (qid,) in rows if wikidata.of_iri(wikidata.ENTITY + qid))


def _subject(line: bytes) -> bytes:
    return line[: line.index(b">")]
