"""Parse ``relations.toml``: relations (properties with questions) and kinds of items."""

import difflib
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from kgbuild.errors import RelationsFileError
from kgbuild.wikidata import NUMBER

MOST_SIMILARITY = 8
"""Maximum number of similarity properties of a kind: property_overlap.rq has so many parameters."""
_ID = re.compile(f"P{NUMBER}")
_INVISIBLE = " \t\n\u200b\u200e\u200f\ufeff"
"""Invisible characters at the ends of some labels: spaces and marks of the writing direction."""


def clean(label: str) -> str:
    """Return a label without invisible characters at its ends, and with single spaces."""
    return " ".join(label.strip(_INVISIBLE).split())


COUNTRIES = ("P27", "P17", "P495")
"""Country of citizenship, country, country of origin."""


@dataclass(frozen=True)
class Kind:
    """A kind of items, such as people; ``relations.toml`` explains the fields."""

    name: str
    classes: tuple[str, ...] = ()
    similarity: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    apart: int = 50
    serial: bool = False
    phrases: tuple[tuple[str, str], ...] = ()
    unfit: tuple[str, ...] = ()

    def phrase(self, label: str) -> str:
        """Return the label of an item of this kind with its article, for a sentence."""
        plain = clean(label)
        for pattern, phrase in self.phrases:
            if match := re.search(pattern, plain):
                return phrase.replace("{label}", match.groupdict().get("label") or plain)
        return plain

    def fits(self, label: str) -> bool:
        """Tell whether the label of an item of this kind names it in a question."""
        return not any(re.search(pattern, clean(label)) for pattern in self.unfit)


class Wording(NamedTuple):
    """The questions of a relation about items of some kinds; the name is empty for the default."""

    name: str
    templates: tuple[str, ...]


@dataclass(frozen=True)
class Relation:
    """A relation: the property ``pid`` with questions; ``relations.toml`` explains the fields."""

    pid: str
    label: str
    subject: tuple[str, ...]
    object: tuple[str, ...]
    symmetric: bool = False
    transitive: bool = False
    inverse: tuple[str, ...] = ()
    narrower: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    single_valued: bool = False
    contemporary: bool = False
    alive: bool = False
    later: tuple[int, int] = (-5000, 5000)
    shared: tuple[str, ...] = ()
    within: bool = False
    groups: bool = False
    requires: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    near: tuple[str, ...] = COUNTRIES
    abroad: bool = False
    evident: tuple[str, ...] = ()
    bridge: str = ""
    syn_qa: tuple[str, ...] = ()
    wordings: tuple[Wording, ...] = ()
    granola: tuple[str, ...] = ()
    biokalma: tuple[str, ...] = ()
    coarse: bool = False
    where: bool = False
    classes: bool = False
    first: bool = False
    at: str = ""
    via: str = ""
    expected: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The properties from one person to the other: P26, or P800/P57 (by way of a work)."""
        return f"{self.via}/{self.pid}" if self.via else self.pid

    def wording(self, subject: Collection[str], object_: Collection[str]) -> Wording:
        """Return the questions of Syn-QA for the kinds of a subject and of an object.

        It has no templates if no question suits them.
        """
        for kinds in (subject, object_):
            for wording in self.wordings:
                if wording.name in kinds:
                    return wording
        return Wording("", self.syn_qa)

    @property
    def evident_properties(self) -> tuple[str, ...]:
        """The properties on the ways to evident objects."""
        return tuple(pid for way in self.evident for pid in way.split("/"))

    @property
    def references(self) -> set[str]:
        """The ids of other relations of the file to which this one refers."""
        return {*self.shared, *self.broader}

    @property
    def forward(self) -> tuple[str, ...]:
        """The properties P for which (x, P, y) states the relation between x and y."""
        return (self.pid, *self.narrower)

    @property
    def backward(self) -> tuple[str, ...]:
        """The properties P for which (y, P, x) states the relation between x and y."""
        return (*((self.pid,) if self.symmetric else ()), *self.inverse)


Entries: TypeAlias = tuple[
    dict[str, Kind], dict[str, Relation], dict[str, str], dict[str, RelationsFileError]
]
"""Kinds by name; relations, labels of properties, and errors of left out relations by id."""


def parse_entries(text: str) -> Entries:
    """Parse the text of a relations file.

    A relation with an error is left out, and so are the relations that refer to it.

    Raises:
        RelationsFileError: the text is not TOML, or a kind or a label has an error.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RelationsFileError("the file", str(error)) from error
    kinds = {name: _kind(name, table) for name, table in tables.get("kinds", {}).items()}
    if not isinstance(tables.get("relations", {}), dict):
        raise RelationsFileError("[relations]", "is not a table of relations")
    properties = tables.get("properties", {})
    _check_ids("[properties]", properties)
    relations: dict[str, Relation] = {}
    faults: dict[str, RelationsFileError] = {}
    for pid, table in tables.get("relations", {}).items():
        try:
            if not isinstance(table, dict):
                raise RelationsFileError(f"[relations.{pid}]", "is not a table")
            relations[pid] = _relation(pid, table, kinds)
        except RelationsFileError as error:
            faults[pid] = error
    while dangling := {
        pid: missing
        for pid, relation in relations.items()
        if (missing := relation.references - {*relations})
    }:
        for pid, missing in dangling.items():
            fault = f"names '{min(missing)}', which is not a relation here"
            faults[pid] = RelationsFileError(f"[relations.{pid}]", fault)
            del relations[pid]
    labels = {pid: relation.label for pid, relation in relations.items()}
    return kinds, relations, {**properties, **labels}, faults


def _kind(name: str, table: Mapping[str, Any]) -> Kind:
    where = f"[kinds.{name}]"
    fields = _fields(where, table, Kind)
    fields["phrases"] = tuple(tuple(pair) for pair in fields.get("phrases", ()))
    kind = Kind(name=name, **fields)
    _check_ids(where, (*kind.similarity, *kind.begins, *kind.ends))
    if len(kind.similarity) > MOST_SIMILARITY:
        raise RelationsFileError(where, f"has more than {MOST_SIMILARITY} similarity properties")
    for pattern in (*kind.unfit, *(pattern for pattern, _ in kind.phrases)):
        try:
            re.compile(pattern)
        except re.error as error:
            raise RelationsFileError(where, f"the pattern '{pattern}': {error}") from error
    for _, phrase in kind.phrases:
        if phrase.count("{label}") != 1:
            raise RelationsFileError(where, f"the phrase '{phrase}' needs one {{label}}")
    return kind


def _relation(pid: str, table: Mapping[str, Any], kinds: Mapping[str, Kind]) -> Relation:
    where = f"[relations.{pid}]"
    fields = _fields(where, table, Relation)
    by_kind = fields.get("wordings", {})
    if not isinstance(by_kind, dict) or not all(isinstance(v, list) for v in by_kind.values()):
        raise RelationsFileError(where, "wordings is not a table of lists of questions")
    fields["wordings"] = tuple(Wording(name, tuple(texts)) for name, texts in by_kind.items())
    try:
        relation = Relation(pid=pid, **fields)
    except TypeError as error:
        raise RelationsFileError(where, "needs label, subject and object") from error
    related = (*relation.requires, *relation.alike, *relation.near)
    related += (*relation.evident_properties, *filter(None, (relation.at, relation.via)))
    _check_ids(where, (pid, *relation.forward, *relation.backward, *related))
    if relation.bridge and relation.bridge.count("{subject}") != 1:
        raise RelationsFileError(where, f"the bridge '{relation.bridge}' needs one {{subject}}")
    for kind in (*relation.subject, *relation.object, *by_kind):
        if kind not in kinds:
            raise RelationsFileError(where, f"the kind '{kind}' is not one of {', '.join(kinds)}")
    _check_questions(where, relation)
    return relation


def _check_questions(where: str, relation: Relation) -> None:
    both = ["object", "subject"]
    for kind, templates, places in (
        ("question", relation.syn_qa, both),
        *(("question", wording.templates, both) for wording in relation.wordings),
        ("opening", relation.biokalma, both),
        ("question", relation.granola, ["subject"]),
    ):
        for template in templates:
            if places_of(template) != places:
                needs = " and ".join(f"one {{{place}}}" for place in reversed(places))
                raise RelationsFileError(where, f"the {kind} '{template}' needs {needs}")


def places_of(template: str) -> list[str]:
    """Return the names of the placeholders of a template, in alphabetical order."""
    return sorted(re.findall(r"\{(\w*)\}", template))


def _fields(where: str, table: Mapping[str, Any], dataclass: type) -> dict[str, Any]:
    """Return a table's values, lists as tuples, after checking its keys against a dataclass."""
    keys = dataclass.__dataclass_fields__.keys() - {"pid", "name"}  # type: ignore[attr-defined]
    for key in table:
        if key not in keys:
            near = difflib.get_close_matches(key, sorted(keys), n=1, cutoff=0.0)
            raise RelationsFileError(where, f"the key '{key}' is unknown; is it '{near[0]}'?")
    return {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}


def _check_ids(where: str, pids: Iterable[str]) -> None:
    for pid in pids:
        if not _ID.fullmatch(pid):
            raise RelationsFileError(where, f"'{pid}' is not the id of a property")
