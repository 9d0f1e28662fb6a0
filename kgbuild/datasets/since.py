"""Compare statements with those of an older store: a build may have only what became known since.

A builder rejects the candidates whose statements the older store has, and describes the others for
the table ``since``::

    since = against(knowledge, older)  # None without an older store
    if since:
        since.check([(subject, pid, value)])

A statement is also known if the older store has the equivalent one of an inverse or a symmetric
relation, or had one of its items under an id that redirects to it now.
"""

import contextlib
import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.datasets import workers
from kgbuild.datasets.workers import Generation
from kgbuild.dump.filter import Filter
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store, open_store
from kgbuild.graph.other_values import Redirects
from kgbuild.rows import Built, Progress, Rejected, Row
from kgbuild.store.load import load

KNOWN = "known before"
"""The reason for the rejection of a candidate whose statements the older store has."""
CHANGED, NEW, NEW_SUBJECT = "changed", "new", "new subject"
"""The changes of a statement: the older store has other values of the property, no value, or
nothing at all about the subject. A piece that the older store has is ``KNOWN``."""

Statement: TypeAlias = tuple[str, str, str]
"""A subject, a property and a value: an item, or the text of another value."""


class SinceOlder(NamedTuple):
    """What became of a statement, and the values that the older store has of its property."""

    change: str
    older: tuple[str, ...]


@dataclass(frozen=True)
class Older:
    """An older store that is open; a worker that receives it opens the same load for itself."""

    generation: Generation
    knowledge: Knowledge

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self.generation,)


def _reopened(generation: Generation) -> Older:
    return Older(generation, workers.knowledge(generation))


class Since:
    """Compares the statements of a store (its ``knowledge``) with those of an older one."""

    def __init__(self, knowledge: Knowledge, older: Knowledge):
        self._redirects = Redirects(knowledge.graph, knowledge.counts)
        self._older = older
        self._values = functools.lru_cache(1 << 12)(self._read)
        self._with_texts = functools.cache(lambda pid: {*older.others.items(pid).tolist()})

    def check(self, statements: Iterable[Statement], *, alternatives: bool = False) -> None:
        """Raise ``Rejected`` if the older store has all of the statements.

        Of ``alternatives``, each of which answers a question, it must have none.
        """
        if (any if alternatives else all)(map(self._has, statements)):
            raise Rejected(KNOWN)

    def rows(
        self, source: str, item_id: str, statements: Iterable[Statement], deciding: int
    ) -> Iterator[Row]:
        """Yield the rows of the table ``since`` for the statements of a row of a dataset.

        ``source`` is the relation that the row was built from, ``item_id`` its id. The row was
        built because of the first statements, whose number is ``deciding``.
        """
        for number, statement in enumerate(dict.fromkeys(statements)):
            change, older = self.compare(statement)
            yield {
                "relation": source,
                "item_id": item_id,
                **dict(zip(("subject", "property", "object"), statement, strict=True)),
                "change": change,
                "older": [*older],
                "decides": number < deciding,
            }

    def compare(self, statement: Statement) -> SinceOlder:
        """Return what became of a statement of the newer store."""
        subject, pid, value = statement
        older = self._values(subject, pid)
        if value in older:
            return SinceOlder(KNOWN, older)
        if older:
            return SinceOlder(CHANGED, older)
        is_known = any(map(self._has_item, self._ids(subject)))
        return SinceOlder(NEW if is_known else NEW_SUBJECT, older)

    def _has(self, statement: Statement) -> bool:
        subject, pid, value = statement
        return value in self._values(subject, pid)

    def _ids(self, qid: str) -> list[str]:
        """Return the ids that an item has or had."""
        return [qid, *self._redirects.merged_into(qid)]

    def _read(self, subject: str, pid: str) -> tuple[str, ...]:
        """Return the values of a subject's property in the older store, by their ids of today."""
        statements, times = self._older.statements, self._older.times
        relation = catalog().relations.get(pid)
        mirrors = catalog().mirrors(relation) if relation else ()
        values: list[str] = []
        for qid in self._ids(subject):
            values += statements.values(qid, pid)
            values += (item for mirror in mirrors for item in statements.subjects(qid, mirror))
            if not values:  # a property has values of one type
                values += (time.text for time in times.of(qid, pid))
            if not values and wikidata.number(qid) in self._with_texts(pid):
                rows = self._older.graph.select("values", subject=qid, property=pid)
                values += (value.text for (value,) in rows)
        target = self._redirects.target
        return tuple(dict.fromkeys(target(value) if _is_item(value) else value for value in values))

    def _has_item(self, qid: str) -> bool:
        """Return whether the older store has a statement about an item, or its label."""
        older = self._older
        return (
            older.statements.is_subject(qid)
            or bool(older.times.of_item(qid))
            or older.labels.label(qid) is not None
        )


def _is_item(value: str) -> bool:
    return value.startswith("Q") and wikidata.is_id(value)


def against(knowledge: Knowledge, older: Older | None) -> Since | None:
    """Return what compares the statements of a store with an older one, if there is one."""
    return Since(knowledge, older.knowledge) if older else None


class Opened(NamedTuple):
    """An older store, what ``builds`` records of it, and its number of statements by property."""

    older: Older
    origin: Mapping[str, Any]
    properties: Mapping[str, int]


@contextlib.contextmanager
def opening(path: Path, store: Store, progress: Progress) -> Iterator[Opened]:
    """Open an older store, or load an older dump or slice into a temporary store.

    Raises:
        NoStoreError, DamagedStoreError: there is no store, or it cannot be opened.
        KgbuildError: the dump cannot be loaded.
    """
    with contextlib.ExitStack() as stack:
        if path.is_file():
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="kgbuild-"))) / "kg"
            keep = Filter(store.manifest.languages, store.manifest.everything)
            load([str(path)], folder, keep, progress=progress)
            path = folder
        opened = stack.enter_context(open_store(path))
        older = Older(workers.generation(opened), opened.knowledge(catalog().kinds))
        files = [{"name": file.name, "sha256": file.sha256} for file in opened.manifest.files]
        origin = {"fingerprint": opened.manifest.fingerprint, "files": files}
        yield Opened(older, origin, opened.manifest.properties)


def changes(part: Built) -> Counter[str]:
    """Return the number of rows of a part by change.

    Of several statements that decide, one that changed counts first, then one with a known subject.
    """
    counts: Counter[str] = Counter()
    for _, rows in itertools.groupby(part.since, key=lambda row: row["item_id"]):
        found = {row["change"] for row in rows if row["decides"]}
        counts[next(change for change in (CHANGED, NEW, NEW_SUBJECT) if change in found)] += 1
    return counts


def notes(parts: Sequence[Built], opened: Opened) -> list[str]:
    """Return sentences about rows that may look new because the older slice leaves out more."""
    pids = (pid for part in parts if part.since for pid in re.findall(r"P\d+", part.relation))
    missing = [pid for pid in dict.fromkeys(pids) if not opened.properties.get(pid)]
    unknown = sum(changes(part)[NEW_SUBJECT] for part in parts)
    sentences = []
    if missing:
        sentences.append(
            f"The older store has no statement of {', '.join(missing)}, so all of these are new. "
            "Was its slice made with other options?"
        )
    if unknown:
        sentences.append(
            f"{unknown:,} × the older store has nothing about the subject: it is a new item, or "
            f"one that the older slice leaves out (the change '{NEW_SUBJECT}')."
        )
    return sentences
