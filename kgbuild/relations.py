"""Parse ``relations.toml``: relations (properties with questions) and kinds of items."""

import difflib
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from kgbuild.errors import RelationsFileError
from kgbuild.wikidata import NUMBER

MAX_SIMILARITY = 8
"""Maximum number of similarity properties of a kind, the parameters of property_overlap.rq."""
_ID = re.compile(f"P{NUMBER}")
_INVISIBLE = " \t\n\u200b\u200e\u200f\ufeff"
"""Invisible characters at the ends of some labels: spaces and marks of writing direction."""


def clean(label: str) -> str:
    """Return a label without invisible characters at its ends, and with single spaces."""
    return " ".join(label.strip(_INVISIBLE).split())


COUNTRIES = ("P27", "P17", "P495")
"""The properties country of citizenship, country, and country of origin."""


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
        """Return a phrase for an item of this kind: its label, often with an article."""
        name = clean(label)
        for pattern, phrase in self.phrases:
            if match := re.search(pattern, name):
                return phrase.replace("{label}", match.groupdict().get("label") or name)
        return name

    def fits(self, label: str) -> bool:
        """Return whether a question can refer to an item of this kind by its label."""
        return not any(re.search(pattern, clean(label)) for pattern in self.unfit)


class Wording(NamedTuple):
    """Question templates of a relation for the items of a kind.

    ``name`` is the name of the kind, or empty for the templates of all other kinds.
    """

    name: str
    templates: tuple[str, ...]


@dataclass(frozen=True)
class Relation:
    """A relation: the property ``pid`` with questions; ``relations.toml`` explains the fields."""

    pid: str
    label: str
    subject: tuple[str, ...]
    object: tuple[str, ...]
    # Statements that the relation implies or excludes.
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
    # The choice of replacements for the subject.
    requires: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    near: tuple[str, ...] = COUNTRIES
    abroad: bool = False
    evident: tuple[str, ...] = ()
    # Templates of questions.
    bridge: str = ""
    syn_qa: tuple[str, ...] = ()
    wordings: tuple[Wording, ...] = ()
    granola: tuple[str, ...] = ()
    biokalma: tuple[str, ...] = ()
    # The answers of GRANOLA, and the items of BioKaLMA.
    coarse: bool = False
    where: bool = False
    classes: bool = False
    first: bool = False
    at: str = ""
    via: str = ""
    expected: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The properties that link two persons: P26, or P800/P57 (through a work)."""
        return f"{self.via}/{self.pid}" if self.via else self.pid

    def wording(self, subject: Collection[str], object_: Collection[str]) -> Wording:
        """Return the question templates of Syn-QA for the kinds of a subject and of an object.

        The result has no templates if no question suits these kinds.
        """
        for kinds in (subject, object_):
            for wording in self.wordings:
                if wording.name in kinds:
                    return wording
        return Wording("", self.syn_qa)

    @property
    def evident_properties(self) -> tuple[str, ...]:
        """The properties in the paths of the key ``evident``, such as P131/P17."""
        return tuple(pid for path in self.evident for pid in path.split("/"))

    @property
    def references(self) -> set[str]:
        """The ids of the other relations to which this relation refers."""
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
"""Kinds by name, and by id: relations, labels of properties, and errors of other relations."""


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
    # Relations that refer to a missing relation are removed, which can affect others.
    while unresolved := {
        pid: missing
        for pid, relation in relations.items()
        if (missing := relation.references - {*relations})
    }:
        for pid, missing in unresolved.items():
            fault = f"names '{min(missing)}', which is not a relation here"
            faults[pid] = RelationsFileError(f"[relations.{pid}]", fault)
            del relations[pid]
    labels = {pid: relation.label for pid, relation in relations.items()}
    return kinds, relations, {**properties, **labels}, faults


def _kind(name: str, table: Mapping[str, Any]) -> Kind:
    section = f"[kinds.{name}]"
    fields = _fields(section, table, Kind)
    fields["phrases"] = tuple(tuple(pair) for pair in fields.get("phrases", ()))
    kind = Kind(name=name, **fields)
    _check_ids(section, (*kind.similarity, *kind.begins, *kind.ends))
    if len(kind.similarity) > MAX_SIMILARITY:
        raise RelationsFileError(section, f"has more than {MAX_SIMILARITY} similarity properties")
    for pattern in (*kind.unfit, *(pattern for pattern, _ in kind.phrases)):
        try:
            re.compile(pattern)
        except re.error as error:
            raise RelationsFileError(section, f"the pattern '{pattern}': {error}") from error
    for _, phrase in kind.phrases:
        if phrase.count("{label}") != 1:
            raise RelationsFileError(section, f"the phrase '{phrase}' needs one {{label}}")
    return kind


def _relation(pid: str, table: Mapping[str, Any], kinds: Mapping[str, Kind]) -> Relation:
    section = f"[relations.{pid}]"
    fields = _fields(section, table, Relation)
    by_kind = fields.get("wordings", {})
    if not isinstance(by_kind, dict) or not all(
        isinstance(templates, list) for templates in by_kind.values()
    ):
        raise RelationsFileError(section, "wordings is not a table of lists of questions")
    fields["wordings"] = tuple(Wording(name, tuple(texts)) for name, texts in by_kind.items())
    try:
        relation = Relation(pid=pid, **fields)
    except TypeError as error:
        raise RelationsFileError(section, "needs label, subject and object") from error
    related = (*relation.requires, *relation.alike, *relation.near)
    related += (*relation.evident_properties, *filter(None, (relation.at, relation.via)))
    _check_ids(section, (pid, *relation.forward, *relation.backward, *related))
    if relation.bridge and relation.bridge.count("{subject}") != 1:
        raise RelationsFileError(section, f"the bridge '{relation.bridge}' needs one {{subject}}")
    for kind in (*relation.subject, *relation.object, *by_kind):
        if kind not in kinds:
            raise RelationsFileError(section, f"the kind '{kind}' is not one of {', '.join(kinds)}")
    _check_questions(section, relation)
    return relation


def _check_questions(section: str, relation: Relation) -> None:
    both = ["object", "subject"]
    for role, templates, placeholders in (
        ("question", relation.syn_qa, both),
        *(("question", wording.templates, both) for wording in relation.wordings),
        ("opening", relation.biokalma, both),
        ("question", relation.granola, ["subject"]),
    ):
        for template in templates:
            if placeholders_of(template) != placeholders:
                needs = " and ".join(f"one {{{name}}}" for name in reversed(placeholders))
                raise RelationsFileError(section, f"the {role} '{template}' needs {needs}")


def placeholders_of(template: str) -> list[str]:
    """Return the names of the placeholders of a template, in alphabetical order."""
    return sorted(re.findall(r"\{(\w*)\}", template))


def _fields(section: str, table: Mapping[str, Any], dataclass: type) -> dict[str, Any]:
    """Check that the keys of a table are fields of a dataclass; return its values by key.

    Lists become tuples.
    """
    keys = dataclass.__dataclass_fields__.keys() - {"pid", "name"}  # type: ignore[attr-defined]
    for key in table:
        if key not in keys:
            suggestions = difflib.get_close_matches(key, sorted(keys), n=1, cutoff=0.0)
            raise RelationsFileError(
                section, f"the key '{key}' is unknown; is it '{suggestions[0]}'?"
            )
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def _check_ids(section: str, pids: Iterable[str]) -> None:
    for pid in pids:
        if not _ID.fullmatch(pid):
            raise RelationsFileError(section, f"'{pid}' is not the id of a property")
