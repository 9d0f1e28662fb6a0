"""Turn rows of the tables into what a reviewer sees and is asked.

Sources of the questions: Syn-(QA)², manual verification and the evaluation of generated answers;
GRANOLA QA, the evaluation of its enrichment: correct, informative, coarser than the answers
before; KaLMA, the human evaluation of BioKaLMA: authenticity, relevance, naturalness,
significance.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from kgbuild.drawing.review_evidence import Fact
from kgbuild.review.questions import GRADES, Question
from kgbuild.wikidata import Value, show

Record: TypeAlias = Mapping[str, Any]
"""A row of a table, by column."""
Found: TypeAlias = Mapping[str, Sequence[Record]]
"""Rows by their table."""


class Row(NamedTuple):
    """What is shown of a row: ``wordings`` by their column, which can be edited, other ``texts``.

    ``about`` says in words what the row is, ``subjects`` are the items that it asks about,
    ``names`` are labels, by id, and ``guide`` explains what is asked in a word.
    """

    item_id: str
    subjects: tuple[str, ...]
    about: tuple[str, ...]
    wordings: Mapping[str, str]
    texts: Mapping[str, str]
    facts: tuple[Fact, ...]
    names: Mapping[str, str]
    questions: tuple[Question, ...]
    guide: str = ""

    @property
    def parts(self) -> list[list[Question]]:
        """The questions, those together that stand under one heading."""
        return [list(part) for _, part in groupby(self.questions, key=lambda one: one.heading)]


_SYN_QA = (
    Question("false", "", "Is what the false question takes for granted really false?"),
    Question("natural", "", "Are both questions natural?"),
)


def syn_qa(found: Found) -> list[Row]:
    """Return what is shown of minimal pairs."""
    return [_pair(record) for record in found["syn_qa_pairs"]]


def _pair(pair: Record) -> Row:
    risk = "" if pair["risk"] is None else f"risk {pair['risk']:.4f}"
    shared = f"{pair['overlap']:,} values in common"
    return Row(
        pair["pair_id"],
        tuple(filter(None, (pair["subject_qid"], pair["replacement_qid"]))),
        tuple(filter(None, (pair["relation_label"], pair["falsity"], risk, shared))),
        {column: pair[column] for column in ("question", "false_question")},
        {"Answer": pair["answer"]} if pair["answer"] else {},
        (*_facts(pair["evidence"]), *_assumed(pair), *_facts(pair["falsity_evidence"])),
        _names(
            (pair[f"{who}_qid"], pair[f"{who}_label"])
            for who in ("subject", "replacement", "bridge", "object")
        ),
        _SYN_QA,
    )


def _assumed(pair: Record) -> tuple[Fact, ...]:
    """Return what the false question assumes: over one hop, the evidence with x′ for x."""
    if pair["hops"] != 1:
        return ()
    swapped = {pair["subject_qid"]: pair["replacement_qid"]}
    return tuple(
        Fact(swapped.get(subject, subject), relation, swapped.get(end, end), is_assumed=True)
        for subject, relation, end, _ in _facts(pair["evidence"])
    )


def granola(found: Found) -> list[Row]:
    """Return what is shown of questions with answers at every granularity."""
    answers = _grouped(found["granola_answers"])
    return [_granola(one, answers[one["question_id"]]) for one in found["granola_questions"]]


def _granola(question: Record, answers: Sequence[Record]) -> Row:
    qid, label = question["subject_qid"], question["subject_label"]
    gold = [(one["qid"], one["label"]) for one in question["answers"]]
    facts = dict.fromkeys(fact for one in answers for fact in _facts(one["evidence"]))
    return Row(
        question["question_id"],
        (qid,) if qid else (),
        tuple(filter(None, (label, question["subject_description"]))),
        {"question": question["question"]},
        {},
        tuple(dict.fromkeys((*_facts(question["evidence"]), *facts))),
        _names([(qid, label), *gold, *((one["qid"], one["answer"]) for one in answers)]),
        tuple(asked for answer in answers for asked in _of_answer(answer)),
        _OF_ANSWERS,
    )


_OF_ANSWERS = (
    "Correct is what answers the question, informative what cannot be said without knowing whom"
    " or what it asks about, and coarser what tells less than the level above it."
)


def _of_answer(answer: Record) -> list[Question]:
    text, level = answer["answer"], answer["level"]
    heading = f"{text} · level {level}, {answer['bits']:.1f} bits"
    asked = ["correct", "informative", *(["coarser"] if level > 1 else [])]
    return [Question(kind, text, f"{kind}?", heading) for kind in asked]


def biokalma(found: Found) -> list[Row]:
    """Return what is shown of questions with minimum knowledge sets."""
    pieces = _grouped(found["biokalma_knowledge"])
    return [_biokalma(one, pieces[one["question_id"]]) for one in found["biokalma_questions"]]


def _biokalma(question: Record, pieces: Sequence[Record]) -> Row:
    subjects = [(one["qid"], one["label"]) for one in question["subjects"]]
    names = _names(
        [
            *subjects,
            *((one["value_qid"], one["value"]) for one in pieces),
            *((one["property"], one["property_label"]) for one in pieces),
        ]
    )
    return Row(
        question["question_id"],
        tuple(qid for qid, _ in subjects),
        tuple(label for _, label in subjects),
        {column: question[column] for column in ("general_question", "specific_question")},
        {"Paragraph": question["paragraph"]},
        _facts(question["evidence"]),
        names,
        (*(_piece(one, names) for one in pieces), *_BIOKALMA),
        "Necessary is a piece of knowledge without which the questions cannot be answered in full.",
    )


def _piece(piece: Record, names: Mapping[str, str]) -> Question:
    about = f"{piece['qid']} {piece['property']} {piece['value']}"
    whose = names.get(piece["qid"], piece["qid"])
    heading = f"{whose} · {piece['property_label']}: {piece['value']}"
    return Question("necessary", about, "necessary?", heading)


_BIOKALMA = (
    Question("authentic", "", "Do the questions fit what is known of their subjects?"),
    Question("naturalness", "", "How natural are the questions? 5 is best", choices=GRADES),
    Question("significance", "", "Would one want to know this? 5 is most", choices=GRADES),
)


def answers_of(dataset: str, shown: Mapping[str, Row], predictions: Sequence[Record]) -> list[Row]:
    """Return what is shown of models' answers to the questions of rows, by their id.

    Who answered is not shown: it must not sway the reviewer.
    """
    return [
        _prediction(dataset, shown[one["item_id"]], one)
        for one in predictions
        if one["item_id"] in shown
    ]


_ACCEPTABLE = (Question("acceptable", "", "Is the model's answer acceptable?"),)


def _prediction(dataset: str, row: Row, prediction: Record) -> Row:
    asked = {
        "syn_qa": "false_question" if prediction["false_assumption"] else "question",
        "granola": "question",
        "biokalma": f"{prediction['protocol']}_question",
    }[dataset]
    known = dict.fromkeys(one.heading for one in row.questions if one.heading)
    told = {None: (), False: ("its assumption is true",), True: ("its assumption is false",)}
    texts = {
        "Asked": row.wordings.get(asked) or "\n".join(row.wordings.values()),
        "The model's answer": prediction["text"],
        **row.texts,
        **({"Known": "\n".join(known)} if known else {}),
    }
    return row._replace(
        item_id=prediction["prediction_id"],
        about=(*told[prediction["false_assumption"]], *row.about),
        wordings={},
        texts=texts,
        questions=_ACCEPTABLE,
        guide="",
    )


def value(text: str) -> str:
    """Return a literal as a reader wants it: of a time at midnight, the day or the year.

    >>> value("1980-02-20T00:00:00Z")
    '1980-02-20'
    """
    return show(Value("time" if text.endswith("T00:00:00Z") else "string", text))


def _facts(evidence: Sequence[Mapping[str, str]]) -> tuple[Fact, ...]:
    return tuple(
        # A description is no statement, so its property has no id.
        Fact(one["subject"], one["property"].removeprefix("schema:"), one["object"])
        for one in evidence
    )


def _names(named: Any) -> dict[str, str]:
    return {qid: label for qid, label in named if qid and label}


def _grouped(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return rows by the question that they belong to, in their order."""
    grouped = defaultdict(list)
    for record in records:
        grouped[record["question_id"]].append(record)
    return grouped


MAKERS: Mapping[str, Callable[[Found], list[Row]]] = {
    "syn_qa": syn_qa,
    "granola": granola,
    "biokalma": biokalma,
}
"""By dataset, what makes its rows out of those of its tables."""
