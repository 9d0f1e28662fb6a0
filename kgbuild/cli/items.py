"""The commands ``subgraph`` and ``similar``: the statements of an item, and items like it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.cli import screen
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
    show_default=True,
    help="A table, JSON, Turtle, or a page with a picture.",
)
@click.option(
    "--limit",
    type=screen.COUNT,
    default=50,
    show_default=True,
    help="Most values of a property, for each direction.",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file."
)
@screen.store_option
@screen.endpoint_option
@screen.json_option
def subgraph(
    qid: str,
    form: str,
    limit: int,
    output: Path | None,
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
    with open_source(store, screen.chosen(endpoint), screen.say) as source:
        around = source.subgraph(item, limit)
    screen.write(_rendered(around, "json" if as_json else form), output)
    if around.total > len(around.edges):
        screen.say(f"… and {around.total - len(around.edges):,} more statements: raise --limit.")


def _rendered(around: "Subgraph", form: str) -> str:
    if form == "turtle":
        from kgbuild.graph.subgraph import turtle

        return turtle(around)
    if form == "html":
        from kgbuild.drawing.subgraph_page import draw

        return draw(around)
    rows = [
        {
            "direction": edge.direction,
            "property": edge.property,
            "property_label": edge.property_label,
            "value": edge.value.text,
            "label": edge.label,
        }
        for edge in around.edges
    ]
    columns = ("direction", "property", "property_label", "value", "label")
    return screen.rendered(rows, form == "json", columns)


@click.command()
@click.argument("qids", metavar="QID…", nargs=-1, required=True)
@click.option(
    "--limit", "most", type=screen.COUNT, default=10, show_default=True, help="Most items."
)
@click.option(
    "--min-overlap",
    type=screen.COUNT,
    default=1,
    show_default=True,
    help="How many values must be shared.",
)
@screen.store_option
@screen.endpoint_option
@screen.json_option
def similar(
    qids: tuple[str, ...],
    most: int,
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
    with open_source(store, screen.chosen(endpoint), screen.say) as source:
        similar_items = source.similar_to_each(items, most, min_overlap)
    rows = [
        {"of": item, **similar._asdict(), "shared": [value._asdict() for value in similar.shared]}
        for item, found in similar_items.items()
        for similar in found
    ]
    columns = ("of", "qid", "label", "overlap", "shared")[len(similar_items) == 1 :]
    screen.show([{name: row[name] for name in columns} for row in rows], as_json, columns)
