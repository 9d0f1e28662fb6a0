"""The commands ``subgraph`` and ``similar``: the statements of an item, and items like it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.cli import options, output
from kgbuild.graph.open import open_source
from kgbuild.wikidata import parse_item

if TYPE_CHECKING:
    from kgbuild.graph.subgraph import Subgraph


@click.command()
@click.argument("qid")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "turtle", "html"]),
    default="table",
    help="A table, JSON, Turtle, or a page with a picture.",
)
@click.option(
    "--limit", type=options.COUNT, default=50, help="Most values of a property, for each direction."
)
@click.option("-o", "--output", "path", type=options.OUTPUT_FILE, help="Write to a file.")
@options.store_option
@options.endpoint_option
@options.json_option
def subgraph(
    qid: str,
    form: str,
    limit: int,
    path: Path | None,
    store: Path,
    endpoint: str | None,
    as_json: bool,
) -> None:
    """Show the one-hop subgraph of an item: its statements, and those that point to it.

    \b
    Example:
      kgbuild subgraph Q255
      kgbuild subgraph Q255 --format html -o beethoven.html
    """
    item = parse_item(qid)
    with open_source(store, options.choose_endpoint(endpoint), output.notify) as source:
        shown = source.subgraph(item, limit)
    output.write(_render(shown, "json" if as_json else form), path)
    if more := shown.total - len(shown.edges):
        output.notify(f"… and {more:,} more statements: raise --limit.")


def _render(subgraph: "Subgraph", form: str) -> str:
    if form == "turtle":
        from kgbuild.graph.subgraph import turtle

        return turtle(subgraph)
    if form == "html":
        from kgbuild.drawing.subgraph_page import draw

        return draw(subgraph)
    columns = ("direction", "property", "property_label", "value", "label")
    rows = [edge._asdict() | {"value": edge.value.text} for edge in subgraph.edges]
    return output.render(rows, form == "json", columns)


@click.command()
@click.argument("qids", metavar="QID…", nargs=-1, required=True)
@click.option("--limit", type=options.COUNT, default=10, help="Most items.")
@click.option(
    "--min-overlap", type=options.COUNT, default=1, help="How many values must be shared."
)
@options.store_option
@options.endpoint_option
@options.json_option
def similar(
    qids: tuple[str, ...],
    limit: int,
    min_overlap: int,
    store: Path,
    endpoint: str | None,
    as_json: bool,
) -> None:
    """Find the items of the same class that share most property values with an item.

    Of several items, the first column says whose neighbours these are.

    \b
    Example:
      kgbuild similar Q255 --limit 5
      kgbuild similar Q255 Q7186
    """
    items = [parse_item(qid) for qid in qids]
    with open_source(store, options.choose_endpoint(endpoint), output.notify) as source:
        neighbours = source.similar_to_each(items, limit, min_overlap)
    rows = [
        {"of": item, **near._asdict(), "shared": [value._asdict() for value in near.shared]}
        for item, all_near in neighbours.items()
        for near in all_near
    ]
    columns = ("of", "qid", "label", "overlap", "shared")[len(neighbours) == 1 :]
    output.show([{name: row[name] for name in columns} for row in rows], as_json, columns)
