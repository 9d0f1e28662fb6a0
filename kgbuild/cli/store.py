"""The commands ``stats``, ``relations`` and ``lookup``: what a store holds."""

import itertools
from pathlib import Path

import click

from kgbuild.catalog import catalog
from kgbuild.cli import screen
from kgbuild.datasets import NAMES
from kgbuild.graph.open import Store, open_source, open_store
from kgbuild.store import manifest

_SHOWN = 15
"""How many properties and classes ``stats`` names."""


@click.command()
@screen.store_option
@screen.json_option
def stats(store: Path, as_json: bool) -> None:
    """Show what the store holds and where it came from.

    \b
    Example:
      kgbuild stats
    """
    with open_store(store) as opened:
        facts = _facts(opened)
    columns = ("section", "what", "value")
    screen.show([dict(zip(columns, fact, strict=True)) for fact in facts], as_json)


def _facts(store: Store) -> list[tuple[str, str, object]]:
    """Return the (section, what, value) of the manifest that ``stats`` shows."""
    made = store.manifest
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
            facts.append((section, f"{entity} {store.labels.label(entity) or ''}".strip(), count))
    return facts


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
            "datasets": ", ".join(
                name.replace("_", "-") for name in NAMES if getattr(relation, name, None)
            ),
        }
        for relation in catalog().relations.values()
    ]
    screen.show(rows, as_json)


@click.command()
@click.argument("name")
@click.option(
    "--lang",
    "language",
    help="Language of labels and descriptions.  [default: the store's first; en of an endpoint]",
)
@click.option("--limit", type=screen.COUNT, default=20, show_default=True, help="Most items.")
@screen.store_option
@screen.endpoint_option
@screen.json_option
def lookup(
    name: str,
    language: str | None,
    limit: int,
    store: Path,
    endpoint: str | None,
    as_json: bool,
) -> None:
    """Find items by label or alias, ignoring case and accents, the best match first.

    An endpoint finds only the exact spelling, lower case, and common capitalisations.

    \b
    Example:
      kgbuild lookup "marie curie"
      kgbuild lookup "Marie Curie" --endpoint https://query.wikidata.org/sparql
    """
    if language is not None:
        screen.require_language(language)
    with open_source(store, screen.chosen(endpoint), screen.say, language) as source:
        matches = source.lookup(name, language=language)
    screen.show([match._asdict() for match in matches[:limit]], as_json)
    if len(matches) > limit:
        screen.say(f"… and {len(matches) - limit:,} more: raise --limit.")
