"""The views of models' answers as rows to review."""

from collections.abc import Mapping, Sequence

from kgbuild.datasets.views import Question, Record, RowView

_QUESTIONS = (Question("acceptable", "", "Is the model's answer acceptable?"),)
_ASSUMPTION = {
    None: (),
    False: ("its assumption is true",),
    True: ("its assumption is false",),
}


def prediction_views(views: Mapping[str, RowView], predictions: Sequence[Record]) -> list[RowView]:
    """Return the views of models' answers to rows, without the model, which must not sway people.

    ``views`` are those of the rows by id.
    """
    return [
        _view(views[prediction["item_id"]], prediction)
        for prediction in predictions
        if prediction["item_id"] in views
    ]


def _view(row: RowView, prediction: Record) -> RowView:
    headings = dict.fromkeys(question.heading for question in row.questions if question.heading)
    return row._replace(
        id=prediction["prediction_id"],
        headings=(*_ASSUMPTION[prediction["false_assumption"]], *row.headings),
        wordings={},
        texts={
            "Asked": _asked(row, prediction),
            "The model's answer": prediction["text"],
            **row.texts,
            **({"Known": "\n".join(headings)} if headings else {}),
        },
        questions=_QUESTIONS,
        guide="",
    )


def _asked(row: RowView, prediction: Record) -> str:
    """Return the question that a model answered: by its assumption, its protocol, or all."""
    own = "false_question" if prediction["false_assumption"] else "question"
    for column in (f"{prediction['protocol']}_question", own):
        if column in row.wordings:
            return row.wordings[column]
    return "\n".join(row.wordings.values())
