"""Aggregate the responses of a model to each question into a single answer."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.cells import text_of
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola import model_prompts
from kgbuild.datasets.granola.common_answer import CommonAnswer, Sampled, informative, without_graph
from kgbuild.datasets.granola.dataset import MIN_BITS
from kgbuild.datasets.granola.scoring.majority import IDK, agreement, majority
from kgbuild.errors import KgbuildError, TableFileError
from kgbuild.evaluate.answers import OPTIONAL, repeated_answer, unknown_questions
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.models.chat import Failure, no_answers
from kgbuild.rows import Progress, no_progress, require_columns
from kgbuild.tables.files import read_file
from kgbuild.tables.records import Prediction
from kgbuild.text.replies import answer_of, refuses

if TYPE_CHECKING:
    from kgbuild.graph.open import Store
    from kgbuild.tables.database import Database

_QUESTIONS = "SELECT question_id, question, relation, subject_label FROM granola_questions"

_SAMPLES = """
    SELECT item_id AS question_id, text AS answer, model, protocol, sample FROM predictions
    WHERE dataset = 'granola' AND regexp_full_match(protocol, 'sampled(@[^+]*)?')
    AND item_id IN (SELECT question_id FROM granola_questions)
"""
"""The responses of models that were asked; those to questions of an earlier build are left out."""


class Responses(NamedTuple):
    """The responses of a model to a question, by one protocol, in the order of the file.

    ``model`` and ``protocol`` are empty if the file does not name them. Empty responses are left
    out, so there may be none.
    """

    question_id: str
    model: str
    protocol: str
    texts: tuple[str, ...]


Asked: TypeAlias = tuple[Mapping[str, str], Sequence[str]]
"""A question of the database, where NULL is an empty text, and one or more responses to it."""
Method: TypeAlias = Callable[[Sequence[Asked]], Sequence[str | Failure]]
"""Returns an answer to each question by its responses."""


class Aggregated(NamedTuple):
    """Responses to a question with their aggregate answer, or the failure to get it.

    ``agreement`` is the share of the responses that say the same, None if none does.
    """

    responses: Responses
    answer: str | Failure
    agreement: float | None = None

    def protocol(self, by: str) -> str:
        """Return the protocol of the answer; ``by``, the name of the method, ends it."""
        return "+".join(filter(None, (self.responses.protocol, by)))

    @property
    def outcome(self) -> str:
        """The sort of the answer: "failed", "empty", "IDK", "a response" or "coarser"."""
        if isinstance(self.answer, Failure):
            return "failed"
        if not self.answer:
            return "empty"
        if refuses(self.answer):
            return "IDK"
        texts = {normalise(text) for text in self.responses.texts}
        return "a response" if normalise(self.answer) in texts else "coarser"


def aggregate(file: Path | None, db: "Database", method: Method) -> list[Aggregated]:
    """Return one answer for the responses to each question, by model and protocol.

    ``file`` has the columns question_id and answer; None takes the samples in ``predictions``. If
    all responses to a question are empty, so is its answer.

    Raises:
        KgbuildError: the table has no samples.
        TableFileError, WrongCallError: the file
            cannot be used.
        KgbuildError: no question has an answer.
    """
    questions = {
        row["question_id"]: {name: row[name] or "" for name in row}
        for row in db.read(_QUESTIONS).records
    }
    table = read_file(file) if file else db.read(_SAMPLES)
    if not file and not table.rows:
        call = "'kgbuild ask granola --protocol sampled --model NAME'"
        raise KgbuildError(
            f"{db.path} has no answers to granola that can be scored. Ask a model: {call}; or "
            "name a file."
        )
    groups = responses(file or db.path, table.columns, table.records, questions)
    asked = [(questions[group.question_id], group.texts) for group in groups if group.texts]
    answers = iter(method(asked))
    results = []
    for group in groups:
        answer = next(answers) if group.texts else ""
        question, share = questions[group.question_id]["question"], None
        if answer and not isinstance(answer, Failure):
            share = agreement(question, group.texts, answer)
        results.append(Aggregated(group, answer, share))
    failures = [result.answer for result in results if isinstance(result.answer, Failure)]
    if len(failures) == len(results):
        raise no_answers(len(results), failures[0])
    return results


def responses(
    path: Path,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    question_ids: Collection[str],
) -> list[Responses]:
    """Return the responses in the records of the file ``path``, in their order.

    Only the final answer of each text is kept.

    Raises:
        TableFileError: the file has no records.
        WrongCallError: the column question_id or answer is missing; an id is not among
            ``question_ids``; the file has a column of samples, and repeats a sample.
    """
    if not records:
        raise TableFileError(path, "it has no responses")
    require_columns(path, columns, ("question_id", "answer"))
    groups: dict[tuple[str, ...], list[str]] = {}
    seen = set()
    for record in records:
        fields = {name: text_of(record.get(name)) for name in ("question_id", *OPTIONAL, "sample")}
        key = tuple(fields.values())
        if "sample" in columns and key in seen:
            raise repeated_answer(path, [pair for pair in fields.items() if pair[1]])
        seen.add(key)
        groups.setdefault(key[:-1], []).append(answer_of(text_of(record["answer"])))
    unknown = [key[0] for key in seen if key[0] not in question_ids]
    if unknown:
        raise unknown_questions(path, sorted(unknown), len(seen))
    return [
        Responses(question_id, model, protocol, tuple(filter(None, texts)))
        for (question_id, model, protocol), texts in groups.items()
    ]


def by_majority(asked: Sequence[Asked]) -> list[str | Failure]:
    """Return the most frequent response to each question."""
    return [majority(row["question"], texts) for row, texts in asked]


def by_graph(store: "Store", progress: Progress = no_progress) -> Method:
    """Return the method that finds the most specific answer that follows from all responses."""
    from kgbuild.catalog import catalog

    def answers(asked: Sequence[Asked]) -> list[str | Failure]:
        common = CommonAnswer(store.knowledge(catalog().kinds), store.names, MIN_BITS)
        results: list[str | Failure] = []
        for row, texts in asked:
            progress("aggregating", len(results), len(asked))
            relation = common.relation(row["relation"])
            question = Sampled(row["question"], relation, row["subject_label"])
            results.append(common.find(question, texts))
        return results

    return answers


def by_model(ask: Ask) -> Method:
    """Return the method that asks a model if responses differ."""

    def answers(asked: Sequence[Asked]) -> list[str | Failure]:
        common = [without_graph(row["question"], texts) for row, texts in asked]
        requests = [
            model_prompts.aggregation_request(row["question"], informative(texts))
            for (row, texts), answer in zip(asked, common, strict=True)
            if answer is None
        ]
        replies = iter(ask(requests))
        return [
            model_prompts.read_answer(next(replies), IDK) if answer is None else answer
            for answer in common
        ]

    return answers


def json_lines(results: Iterable[Aggregated], by: str) -> str:
    """Return the answers as JSON Lines, with the protocol of the method ``by``."""
    lines = []
    for result in results:
        group, answer, share = result
        if not isinstance(answer, Failure):
            model = {"model": group.model} if group.model else {}
            record: dict[str, Any] = {"question_id": group.question_id, "answer": answer, **model}
            record |= {"protocol": result.protocol(by), "confidence": share}
            lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


def predictions(results: Iterable[Aggregated], by: str) -> list[Prediction]:
    """Return the answers as rows of ``predictions``; no tokens or seconds belong to them."""
    return [
        Prediction(
            dataset="granola",
            item_id=result.responses.question_id,
            false_assumption=None,
            model=result.responses.model,
            protocol=result.protocol(by),
            removed=None,
            accuracy=None,
            sample=0,
            prompt_hash="",
            text=result.answer,
            tokens_in=0,
            tokens_out=0,
            seconds=0.0,
            confidence=result.agreement,
        )
        for result in results
        if not isinstance(result.answer, Failure)
    ]
