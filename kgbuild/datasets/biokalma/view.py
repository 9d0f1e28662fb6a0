"""Show questions with their minimum knowledge sets, and ask reviewers about them.

The questions follow the human evaluation in the KaLMA paper: authenticity, relevance, naturalness,
significance; of answers, whether citations support sentences.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.cells import text_of
from kgbuild.datasets import views
from kgbuild.datasets.biokalma import rows
from kgbuild.datasets.biokalma.scoring.answer_pools import AnswerPools
from kgbuild.datasets.biokalma.scoring.citations import Pool, parse
from kgbuild.evaluate.answers import OF_A_POOL, Answer

if TYPE_CHECKING:
    from kgbuild.tables.reviews import Select

_GUIDE = "A piece of knowledge is necessary if the question has no full answer without it."
_WORDINGS = {rows.SPECIFIC: "specific_question", rows.GENERAL: "general_question"}
"""The columns of the questions by scope. The general question needs the pieces of both scopes."""
_QUALITIES = (
    ("authentic", "Does it agree with the facts about its subjects?", views.YES_OR_NO),
    ("relevant", "Does it need what its set has, and ask for nothing else?", views.YES_OR_NO),
    ("naturalness", "How natural is it? 5 is best", views.GRADES),
    ("significance", "How much do people want to know this? 5 is most", views.GRADES),
)
"""The four qualities of each wording: the name, the question to reviewers and its choices."""
_HEADINGS = ("scope", "round", "subject", "property", "value", "specificity")
"""The headings of the table of pieces; its cells are ``_COLUMNS`` and the specificity."""
_COLUMNS = ("scope", "round", "qid", "property_label", "value")


def view(records: views.Records) -> list[views.RowView]:
    """Return the views of questions with their minimum knowledge sets.

    A piece is a row of biokalma_knowledge: one statement of the set.
    """
    pieces = views.by_key(records["biokalma_knowledge"], "question_id")
    return [
        _question(question, pieces[question["question_id"]])
        for question in records["biokalma_questions"]
    ]


def _question(question: views.Record, pieces: Sequence[views.Record]) -> views.RowView:
    """Return the view of a question with the pieces of its set."""
    subjects = [(subject["qid"], subject["label"]) for subject in question["subjects"]]
    values = [(piece["value_qid"], piece["value"]) for piece in pieces]
    properties = [(piece["property"], piece["property_label"]) for piece in pieces]
    names = views.names_of([*subjects, *values, *properties])
    knowledge = [
        (*(piece[column] for column in _COLUMNS), f"{piece['specificity']:.2f}") for piece in pieces
    ]
    return views.RowView(
        question["question_id"],
        relation=question["relation"],
        subjects=tuple(qid for qid, _ in subjects),
        headings=(*(label for _, label in subjects), question["split"]),
        wordings={column: question[column] for column in _WORDINGS.values()},
        texts={"Paragraph": question["paragraph"]},
        facts=views.facts_of(question["evidence"]),
        names=names,
        table=views.SideTable("Its minimum knowledge set", _HEADINGS, knowledge),
        questions=(
            *(
                _necessity_question(piece, scope, names)
                for piece in pieces
                for scope in _WORDINGS
                if scope in (piece["scope"], rows.GENERAL)
            ),
            *(
                views.Question(f"{quality}: {column}", "", text, question[column], choices)
                for column in _WORDINGS.values()
                for quality, text, choices in _QUALITIES
            ),
        ),
        guide=_GUIDE,
    )


def _necessity_question(
    piece: views.Record, scope: str, names: Mapping[str, str]
) -> views.Question:
    """Return the question that asks whether a piece is necessary for the wording of a scope."""
    piece_key = f"{piece['qid']} {piece['property']} {piece['value']}"
    subject = names.get(piece["qid"], piece["qid"])
    heading = f"{subject} · {piece['property_label']}: {piece['value']}"
    text = f"necessary for the {scope} one?"
    return views.Question(f"necessary: {_WORDINGS[scope]}", piece_key, text, heading)


def claims(select: "Select", answered: Sequence[views.Answered]) -> list[list[views.Question]]:
    """Return for each answer the questions whether citations support its sentences.

    Raises:
        TableFileError: an answer is from a pool that does not exist.
    """
    pools = AnswerPools(
        lambda query: [[*row.values()] for row in select(query, {})], Path("the table predictions")
    )
    return [[*_support_questions(row, prediction, pools)] for row, prediction in answered]


def _support_questions(
    row: views.RowView, prediction: views.Record, pools: AnswerPools
) -> Iterator[views.Question]:
    """Yield a question for each sentence and each piece that it cites, also wrongly.

    Nothing can be asked about a citation without a sentence, or without a property and a value.
    """
    run = {name: text_of(prediction[name]) or default for name, default in OF_A_POOL.items()}
    answer = Answer(prediction["item_id"], False, prediction["text"], confidence=None, **run)
    pool = pools.pool(answer)
    for number, sentence in enumerate(parse(answer.text, Pool(pool)), 1):
        for piece in dict.fromkeys(citation.triple for citation in sentence.citations):
            if sentence.text and piece.property and piece.value:
                subject = row.names.get(piece.qid, piece.qid)
                yield views.Question(
                    "supported",
                    f"{number} {' '.join(piece)}",
                    f"supported by {subject} · {piece.property}: {piece.value}?",
                    sentence.text,
                    decides=False,
                )
