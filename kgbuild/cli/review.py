"""The command ``review``: it serves a page on which people check rows by hand."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from kgbuild.cli import options, output
from kgbuild.datasets import all_datasets
from kgbuild.errors import MissingExtraError, NoStoreError
from kgbuild.graph.open import open_store
from kgbuild.review import selection, verdicts
from kgbuild.review.selection import Selection
from kgbuild.review.session import RefusedError, Session, checked_name
from kgbuild.review.verdicts import Agreement, Disagreement, kind_of

# Only a dataset whose rows can be shown, by its function ``view``, can be reviewed.
_DATASETS = {dataset.command: dataset for dataset in all_datasets() if dataset.view}


def _name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check the name of a reviewer; without a name, the page asks for it."""
    try:
        return checked_name(value) if value else ""
    except RefusedError as error:
        raise click.BadParameter(str(error), context, parameter) from error


@click.command()
@click.argument("dataset", type=click.Choice([*_DATASETS]))
@click.option(
    "--reviewer", metavar="NAME", callback=_name, help="The reviewer.  [default: asked on the page]"
)
@click.option(
    "--sample",
    type=options.COUNT,
    default=1000,
    help="Maximum number of rows. A larger sample begins with the rows of a smaller one.",
)
@options.seed_option("Seed of the choice and order of rows.")
@click.option(
    "--by",
    metavar="COLUMN",
    help="Alternate between the values of a column, such as relation or falsity.",
)
@click.option(
    "--predictions", is_flag=True, help="Review whether answers of models are acceptable."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    help="The port of the page, on this machine only; 0 means any free port.",
)
@click.option(
    "--agreement", is_flag=True, help="Print the agreement of reviewers instead of serving a page."
)
@options.store_option
@options.db_option
@options.json_option
def review(
    dataset: str,
    reviewer: str,
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

    \b
    Example:
      kgbuild review syn-qa --by relation --sample 500
      kgbuild review biokalma --reviewer Ada --seed 7
      kgbuild review granola --predictions --by model
      kgbuild review syn-qa --agreement
    """
    if as_json and not agreement:
        raise click.UsageError("--json is for --agreement.")
    to_review = Selection(_DATASETS[dataset], predictions)
    if agreement:
        _show_agreement(db, to_review, as_json)
        return
    db.create_tables()
    strata = selection.strata(db, to_review, by)
    ids = selection.sample(strata, sample, seed)
    with db.reading() as run_query:
        rows = selection.views(run_query, to_review, ids)
        lost = selection.lost(run_query, to_review) if predictions else 0
    if lost:
        output.notify(f"{lost:,} predictions are left out: their rows no longer exist.")
    all_ids = frozenset(item_id for stratum in strata.values() for item_id in stratum)
    with ExitStack() as stack:
        # Without a store, no item has a label: a lookup in an empty dict returns None.
        label: Callable[[str], str | None] = dict[str, str]().get
        try:
            label = stack.enter_context(open_store(store)).labels.label
        except NoStoreError:
            output.notify(
                f"No store at {store}: items without a label in the tables are shown by their id."
            )
        _serve(Session(db, to_review, rows, all_ids, label), port, reviewer)
    _show_accepted(db, to_review)


def _serve(session: Session, port: int, reviewer: str) -> None:
    try:
        from kgbuild.review.app import Server
    except ImportError as error:
        raise MissingExtraError("review", error.name or "flask") from error
    server = Server(session, port, reviewer)
    count, total = len(session.rows), len(session.all_ids)
    click.echo(f"{count:,} of {total:,} rows to review, at\n{server.address}")
    output.notify("Whoever has this address can review, so keep it secret. Ctrl-C ends the review.")
    server.run()


def _show_agreement(db: "options.Database", to_review: Selection, as_json: bool) -> None:
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
        rows = [
            {
                **disagreement._asdict(),
                "answers": "; ".join(
                    f"{name}: {text}" for name, text in disagreement.answers.items()
                ),
            }
            for disagreement in disagreements
        ]
        output.show(rows, as_json)
    _show_accepted(db, to_review)


def _of_pair(agreement: Agreement, disagreements: Sequence[Disagreement]) -> list[dict[str, str]]:
    """Return a record for each disagreement between the two reviewers of an agreement."""
    reviewers = agreement.reviewer, agreement.other
    # ``agreement.question`` is a kind of question; ``disagreement.question`` is the key of one.
    return [
        {
            "item_id": disagreement.item_id,
            "question": disagreement.question,
            **{reviewer: disagreement.answers[reviewer] for reviewer in reviewers},
        }
        for disagreement in disagreements
        if kind_of(disagreement.question) == agreement.question
        and all(disagreement.answers.get(reviewer) for reviewer in reviewers)
        and len({disagreement.answers[reviewer] for reviewer in reviewers}) > 1
    ]


def _show_accepted(db: "options.Database", to_review: Selection) -> None:
    """Print how many of the rows with a decision are accepted."""
    with db.reading() as run_query:
        accepted, decided = verdicts.survivors(run_query, to_review)
    share = f" ({len(accepted) / len(decided):.1%})" if decided else ""
    output.notify(f"Accepted: {len(accepted):,} of {len(decided):,} rows decided on{share}.")
