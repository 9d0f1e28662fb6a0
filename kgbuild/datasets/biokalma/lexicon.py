"""The lexicon: English templates for each property, read from speech.toml and words.toml."""

import functools
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any, NamedTuple

FILES = ("speech.toml", "words.toml")


class Wording(NamedTuple):
    """The templates of the statements and questions about a property.

    words.toml explains the fields. ``place`` is the position in that file; it orders sentences and
    questions.
    """

    topic: str
    says: str
    asks: str
    label: str = ""
    what: tuple[str, ...] = ()
    value: str = ""
    group: str = ""
    tells: str = ""
    implied_by: tuple[str, ...] = ()
    of: str = ""
    unless: tuple[str, ...] = ()
    unlike: str = ""
    forms: tuple[tuple[str, str], ...] = ()
    shared: bool = False
    names: bool = False
    place: int = 0


class JointWording(NamedTuple):
    """The template of a question, and perhaps of a sentence, that joins two properties."""

    properties: tuple[str, str]
    asks: str
    says: str = ""


class Lexicon(NamedTuple):
    """The contents of both files, which explain the fields."""

    silent: frozenset[str]
    unasked: frozenset[str]
    akin: frozenset[str]
    topics: Mapping[str, str]
    general: Mapping[str, tuple[str, ...]]
    sexes: Mapping[str, frozenset[str]]
    described: Mapping[str, frozenset[str]]
    honoured: Mapping[str, frozenset[str]]
    telling: frozenset[str]
    kin: frozenset[str]
    deadly: frozenset[str]
    begun: frozenset[str]
    properties: Mapping[str, Wording]
    together: tuple[JointWording, ...]

    def of(self, pid: str, label: str) -> Wording:
        """Return the wording of a property: its own, or one derived from its label."""
        return self.properties.get(pid) or fallback(label)._replace(place=len(self.properties))


@functools.cache
def lexicon() -> Lexicon:
    """Return the lexicon of the package."""
    folder = resources.files("kgbuild.datasets.biokalma")
    texts = [(folder / name).read_text(encoding="utf-8") for name in FILES]
    tables = {name: table for text in texts for name, table in tomllib.loads(text).items()}
    sets = ("silent", "unasked", "akin", "telling", "kin", "deadly", "begun")
    fields: dict[str, Any] = {name: frozenset(tables[name]) for name in sets}
    for name in ("sexes", "described", "honoured"):
        fields[name] = {pronoun: frozenset(words) for pronoun, words in tables[name].items()}
    return Lexicon(
        **fields,
        topics=tables["topics"],
        general={name: tuple(forms) for name, forms in tables["general"].items()},
        properties={
            pid: _wording(place, table)
            for place, (pid, table) in enumerate(tables["properties"].items())
        },
        together=tuple(
            JointWording(tuple(table["properties"]), table["asks"], table.get("says", ""))
            for table in tables["together"]
        ),
    )


def _wording(place: int, table: Mapping[str, Any]) -> Wording:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
    }
    return Wording(place=place, **fields)


OTHER = "other"
"""The topic of properties that words.toml lacks."""
_ENDS_LOOSE = re.compile(
    r"\b(after|at|by|for|from|in|into|of|on|through|to|under|upon|with)$", re.IGNORECASE
)
_PARTICIPLE = re.compile(r"^(\w+(ed|en|wn|ught|uilt|ade|eld|old)|part|set|found) ", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"^(has|is|[a-z]+[^aiousS\W]s|[a-z]+(sh|ch|ss|x)es)\b(?! of\b)")


def fallback(label: str) -> Wording:
    """Return a grammatical wording derived from the label of a property.

    The template depends on the form of the label: a verb ("shares border with"), a participle
    with a preposition ("influenced by"), or a noun. Source: appendix A.3 of the paper.

    >>> fallback("influenced by").says, fallback("shares border with").asks, fallback("rank").says
    ('{he} [was|is] influenced by {value}', 'what [did|does] {he} share border with', \
'{his} rank [was|is] {value}')
    """
    plain = label.replace("{", "").replace("}", "").translate(_NO_MARKS)
    first = plain.partition(" ")[0]
    if _PARTICIPLE.match(plain) and _ENDS_LOOSE.search(plain):
        return Wording(OTHER, f"{{he}} [was|is] {plain} {{value}}", f"what [was|is] {{he}} {plain}")
    if _THIRD_PERSON.match(plain) and " " in plain:
        rest = plain.removeprefix(first)
        return Wording(
            OTHER, f"{{he}} {plain} {{value}}", f"what [did|does] {{he}} {_base(first)}{rest}"
        )
    return Wording(OTHER, f"{{his}} {plain} [was|is] {{value}}", f"what [was|is] {{his}} {plain}")


_NO_MARKS = {ord(mark): None for mark in "[]<>|"}


def _base(verb: str) -> str:
    """Return the base form of a verb in the third person.

    >>> _base("has"), _base("shares"), _base("reaches"), _base("carries")
    ('have', 'share', 'reach', 'carry')
    """
    if verb in ("has", "is"):
        return {"has": "have", "is": "be"}[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if re.search(r"(sh|ch|ss|x)es$", verb) else verb[:-1]
