"""The command ``verify``: it checks assumptions of Syn-(QA)² in a second source."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.model_options import model_options
from kgbuild.cli.models import ChosenModel
from kgbuild.datasets.syn_qa.verification.api import verify as verify_pairs
from kgbuild.errors import NoStoreError
from kgbuild.graph.open import open_store
from kgbuild.tables.verifications import REASON

if TYPE_CHECKING:
    from kgbuild.datasets.syn_qa.verification.run import Verified
    from kgbuild.tables.database import Database

_VERDICTS = ("holds", "absent", "unknown")
"""The source says or suggests that the assumption is true; it does not; or it cannot tell."""


@click.command()
@click.option("--endpoint", metavar="URL", help="A SPARQL endpoint with a larger graph.")
@click.option(
    "--texts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Passages with id (of an item) or title, and text: JSON, JSON Lines, CSV or Parquet.",
)
@click.option("--true", "with_true", is_flag=True, help="Verify the true assumptions as well.")
@click.option("--keep", is_flag=True, help="Keep pairs whose false assumption holds.")
@model_options("A language model.")
@options.json_option
@options.store_option
@options.db_option
def verify(
    endpoint: str | None,
    texts: Path | None,
    llm: ChosenModel | None,
    with_true: bool,
    keep: bool,
    as_json: bool,
    store: Path,
    db: "Database",
) -> None:
    """Verify the false assumptions of Syn-(QA)² by a second source.

    An endpoint is asked for statements of any rank, forty assumptions per request. In texts, an
    assumption holds if the passage about one of its items names the other (aliases come from the
    store). A model is asked whether each assumption is true. Verdicts are written to the table
    verifications. Pairs whose false assumption holds are removed from the dataset: they move to
    rejections, with the reason "verified true". To continue an interrupted run, repeat it.

    \b
    Example:
      kgbuild verify --endpoint https://query.wikidata.org/sparql
      kgbuild verify --texts passages.jsonl --keep
      kgbuild verify --model my-model --base-url http://localhost:8000/v1 --true
    """
    if sum(source is not None for source in (endpoint, texts, llm)) != 1:
        raise click.UsageError("Pass one source: --endpoint, --texts or --model.")
    arguments: dict[str, Any] = {"true": with_true, "keep": keep}
    with ExitStack() as stack:
        if endpoint is not None:
            options.require_endpoint(endpoint)
            arguments |= {"endpoint": endpoint, "notice": output.notify}
        elif texts is not None:
            arguments["texts"] = texts
            try:
                arguments["store"] = stack.enter_context(open_store(store))
            except NoStoreError:
                output.notify(
                    f"There is no store at {store}, so names are labels only, without aliases."
                )
        elif llm is not None:
            arguments |= {"model": llm.name, "ask": llm.ask}
        if llm is None:  # llm.ask shows progress itself
            arguments["progress"] = stack.enter_context(output.progress())
        try:
            verified = verify_pairs(db, **arguments)
        except KeyboardInterrupt:
            output.notify("Verdicts and replies so far are kept. Repeat the command to continue.")
            raise
    _report(verified, db, as_json)


def _report(verified: "Verified", db: "Database", as_json: bool) -> None:
    """Print the numbers of verdicts on true and on false assumptions."""
    counts = verified.counts  # by (role, verdict); a role is true or false
    roles = dict.fromkeys(role for role, _ in counts)
    rows = [
        {
            "assumptions": role,
            # All assumptions that were looked up, also those with the verdict unknown.
            "verified": sum(counts.get((role, verdict), 0) for verdict in _VERDICTS),
            **{verdict: counts.get((role, verdict), 0) for verdict in _VERDICTS},
        }
        for role in roles
    ]
    output.show(rows, as_json)
    output.notify(f"\nThe verdicts are in {db.path}, table verifications.")
    if verified.removed:
        output.notify(f"{len(verified.removed):,} pairs were removed: see rejections, '{REASON}'.")
