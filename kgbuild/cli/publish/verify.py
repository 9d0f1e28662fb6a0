"""The command ``verify``: it checks assumptions of a dataset in a second source."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.models.chosen_model import ChosenModel
from kgbuild.cli.models.model_options import model_options
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.biokalma.rows import MORE_VALUES
from kgbuild.datasets.biokalma.sets.verification import verify as verify_sets
from kgbuild.datasets.syn_qa.dataset import verify as verify_pairs
from kgbuild.tables.records import VERIFIED

if TYPE_CHECKING:
    from kgbuild.datasets.verifying import Verified

_SYN_QA, _BIOKALMA = "syn-qa", "biokalma"
_VERDICTS = {
    _SYN_QA: ("holds", "absent", "unknown"),
    _BIOKALMA: ("complete", "incomplete", "unknown"),
}
"""The verdicts by dataset; docs/tables.md describes them."""
_FUNCTIONS: dict[str, Callable[..., "Verified"]] = {_SYN_QA: verify_pairs, _BIOKALMA: verify_sets}
_REASONS = {_SYN_QA: VERIFIED, _BIOKALMA: MORE_VALUES}


@click.command()
@click.argument(
    "dataset",
    type=options.DatasetName(lambda dataset: dataset.command in _VERDICTS),
    default=_SYN_QA,
)
@click.option("--endpoint", metavar="URL", help="A SPARQL endpoint with a larger graph.")
@click.option(
    "--texts",
    type=options.INPUT_FILE,
    metavar="FILE",
    help="Passages with id (of an item) or title, and text: JSON, JSON Lines, CSV or Parquet.",
)
@click.option("--true", "with_true", is_flag=True, help="Verify the true assumptions as well.")
@click.option(
    "--keep", is_flag=True, help="Keep the rows that the source contradicts; verdicts mark them."
)
@model_options("A language model.")
@options.json_option
@options.store_option
@options.db_option
def verify(
    dataset: AnyDataset,
    endpoint: str | None,
    texts: Path | None,
    llm: ChosenModel | None,
    with_true: bool,
    keep: bool,
    as_json: bool,
    store: Path,
    db: "options.Database",
) -> None:
    """Verify the assumptions of a dataset by a second source.

    \b
    syn-qa     false assumptions of pairs (the default)
    biokalma   that sets have all values of their properties; only by an endpoint

    An endpoint is asked for statements of any rank, forty assumptions per request. In texts, an
    assumption holds if the passage about one of its items names the other (aliases come from the
    store). A model is asked whether each assumption is true, and the true ones, too: if it can't
    tell them apart, no pair is removed by it. Verdicts are written to the table verifications.
    Pairs whose false assumption holds are removed from the dataset: they move to rejections, with
    the reason "verified true", as do questions of BioKaLMA with the reason "more values". To
    continue an interrupted run, repeat it.

    \b
    Example:
      kgbuild verify --endpoint https://query.wikidata.org/sparql
      kgbuild verify --texts passages.jsonl --keep
      kgbuild verify --model my-model --base-url http://localhost:8000/v1 --true
      kgbuild verify biokalma --endpoint https://query.wikidata.org/sparql
    """
    if sum(source is not None for source in (endpoint, texts, llm)) != 1:
        raise click.UsageError("Pass one source: --endpoint, --texts or --model.")
    is_biokalma = dataset.command == _BIOKALMA
    options.refuse_unused(is_biokalma, "for biokalma", "with_true", "texts", "model")
    arguments: dict[str, Any] = {"keep": keep} | ({"true": True} if with_true else {})
    with ExitStack() as stack:
        if endpoint is not None:
            options.require_endpoint(endpoint)
            arguments |= {"endpoint": endpoint, "notice": output.notify}
        elif texts is not None:
            arguments["texts"] = texts
            lacking = "names are labels only, without aliases"
            arguments["store"] = options.open_if_there(stack, store, lacking)
        elif llm is not None:
            arguments |= {"model": llm.name, "ask": llm.ask}
        if llm is None:  # llm.ask shows progress itself
            arguments["progress"] = stack.enter_context(output.progress("verifying"))
        try:
            verified = _FUNCTIONS[dataset.command](db, **arguments)
        except KeyboardInterrupt:
            output.notify("Verdicts and replies so far are kept. Repeat the command to continue.")
            raise
    _report(verified, dataset, db, as_json)


def _report(
    verified: "Verified", dataset: AnyDataset, db: "options.Database", as_json: bool
) -> None:
    """Print the numbers of verdicts by role: true or false assumptions, or scopes of sets."""
    counts = verified.counts  # by role and verdict
    verdicts = _VERDICTS[dataset.command]
    roles = dict.fromkeys(role for role, _ in counts)
    rows = [
        {
            "assumptions": role,
            # All assumptions that were looked up, also those with the verdict unknown.
            "verified": sum(counts.get((role, verdict), 0) for verdict in verdicts),
            **{verdict: counts.get((role, verdict), 0) for verdict in verdicts},
        }
        for role in roles
    ]
    output.show(rows, as_json)
    output.notify(f"\nThe verdicts are in {db.path}, table verifications.")
    if verified.source_kind == "model":
        totals = {role: sum(n for (of, _), n in counts.items() if of == role) for role in roles}
        shares = [f"{counts.get((role, 'holds'), 0) / totals[role]:.0%} {role}" for role in roles]
        output.notify(f"{verified.source} says yes to {' and '.join(shares)} assumptions.")
    if not verified.is_discerning:
        output.notify("So it can't tell true from false assumptions, and no pair is removed by it.")
    if verified.removed:
        unit, reason = dataset.unit, _REASONS[dataset.command]
        output.notify(f"{len(verified.removed):,} {unit} were removed: see rejections, '{reason}'.")
