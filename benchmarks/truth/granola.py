"""Measure GRANOLA: number of questions and levels, and the resolution of names."""

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import measure
from benchmarks.measure import put, tell
from kgbuild.catalog import catalog
from kgbuild.datasets.granola.files.records import FileRecord, records
from kgbuild.datasets.granola.files.resolve import FileResolver, Resolved
from kgbuild.datasets.granola.files.templates import Templates
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Row
from kgbuild.store.labels import items_named
from kgbuild.tables.database import Database
from kgbuild.tables.files import read_file

START, END = "<!-- measured: granola -->", "<!-- end: granola -->"
"""Marks in the document; ``-o`` replaces the text between them."""


class Levels(NamedTuple):
    """Number of questions: all, with at least two levels, with at least three."""

    questions: int
    two: int
    three: int

    def __str__(self) -> str:
        two, three = (f"{part / max(1, self.questions):.0%}" for part in self[1:])
        return f"{self.questions:,} | {two} | {three}"


def levels(answers: Iterable[Row]) -> Levels:
    """Count the levels of questions in rows of answers."""
    highest: dict[str, int] = defaultdict(int)
    for row in answers:
        highest[row["question_id"]] = max(highest[row["question_id"]], row["level"])
    counts = Counter(min(3, level) for level in highest.values())
    return Levels(len(highest), counts[2] + counts[3], counts[3])


def added(several: Iterable[Levels]) -> Levels:
    """Return the sums."""
    return Levels(*map(sum, zip(*several, strict=True)))


def table(db: Path, names: Sequence[tuple[str, str]]) -> str:
    """Return a table of the levels of each source, a pair of name and heading, and of all."""
    rows = defaultdict(list)
    for row in Database(db).rows("granola_answers"):
        rows[row["source"]].append(row)
    found = [(shown, levels(rows[name])) for name, shown in names if rows[name]]
    lines = ["| | questions | two levels or more | three or more |", "| --- | --: | --: | --: |"]
    lines += [f"| {shown} | {counted} |" for shown, counted in found]
    return "\n".join([*lines, f"| all of these | {added(counted for _, counted in found)} |"])


def resolution(held: Store, files: Sequence[Path]) -> str:
    """Return a sentence about the share of questions whose subject is resolved.

    Only questions are counted for which the store has an item with the name of the subject that
    has the relation to a gold answer.
    """
    known = held.knowledge(catalog().kinds)
    templates = Templates(catalog().relations_of("granola"))
    resolver = FileResolver(known, held.names)
    facts = RelationFacts(known)
    counts = Counter[str]()
    for file in files:
        read = read_file(file)
        asked = records(file, read.columns, read.rows, {}).records
        for record in asked:
            of_file = catalog().relations[templates.of_file(file.name) or ""]
            ((relation, mention),) = templates.matches(record.question, [of_file])

            def agrees(qid: str | None, record: FileRecord = record, relation=relation) -> bool:  # type: ignore[no-untyped-def]
                texts = {answer.text for answer in record.answers}
                values = facts.values(qid, relation) if qid else ()
                return any(known.labels.label(value) in texts for value in values)

            namesakes = items_named(held.graph, held.names, mention)
            if any(known.labels.label(one) == mention and agrees(one) for one in namesakes):
                for way, given in (("given", record), ("hidden", record._replace(answers=()))):
                    found = resolver.resolve(given, file.name)
                    counts[way] += isinstance(found, Resolved) and agrees(found.subject)
                counts["all"] += 1
    share = {way: counts[way] / max(1, counts["all"]) for way in ("given", "hidden")}
    return (
        f"The store contains the subject, relation and gold answer of {counts['all']:,} questions. "
        f"{share['given']:.1%} of them are resolved to an item with that answer, and "
        f"{share['hidden']:.1%} if the gold answers are hidden."
    )


def measured(source: Path, questions: Path | None) -> str:
    """Return the section of the document."""
    python = [sys.executable, "-m", "kgbuild"]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        at: list[str | Path] = ["--store", work / "kg"]
        tell("loading")
        loaded = measure.command(*python, "load", source, *at)
        tell("building")
        built = measure.command(*python, "granola", *at, "--db", work / "a.duckdb")
        asked = [r for r in catalog().relations_of("granola") if not r.coarse]
        items = [(r.pid, f"{r.pid} {r.label}") for r in asked if r.object_kinds != DATE]
        times = [(r.pid, f"{r.pid} {r.label}") for r in asked if r.object_kinds == DATE]
        parts = [
            f"Building all relations takes {measure.seconds(built.seconds)}, "
            f"{built.seconds / loaded.seconds:.1f} times as long as loading the slice, and "
            f"{measure.megabytes(built.memory)} of memory.",
            table(work / "a.duckdb", items),
            table(work / "a.duckdb", times),
        ]
        if questions:
            tell("enriching")
            files = sorted(questions.glob("*.json"))
            enriched = measure.command(
                *python, "granola", *at, "--db", work / "b.duckdb", "--questions", questions
            )
            with open_store(work / "kg") as held:
                sentence = resolution(held, files)
            parts += [
                "### EntityQuestions, development split",
                f"{sentence} Enriching all questions takes {measure.seconds(enriched.seconds)}.",
                table(work / "b.duckdb", [(file.name, file.name) for file in files]),
            ]
    return "\n\n".join([measure.machine(), *parts])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth.granola", description=__doc__)
    parser.add_argument("source", type=Path, help="a clean slice, .nt.gz")
    parser.add_argument("--questions", type=Path, help="folder of files of EntityQuestions")
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    asked = parser.parse_args(arguments)
    text = measured(asked.source, asked.questions)
    print(text)
    if asked.output:
        put(asked.output, text, START, END)


if __name__ == "__main__":
    main(sys.argv[1:])
