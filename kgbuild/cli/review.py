"""The command that has people check rows by hand."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.datasets import all_datasets
from kgbuild.errors import MissingExtraError, NoStoreError
from kgbuild.review import selection, verdicts
from kgbuild.review.questions import kind_of
from kgbuild.review.selection import Selection
from kgbuild.review.session import RefusedError, Session, checked_name
from kgbuild.review.verdicts import Agreement, Disagreement

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_REVIEWED = {dataset.command: dataset for dataset in all_datasets() if dataset.view}
_PORT = 8765


def _name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Refuse what is no reviewer's name; none is asked for on the page."""
    try:
        return value and checked_name(value)
    except RefusedError as error:
        raise click.BadParameter(str(error), context, parameter) from error


@click.command()
@click.argument("dataset", type=click.Choice([*_REVIEWED]))
@click.option(
    "--reviewer",
    metavar="NAME",
    default="",
    callback=_name,
    help="Who reviews.  [default: asked on the page]",
)
@click.option(
    "--sample",
    type=screen.COUNT,
    default=1000,
    show_default=True,
    help="Most rows that are reviewed. A larger sample begins with a smaller one.",
)
@click.option(
    "--seed", type=screen.SEED, default=0, show_default=True, help="Seed of their choice and order."
)
@click.option(
    "--by",
    metavar="COLUMN",
    help="Take rows in turn of each value of this column: relation, say, or falsity.",
)
@click.option(
    "--predictions", is_flag=True, help="Review what models answered, whether it is acceptable."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    help="The port of the page, on this machine only; at 0 a free one.",
)
@click.option(
    "--agreement", is_flag=True, help="Tell how reviewers agree and where not; serve no page."
)
@screen.store_option
@screen.db_option
@screen.json_option
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
    db: "Database",
    as_json: bool,
) -> None:
    """Check the rows of a dataset by hand, on a page that only this machine can see.

    It shows one row at a time with its evidence and asks what the dataset's paper asks. Each
    answer goes to the table reviews at once; between two answers the database is free for others.
    A row is accepted if all reviewers who decided on it accept it. The store, if there is one,
    gives the labels of items in the evidence.

    \b
    Example:
      kgbuild review syn-qa --by relation --sample 500
      kgbuild review biokalma --reviewer Ada --seed 7
      kgbuild review granola --predictions --by model
      kgbuild review syn-qa --agreement
    """
    if as_json and not agreement:
        raise click.UsageError("--json is for --agreement.")
    chosen = Selection(_REVIEWED[dataset], predictions)
    if agreement:
        _show_agreement(db, chosen, as_json)
        return
    db.create_tables()
    strata = selection.strata(db, chosen, by)
    ids = selection.sample(strata, sample, seed)
    with db.reading() as select:
        rows = selection.views(select, chosen, ids)
    if lost := selection.lost(db, chosen):
        screen.say(f"{lost:,} predictions are left out: their rows are not there any more.")
    everything = frozenset(item for some in strata.values() for item in some)
    with _labels(store) as label:
        _serve(Session(db, chosen, rows, everything, label), port, reviewer)
    _show_survivors(db, chosen)


@contextmanager
def _labels(store: Path) -> Iterator[Callable[[str], str | None]]:
    """Give what tells labels: the store, if there is one."""
    from kgbuild.graph.open import open_store

    try:
        with open_store(store) as held:
            yield held.labels.label
    except NoStoreError:
        screen.say(f"No store at {store}: items that no row names are shown by their id.")
        yield lambda _: None


def _serve(session: Session, port: int, reviewer: str) -> None:
    """Serve the page until Ctrl-C.

    Raises:
        MissingExtraError: the packages that serve pages are not installed.
        PortTakenError: the port is in use.
    """
    try:
        from kgbuild.review.app import Server
    except ImportError as error:
        raise MissingExtraError("review", error.name or "flask") from error
    server = Server(session, port, reviewer)
    count, total = len(session.rows), len(session.all_ids)
    click.echo(f"{count:,} of {total:,} rows to review, at\n{server.address}")
    screen.say("The address is a key: give it to nobody else. Ctrl-C ends the review.")
    server.run()


def _show_agreement(db: "Database", selection: Selection, as_json: bool) -> None:
    """Print how each two reviewers agree, by question, and which answers of theirs differ."""
    agreements, disagreements = verdicts.agreements(db, selection)
    if as_json:
        told = [
            {**one._asdict(), "disagreements": _between(one, disagreements)} for one in agreements
        ]
        screen.show(told, as_json)
    elif agreements:
        screen.show([*map(_rounded, agreements)], as_json)
    else:
        click.echo("No two reviewers have answered the same question yet.")
    if disagreements and not as_json:
        click.echo()
        screen.show([*map(_in_words, disagreements)], as_json)
    _show_survivors(db, selection)


def _between(agreement: Agreement, disagreements: Sequence[Disagreement]) -> list[dict[str, str]]:
    """Return where the two reviewers of an agreement differ."""
    two = agreement.reviewer, agreement.other
    return [
        {"item_id": one.item_id, "question": one.question, **{who: one.answers[who] for who in two}}
        for one in disagreements
        if kind_of(one.question) == agreement.question
        and len({one.answers.get(who, "") for who in two} - {""}) > 1
    ]


def _rounded(agreement: Agreement) -> dict[str, Any]:
    kappa = agreement.kappa
    return {**agreement._asdict(), "kappa": None if kappa is None else round(kappa, 3)}


def _in_words(one: Disagreement) -> dict[str, str]:
    said = "; ".join(f"{who}: {answer}" for who, answer in one.answers.items())
    return {"item_id": one.item_id, "question": one.question, "answers": said}


def _show_survivors(db: "Database", selection: Selection) -> None:
    accepted, decided = verdicts.survivors(db, selection)
    share = f" ({len(accepted) / len(decided):.1%})" if decided else ""
    screen.say(f"Accepted: {len(accepted):,} of {len(decided):,} rows decided on{share}.")
