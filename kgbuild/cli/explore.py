"""The commands that look into a store."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from kgbuild.cli import screen
from kgbuild.errors import NoKindError, UnknownItemError
from kgbuild.kg import labels, manifest, wikidata
from kgbuild.kg import subgraph as subgraphs
from kgbuild.kg.manifest import Manifest
from kgbuild.kg.store import Store
from kgbuild.relations import catalog

_SHOWN = 15
"""How many properties and classes ``stats`` names."""


@contextmanager
def opened(store: Path) -> Iterator[tuple[Manifest, Store, Path]]:
    """Open a store for reading: its manifest, the store, its folder."""
    with manifest.reading(store) as (made, folder):
        yield made, Store(folder / manifest.GRAPH), folder


@click.command()
@screen.store_option
@screen.json_option
def stats(store: Path, as_json: bool) -> None:
    """Show what the store holds and where it came from.

    \b
    Example:
      kgbuild stats
    """
    with opened(store) as (made, graph, _):
        known = labels.Labels(graph, made.languages[0])
        facts: list[tuple[str, str, object]] = [
            ("store", "triples", made.triples),
            ("store", "items", made.items),
            ("store", "languages", "all" if made.everything else ", ".join(made.languages)),
            ("store", "loaded at", made.loaded_at),
            ("store", "fingerprint", made.fingerprint),
            *(("dump", file.name, f"{file.bytes:,} bytes, {file.modified}") for file in made.files),
            *(("dropped", reason, count) for reason, count in made.dropped.items()),
            ("dropped", "bad lines", made.bad),
        ]
        for section, counts in (("property", made.properties), ("class", made.classes)):
            for entity, count in itertools.islice(counts.items(), _SHOWN):
                facts.append((section, f"{entity} {known.label(entity) or ''}".strip(), count))
    rows = [{"section": section, "what": what, "value": value} for section, what, value in facts]
    screen.show(rows, as_json)


@click.command()
@screen.store_option
@screen.json_option
def relations(store: Path, as_json: bool) -> None:
    """List the relations that one can ask for, and how often the store states them.

    \b
    Example:
      kgbuild relations
    """
    made = manifest.read(store)
    rows = [
        {
            "relation": relation.pid,
            "label": relation.label,
            "subject": " or ".join(relation.subject),
            "object": " or ".join(relation.object),
            "triples": made.properties.get(relation.pid, 0),
            "datasets": "syn-qa" if relation.syn_qa else "",
        }
        for relation in catalog().relations.values()
    ]
    screen.show(rows, as_json)


@click.command()
@click.argument("name")
@click.option("--lang", "language", help="Language of labels and descriptions.  [default: the store's first]")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Most items.")
@screen.store_option
@screen.json_option
def lookup(name: str, language: str | None, limit: int, store: Path, as_json: bool) -> None:
    """Find items by label or alias, ignoring case and accents, the best match first.

    \b
    Example:
      kgbuild lookup "marie curie"
    """
    with opened(store) as (made, graph, folder):
        names = labels.Names(folder / manifest.NAMES)
        found = labels.lookup(graph, names, name, language or made.languages[0])
    screen.show([match._asdict() for match in found[:limit]], as_json)
    if len(found) > limit:
        screen.say(f"… and {len(found) - limit:,} more: raise --limit.")


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
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Most values of a property, for each direction.",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file."
)
@screen.store_option
@screen.json_option
def subgraph(
    qid: str, form: str, limit: int, output: Path | None, store: Path, as_json: bool
) -> None:
    """Show the one-hop subgraph of an item: what it says, and what is said of it.

    \b
    Example:
      kgbuild subgraph Q255
      kgbuild subgraph Q255 --format html -o beethoven.html
    """
    with opened(store) as (made, graph, _):
        known = labels.Labels(graph, made.languages[0])
        found = subgraphs.subgraph(
            graph, known, wikidata.parse_item(qid), limit, made.languages[0]
        )
    if form in ("turtle", "html"):
        _write(_rendered(found, form), output)
    else:
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
        screen.show(rows, as_json or form == "json", ("direction", "property", "property_label", "value", "label"))
    if found.total > len(found.edges):
        screen.say(f"… and {found.total - len(found.edges):,} more statements: raise --limit.")


def _rendered(found: subgraphs.Subgraph, form: str) -> str:
    if form == "turtle":
        return subgraphs.turtle(found)
    from kgbuild.kg.drawing import draw

    return draw(found)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        screen.say(f"Written to {output}.")


@click.command()
@click.argument("qid")
@click.option("-k", "most", type=click.IntRange(1), default=10, show_default=True, help="Most items.")
@click.option(
    "--min-overlap",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many values must be shared.",
)
@screen.store_option
@screen.json_option
def similar(qid: str, most: int, min_overlap: int, store: Path, as_json: bool) -> None:
    """Find the items of the same class that share most property values with an item.

    \b
    Example:
      kgbuild similar Q255 -k 5
    """
    from kgbuild.kg.hierarchy import Kinds
    from kgbuild.kg.overlap import Overlap

    item = wikidata.parse_item(qid)
    with opened(store) as (made, graph, _):
        known = labels.Labels(graph, made.languages[0])
        kinds = Kinds(graph, catalog().kinds)
        found = [catalog().kinds[name] for name in kinds.of(item)]
        if not found and known.label(item) is None:
            raise UnknownItemError(item, subgraphs.near_ids(known, item))
        if not found:
            raise NoKindError(item, sorted(kinds.classes(item)))
        properties = found[0].similarity
        overlap = Overlap(graph, kinds, properties)
        rows = [
            {
                "qid": near.qid,
                "label": known.label(near.qid) or near.qid,
                "overlap": near.overlap,
                "shared": [
                    (known.label(pid) or pid, known.label(value) or value)
                    for pid, value in overlap.shared(item, near.qid, properties)
                ],
            }
            for near in itertools.islice(overlap.neighbours(item, properties, min_overlap), most)
        ]
    if as_json:
        rows = [{**row, "shared": [dict(zip(("property", "value"), s)) for s in row["shared"]]} for row in rows]
    else:
        rows = [{**row, "shared": screen.words(row["shared"])} for row in rows]
    screen.show(rows, as_json, ("qid", "label", "overlap", "shared"))
