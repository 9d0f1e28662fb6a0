"""The commands ``stats``, ``relations`` and ``lookup``: what a store holds."""

import itertools
from pathlib import Path

import click

from kgbuild.catalog import catalog
from kgbuild.cli import options, output
from kgbuild.datasets import NAMES
from kgbuild.graph.open import Store, open_source, open_store
from kgbuild.store import manifest

_SHOWN = 15
"""Properties and classes that ``stats`` names."""


@click.command()
@options.store_option
@options.json_option
def stats(store: Path, as_json: bool) -> None:
    """Show what the store holds and where it came from.

    \b
    Example:
      kgbuild stats
    """
    with open_store(store) as opened:
        facts = _facts(opened)
    columns = ("section", "what", "value")
    output.show([dict(zip(columns, fact, strict=True)) for fact in facts], as_json)


def _facts(store: Store) -> list[tuple[str, str, object]]:
    """Return the (section, what, value) of the manifest that ``stats`` shows."""
    loaded = store.manifest
    return [
        ("store", "triples", loaded.triples),
        ("store", "items", loaded.items),
        ("store", "languages", "all" if loaded.everything else ", ".join(loaded.languages)),
        ("store", "loaded at", loaded.loaded_at),
        ("store", "fingerprint", loaded.fingerprint),
        *(("dump", file.name, f"{file.bytes:,} bytes, {file.modified}") for file in loaded.files),
        *(("dropped", reason, count) for reason, count in loaded.dropped.items()),
        ("dropped", "bad lines", loaded.bad),
        *(
            (section, f"{entity} {store.labels.label(entity) or ''}".strip(), count)
            for section, counts in (("property", loaded.properties), ("class", loaded.classes))
            for entity, count in itertools.islice(counts.items(), _SHOWN)
        ),
    ]


@click.command()
@options.store_option
@options.json_option
def relations(store: Path, as_json: bool) -> None:
    """List the relations that one can ask for, and how often the store states them.

    \b
    Example:
      kgbuild relations
    """
    statements = manifest.read(store).properties
    rows = [
        {
            "relation": relation.pid,
            "label": relation.label,
            "subject": " or ".join(relation.subject),
            "object": " or ".join(relation.object),
            "triples": statements.get(relation.pid, 0),
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
    help="Language of labels and descriptions.  [default: the store's first; en of an endpoint]",
)
@click.option("--limit", type=options.COUNT, default=20, help="Most items.")
@options.store_option
@options.endpoint_option
@options.json_option
def lookup(
    name: str,
    language: str | None,
    limit: int,
    store: Path,
    endpoint: str | None,
    as_json: bool,
) -> None:
    """Find items by label or alias, ignoring case and accents, the best match first.

    An endpoint finds names as they are spelled, in small letters or with capitals.

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
        output.notify(f"… and {len(matches) - limit:,} more: raise --limit.")
