"""Check a store: its files against their checksums, and these files against the graph.

The graph defines what the files beside it have. A sample of items is read from both.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from kgbuild.errors import DamagedStoreError
from kgbuild.graph.open import Store, open_store
from kgbuild.graph.statements import Statements
from kgbuild.rows import Checked, Progress
from kgbuild.store import array_files, checksums, manifest
from kgbuild.store.arrays import forgetting
from kgbuild.store.labels import QueriedLabels


def check(path: Path, sample: int, progress: Progress) -> Iterator[Checked]:
    """Yield what was checked of the store in a folder, and the faults that were found.

    ``sample`` is the number of items whose texts, names and statements are compared. They are read
    only if no file has changed.

    Raises:
        NoStoreError: there is no store.
        DamagedStoreError: the rest cannot be read.
    """
    with manifest.reading(path) as (_, folder):
        written = checksums.read(folder)
        faults = [
            _fault(fault) for fault in checksums.faults(folder, of_all=True, progress=progress)
        ]
        yield Checked("files", len(written), faults)
        counts = sorted((folder / manifest.COUNTS).glob("[!.]*"))  # no locks, nothing unfinished
        yield Checked("counts", len(counts), [fault for count in counts for fault in _of(count)])
        if faults:
            return
        with open_store(path) as store:
            yield from _definitions(store, sample, progress)


def _of(count: Path) -> Iterator[str]:
    """Yield the fault of a file of counts, if it has one."""
    try:
        array_files.compare(count)
    except DamagedStoreError as error:
        yield _fault(error)


def _fault(error: DamagedStoreError) -> str:
    return f"{error.path}: {error.detail}"


def _definitions(store: Store, sample: int, progress: Progress) -> Iterator[Checked]:
    """Yield what was compared with the graph."""
    triples, expected = len(store.graph), store.manifest.triples
    fault = f"the graph has {triples:,} triples, and the manifest {expected:,}"
    yield Checked("triples", triples, [fault] if triples != expected else [])
    knowledge = store.knowledge({})
    labels = store.columns().labels.keys
    for part, numbers, is_as_defined in (
        ("texts", labels[labels > 0], _has_same_texts),
        ("names", labels[labels > 0], _has_names),
        ("statements", knowledge.postings.items, partial(_has_statements, knowledge.statements)),
    ):
        chosen = [f"Q{n}" for n in numbers[:: max(1, len(numbers) // sample)][:sample].tolist()]
        faults = []
        for done, qid in enumerate(forgetting(chosen)):
            progress(f"comparing {part}", done, len(chosen))
            if not is_as_defined(store, qid):
                faults.append(f"{qid} is not as in the graph")
        yield Checked(part, len(chosen), faults)


def _has_same_texts(store: Store, qid: str) -> bool:
    """Return whether the texts of an item are those of the queries that define them."""
    defined = QueriedLabels(store.graph, store.language)
    return all(
        getattr(store.labels, text)(qid) == getattr(defined, text)(qid)
        for text in ("label", "description", "aliases")
    )


def _has_names(store: Store, qid: str) -> bool:
    """Return whether an item is found by its label and its aliases."""
    names = filter(None, (store.labels.label(qid), *store.labels.aliases(qid)))
    return all(name in (spelling for spelling, _ in store.names.spellings(name)) for name in names)


def _has_statements(statements: Statements, store: Store, qid: str) -> bool:
    """Return whether the statements of an item, its times and unknown values are the graph's."""
    defined: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for pid, value in store.graph.select("item_statements", item=qid):
        defined[value.kind].add((pid, "" if value.kind == "unknown" else value.text))
    stored = statements.by_property(qid)
    columns = store.columns()
    return (
        {(pid, value) for pid in stored for value in stored[pid]} == defined["item"]
        and {*columns.times.of_item(qid)} == defined["time"]
        and {*columns.unknown_values.of_item(qid)} == defined["unknown"]
        and {*columns.precisions.of_item(qid)} == {*store.graph.select("precisions", item=qid)}
    )
