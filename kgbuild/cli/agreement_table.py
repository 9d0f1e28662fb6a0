"""Print the agreement of reviewers, for ``kgbuild review --agreement``."""

from collections.abc import Sequence

import click

from kgbuild.cli import options, output
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection
from kgbuild.review.verdicts import Disagreement, ReviewersAgreement, kind_of


def show(db: "options.Database", to_review: Selection, as_json: bool) -> None:
    """Print the agreement of each pair of reviewers by question, and their disagreements."""
    with db.reading() as run_query:
        agreements, disagreements = verdicts.agreements(run_query, to_review)
    rows = [agreement._asdict() for agreement in agreements]
    for row, agreement in zip(rows, agreements, strict=True):
        if as_json:
            row["disagreements"] = _of_pair(agreement, disagreements)
        elif agreement.kappa is not None:
            row["kappa"] = round(agreement.kappa, 3)
    if rows or as_json:
        output.show(rows, as_json)
    else:
        click.echo("No two reviewers have answered the same question yet.")
    if disagreements and not as_json:
        click.echo()
        output.show([_readable(disagreement) for disagreement in disagreements], as_json)
    show_accepted(db, to_review)


def _readable(disagreement: Disagreement) -> dict[str, str]:
    """Return the columns of a disagreement on the terminal."""
    return {
        "item_id": disagreement.item_id,
        "wording": disagreement.wording,
        "question": disagreement.text,
        "answers": "; ".join(f"{name}: {text}" for name, text in disagreement.answers.items()),
        "decision": disagreement.decision,
    }


def _of_pair(
    agreement: ReviewersAgreement, disagreements: Sequence[Disagreement]
) -> list[dict[str, str]]:
    """Return a record for each disagreement between the two reviewers of an agreement."""
    reviewers = agreement.reviewer, agreement.other
    # ``agreement.question`` is a kind of question; ``disagreement.question`` is the key of one.
    return [
        {
            "item_id": disagreement.item_id,
            "question": disagreement.question,
            "wording": disagreement.wording,
            "text": disagreement.text,
            "decision": disagreement.decision,
            **{reviewer: disagreement.answers[reviewer] for reviewer in reviewers},
        }
        for disagreement in disagreements
        if kind_of(disagreement.question) == agreement.question
        and all(disagreement.answers.get(reviewer) for reviewer in reviewers)
        and len({disagreement.answers[reviewer] for reviewer in reviewers}) > 1
    ]


def show_accepted(db: "options.Database", to_review: Selection) -> None:
    """Print how many of the rows with a decision are accepted."""
    with db.reading() as run_query:
        accepted, decided = verdicts.survivors(run_query, to_review)
    share = f" ({len(accepted) / len(decided):.1%})" if decided else ""
    output.notify(f"Accepted: {len(accepted):,} of {len(decided):,} rows decided on{share}.")
