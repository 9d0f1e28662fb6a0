"""Build the parts of a dataset, each from a relation or a file, in this process or on all cores.

A dataset passes its parts by name, and a *builder*: a function that takes the ``Knowledge`` of a
store (questions about its graph) and returns a function that builds one part. In one process, all
parts share the builder's caches. Workers are processes; each opens the store for itself.
"""

import contextlib
import datetime
import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import as_completed
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from kgbuild.catalog import catalog, own_file
from kgbuild.datasets import workers
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.since import notes, opening
from kgbuild.datasets.workers import Generation
from kgbuild.errors import NothingBuiltError, WrongCallError, describe_counts, list_first, shorten
from kgbuild.graph.open import Store
from kgbuild.rows import Build, Built, Progress, Provenance, Rejection, examples, no_progress

MIN_PARTS = 8
"""Minimum number of parts per worker: with fewer parts, starting takes longer than building."""
_PERCENT = 100
"""Steps of progress per part, so that progress inside a part is visible."""

Part = TypeVar("Part")
BuildPart: TypeAlias = Callable[[Part, Progress], Built]
Builder: TypeAlias = "Callable[..., BuildPart[Part]]"


def build(
    dataset: AnyDataset,
    store: Store,
    parts: Mapping[str, Part],
    builder: "Builder[Part]",
    options: Mapping[str, Any],
    *,
    files: Sequence[Path] = (),
    since: Path | str | None = None,
    all_relations: bool = False,
    parallel: bool = False,
    remarks: Sequence[str] = (),
    progress: Progress = no_progress,
) -> Build:
    """Build the parts of a dataset, and record ``options`` and ``files`` as their provenance.

    With ``all_relations``, each relation with an error in relations.toml becomes a part with a
    rejection and no row. ``parallel`` allows several processes; then the builder and the parts must
    be picklable. ``remarks`` are the first notes of the build. ``progress`` receives the progress
    over all parts.

    ``since`` is an older store, or an older dump or slice: rows are made of statements that it does
    not have. The builder then receives it as ``older``.

    Raises:
        WrongCallError: rows that are made from a file have no such statements; there is no part.
        NoStoreError: there is no older store.
        NothingBuiltError: no part has a row; the error has the rejections.
        DamagedStoreError: the store cannot be opened, or was replaced during the build.
    """
    if since and files:
        raise no_statements(files[0])
    if not parts:
        raise WrongCallError("The list of what to build is empty. Leave it out to build all.")
    with contextlib.ExitStack() as stack:
        older = stack.enter_context(opening(Path(since), store, progress)) if since else None
        if older:
            builder = partial(builder, older=older.older)
            options = {**options, "since": older.origin}
        built = _build_parts(store, parts, builder, parallel, progress)
    if own := own_file():
        options = {**options, "relations_file": own}
    sentences = [*remarks, *_notes(built)]
    if older:
        sentences += notes(built, older)
    if all_relations:
        built += _malformed(dataset)
    build = Build(dataset, built, _provenance(store, options, files), sentences)
    if not any(part.rows for part in built):
        raise NothingBuiltError(_nothing_built(store, dataset, built, files), build)
    return build


def _notes(parts: Sequence[Built]) -> list[str]:
    """Return the notes of parts; those that have the same one share a sentence."""
    noted = defaultdict[str, list[str]](list)
    for part in parts:
        for note in part.notes:
            noted[note].append(part.relation)
    return [f"{list_first(names)}: {note}" for note, names in noted.items()]


def no_statements(source: object) -> WrongCallError:
    """Return the error that rows are not made of statements, which ``since`` compares."""
    return WrongCallError(
        f"--since compares statements of two stores, and the rows of {source} are not made of "
        "statements. Leave out one of the two."
    )


def _build_parts(
    store: Store,
    parts: Mapping[str, Part],
    builder: "Builder[Part]",
    parallel: bool,
    progress: Progress,
) -> list[Built]:
    if parallel and len(parts) >= 2 * MIN_PARTS:
        return _build_on_all_cores(store, parts, builder, progress)
    build_part = builder(store.knowledge(catalog().kinds))
    built = []
    for index, (name, part) in enumerate(parts.items()):
        update = _overall(progress, index, len(parts))
        update(name, 0, 0)
        built.append(build_part(part, update))
    return built


def _overall(progress: Progress, index: int, parts: int) -> Progress:
    """Return what reports the progress of the part at ``index`` over all parts."""

    def update(step: str, done: int, total: int) -> None:
        label = f"{step}: {done:,} of {total:,}" if total else step
        if parts == 1:  # it may have several steps, each of which has a bar of its own
            progress(label, done, total)
            return
        percent = _PERCENT * index + _PERCENT * done // max(total, 1)
        progress(label, percent, _PERCENT * parts)

    return update


def _malformed(dataset: AnyDataset) -> list[Built]:
    """Return a part with one rejection for each relation that has an error in relations.toml."""
    return [
        Built(
            pid,
            {table: [] for table in dataset.tables},
            [Rejection(pid, "malformed", str(fault).removesuffix("."))],
        )
        for pid, fault in catalog().faults.items()
    ]


def _nothing_built(
    store: Store, dataset: AnyDataset, built: Sequence[Built], files: Sequence[Path]
) -> str:
    """Return the sentence that all candidates were rejected; those of files have examples."""
    relations = ", ".join(part.relation for part in built)
    if not (candidates := sum(part.candidates for part in built)):
        is_stated = store.manifest.properties.keys() & {*re.findall(r"P\d+", relations)}
        between = " between two items" if is_stated else ""  # but with dates as values, say
        missing = f"the store has no statement of {relations}{between}"
        if relations.startswith("Q"):  # biokalma's parts are named QID/PID
            of_class = relations.partition("/")[0]
            pids = relations.replace(f"{of_class}/", "")
            missing = f"no two items of the class {of_class} are joined by {pids}"
        return f"Nothing was built: {missing}. See 'kgbuild relations'."
    counts = row_reasons(dataset, built)
    reasons = describe_counts(counts, dataset.reasons)
    if files:
        reasons = "; ".join(commonest_reasons(counts, dataset.reasons, examples(built)))
    rejected = f"all {candidates:,} candidates were rejected: {reasons}"
    return f"Nothing was built for {relations}: {rejected}."


def row_reasons(dataset: AnyDataset, parts: Sequence[Built]) -> Counter[str]:
    """Return the number of candidates of parts that did not become rows, by reason."""
    reasons = sum((part.reasons for part in parts), Counter[str]())
    for reason in dataset.part_reasons:
        del reasons[reason]
    return reasons


def commonest_reasons(
    reasons: Mapping[str, int], words: Mapping[str, str], examples: Mapping[str, str]
) -> list[str]:
    """Return the three commonest reasons with an example, as texts "3 × no label (such as: …)".

    ``words`` explain the reasons.
    """
    commonest = sorted(reasons, key=lambda reason: (-reasons[reason], reason))[:3]
    return [
        f"{reasons[reason]:,} × {words[reason]} (such as: {shorten(examples[reason])})"
        for reason in commonest
    ]


def _provenance(store: Store, options: Mapping[str, Any], files: Sequence[Path]) -> Provenance:
    dumps = [
        {"name": file.name, "modified": file.modified, "sha256": file.sha256}
        for file in store.manifest.files
    ]
    return Provenance(
        seed=options.get("seed", 0),
        options={
            name: value
            for name, value in options.items()
            if name != "seed" and value is not False and value not in ((), None, {})
        },
        files=[*dumps, *map(_describe, files)],
        store_fingerprint=store.manifest.fingerprint,
        store_triples=store.manifest.triples,
    )


def _describe(path: Path) -> dict[str, str]:
    modified = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC).date()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "modified": modified.isoformat(), "sha256": digest}


def _build_on_all_cores(
    store: Store, parts: Mapping[str, Part], builder: "Builder[Part]", progress: Progress
) -> list[Built]:
    count = min(os.cpu_count() or 1, len(parts) // MIN_PARTS)
    opened = workers.generation(store)
    statements = store.manifest.properties  # number by property id; paths and files count as 0
    # The largest part starts first, so that the other cores do not wait for it at the end.
    names = sorted(parts, key=lambda name: -statements.get(name, 0))
    built: dict[str, Built] = {}
    with workers.pool(count) as submit:
        futures = {submit(_build_in_worker, opened, builder, parts[name]): name for name in names}
        progress(f"building {len(parts):,} parts on {count} cores", 0, len(parts))
        for done, future in enumerate(as_completed(futures), 1):
            built[futures[future]] = future.result()
            progress(f"{futures[future]} is built", done, len(parts))
    return [built[name] for name in parts]


def _build_in_worker(opened: Generation, builder: "Builder[Part]", part: Part) -> Built:
    """Build a part with a new builder, whose caches are freed after the part."""
    return builder(workers.knowledge(opened))(part, no_progress)
