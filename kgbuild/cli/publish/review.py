"""The command ``review``: it serves a page on which people check rows by hand."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from kgbuild.calls import Share
from kgbuild.cli import options, output
from kgbuild.datasets.base import AnyDataset
from kgbuild.errors import KgbuildError, missing_extra
from kgbuild.review import adjudication, selection, shares, verdicts
from kgbuild.review.selection import Selection
from kgbuild.review.session import Assigned, RefusedSessionError, Session, checked_name
from kgbuild.review.verdicts import Disagreement, ReviewersAgreement, Summary


def _name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check the name of a reviewer; without a name, the page asks for it."""
    try:
        return checked_name(value) if value else ""
    except RefusedSessionError as error:
        raise click.BadParameter(str(error), context, parameter) from error


def _names(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str]:
    """Return the names of reviewers in a list with commas; each may occur once."""
    names = [_name(context, parameter, name) for name in value.split(",")] if value else []
    if len({*names}) < len(names) or "" in names:
        raise click.BadParameter("Write different names with commas between them.", context)
    return names


@click.command()
# Only a dataset whose rows can be shown, by its function ``view``, can be reviewed.
@click.argument("dataset", type=options.DatasetName(lambda dataset: dataset.view))
@click.option(
    "--reviewer", metavar="NAME", callback=_name, help="The reviewer.  [default: asked on the page]"
)
@click.option(
    "--reviewers",
    metavar="NAME,NAME",
    callback=_names,
    help="Share the rows among these reviewers.",
)
@click.option(
    "--overlap",
    type=options.type_of(Share),
    default=0.2,
    help="With --reviewers: the fraction of rows that two reviewers see, for Cohen's κ.",
)
@click.option(
    "--adjudicate",
    is_flag=True,
    help="Show the rows about which reviewers disagree, for another reviewer to decide.",
)
@click.option(
    "--sample",
    type=options.COUNT,
    default=1000,
    help="Maximum number of rows. A larger sample begins with the rows of a smaller one.",
)
@options.seed_option("Seed of choice and order.")
@click.option(
    "--by",
    metavar="COLUMN",
    help="Alternate between the values of a column, such as relation or falsity.",
)
@click.option(
    "--predictions", is_flag=True, help="Review whether answers of models are acceptable."
)
@options.port_option("The port; 0 means any free port.", 8765)
@click.option(
    "--agreement", is_flag=True, help="Print the agreement of reviewers instead of serving a page."
)
@options.store_option
@options.db_option
@options.json_option
def review(
    dataset: AnyDataset,
    reviewer: str,
    reviewers: list[str],
    overlap: float,
    adjudicate: bool,
    sample: int,
    seed: int,
    by: str | None,
    predictions: bool,
    port: int,
    agreement: bool,
    store: Path,
    db: "options.Database",
    as_json: bool,
) -> None:
    """Check the rows of a dataset by hand, on a page that only this machine can see.

    The page shows one row at a time with its evidence, and the questions to reviewers of the paper.
    Each answer is written to the table reviews at once; between two answers, other processes can
    use the database. A row is accepted if all reviewers who decided on it accept it. Labels of
    items in the evidence come from the store, if there is one.

    Several reviewers may share the rows. Where two disagree, another one decides with --adjudicate;
    the decision replaces their answers.

    \b
    Example:
      kgbuild review syn-qa --by relation --sample 500
      kgbuild review biokalma --reviewer Ada --seed 7
      kgbuild review granola --predictions --by model
      kgbuild review syn-qa --sample 500 --reviewers Ada,Bea,Cleo
      kgbuild review syn-qa --agreement
      kgbuild review syn-qa --adjudicate --reviewer Dora
    """
    not_shared = ("reviewers", "overlap", "by", "sample", "seed")
    options.refuse_unused(adjudicate, "with --adjudicate", *not_shared)
    options.refuse_unused(
        agreement, "with --agreement", *not_shared, "reviewer", "adjudicate", "port"
    )
    options.refuse_unused(not agreement, "without --agreement", "as_json")
    options.refuse_unused(not reviewers, "without --reviewers", "overlap")
    if reviewer and reviewers and reviewer not in reviewers:
        raise click.UsageError(f"{reviewer} is not one of the --reviewers.")
    to_review = Selection(dataset, predictions)
    if agreement:
        _show_agreement(db, to_review, as_json)
        return
    with ExitStack() as stack:
        lacking = "items without a label in the tables are shown by their id"
        opened = options.open_if_there(stack, store, lacking)
        db.create_tables()
        if adjudicate:
            session = _adjudication(db, to_review)
        else:
            session = _session(db, to_review, by, sample, seed)
        if reviewers:
            session.assigned = _share(session, reviewers, overlap)
        if opened:
            session.label = opened.labels.label
        _serve(session, port, reviewer)
    _show_accepted(db, to_review)


def _session(
    db: "options.Database", to_review: Selection, by: str | None, sample: int, seed: int
) -> Session:
    """Return the session in which reviewers answer the questions about a sample of rows."""
    strata = selection.strata(db, to_review, by)
    ids = selection.sample(strata, sample, seed)
    with db.reading() as run_query:
        rows = selection.views(run_query, to_review, ids)
        lost = selection.lost(run_query, to_review) if to_review.of_predictions else 0
    if lost:
        output.notify(f"{lost:,} predictions are left out: their rows no longer exist.")
    all_ids = frozenset(item_id for stratum in strata.values() for item_id in stratum)
    return Session(db, to_review, rows, all_ids)


def _adjudication(db: "options.Database", to_review: Selection) -> Session:
    """Return the session in which a reviewer decides the questions that others dispute."""
    with db.reading() as run_query:
        disagreements = verdicts.agreements(run_query, to_review).disagreements
        ids = [*dict.fromkeys(disagreement.item_id for disagreement in disagreements)]
        notes = verdicts.notes(run_query, to_review.name)
        views = selection.views(run_query, to_review, ids)
    if not views:
        raise KgbuildError(
            f"No two reviewers disagree about a row of {to_review.dataset.command}, so there is "
            "nothing to decide."
        )
    rows = adjudication.disputed_rows(views, disagreements, notes)
    assigned = adjudication.assignment(rows, disagreements)
    all_ids = frozenset(ids)
    return Session(db, to_review, rows, all_ids, assigned=assigned, is_adjudication=True)


def _share(session: Session, reviewers: list[str], overlap: float) -> Assigned:
    """Return the shares of the reviewers, and print their sizes."""
    rows = shares.shares([row.id for row in session.rows], reviewers, overlap)
    total = sum(map(len, rows.values()))
    sizes = ", ".join(f"{name} {len(ids):,}" for name, ids in rows.items())
    output.notify(f"Shares: {sizes}; {total - len(session.rows):,} rows have two reviewers.")
    return shares.assignment(rows)


def _serve(session: Session, port: int, reviewer: str) -> None:
    try:
        from kgbuild.review.app import ReviewServer
    except ImportError as error:
        raise missing_extra("review", error.name or "flask") from error
    server = ReviewServer(session, port, reviewer)
    count, total = len(session.rows), len(session.all_ids)
    click.echo(f"{count:,} of {total:,} rows to review, at\n{server.address}")
    output.notify("Whoever has this address can review, so keep it secret. Ctrl-C ends the review.")
    server.run()


def _show_agreement(db: "options.Database", to_review: Selection, as_json: bool) -> None:
    """Print the answers by question, the agreement of pairs of reviewers, and disagreements."""
    with db.reading() as run_query:
        summaries, pairs, disagreements = verdicts.agreements(run_query, to_review)
    if as_json:
        output.show([_record(summary, pairs, disagreements) for summary in summaries], as_json)
    else:
        tables = [
            [_rounded(summary._asdict()) for summary in summaries],
            [_rounded(pair._asdict()) for pair in pairs],
            [_readable(disagreement) for disagreement in disagreements],
        ]
        click.echo("\n".join(output.render(table, as_json) for table in tables if table), nl=False)
        if not pairs:
            click.echo("No two reviewers have answered the same question yet.")
    _show_accepted(db, to_review)


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: round(value, 3) if isinstance(value, float) else value for name, value in row.items()
    }


def _record(
    summary: Summary, pairs: Sequence[ReviewersAgreement], disagreements: Sequence[Disagreement]
) -> dict[str, Any]:
    of_kind = [pair for pair in pairs if pair.question == summary.question]
    return {
        **summary._asdict(),
        "pairs": [
            {**pair._asdict(), "disagreements": _of_pair(pair, disagreements)} for pair in of_kind
        ],
    }


def _readable(disagreement: Disagreement) -> dict[str, str]:
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
        if disagreement.kind == agreement.question
        and all(disagreement.answers.get(reviewer) for reviewer in reviewers)
        and len({disagreement.answers[reviewer] for reviewer in reviewers}) > 1
    ]


def _show_accepted(db: "options.Database", to_review: Selection) -> None:
    with db.reading() as run_query:
        accepted, decided = verdicts.survivors(run_query, to_review)
    share = f" ({len(accepted) / len(decided):.1%})" if decided else ""
    output.notify(f"Accepted: {len(accepted):,} of {len(decided):,} rows decided on{share}.")
