"""Measure BioKaLMA: rules of a build, time of scoring, quality and time of retrieval."""

import itertools
import json
import statistics
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import measure
from benchmarks.measure import of_slice, tell
from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.retrieval.evaluation import RetrievalOutcome, accuracy
from kgbuild.datasets.biokalma.retrieval.retriever import Retriever
from kgbuild.datasets.biokalma.rows import SPECIFIC, SetOptions
from kgbuild.datasets.biokalma.sets.drafts import Drafter
from kgbuild.datasets.biokalma.sets.evolve import MIN_PIECES
from kgbuild.datasets.biokalma.sets.minimal import stands_in
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Row
from kgbuild.store import manifest
from kgbuild.tables.database import Database

START, END = "<!-- measured: biokalma -->", "<!-- end: biokalma -->"
"""Marks in the document; ``-o`` replaces the text between them."""
ANSWERS = 1085
"""Number of answers to score: the number of questions in the dataset of the paper."""
_ROUNDS = 4
"""Number of rounds of removal, including the one in which nothing is removed."""
_UNNEEDED = 3
"""Number of unnecessary pieces of the pool that an answer cites."""
_PYTHON = [sys.executable, "-m", "kgbuild"]


class Asked(NamedTuple):
    """A question: its row, the knowledge set of the specific question in order, and its pool."""

    question: Row
    knowledge: Sequence[Row]
    pool: Sequence[Row]

    @property
    def statement(self) -> tuple[str, str, str]:
        """The statement that connects the two subjects."""
        first, second = (subject["qid"] for subject in self.question["subjects"])
        return first, self.question["relation"], second

    @property
    def about(self) -> set[str]:
        """The two subjects."""
        return {subject["qid"] for subject in self.question["subjects"]}

    @property
    def begins(self) -> int:
        """Number of pieces that connect the subjects: the number of steps of the path."""
        return 1 + self.statement[1].count("/")


def asked(db: Path) -> list[Asked]:
    """Return the questions of a database, in the order of its table."""
    of: dict[str, dict[str, list[Row]]] = {}
    for table in ("knowledge", "pool"):
        of[table] = defaultdict(list)
        for row in Database(db).rows(f"biokalma_{table}"):
            of[table][row["question_id"]].append(row)
    return [
        Asked(
            row,
            [piece for piece in of["knowledge"][row["question_id"]] if piece["scope"] == SPECIFIC],
            of["pool"][row["question_id"]],
        )
        for row in Database(db).rows("biokalma_questions")
    ]


class Rules:
    """Check which rules a question keeps, by the statements of the store."""

    def __init__(self, held: Store):
        known = held.knowledge(catalog().kinds)
        self._drafter = Drafter(known, SetOptions())
        self._all: Mapping[str, Callable[[Asked, Sequence[Piece]], bool]] = {
            f"at least {MIN_PIECES} pieces are about each subject": self._is_rich,
            "no piece implies another one": self._is_minimal,
            "a property has all its values, except those above other values": self._is_whole,
            "the specific question asks for every property": self._asks_all,
            "the specific question contains none of the values": self._is_open,
        }
        self.names = ("each piece is a statement of the store", *self._all)

    def kept(self, one: Asked) -> set[str]:
        """Return the names of the rules that a question keeps."""
        facts = [self._fact(row) for row in one.knowledge]
        stated = [fact for fact in facts if fact]
        if len(stated) < len(facts):
            return set()
        return {self.names[0], *(name for name, holds in self._all.items() if holds(one, stated))}

    def _fact(self, row: Row) -> Piece | None:
        key = row["property"], row["value"]
        pool = self._drafter.pools.pieces(row["qid"])
        return next((fact for fact in pool if (fact.pid, fact.value_text) == key), None)

    def _is_rich(self, one: Asked, facts: Sequence[Piece]) -> bool:
        counts = Counter(fact.qid for fact in facts[one.begins :])
        return {*counts} == one.about and min(counts.values()) >= MIN_PIECES

    def _is_minimal(self, one: Asked, facts: Sequence[Piece]) -> bool:
        return len({*facts}) == len(facts) and not self._drafter.minimality.redundant([], facts)

    def _is_whole(self, one: Asked, facts: Sequence[Piece]) -> bool:
        implies = self._drafter.minimality.implies
        asked_for = {(fact.qid, fact.pid) for fact in facts[one.begins :]}
        values = [
            [fact for fact in self._drafter.pools.pieces(qid) if fact.pid == pid]
            for qid, pid in asked_for
        ]
        return all(
            fact in facts or any(implies(other, fact) for other in some if other != fact)
            for some in values
            for fact in some
        )

    def _asks_all(self, one: Asked, facts: Sequence[Piece]) -> bool:
        text = partial(self._drafter.texts.specific, one.statement)
        joint, others = facts[: one.begins], facts[one.begins :]
        without = [
            text([*joint, *(fact for fact in others if (fact.qid, fact.pid) != left_out)])
            for left_out in {(fact.qid, fact.pid) for fact in others}
        ]
        question = one.question["specific_question"]
        return text(facts) == question and question not in without

    def _is_open(self, one: Asked, facts: Sequence[Piece]) -> bool:
        question = one.question["specific_question"]
        return not any(stands_in(fact.value_text, question) for fact in facts[one.begins :])


def kept(found: Sequence[Asked], rules: Rules) -> str:
    """Return a table of the questions of each relation, and one of the rules."""
    relations = defaultdict(list)
    for one in found:
        relations[one.question["relation"]].append(one)
    kept_rules = {one.question["question_id"]: rules.kept(one) for one in found}
    rows = [
        (f"{path} {_label(path)}", *_counted(some, kept_rules, rules))
        for path, some in relations.items()
    ]
    heads = ("", "questions", "pieces per question", "properties", "all rules kept")
    counts = [
        (name, f"{sum(name in one for one in kept_rules.values()):,} of {len(kept_rules):,}")
        for name in rules.names
    ]
    return "\n\n".join(
        (
            _table(heads, [*rows, ("all of these", *_counted(found, kept_rules, rules))]),
            _table(("rule", "questions that keep it"), counts),
        )
    )


def _label(path: str) -> str:
    return " / ".join(catalog().relations[pid].label for pid in path.split("/"))


def _counted(
    found: Sequence[Asked], kept_rules: Mapping[str, set[str]], rules: Rules
) -> tuple[str, str, str, str]:
    pieces = [piece for one in found for piece in one.knowledge]
    whole = sum(kept_rules[one.question["question_id"]] == {*rules.names} for one in found)
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
    """Return a generated answer to a question, with right, wrong and missing citations.

    It contains each piece of the set, three other pieces of the pool, and one piece that is not in
    the pool. Every fifth piece has [NA] instead of its citation.
    """
    labels = {subject["qid"]: subject["label"] for subject in one.question["subjects"]}
    needed = {_key(row) for row in one.knowledge}
    others = [row for row in one.pool if _key(row) not in needed][:_UNNEEDED]
    sentences = []
    for number, row in enumerate((*one.knowledge, *others), 1):
        cites = f"{row['qid']}, {row['property_label']}: {row['value']}" if number % 5 else "NA"
        about = f"The {row['property_label']} of {labels.get(row['qid'], 'it')} is {row['value']}"
        sentences.append(f"{about} [{cites}].")
    sentences.append("No other source says more [Q1, occupation: astronaut].")
    identity = {"question_id": one.question["question_id"], "removed": place % _ROUNDS}
    return {**identity, "answer": " ".join(sentences)}


def _key(row: Row) -> tuple[str, str, str]:
    return row["qid"], row["property"], row["value"]


def scoring(found: Sequence[Asked], db: Path, work: Path) -> str:
    """Return a sentence about the cost of scoring generated answers."""
    # With fewer questions than answers, several models answer each question.
    made = [
        {**answer(one, place), "model": f"model {place // len(found) + 1}"}
        for place, one in enumerate(itertools.islice(itertools.cycle(found), ANSWERS))
    ]
    file = work / "answers.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in made), encoding="utf-8")
    cost = measure.command(*_PYTHON, "score", "biokalma", file, "--db", db)
    cited = sum(row["answer"].count("[") for row in made)
    return (
        f"Scoring {len(made):,} generated answers with {cited:,} citations and marks, without an "
        f"entailment model, takes {measure.seconds(cost.seconds)} and "
        f"{measure.megabytes(cost.memory)} of memory."
    )


def retrieving(found: Sequence[Asked], held: Store) -> str:
    """Return a table of the quality and time of retrieving the subjects of questions."""
    known = held.knowledge(catalog().kinds)
    rows = []
    for form in ("specific", "general"):
        retriever = Retriever(known, held.names)
        retriever.retrieve("Who?")  # reads its data
        taken, outcomes = [], []
        homonyms = 0
        for one in found:
            question = one.question[f"{form}_question"]
            seconds, items = measure.timed(partial(retriever.retrieve, question))
            taken.append(seconds)
            outcomes.append(RetrievalOutcome({*one.about}, {item.qid for item in items}))
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
    heads = ("right graphs", "all subjects", "further graphs", "ambiguous names")
    return _table(("", *heads, "median", "95th percentile"), rows)


def memory(store: Path, db: Path) -> str:
    """Return a sentence about the cost of retrieval for one question and for all."""
    at: list[str | Path] = ["--store", store, "--db", db]
    one = measure.command(*_PYTHON, "retrieve", "Who was Ludwig van Beethoven?", *at)
    every = measure.command(*_PYTHON, "retrieve", "--evaluate", "specific", *at)
    index = store / manifest.read(store).generation / manifest.NAMES
    return (
        f"The index of labels takes {measure.megabytes(index.stat().st_size)} on disk. A process "
        f"takes {measure.megabytes(one.memory)} of memory and "
        f"{measure.seconds(one.seconds)} for one question; for all specific questions, "
        f"{measure.megabytes(every.memory)} and {measure.seconds(every.seconds)}."
    )


def measured(source: Path) -> str:
    """Return the section of the document."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        store, db = work / "kg", work / "a.duckdb"
        tell("loading")
        loaded = measure.command(*_PYTHON, "load", source, "--store", store)
        tell("building")
        built = measure.command(*_PYTHON, "biokalma", "--store", store, "--db", db)
        tell("retrieving in separate processes")
        remembered = memory(store, db)
        found = asked(db)
        tell("scoring")
        scored = scoring(found, db, work)
        with open_store(store) as held:
            tell("checking the rules")
            rules = kept(found, Rules(held))
            tell("retrieving")
            retrieved = retrieving(found, held)
    parts = [
        f"Building all relations takes {measure.seconds(built.seconds)}, "
        f"{built.seconds / loaded.seconds:.1f} times as long as loading the slice, and "
        f"{measure.megabytes(built.memory)} of memory.",
        rules,
        scored,
        "### Retrieving the subjects",
        retrieved,
        remembered,
    ]
    return "\n\n".join([measure.machine(), *parts])


if __name__ == "__main__":
    of_slice("truth.biokalma", __doc__, measured, START, END)
