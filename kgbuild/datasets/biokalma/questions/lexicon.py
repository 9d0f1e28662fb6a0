"""The lexicon: English templates for properties, from words.toml and themes.toml."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kgbuild.data_files import read_toml

OTHER = "other"
"""The topic of properties that have none in words.toml."""


class PropertyWording(NamedTuple):
    """The templates of the statements and questions about a property.

    words.toml explains the fields in full.
    """

    topic: str = OTHER  # a key of ``Lexicon.names``
    says: str = ""  # the template of a sentence
    asks: str = ""  # the template of a question
    asks_both: str = ""  # the template of a question about two subjects
    noun: tuple[str, ...] = ()  # the noun for its values: singular and plural
    kinds: tuple[tuple[str, str, str], ...] = ()  # regular expressions of values, with nouns
    any_number: bool = False  # whether the question has no number; else the noun tells it
    value_form: str = ""  # before items: "a" or "the"
    group: str = ""  # properties of one group can state the same piece
    implies_group: str = ""  # a value of this property also implies a value of that group
    implied_by: tuple[str, ...] = ()  # properties whose values imply a value of this property
    unfit_values: str = ""  # a regular expression of values that the wording does not fit
    variants: tuple[tuple[str, str], ...] = ()  # regular expressions of values, with sentences
    position: int = 0  # the position in words.toml, which orders sentences and questions


ALL = "all"
"""The widest theme: all that is known of subjects."""


class ThemeName(NamedTuple):
    """A theme, which a general question can name, or a topic.

    themes.toml explains the fields in full.
    """

    theme: str  # of a topic; a theme has its own name here
    asks: tuple[str, ...] = ()  # templates of a question about both subjects
    beside: tuple[str, ...] = ()  # topics of other themes that one question can ask for, too
    apart: tuple[str, ...] = ()  # themes of what joins two that this theme does not go with
    wide: str = ALL  # the theme that is named instead if a theme has nothing more of both subjects


class Lexicon(NamedTuple):
    """The contents of the files; properties are given as ids."""

    silent: frozenset[str]  # properties in no pool of citable pieces
    unasked: frozenset[str]  # properties that are in pools, but in no question
    by_theme: frozenset[str]  # properties for which only the name of a theme asks
    names: Mapping[str, ThemeName]  # themes and topics
    of_dead_people: frozenset[str]  # properties that only dead people have
    labels: Mapping[str, str]  # of properties, for stores that lack them
    properties: Mapping[str, PropertyWording]  # by property id
    together: Sequence[tuple[str, str, str]]  # two properties, and the sentence that joins them

    def wording(self, pid: str, label: str = "") -> PropertyWording:
        """Return the wording of a property in words.toml.

        Nobody asks for any other property; it is stated by its label.
        """
        if wording := self.properties.get(pid):
            return wording
        says = f"{{his}} {label.translate(_WITHOUT_MARKS)} [was|is] {{value}}"
        return PropertyWording(says=says)

    def theme(self, pid: str, width: int = 0) -> str:
        """Return the theme of a property, or the one that is ``width`` steps wider."""
        theme = self.names[self.wording(pid).topic].theme
        for _ in range(width):
            theme = self.names[theme].wide
        return theme


@functools.cache
def lexicon() -> Lexicon:
    """Return the lexicon of the package."""
    tables = read_toml("datasets/biokalma/words.toml")
    names_of_sets = ("silent", "unasked", "by_theme", "of_dead_people")
    fields: dict[str, Any] = {name: frozenset(tables[name]) for name in names_of_sets}
    return Lexicon(
        **fields,
        labels=tables["labels"],
        names={
            name: ThemeName(**{"theme": name, **_fields(table)})
            for name, table in read_toml("datasets/biokalma/themes.toml").items()
        },
        properties={
            pid: PropertyWording(position=position, **_fields(table))
            for position, (pid, table) in enumerate(tables["properties"].items())
        },
        together=[tuple(joint) for joint in tables["together"]],
    )


def _fields(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a table, whose lists become tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


_WITHOUT_MARKS = {ord(mark): None for mark in "{}[]<>|"}
"""A table for ``str.translate`` that removes the marks of templates."""
