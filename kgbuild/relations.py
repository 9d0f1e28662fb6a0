"""What is known of relations and of kinds of items: the reader of ``relations.toml``."""

import difflib
import functools
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from kgbuild.errors import MalformedIdError, RelationsFileError, UnknownRelationError
from kgbuild.kg.wikidata import number, parse_property

MOST_SIMILARITY = 8
"""How many similarity properties a kind may have: the places in property_overlap.rq."""
_INVISIBLE = " \t\n\u200b\u200e\u200f\ufeff"
"""What some labels end with unseen: spaces, marks of the direction of writing."""


@dataclass(frozen=True)
class Kind:
    """A kind of items: its root classes, its similarity properties, how its labels are worded."""

    name: str
    classes: tuple[str, ...] = ()
    similarity: tuple[str, ...] = ()
    phrases: tuple[tuple[str, str], ...] = ()

    def phrase(self, label: str) -> str:
        """Return a label of this kind as it stands in a sentence, with its article."""
        clean = label.strip(_INVISIBLE)
        for pattern, phrase in self.phrases:
            if re.search(pattern, clean):
                return phrase.replace("{label}", clean)
        return clean


@dataclass(frozen=True)
class Relation:
    """A relation: the property ``pid``, the kinds at its ends, what else says the same."""

    pid: str
    label: str
    subject: tuple[str, ...]
    object: tuple[str, ...]
    symmetric: bool = False
    transitive: bool = False
    inverse: tuple[str, ...] = ()
    narrower: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    within: bool = False
    groups: bool = False
    requires: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    bars: tuple[str, ...] = ()
    syn_qa: tuple[str, ...] = ()

    @property
    def forward(self) -> tuple[str, ...]:
        """The properties P for which (x, P, y) says that the relation holds of x and y."""
        return (self.pid, *self.narrower)

    @property
    def backward(self) -> tuple[str, ...]:
        """The properties P for which (y, P, x) says that the relation holds of x and y."""
        return (*((self.pid,) if self.symmetric else ()), *self.inverse)


@dataclass(frozen=True)
class Catalog:
    """All kinds, relations and labels of properties, in the order of the file."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    relations: Mapping[str, Relation] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def mentioned(self) -> tuple[str, ...]:
        """The properties that the file names anywhere, in the order of their numbers."""
        found = {*self.properties}
        for kind in self.kinds.values():
            found.update(kind.similarity)
        for relation in self.relations.values():
            found.update(relation.forward, relation.backward, relation.requires, relation.alike)
        return tuple(sorted(found, key=number))

    def relation(self, text: str) -> Relation:
        """Return the relation that a user names by its id.

        Raises:
            MalformedIdError: ``text`` is no property's id.
            UnknownRelationError: the file has no such relation; it holds the nearest ones.
        """
        pid = parse_property(text)
        if pid not in self.relations:
            close = difflib.get_close_matches(pid, list(self.relations), n=3, cutoff=0.0)
            raise UnknownRelationError(pid, [(near, self.relations[near].label) for near in close])
        return self.relations[pid]


@functools.cache
def catalog() -> Catalog:
    """Return what ``relations.toml`` says.

    Raises:
        RelationsFileError: the file breaks its rules.
    """
    return parse((resources.files("kgbuild") / "relations.toml").read_text(encoding="utf-8"))


def parse(text: str) -> Catalog:
    """Parse the text of a relations file.

    Raises:
        RelationsFileError: the text breaks the rules.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RelationsFileError("the file", str(error)) from error
    kinds = {name: _kind(name, table) for name, table in tables.get("kinds", {}).items()}
    relations = {
        pid: _relation(pid, table, kinds) for pid, table in tables.get("relations", {}).items()
    }
    for pid, relation in relations.items():
        for other in {*relation.shared, *relation.bars} - set(relations):
            raise RelationsFileError(
                f"[relations.{pid}]", f"names '{other}', which is no relation here"
            )
    properties = tables.get("properties", {})
    _check_ids("[properties]", properties)
    return Catalog(kinds, relations, properties)


def _kind(name: str, table: Mapping[str, Any]) -> Kind:
    where = f"[kinds.{name}]"
    fields = _fields(where, table, Kind)
    fields["phrases"] = tuple(tuple(pair) for pair in fields.get("phrases", ()))
    kind = Kind(name=name, **fields)
    _check_ids(where, kind.similarity)
    if len(kind.similarity) > MOST_SIMILARITY:
        raise RelationsFileError(where, f"has more than {MOST_SIMILARITY} similarity properties")
    for pattern, phrase in kind.phrases:
        try:
            re.compile(pattern)
        except re.error as error:
            raise RelationsFileError(where, f"the pattern '{pattern}': {error}") from error
        if phrase.count("{label}") != 1:
            raise RelationsFileError(where, f"the phrase '{phrase}' needs one {{label}}")
    return kind


def _relation(pid: str, table: Mapping[str, Any], kinds: Mapping[str, Kind]) -> Relation:
    where = f"[relations.{pid}]"
    try:
        relation = Relation(pid=pid, **_fields(where, table, Relation))
    except TypeError as error:
        raise RelationsFileError(where, "needs label, subject and object") from error
    _check_ids(
        where, (pid, *relation.forward, *relation.backward, *relation.requires, *relation.alike)
    )
    for kind in (*relation.subject, *relation.object):
        if kind not in kinds:
            raise RelationsFileError(where, f"the kind '{kind}' is none of {', '.join(kinds)}")
    for template in relation.syn_qa:
        if sorted(re.findall(r"\{(\w*)\}", template)) != ["object", "subject"]:
            raise RelationsFileError(
                where, f"the question '{template}' needs one {{subject}} and one {{object}}"
            )
    return relation


def _fields(where: str, table: Mapping[str, Any], of: type) -> dict[str, Any]:
    """Return a table's values, lists as tuples, if the dataclass ``of`` has all its keys."""
    known = of.__dataclass_fields__.keys() - {"pid", "name"}  # type: ignore[attr-defined]
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known), n=1, cutoff=0.0)
            raise RelationsFileError(where, f"the key '{key}' is unknown; is it '{near[0]}'?")
    return {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}


def _check_ids(where: str, pids: Iterable[str]) -> None:
    for pid in pids:
        try:
            good = parse_property(pid) == pid
        except MalformedIdError:
            good = False
        if not good:
            raise RelationsFileError(where, f"'{pid}' is no id of a property")
