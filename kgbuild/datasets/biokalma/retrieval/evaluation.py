"""Evaluate retrieval on questions whose items are known."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kgbuild import wikidata
from kgbuild.cells import parsed, text_of
from kgbuild.datasets.biokalma.retrieval.retriever import Retriever
from kgbuild.errors import KgbuildError, TableFileError, WrongCallError, shorten
from kgbuild.evaluate.bootstrap import Estimate, Share, estimates
from kgbuild.rows import Progress, require_columns

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = """
SELECT question_id, {}_question AS question, [subject.qid FOR subject IN subjects] AS about
FROM biokalma_questions ORDER BY rowid
"""
_COLUMNS = ("question", "ids")
_SEPARATOR = re.compile(r"[\s,;|]+")


class Labelled(NamedTuple):
    """A question of ``question_id``, and the ids of the items that it is ``about``."""

    question_id: str
    question: str
    about: tuple[str, ...]


class RetrievalOutcome(NamedTuple):
    """The items that a question is about, and those retrieved."""

    about: Set[str]
    retrieved: Set[str]


def own_questions(db: "Database", form: str) -> list[Labelled]:
    """Return BioKaLMA's "specific" or "general" questions with their subjects.

    Raises:
        KgbuildError: the database has no questions.
    """
    rows = db.read(_QUESTIONS.format(form)).rows
    if not rows:
        raise KgbuildError(
            f"{db.path} has no questions of biokalma, or none that these options select. Build "
            "them: 'kgbuild biokalma'."
        )
    return [Labelled(question_id, text, tuple(about)) for question_id, text, about in rows]


def read_questions(path: Path) -> list[Labelled]:
    """Read the questions of a user's file, with the columns ``question`` and ``ids``.

    ``ids`` is a list, or a text with commas or spaces between the ids; it may be empty. The id of a
    question is its row, from 1.

    Raises:
        TableFileError: the file cannot be read, or a question is empty.
        WrongCallError: a column is missing.
        MalformedIdError: an id is not that of an item.
        WrongCallError: no question has an id.
    """
    # Imported here, because DuckDB is slow to import, and few commands evaluate.
    from kgbuild.tables.files import read_file

    content = read_file(path)
    require_columns(path, content.columns, _COLUMNS)
    questions = [
        _labelled(path, number, record) for number, record in enumerate(content.records, 1)
    ]
    if not any(question.about for question in questions):
        raise WrongCallError(
            f"None of the {len(questions):,} questions in {path} has an id in the column 'ids'. "
            "Write the ids of the items that a question is about, such as Q7186."
        )
    return questions


def _labelled(path: Path, number: int, record: dict[str, Any]) -> Labelled:
    question = record["question"]
    if not isinstance(question, str) or not question.strip():
        raise TableFileError(path, f"row {number} has no question")
    cell = parsed(record["ids"])
    ids = map(text_of, cell) if isinstance(cell, list) else _SEPARATOR.split(text_of(cell))
    about = dict.fromkeys(wikidata.parse_item(qid) for qid in ids if qid.strip())
    return Labelled(str(number), question, tuple(about))


def split_known(
    questions: Sequence[Labelled], is_known: Callable[[str], bool]
) -> tuple[list[Labelled], list[str]]:
    """Return questions without the ids that are not in the store, and these ids, sorted.

    Raises:
        WrongCallError: none of the ids is in the store.
    """
    ids = dict.fromkeys(qid for question in questions for qid in question.about)
    known = {qid for qid in ids if is_known(qid)}
    unknown = sorted(ids.keys() - known, key=wikidata.number)
    if not known:
        raise WrongCallError(
            f"None of the {len(unknown):,} ids of the questions is in the store: "
            f"{shorten(', '.join(unknown))}. Pass the store with --store."
        )
    return [
        question._replace(about=tuple(qid for qid in question.about if qid in known))
        for question in questions
    ], unknown


def retrieve_all(
    retriever: Retriever, questions: Sequence[Labelled], progress: Progress
) -> list[RetrievalOutcome]:
    """Return what is retrieved for each question."""
    outcomes = []
    for done, question in enumerate(questions):
        progress("retrieving", done, len(questions))
        retrieved = {entity.qid for entity in retriever.retrieve(question.question)}
        outcomes.append(RetrievalOutcome({*question.about}, retrieved))
    return outcomes


def accuracy(outcomes: Iterable[RetrievalOutcome]) -> dict[str, Estimate]:
    """Return the metrics of retrieval; there must be at least one outcome.

    ``accuracy``: the share of subjects that are retrieved. ``precision``: the share of retrieved
    items that are subjects. ``all_found``: the share of questions whose subjects are all retrieved.
    ``further``: the mean number of other retrieved items per question.

    Source: section 5.3 of the BioKaLMA paper, which reports ``accuracy``.
    """
    return estimates([dict(_shares(outcome)) for outcome in outcomes], unbounded=["further"])


def _shares(outcome: RetrievalOutcome) -> Iterator[tuple[str, Share]]:
    about, retrieved = outcome
    found = about & retrieved
    yield "accuracy", Share(len(found), len(about))
    yield "precision", Share(len(found), len(retrieved))
    yield "all_found", Share(about <= retrieved, 1)
    yield "further", Share(len(retrieved - about), 1)
