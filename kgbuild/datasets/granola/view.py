"""Show questions with answers at every granularity, and ask reviewers about them.

The reviewers' questions are from the GRANOLA paper: whether an answer is correct, informative, and
coarser than the answer before it.
"""

from collections.abc import Sequence
from operator import itemgetter

from kgbuild.datasets import views

_GUIDE = (
    "An answer is correct if it answers the question, informative if one must know the subject to"
    " give it, and coarser if it states less than the answer one level above."
)


def view(records: views.Records) -> list[views.RowView]:
    """Return the views of questions with their answers."""
    answers = views.by_key(records["granola_answers"], "question_id")
    return [
        _question(question, sorted(answers[question["question_id"]], key=itemgetter("level")))
        for question in records["granola_questions"]
    ]


def _question(question: views.Record, answers: Sequence[views.Record]) -> views.RowView:
    """Return the view of a question; ``answers`` are in the order of their levels."""
    qid, label = question["subject_qid"], question["subject_label"]
    evidence = [*question["evidence"], *(fact for answer in answers for fact in answer["evidence"])]
    exact_answers = [(answer["qid"], answer["label"]) for answer in question["answers"]]
    answer_texts = [(answer["qid"], answer["answer"]) for answer in answers]
    levels = [
        (answer["level"], answer["answer"], answer["kind"], f"{answer['bits']:.1f}")
        for answer in answers
    ]
    return views.RowView(
        question["question_id"],
        relation=question["relation"],
        subjects=(qid,) if qid else (),
        headings=tuple(filter(None, (label, question["subject_description"], question["split"]))),
        wordings={"question": question["question"]},
        facts=views.facts_of(evidence),
        names=views.names_of([(qid, label), *exact_answers, *answer_texts]),
        table=views.SideTable(
            "Its answers, the finest first", ("level", "answer", "kind", "bits"), levels
        ),
        questions=tuple(item for answer in answers for item in _questions(answer)),
        guide=_GUIDE,
    )


def _questions(answer: views.Record) -> list[views.Question]:
    text, level = answer["answer"], answer["level"]
    heading = f"{text} · level {level}, {answer['bits']:.1f} bits"
    kinds = ["correct", "informative", *(["coarser"] if level > 1 else [])]
    return [views.Question(kind, text, f"{kind}?", heading) for kind in kinds]
