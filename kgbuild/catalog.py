"""Relations and kinds of items, as ``relations.toml`` describes them."""

import difflib
import functools
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any

from kgbuild.errors import (
    AmbiguousRelationError,
    MalformedIdError,
    NoPathError,
    RelationsFileError,
    TemplateError,
    UnknownRelationError,
)
from kgbuild.wikidata import number, parse_property

MOST_SIMILARITY = 8
"""Most similarity properties of a kind: the parameters of property_overlap.rq."""
_ANY = "thing"
"""The kind of items that are of no other kind."""
_INVISIBLE = " \t\n\u200b\u200e\u200f\ufeff"
"""Invisible characters at the ends of some labels: spaces, marks of the writing direction."""


def clean(label: str) -> str:
    """Return a label without invisible characters at its ends, and with single spaces."""
    return " ".join(label.strip(_INVISIBLE).split())


@dataclass(frozen=True)
class Kind:
    """A kind of items: its root classes, similarity properties, dates and wording."""

    name: str
    classes: tuple[str, ...] = ()
    similarity: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    serial: bool = False
    phrases: tuple[tuple[str, str], ...] = ()

    def phrase(self, label: str) -> str:
        """Return the label of an item of this kind with its article, for a sentence."""
        plain = clean(label)
        for pattern, phrase in self.phrases:
            if re.search(pattern, plain):
                return phrase.replace("{label}", plain)
        return plain


@dataclass(frozen=True)
class Relation:
    """A relation: the property ``pid``, the kinds at its ends, and related properties."""

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
    shared: tuple[str, ...] = ()
    within: bool = False
    groups: bool = False
    requires: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    bridge: str = ""
    syn_qa: tuple[str, ...] = ()
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
        """The properties that lead from one subject to the other: P26, or P800/P57 via a work."""
        return f"{self.via}/{self.pid}" if self.via else self.pid

    @property
    def named(self) -> set[str]:
        """The relations of the file to which this one refers."""
        return {*self.shared, *self.broader}

    @property
    def forward(self) -> tuple[str, ...]:
        """The properties P for which (x, P, y) states the relation between x and y."""
        return (self.pid, *self.narrower)

    @property
    def backward(self) -> tuple[str, ...]:
        """The properties P for which (y, P, x) states the relation between x and y."""
        return (*((self.pid,) if self.symmetric else ()), *self.inverse)


@dataclass(frozen=True)
class Path:
    """The subject of a question: a relation, or two relations in a row.

    Two relations join x and y by (x, ``first``, z) and (z, ``last``, y), where z, the bridge, is
    the only object of the first one.
    """

    last: Relation
    first: Relation | None = None

    @property
    def name(self) -> str:
        """The ids of the relations: P26, or P26/P69."""
        return f"{self.first.pid}/{self.last.pid}" if self.first else self.last.pid

    @property
    def label(self) -> str:
        """The labels of the relations: spouse, or spouse / educated at."""
        return f"{self.first.label} / {self.last.label}" if self.first else self.last.label

    @property
    def hops(self) -> int:
        """The number of statements that lead from x to y."""
        return 2 if self.first else 1

    @property
    def start(self) -> Relation:
        """The relation whose subject is x."""
        return self.first or self.last


@dataclass(frozen=True)
class Catalog:
    """All kinds, relations and labels of properties, in the order of the file.

    ``faults`` are the errors of the relations that are left out, by their ids.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    relations: Mapping[str, Relation] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, RelationsFileError] = field(default_factory=dict)

    @property
    def mentioned(self) -> tuple[str, ...]:
        """All properties that the file names, by number."""
        found = {*self.properties}
        for kind in self.kinds.values():
            found.update(kind.similarity, kind.begins, kind.ends)
        for relation in self.relations.values():
            found.update(relation.forward, relation.backward, relation.requires, relation.alike)
            found.update(filter(None, (relation.at, relation.via)))
        return tuple(sorted(found, key=number))

    def asking(self, dataset: str) -> list[Relation]:
        """Return the relations that have questions for a dataset, in the order of the file."""
        return [relation for relation in self.relations.values() if getattr(relation, dataset)]

    def mirrors(self, relation: Relation) -> tuple[str, ...]:
        """Return the properties P for which (y, P, x) is equivalent to (x, ``relation``, y).

        Not all inverse properties are: a district has a capital, but a place in the district does
        not lie in the capital.
        """
        named = (pid for pid in relation.inverse if pid in self.relations)
        mutual = (pid for pid in named if relation.pid in self.relations[pid].inverse)
        return (*((relation.pid,) if relation.symmetric else ()), *mutual)

    def relation(self, text: str, dataset: str) -> Relation:
        """Return the relation with questions for a dataset by its id or its label.

        Raises:
            RelationsFileError: its entry in the file breaks the rules.
            AmbiguousRelationError: several relations have the label.
            UnknownRelationError: the file has no such relation, or no questions about it; the
                error holds the nearest relations.
        """
        known = {relation.pid: relation for relation in self.asking(dataset)}
        is_templated = dataset == "syn_qa"
        try:
            pid = self._id(text)
        except MalformedIdError as error:
            by_label = {relation.label.casefold(): relation.pid for relation in known.values()}
            labels = difflib.get_close_matches(text.casefold(), by_label, n=3, cutoff=0.4)
            near = [(by_label[label], known[by_label[label]].label) for label in labels]
            raise UnknownRelationError(text, near, is_templated) from error
        if pid in self.faults:
            raise self.faults[pid]
        if pid not in known:
            close = difflib.get_close_matches(pid, list(known), n=3, cutoff=0.0)
            raise UnknownRelationError(
                pid, [(near, known[near].label) for near in close], is_templated
            )
        return known[pid]

    def _id(self, text: str) -> str:
        """Return the id of the relation with a label, or the id that ``text`` is itself.

        Raises:
            AmbiguousRelationError: several relations have the label.
            MalformedIdError: ``text`` is neither a label nor an id.
        """
        label = clean(text).casefold()
        matches = [one for one in self.relations.values() if one.label.casefold() == label]
        if len(matches) > 1:
            raise AmbiguousRelationError(text, [(one.pid, one.label) for one in matches])
        return matches[0].pid if matches else parse_property(text)

    def path(self, text: str) -> Path:
        """Return the path of a relation, or of two with a slash between them, by id or label.

        Its last relation has questions with a false assumption.

        Raises:
            AmbiguousRelationError, UnknownRelationError: as for ``relation``.
            NoPathError: the two relations do not fit together.
        """
        first, slash, last = text.partition("/")
        if not slash:
            return Path(self.relation(text, "syn_qa"))
        if "/" in last:
            raise NoPathError(text, "a path has two relations")
        path = Path(self.relation(last, "syn_qa"), self.relation(first, "syn_qa"))
        if why := self._apart(path):
            raise NoPathError(path.name, why)
        return path

    def asked(
        self, text: str, labelled: Callable[[str], str | None], templates: Sequence[str]
    ) -> Relation:
        """Return a relation of the file, or a new one, with a user's own questions.

        A new relation takes subjects and objects of all kinds, and replaces a subject by items of
        the same class.

        Raises:
            MalformedIdError: ``text`` is neither an id nor a label.
            NoPathError: it is a path.
            TemplateError: a question does not have one {subject} and one {object}.
        """
        if "/" in text:
            raise NoPathError(text, "a question of your own is about one relation, not a path")
        pid = self._id(text)
        for template in templates:
            if _places(template) != ["object", "subject"]:
                raise TemplateError(template)
        kinds = [kind.name for kind in self.kinds.values() if kind.classes]
        alike = [name for name in kinds if self.kinds[name].similarity]
        unknown = Relation(pid, labelled(pid) or pid, (*alike, _ANY), (*kinds, _ANY), within=True)
        return replace(self.relations.get(pid, unknown), syn_qa=tuple(templates))

    def paths(self) -> list[Path]:
        """Return all paths over two relations, in the order of the file."""
        relations = self.asking("syn_qa")
        both = (Path(last, first) for first in relations for last in relations)
        return [path for path in both if not self._apart(path)]

    def _apart(self, path: Path) -> str:
        """Return why the second relation of a path cannot follow the first, or an empty text."""
        first, last = path.start, path.last
        if not first.bridge:
            return f"relations.toml does not say how to speak of the object of {first.pid} (bridge)"
        if last.pid in (*first.forward, *first.backward):
            return f"{last.pid} would lead back"
        if not {*first.object} & {*last.subject}:
            return f"no object of {first.pid} is a subject of {last.pid}"
        return ""


@functools.cache
def catalog() -> Catalog:
    """Return the kinds and relations of ``relations.toml``.

    Raises:
        RelationsFileError: the file breaks its rules.
    """
    return parse((resources.files("kgbuild") / "relations.toml").read_text(encoding="utf-8"))


def parse(text: str) -> Catalog:
    """Parse the text of a relations file.

    A relation that breaks the rules is left out, with those that refer to it.

    Raises:
        RelationsFileError: the text is no TOML, or a kind or a label breaks the rules.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RelationsFileError("the file", str(error)) from error
    kinds = {name: _kind(name, table) for name, table in tables.get("kinds", {}).items()}
    if not isinstance(tables.get("relations", {}), dict):
        raise RelationsFileError("[relations]", "is no table of relations")
    properties = tables.get("properties", {})
    _check_ids("[properties]", properties)
    relations: dict[str, Relation] = {}
    faults: dict[str, RelationsFileError] = {}
    for pid, table in tables.get("relations", {}).items():
        try:
            if not isinstance(table, dict):
                raise RelationsFileError(f"[relations.{pid}]", "is no table")
            relations[pid] = _relation(pid, table, kinds)
        except RelationsFileError as error:
            faults[pid] = error
    while unmet := {
        pid: gone for pid, one in relations.items() if (gone := one.named - {*relations})
    }:
        for pid, gone in unmet.items():
            faults[pid] = RelationsFileError(
                f"[relations.{pid}]", f"names '{min(gone)}', which is no relation here"
            )
            del relations[pid]
    labels = {pid: relation.label for pid, relation in relations.items()}
    return Catalog(kinds, relations, {**properties, **labels}, faults)


def _kind(name: str, table: Mapping[str, Any]) -> Kind:
    where = f"[kinds.{name}]"
    fields = _fields(where, table, Kind)
    fields["phrases"] = tuple(tuple(pair) for pair in fields.get("phrases", ()))
    kind = Kind(name=name, **fields)
    _check_ids(where, (*kind.similarity, *kind.begins, *kind.ends))
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
    others = (*relation.requires, *relation.alike, *filter(None, (relation.at, relation.via)))
    _check_ids(where, (pid, *relation.forward, *relation.backward, *others))
    if relation.bridge and relation.bridge.count("{subject}") != 1:
        raise RelationsFileError(where, f"the bridge '{relation.bridge}' needs one {{subject}}")
    for kind in (*relation.subject, *relation.object):
        if kind not in kinds:
            raise RelationsFileError(where, f"the kind '{kind}' is none of {', '.join(kinds)}")
    _check_questions(where, relation)
    return relation


def _check_questions(where: str, relation: Relation) -> None:
    for template in relation.syn_qa:
        if _places(template) != ["object", "subject"]:
            raise RelationsFileError(
                where, f"the question '{template}' needs one {{subject}} and one {{object}}"
            )
    for template in relation.biokalma:
        if _places(template) != ["object", "subject"]:
            raise RelationsFileError(
                where, f"the opening '{template}' needs one {{subject}} and one {{object}}"
            )
    for template in relation.granola:
        if _places(template) != ["subject"]:
            raise RelationsFileError(where, f"the question '{template}' needs one {{subject}}")


def _places(template: str) -> list[str]:
    return sorted(re.findall(r"\{(\w*)\}", template))


def _fields(where: str, table: Mapping[str, Any], of: type) -> dict[str, Any]:
    """Return a table's values, lists as tuples, after checking its keys against a dataclass."""
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
