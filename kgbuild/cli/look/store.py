"""The commands that read a store: stats, relations, lookup, subgraph and similar."""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.catalog import catalog
from kgbuild.cli import options, output
from kgbuild.datasets import NAMES
from kgbuild.dump.kinds import REASONS
from kgbuild.errors import escape_controls
from kgbuild.graph.open import Store, open_source, open_store
from kgbuild.store import manifest
from kgbuild.wikidata import parse_item

if TYPE_CHECKING:
    from kgbuild.graph.subgraph import Subgraph


@click.command()
@options.store_option
@options.json_option
def stats(store: Path, as_json: bool) -> None:
    """Show the contents of the store and the dumps that it was loaded from.

    \b
    Example:
      kgbuild stats
    """
    with open_store(store) as opened:
        facts = _facts(opened)
    columns = ("section", "what", "value")
    output.show([dict(zip(columns, fact, strict=True)) for fact in facts], as_json)


def _facts(store: Store) -> list[tuple[str, str, object]]:
    """Return rows of (section, what, value) from the manifest, with 15 properties and classes."""
    loaded = store.manifest
    return [
        ("store", "triples", loaded.triples),
        ("store", "items", loaded.items),
        ("store", "languages", "all" if loaded.everything else ", ".join(loaded.languages)),
        ("store", "loaded at", loaded.loaded_at),
        ("store", "fingerprint", loaded.fingerprint),
        *(("dump", file.name, f"{file.bytes:,} bytes, {file.modified}") for file in loaded.files),
        *(
            ("dropped", REASONS.get(reason, reason), count)
            for reason, count in loaded.dropped.items()
        ),
        ("dropped", "bad lines", loaded.bad),
        *(
            (section, f"{entity} {store.labels.label(entity) or ''}".strip(), count)
            for section, counts in (("property", loaded.properties), ("class", loaded.classes))
            for entity, count in itertools.islice(counts.items(), 15)
        ),
    ]


@click.command()
@options.store_option
@options.json_option
def relations(store: Path, as_json: bool) -> None:
    """List the relations for questions, and the number of their statements in the store.

    \b
    Example:
      kgbuild relations
    """
    statements = manifest.read(store).properties
    rows = [
        {
            "relation": relation.pid,
            "label": relation.label,
            "subject": " or ".join(relation.subject_kinds),
            "object": " or ".join(relation.object_kinds),
            "triples": statements.get(relation.pid, 0),
            # A relation has a field of question templates by the name of each dataset.
            "datasets": ", ".join(
                name.replace("_", "-") for name in NAMES if getattr(relation, name, None)
            ),
        }
        for relation in catalog().relations.values()
    ]
    output.show(rows, as_json)


@click.command()
@click.argument("name")
@click.option(
    "--lang",
    "language",
    help="Language of labels and descriptions.  [default: the store's first; en for an endpoint]",
)
@click.option("--limit", type=options.COUNT, default=20, help="Maximum number of items.")
@options.source_options
def lookup(
    name: str, language: str | None, limit: int, store: Path, endpoint: str | None, as_json: bool
) -> None:
    """Find items by label or alias, ignoring case and accents, the best match first.

    An endpoint finds only the exact spelling, lower case, and common capitalisations.

    \b
    Example:
      kgbuild lookup "marie curie"
      kgbuild lookup "Marie Curie" --endpoint https://query.wikidata.org/sparql
    """
    if language is not None:
        options.require_language(language)
    with open_source(store, options.choose_endpoint(endpoint), output.notify, language) as source:
        matches = source.lookup(name, language=language)
    output.show([match._asdict() for match in matches[:limit]], as_json)
    if len(matches) > limit:
        output.notify(f"… and {len(matches) - limit:,} more. Raise --limit.")


_FORMS = {"": "table", ".txt": "table", ".json": "json", ".ttl": "turtle", ".html": "html"}
"""The forms of a subgraph, by the ending of a file."""
_ENDINGS = ", ".join(filter(None, _FORMS))


@click.command()
@click.argument("qid")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "turtle", "html"]),
    help="Format on standard output: a table, JSON, Turtle, or a page with a picture.  [default: "
    "table]",
)
@options.option_of(Store.subgraph, "limit", "Maximum number of values per property and direction.")
@options.output_option("path", f"Write to a file: {_ENDINGS}.")
@options.source_options
def subgraph(
    qid: str,
    form: str | None,
    limit: int,
    path: Path | None,
    store: Path,
    endpoint: str | None,
    as_json: bool,
) -> None:
    """Show the one-hop subgraph of an item: statements about it, and statements that point to it.

    \b
    Example:
      kgbuild subgraph Q255
      kgbuild subgraph Q255 -o beethoven.html
    """
    options.refuse_unused(as_json, "with --json", "form")
    options.refuse_format(path, "form", "as_json")
    item = parse_item(qid)
    form = "json" if as_json else form or _form_of(path)
    with open_source(store, options.choose_endpoint(endpoint), output.notify) as source:
        item_subgraph = source.subgraph(item, limit)
    output.write(_render(item_subgraph, form), path)
    if more := item_subgraph.total - len(item_subgraph.edges):
        output.notify(f"… and {more:,} more statements. Raise --limit.")


def _form_of(path: Path | None) -> str:
    ending = path.suffix.lower() if path else ""
    if ending not in _FORMS:
        raise click.BadParameter(f"'{path}' ends with none of {_ENDINGS}.", param_hint="-o")
    return _FORMS[ending]


def _render(subgraph: "Subgraph", form: str) -> str:
    if form == "turtle":
        from kgbuild.graph.subgraph import turtle

        return escape_controls(turtle(subgraph))
    if form == "html":
        from kgbuild.drawing.subgraph_page import draw

        return draw(subgraph)
    columns = ("direction", "property", "property_label", "value", "label")
    rows = [edge._asdict() | {"value": edge.value.text} for edge in subgraph.edges]
    return output.render(rows, form == "json", columns)


@click.command()
@click.argument("qids", metavar="QID…", nargs=-1, required=True)
@click.option("--limit", type=options.COUNT, default=10, help="Maximum number of items.")
@options.option_of(Store.similar, "min_overlap", "Minimum number of shared values.")
@options.source_options
def similar(
    qids: tuple[str, ...],
    limit: int,
    min_overlap: int,
    store: Path,
    endpoint: str | None,
    as_json: bool,
) -> None:
    """Find the items of the same class that share the most property values with an item.

    With several items, the first column names the item to which the others are similar.

    \b
    Example:
      kgbuild similar Q255 --limit 5
      kgbuild similar Q255 Q7186
    """
    items = [parse_item(qid) for qid in qids]
    with open_source(store, options.choose_endpoint(endpoint), output.notify) as source:
        similar_items = source.similar_to_each(items, limit, min_overlap)
    rows = [
        {"of": item, **match._asdict(), "shared": [value._asdict() for value in match.shared]}
        for item, matches in similar_items.items()
        for match in matches
    ]
    columns = ["of", "qid", "label", "overlap", "shared"]
    if len(similar_items) == 1:
        columns.remove("of")
    output.show([{name: row[name] for name in columns} for row in rows], as_json, columns)
    for item in (item for item, matches in similar_items.items() if not matches):
        least = "a value" if min_overlap == 1 else f"{min_overlap:,} values"
        output.notify(f"No item of the class of {item} shares {least} with it.")
