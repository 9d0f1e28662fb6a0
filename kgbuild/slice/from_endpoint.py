"""Cut a slice out of an endpoint: gather the lines that it may need, and cut them like a dump.

More lines are gathered than the slice contains, so that all conditions of a slice stay in
``slice.cut``. The answers of the endpoint are cached until the slice is complete, so a killed run
can continue.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.filter import sift
from kgbuild.dump.kinds import HIERARCHY
from kgbuild.dump.reader import Block
from kgbuild.dump.scanning import rules
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.errors import NothingKeptError, OutputExistsError, WrongCallError
from kgbuild.files import atomic_files
from kgbuild.net import urls
from kgbuild.rows import Progress, no_progress
from kgbuild.slice import slice as slicing
from kgbuild.slice.report import Report
from kgbuild.slice.selection import Seeds
from kgbuild.slice.slice import nothing_chosen
from kgbuild.slice.spec import Spec
from kgbuild.store.sparql import terms
from kgbuild.store.sparql.endpoint import Endpoint
from kgbuild.store.sparql.terms import Row

_BATCH_SIZES = {"truthy": 25, "item_summaries": 200}
"""Number of items in a request, by query."""
_CLOSURE = (*map(wikidata.number, HIERARCHY), rules.SAME_AS)
"""Codes of the predicates that are followed over any number of statements."""
_ANSWER_NAME = 64
"""Number of letters in the name of a cached answer, a SHA-256."""


def cut(
    connect: Callable[[Path], Endpoint],
    out: Path,
    spec: Spec,
    max_bad: float = 0.01,
    force: bool = False,
    progress: Progress = no_progress,
) -> Report:
    """Write the slice of an endpoint that a spec selects to the file ``out``.

    ``connect`` returns an endpoint that caches its answers in a folder. The slice has the same
    lines as a slice of a dump, in another order: chosen items come first, by number.

    Raises:
        WrongCallError: the spec has a condition that needs a dump.
        KgbuildError: the endpoint fails. Also the errors of ``slice.cut``.
    """
    _require_fit(spec)
    if out.is_dir() or (out.exists() and not force):
        raise OutputExistsError(out, out.is_dir())
    cache = cache_beside(out)
    endpoint = connect(cache)
    lines_path = cache / f"{urls.server(endpoint.name).replace(':', '-')}.nt.gz"
    is_done = False
    with atomic_files.write_errors(out), atomic_files.locked(cache):
        atomic_files.own_folder(cache)
        try:
            gatherer = _Gatherer(endpoint, spec, progress)
            with atomic_files.compressed(lines_path) as file:
                file.writelines(gatherer.lines())
            if not gatherer.count:
                raise nothing_chosen([endpoint.name], 0, spec.listed)
            report = slicing.cut(
                [str(lines_path)], out, spec, max_bad, force, progress, source=endpoint.name
            )
            is_done = True
            return report
        except NothingKeptError:
            is_done = True  # the answers are not needed any more
            raise
        finally:
            if is_done or not count_answers(out):
                atomic_files.remove_own(cache)
            else:
                lines_path.unlink(missing_ok=True)


def cache_beside(out: Path) -> Path:
    """Return the folder of the cached answers, which is beside the slice."""
    return out.with_name(f".{out.name}.pages")


def count_answers(out: Path) -> int:
    """Return the number of cached answers of a slice that is not complete."""
    folder = cache_beside(out)
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return sum(len(name) == _ANSWER_NAME for name in names)


def _require_fit(spec: Spec) -> None:
    """Check that an endpoint can answer the conditions of a spec."""
    of_endpoint = "For a slice from an endpoint:"
    if not (spec.instance_of or spec.items):
        raise WrongCallError(f"{of_endpoint} 'instance-of' or 'items' must say which items.")
    if spec.limit is not None:
        raise WrongCallError(
            f"{of_endpoint} 'limit' takes a dump's first items; there is 'sample'."
        )


class _Links:
    """The numbers of items that lines point to.

    ``all`` has the objects of all predicates, ``closure`` those of the predicates in ``_CLOSURE``,
    and ``redirects`` those of sameAs.
    """

    def __init__(self) -> None:
        self.all: set[int] = set()
        self.closure: set[int] = set()
        self.redirects: set[int] = set()

    def add(self, scanned: Scanned) -> None:
        """Add the objects of scanned lines."""
        are_links = (scanned.subject > 0) & (scanned.object > 0)
        objects, predicates = scanned.object[are_links], scanned.predicate[are_links]
        self.all.update(objects.tolist())
        self.closure.update(objects[np.isin(predicates, _CLOSURE)].tolist())
        self.redirects.update(objects[predicates == rules.SAME_AS].tolist())


class _Gatherer:
    """Gathers the lines that an endpoint has for a spec; ``count`` is their number so far."""

    def __init__(self, endpoint: Endpoint, spec: Spec, progress: Progress):
        self.count = 0
        self._endpoint = endpoint
        self._spec = spec
        self._progress = progress
        self._rules = spec.filter.rules()
        self._languages = f" {' '.join(code.partition('-')[0] for code in (*spec.lang, 'mul'))} "
        self._done = self._total = 0
        self._used_properties: set[str] = set()

    def lines(self) -> Iterator[bytes]:
        """Yield texts of N-Triples lines; the lines of an item are adjacent.

        Chosen items come first, then the items that these point to, then properties.
        """
        finished: set[int] = set()
        objects: set[int] = set()
        pending = self._seeds()
        for hop in range(self._spec.hops + 1):
            hop_objects: set[int] = set()
            while pending := pending - finished:
                finished |= pending
                links = _Links()
                yield from self._ask("truthy", _items(pending), links)
                hop_objects |= links.all
                pending = links.redirects  # the target of a redirect is chosen, too
            objects |= hop_objects
            pending = hop_objects if hop < self._spec.hops else set()
        while objects := objects - finished:
            finished |= objects
            links = _Links()
            yield from self._ask("item_summaries", _items(objects), links)
            objects = links.closure
        if self.count:
            yield from self._ask("truthy", self._properties(), _Links())

    def _seeds(self) -> set[int]:
        """Return the numbers of the items that the spec chooses, from which hops start."""
        numbers = {wikidata.number(qid) for qid in (*self._instances(), *self._spec.listed)}
        ordered = np.array(sorted(numbers), np.int64)
        seeds = Seeds(None, self._spec.sample, self._spec.seed)
        return set(seeds.add(ordered).tolist())

    def _instances(self) -> Iterator[str]:
        """Yield the instances of the spec's classes and, if ``subclasses``, of their subclasses."""
        classes = dict.fromkeys(self._spec.instance_of)
        pending = list(classes)
        while pending and self._spec.subclasses:
            rows = self._endpoint.select("subclasses", **{"class": pending})
            pending = [qid for qid in dict.fromkeys(_ids(rows)) if qid not in classes]
            classes.update(dict.fromkeys(pending))
        rows = self._endpoint.select("instances", **{"class": list(classes)})
        yield from dict.fromkeys(_ids(rows))  # an item may be of several of the classes

    def _properties(self) -> Sequence[str]:
        """Return the spec's properties; if it keeps all, those with a description or statements."""
        properties = self._spec.filter.properties
        if properties is None:
            rows = self._endpoint.select("all_properties")
            with_description = {value.text for (value,) in rows if value.kind == "property"}
            return sorted(with_description | self._used_properties, key=wikidata.number)
        return sorted({*properties, *HIERARCHY}, key=wikidata.number)

    def _ask(self, query: str, entities: Sequence[str], links: _Links) -> Iterator[bytes]:
        """Yield the lines about items or properties; add their objects to ``links``."""
        self._total += len(entities)
        for start in range(0, len(entities), _BATCH_SIZES[query]):
            batch = entities[start : start + _BATCH_SIZES[query]]
            rows = self._endpoint.select(query, entity=batch, languages=self._languages)
            iris = [f"<{wikidata.ENTITY}{entity}".encode() for entity in batch]
            order = {iri: position for position, iri in enumerate(iris)}
            lines = [line for line in terms.lines(rows) if _subject(line) in order]
            lines.sort(key=lambda line: (order[_subject(line)], line))
            text = b"".join(lines)
            scanned = sift(Block(1, text), self._rules)
            links.add(scanned)
            direct = scanned.predicate[scanned.predicate < rules.PROPERTIES].tolist()
            self._used_properties.update(f"P{number}" for number in direct if number > 0)
            yield text
            self.count += len(lines)
            self._done += len(batch)
            self._progress("asking", self._done, self._total)


def _items(numbers: set[int]) -> Sequence[str]:
    return [f"Q{number}" for number in sorted(numbers)]


def _ids(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the valid ids in rows of a single column."""
    return (qid for (qid,) in rows if wikidata.of_iri(wikidata.ENTITY + qid))


def _subject(line: bytes) -> bytes:
    """Return the subject of a line, without the last character of its IRI."""
    return line[: line.index(b">")]
