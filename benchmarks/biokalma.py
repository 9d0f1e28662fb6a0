"""Measure BioKaLMA: what a build holds and keeps to, what scoring and retrieving take."""

import itertools
import json
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import measure
from benchmarks.measure import tell
from benchmarks.run import of_slice
from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma import coherence
from kgbuild.datasets.biokalma.drafts import Drafter
from kgbuild.datasets.biokalma.minimal import stands_in
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.datasets.biokalma.retrieve import Retriever, accuracy
from kgbuild.datasets.biokalma.rows import FEWEST, Options
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Row
from kgbuild.store import manifest
from kgbuild.tables.database import Database

START, END = "<!-- measured: biokalma -->", "<!-- end: biokalma -->"
"""What ``-o`` writes stands between these lines of the file."""
ANSWERS = 1085
"""Answers that are scored: as many as the paper's dataset has questions."""
_ROUNDS = 4
"""Rounds of removal that answers come from, with the one in which nothing is absent."""
_UNNEEDED = 3
"""Pieces of the pool that an answer cites, although it does not need them."""
_PYTHON = [sys.executable, "-m", "kgbuild"]


class Asked(NamedTuple):
    """A question as the tables have it: its row, its knowledge set in order, and its pool."""

    question: Row
    knowledge: Sequence[Row]
    pool: Sequence[Row]

    @property
    def statement(self) -> tuple[str, str, str]:
        """What joins the two subjects."""
        first, second = (subject["qid"] for subject in self.question["subjects"])
        return first, self.question["relation"], second

    @property
    def about(self) -> set[str]:
        """The two subjects."""
        return {subject["qid"] for subject in self.question["subjects"]}

    @property
    def begins(self) -> int:
        """How many pieces say what joins the two: as many as its path has steps."""
        return 1 + self.statement[1].count("/")


def asked(db: Path) -> list[Asked]:
    """Return the questions of a database, in the order of its table."""
    of: dict[str, dict[str, list[Row]]] = {}
    for table in ("knowledge", "pool"):
        of[table] = defaultdict(list)
        for row in Database(db).rows(f"biokalma_{table}"):
            of[table][row["question_id"]].append(row)
    return [
        Asked(row, of["knowledge"][row["question_id"]], of["pool"][row["question_id"]])
        for row in Database(db).rows("biokalma_questions")
    ]


class Rules:
    """Tells which rules a question keeps, by what the store says and not by how it was built."""

    def __init__(self, held: Store):
        known = held.knowledge(catalog().kinds)
        self._drafter = Drafter(known, Options(), coherence.none)
        self._all: Mapping[str, Callable[[Asked, Sequence[Fact]], bool]] = {
            f"there are {FEWEST} pieces or more, and some of each subject": self._is_rich,
            "no piece says another, or makes it known": self._is_minimal,
            "of a property there are all values, but those that lie above others": self._is_whole,
            "without any of its properties the specific question would be another": self._asks_all,
            "the specific question holds none of the values": self._is_open,
        }
        self.names = ("each piece is a statement of the store", *self._all)

    def kept(self, one: Asked) -> set[str]:
        """Return the names of the rules that a question keeps."""
        facts = [self._fact(row) for row in one.knowledge]
        stated = [fact for fact in facts if fact]
        if len(stated) < len(facts):
            return set()
        return {self.names[0], *(name for name, holds in self._all.items() if holds(one, stated))}

    def _fact(self, row: Row) -> Fact | None:
        key = row["property"], row["value"]
        pool = self._drafter.pools.of(row["qid"])
        return next((fact for fact in pool if (fact.pid, fact.shown) == key), None)

    def _is_rich(self, one: Asked, facts: Sequence[Fact]) -> bool:
        return len(facts) >= FEWEST and {fact.qid for fact in facts[one.begins :]} == one.about

    def _is_minimal(self, one: Asked, facts: Sequence[Fact]) -> bool:
        return len({*facts}) == len(facts) and not self._drafter.minimality.redundant(facts)

    def _is_whole(self, one: Asked, facts: Sequence[Fact]) -> bool:
        implies = self._drafter.minimality.implies
        asked_for = {(fact.qid, fact.pid) for fact in facts[one.begins :]}
        values = [
            [fact for fact in self._drafter.pools.of(qid) if fact.pid == pid]
            for qid, pid in asked_for
        ]
        return all(
            fact in facts or any(implies(other, fact) for other in some if other != fact)
            for some in values
            for fact in some
        )

    def _asks_all(self, one: Asked, facts: Sequence[Fact]) -> bool:
        text = partial(self._drafter.texts.specific, one.statement)
        joint, others = facts[: one.begins], facts[one.begins :]
        without = [
            text([*joint, *(fact for fact in others if (fact.qid, fact.pid) != left_out)])
            for left_out in {(fact.qid, fact.pid) for fact in others}
        ]
        question = one.question["specific_question"]
        return text(facts) == question and question not in without

    def _is_open(self, one: Asked, facts: Sequence[Fact]) -> bool:
        question = one.question["specific_question"]
        return not any(stands_in(fact.shown, question) for fact in facts[one.begins :])


def kept(found: Sequence[Asked], rules: Rules) -> str:
    """Return a table of the questions of each relation, and one of the rules that they keep."""
    relations = defaultdict(list)
    for one in found:
        relations[one.question["relation"]].append(one)
    told = {one.question["question_id"]: rules.kept(one) for one in found}
    rows = [
        (f"{path} {_label(path)}", *_counted(some, told, rules)) for path, some in relations.items()
    ]
    heads = ("", "questions", "pieces a question", "properties", "all rules kept")
    counts = [
        (name, f"{sum(name in one for one in told.values()):,} of {len(told):,}")
        for name in rules.names
    ]
    return "\n\n".join(
        (
            _table(heads, [*rows, ("all of these", *_counted(found, told, rules))]),
            _table(("rule", "questions that keep it"), counts),
        )
    )


def _label(path: str) -> str:
    return " / ".join(catalog().relations[pid].label for pid in path.split("/"))


def _counted(
    found: Sequence[Asked], told: Mapping[str, set[str]], rules: Rules
) -> tuple[str, str, str, str]:
    pieces = [piece for one in found for piece in one.knowledge]
    whole = sum(told[one.question["question_id"]] == {*rules.names} for one in found)
    return (
        f"{len(found):,}",
        f"{len(pieces) / max(1, len(found)):.1f}",
        f"{len({piece['property'] for piece in pieces})}",
        f"{whole / max(1, len(found)):.1%}",
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rule = ["---", *("--:" for _ in heads[1:])]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, rule, *rows))


def answer(one: Asked, place: int) -> Row:
    """Return a made-up answer to a question, with citations that are right, wrong and absent.

    It says each piece of the set, every fifth with [NA] and the others with their citation, three
    pieces of the pool that are not in the set, and one that nobody gave it.
    """
    labels = {subject["qid"]: subject["label"] for subject in one.question["subjects"]}
    needed = {_key(row) for row in one.knowledge}
    others = [row for row in one.pool if _key(row) not in needed][:_UNNEEDED]
    said = []
    for number, row in enumerate((*one.knowledge, *others), 1):
        cites = f"{row['qid']}, {row['property_label']}: {row['value']}" if number % 5 else "NA"
        about = f"The {row['property_label']} of {labels.get(row['qid'], 'it')} is {row['value']}"
        said.append(f"{about} [{cites}].")
    said.append("It is told by nobody else [Q1, occupation: astronaut].")
    told = {"question_id": one.question["question_id"], "removed": place % _ROUNDS}
    return {**told, "answer": " ".join(said)}


def _key(row: Row) -> tuple[str, str, str]:
    return row["qid"], row["property"], row["value"]


def scoring(found: Sequence[Asked], db: Path, work: Path) -> str:
    """Return what it takes to score made-up answers."""
    # If there are fewer questions than answers, each is answered by several models.
    made = [
        {**answer(one, place), "model": f"model {place // len(found) + 1}"}
        for place, one in enumerate(itertools.islice(itertools.cycle(found), ANSWERS))
    ]
    file = work / "answers.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in made), encoding="utf-8")
    cost = measure.command(*_PYTHON, "score", "biokalma", file, "--db", db)
    cited = sum(row["answer"].count("[") for row in made)
    return (
        f"Scoring {len(made):,} made-up answers with {cited:,} citations and marks, without an "
        f"entailment model, takes {measure.seconds(cost.seconds)} from the start of the process to "
        f"its end, and {measure.megabytes(cost.memory)}."
    )


def retrieving(found: Sequence[Asked], held: Store) -> str:
    """Return how well and how fast the subjects of questions are retrieved, as a table."""
    known = held.knowledge(catalog().kinds)
    rows = []
    for form in ("specific", "general"):
        retriever = Retriever(known, held.names)
        retriever.retrieve("Who?")  # which reads what is read once
        taken, outcomes = [], []
        homonyms = 0
        for one in found:
            question = one.question[f"{form}_question"]
            seconds, items = measure.timed(partial(retriever.retrieve, question))
            taken.append(seconds)
            outcomes.append((one.about, {item.qid for item in items}))
            homonyms += sum(item.candidates > 1 for item in items)
        made = accuracy(outcomes)
        rows.append(
            (
                f"{form} questions",
                f"{made['accuracy'].value:.2%}",
                f"{made['all_found'].value:.2%}",
                f"{made['further'].value:.2f}",
                f"{homonyms:,}",
                measure.seconds(statistics.median(taken)),
                measure.seconds(measure.percentile95(taken)),
            )
        )
    heads = ("right graphs", "all subjects", "further graphs", "names of several items")
    return _table(("", *heads, "median", "95th percentile"), rows)


def memory(store: Path, db: Path) -> str:
    """Return what retrieving takes in memory: for one question, and for all."""
    at: list[str | Path] = ["--store", store, "--db", db]
    one = measure.command(*_PYTHON, "retrieve", "Who was Ludwig van Beethoven?", *at)
    every = measure.command(*_PYTHON, "retrieve", "--evaluate", "specific", *at)
    index = store / manifest.read(store).generation / manifest.NAMES
    return (
        f"The index of labels has {measure.megabytes(index.stat().st_size)} on the disk. A process "
        f"that retrieves for one question takes {measure.megabytes(one.memory)}, most of it spaCy, "
        f"and {measure.seconds(one.seconds)}; one that does so for all specific ones "
        f"{measure.megabytes(every.memory)} and {measure.seconds(every.seconds)}."
    )


def measured(source: Path) -> str:
    """Return the document's part."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        store, db = work / "kg", work / "a.duckdb"
        tell("loading")
        loaded = measure.command(*_PYTHON, "load", source, "--store", store)
        tell("building")
        built = measure.command(*_PYTHON, "biokalma", "--store", store, "--db", db)
        tell("retrieving in processes of their own")
        remembered = memory(store, db)
        found = asked(db)
        tell("scoring")
        scored = scoring(found, db, work)
        with open_store(store) as held:
            tell("looking at the rules")
            rules = kept(found, Rules(held))
            tell("retrieving")
            retrieved = retrieving(found, held)
    parts = [
        f"All relations take {measure.seconds(built.seconds)} from the start of the process to its "
        f"end, {built.seconds / loaded.seconds:.1f} times as long as loading the slice, and "
        f"{measure.megabytes(built.memory)}.",
        rules,
        scored,
        "### Retrieving the subjects",
        retrieved,
        remembered,
    ]
    return "\n\n".join([measure.machine(), *parts])


if __name__ == "__main__":
    of_slice("biokalma", __doc__, measured, START, END)
