"""Show minimal pairs, and ask reviewers about them.

The reviewers' questions are from the manual verification in the Syn-(QA)² paper.
"""

from kgbuild.datasets import views
from kgbuild.datasets.syn_qa.rows import assumed, perturbed_end
from kgbuild.drawing.evidence import Fact

_QUESTIONS = (
    views.Question("false", "", "Is the assumption of the false question really false?"),
    views.Question("natural", "", "Are both questions natural?"),
)
_ENDS = ("subject", "replacement", "bridge", "object")
_MAX_DRAWN = 4
"""Maximum number of shared values in the drawing; the table has all."""


def view(records: views.Records) -> list[views.RowView]:
    """Return the views of minimal pairs."""
    return [_pair(pair) for pair in records["syn_qa_pairs"]]


def _pair(pair: views.Record) -> views.RowView:
    """Return the view of a pair."""
    names = [(pair[f"{end}_qid"], pair[f"{end}_label"]) for end in _ENDS]
    relation = [(pair["relation"], pair["relation_label"])] if pair["hops"] == 1 else []
    risk = "" if pair["risk"] is None else f"risk {pair['risk']:.2%}"
    own = perturbed_end(pair)
    subjects = tuple(filter(None, (pair[f"{own}_qid"], pair["replacement_qid"])))
    shared = [(triple["property"], triple["value"]) for triple in pair["shared"]]
    return views.RowView(
        pair["pair_id"],
        relation=pair["relation"],
        subjects=subjects,
        headings=tuple(filter(None, (pair["falsity"], risk, pair["split"]))),
        wordings={column: pair[column] for column in ("question", "false_question")},
        texts={"Answer": pair["answer"]} if pair["answer"] else {},
        facts=tuple(
            dict.fromkeys(
                (
                    *views.facts_of(pair["evidence"]),
                    *_assumed(pair),
                    *views.facts_of(pair["falsity_evidence"]),
                )
            )
        ),
        background=tuple(
            Fact(subject, *triple) for triple in shared[:_MAX_DRAWN] for subject in subjects
        ),
        names=views.names_of([*names, *relation]),
        table=views.SideTable("What both share", ("property", "value"), shared) if shared else None,
        questions=_QUESTIONS,
    )


def _assumed(pair: views.Record) -> tuple[Fact, ...]:
    """Return the statement that the false question assumes; none if an end has no id."""
    subject, value = (pair[f"{end}_qid"] for end in assumed(pair, is_false=True))
    return (Fact(subject, pair["relation"], value, is_assumed=True),) if subject and value else ()
