"""Show questions with their minimum knowledge sets, and ask reviewers about them.

The questions follow the human evaluation in the KaLMA paper: authenticity, relevance, naturalness,
significance.
"""

from collections.abc import Mapping, Sequence

from kgbuild.datasets import views

_GUIDE = "A piece of knowledge is necessary if the questions cannot be fully answered without it."
_QUESTIONS = (
    views.Question("authentic", "", "Do the questions agree with the facts about their subjects?"),
    views.Question(
        "naturalness", "", "How natural are the questions? 5 is best", choices=views.GRADES
    ),
    views.Question(
        "significance", "", "How much do people want to know this? 5 is most", choices=views.GRADES
    ),
)
_COLUMNS = ("round", "subject", "property", "value", "specificity")
_CELLS = ("round", "qid", "property_label", "value")


def view(records: views.Records) -> list[views.RowView]:
    """Return the views of questions with their minimum knowledge sets."""
    pieces = views.by_key(records["biokalma_knowledge"], "question_id")
    return [
        _question(question, pieces[question["question_id"]])
        for question in records["biokalma_questions"]
    ]


def _question(question: views.Record, pieces: Sequence[views.Record]) -> views.RowView:
    subjects = [(subject["qid"], subject["label"]) for subject in question["subjects"]]
    values = [(piece["value_qid"], piece["value"]) for piece in pieces]
    properties = [(piece["property"], piece["property_label"]) for piece in pieces]
    names = views.names_of([*subjects, *values, *properties])
    knowledge = [
        (*(piece[column] for column in _CELLS), f"{piece['specificity']:.2f}") for piece in pieces
    ]
    return views.RowView(
        question["question_id"],
        relation=question["relation"],
        subjects=tuple(qid for qid, _ in subjects),
        headings=(*(label for _, label in subjects), question["split"]),
        wordings={column: question[column] for column in ("general_question", "specific_question")},
        texts={"Paragraph": question["paragraph"]},
        facts=views.facts_of(question["evidence"]),
        names=names,
        table=views.SideTable("Its minimum knowledge set", _COLUMNS, knowledge),
        questions=(*(_necessary(piece, names) for piece in pieces), *_QUESTIONS),
        guide=_GUIDE,
    )


def _necessary(piece: views.Record, names: Mapping[str, str]) -> views.Question:
    """Return the question that asks reviewers whether a piece of knowledge is necessary."""
    about = f"{piece['qid']} {piece['property']} {piece['value']}"
    subject = names.get(piece["qid"], piece["qid"])
    heading = f"{subject} · {piece['property_label']}: {piece['value']}"
    return views.Question("necessary", about, "necessary?", heading)
