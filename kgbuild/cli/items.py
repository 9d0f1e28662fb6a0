"""The commands that look around an item: its statements, and the items like it."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from kgbuild import wikidata
from kgbuild.catalog import Kind, catalog
from kgbuild.cli import screen
from kgbuild.errors import NoKindError, UnknownItemError
from kgbuild.graph import subgraph as subgraphs
from kgbuild.graph.open import open_source
from kgbuild.graph.protocols import Known
from kgbuild.graph.subgraph import Subgraph
from kgbuild.store.labels import Labels

if TYPE_CHECKING:
    # Which compiles.
    from kgbuild.graph.similarity import Neighbour

    _Found: TypeAlias = tuple[str, Neighbour, list[tuple[str, str]]]


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
    """Show the one-hop subgraph of an item: what it says, and what is said of it.

    \b
    Example:
      kgbuild subgraph Q255
      kgbuild subgraph Q255 --format html -o beethoven.html
    """
    item = wikidata.parse_item(qid)
    with open_source(store, screen.chosen(endpoint), screen.say) as source:
        found = subgraphs.subgraph(source.graph, source.labels, item, limit, source.language)
    screen.write(_rendered(found, "json" if as_json else form), output)
    if found.total > len(found.edges):
        screen.say(f"… and {found.total - len(found.edges):,} more statements: raise --limit.")


def _rendered(found: Subgraph, form: str) -> str:
    if form == "turtle":
        return subgraphs.turtle(found)
    if form == "html":
        from kgbuild.drawing.subgraph_page import draw

        return draw(found)
    rows = [
        {
            "direction": edge.direction,
            "property": edge.property,
            "property_label": edge.property_label,
            "value": edge.value.text,
            "label": edge.label,
        }
        for edge in found.edges
    ]
    columns = ("direction", "property", "property_label", "value", "label")
    return screen.rendered(rows, form == "json", columns)


@click.command()
@click.argument("qids", metavar="QID…", nargs=-1, required=True)
@click.option("-k", "most", type=screen.COUNT, default=10, show_default=True, help="Most items.")
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
      kgbuild similar Q255 -k 5
      kgbuild similar Q255 Q7186
    """
    items = list(dict.fromkeys(map(wikidata.parse_item, qids)))
    with open_source(store, screen.chosen(endpoint), screen.say) as source:
        known = source.knowledge(catalog().kinds)
        found = list(_neighbours(known, items, most, min_overlap))
        known.labels.read(_mentioned(found))
        rows = [
            {
                "of": item,
                "qid": neighbour.qid,
                "label": known.labels.label(neighbour.qid) or neighbour.qid,
                "overlap": neighbour.overlap,
                "shared": _shared(shared, known.labels),
            }
            for item, neighbour, shared in found
        ]
    columns = ("of", "qid", "label", "overlap", "shared")[len(items) == 1 :]
    screen.show([{name: row[name] for name in columns} for row in rows], as_json, columns)


def _mentioned(found: "Sequence[_Found]") -> Iterator[str]:
    """Yield the ids that have labels in the table."""
    for _, neighbour, shared in found:
        yield neighbour.qid
        yield from itertools.chain.from_iterable(shared)


def _neighbours(known: Known, items: list[str], most: int, min_overlap: int) -> Iterator["_Found"]:
    """Yield each item, in turn, with each of its neighbours and the values that they share."""
    kinds, similarity = known.kinds, known.similarity
    properties = {
        item: _kind(item, kinds.names(item), kinds.classes(item), known.labels).similarity
        for item in items
    }
    found: dict[str, list[Neighbour]] = {}
    for compared in dict.fromkeys(properties.values()):
        alike = [item for item in items if properties[item] == compared]
        tops = similarity.most_similar_to_each(alike, compared, most, min_overlap)
        found.update(zip(alike, tops, strict=True))
    for item in items:
        for neighbour in found[item]:
            yield item, neighbour, similarity.shared_values(item, neighbour.qid, properties[item])


def _kind(item: str, kinds: list[str], classes: Sequence[str], labels: Labels) -> Kind:
    """Return the kind of an item that says by which properties it is like others."""
    for name in kinds:
        if catalog().kinds[name].similarity:
            return catalog().kinds[name]
    if not classes and labels.label(item) is None:
        raise UnknownItemError(item, subgraphs.near_ids(labels, item))
    raise NoKindError(item, sorted(classes))


def _shared(values: list[tuple[str, str]], labels: Labels) -> list[dict[str, Any]]:
    return [
        {
            "property": pid,
            "property_label": labels.label(pid) or pid,
            "value": value,
            "value_label": labels.label(value) or value,
        }
        for pid, value in values
    ]
