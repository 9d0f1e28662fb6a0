"""Parse ``relations.toml``, and a user's file, into kinds, relations and labels of properties."""

import contextlib
import dataclasses
import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias, get_args, get_origin

from kgbuild.errors import RelationsFileError
from kgbuild.relations import MAX_SIMILARITY, Kind, Relation, Wording
from kgbuild.wikidata import NUMBER

_KEYS = {
    "begin_properties": "begins",
    "end_properties": "ends",
    "max_years_apart": "apart",
    "can_be_series": "serial",
    "unfit_labels": "unfit",
    "subject_kinds": "subject",
    "object_kinds": "object",
    "years_later": "later",
    "required_properties": "requires",
    "matching_properties": "alike",
    "near_properties": "near",
    "evident_paths": "evident",
    "accepts_places": "where",
    "accepts_classes": "classes",
    "earliest_only": "first",
    "event_date_property": "at",
    "connecting_property": "via",
}
"""The keys of the file by the fields of a kind or a relation, where the two names differ."""
_ITEM, _PROPERTY, _PATH = "the id of an item", "the id of a property", "a path of properties"
_FORMS = {
    _ITEM: re.compile(f"Q{NUMBER}"),
    _PROPERTY: re.compile(f"P{NUMBER}"),
    _PATH: re.compile(f"P{NUMBER}(/P{NUMBER})*"),
}
_REQUIRED = ("label", "subject_kinds", "object_kinds")
_IDS = {
    **dict.fromkeys(("classes", "expected"), _ITEM),
    **dict.fromkeys(("similarity", "begin_properties", "end_properties"), _PROPERTY),
    **dict.fromkeys(("inverse", "narrower", "required_properties"), _PROPERTY),
    **dict.fromkeys(("matching_properties", "near_properties"), _PROPERTY),
    **dict.fromkeys(("event_date_property", "connecting_property"), _PROPERTY),
    "evident_paths": _PATH,
}
"""The fields of a kind or a relation that contain ids, and what these are."""
FILE = "relations.toml"
"""The name of kgbuild's own relations file."""
_VALUES = {bool: "true or false", int: "a number", str: "a text", tuple: "a list"}
"""What a key needs, by the type of its field."""


Entries: TypeAlias = tuple[
    dict[str, Kind], dict[str, Relation], dict[str, str], dict[str, RelationsFileError]
]
"""Kinds by name, and by id: relations, labels of properties, and errors of other relations."""


def parse_entries(text: str, own: str = "", path: str = "") -> Entries:
    """Parse the text of kgbuild's relations file, and that of a user's ``own`` file at ``path``.

    The user's file adds kinds, relations and labels, and replaces keys of those that there are. Its
    kinds come before the others. A relation of kgbuild's file with an error is left out, and so are
    the relations that refer to it.

    Raises:
        RelationsFileError: a text is not TOML, a kind or a label has an error, or a relation of the
            user's file has one.
    """
    base, added = _tables(text, FILE), _tables(own, path)
    kinds: dict[str, Kind] = {}
    relations: dict[str, Relation] = {}
    faults: dict[str, RelationsFileError] = {}
    with _naming(path, added):
        kind_tables = _merged(base["kinds"], added["kinds"])
        names = [*(name for name in added["kinds"] if name not in base["kinds"]), *base["kinds"]]
        kinds |= {name: _kind(name, kind_tables[name]) for name in names}
        properties = {**base["properties"], **added["properties"]}
        _check_ids("[properties]", "", properties, _PROPERTY)
    tables = _merged(base["relations"], added["relations"])
    for pid, table in tables.items():
        try:
            with _naming(path, added):
                relation = _relation(pid, table, kinds)
                are_own = not {"subject", "object"}.isdisjoint(added["relations"].get(pid, ()))
                relations[pid] = dataclasses.replace(relation, are_kinds_own=are_own)
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
            file = path if pid in added["relations"] else FILE
            faults[pid] = RelationsFileError(file, f"[relations.{pid}]", fault)
            del relations[pid]
    for pid, relation in relations.items():
        if relation.biokalma_like and not relation.biokalma:
            shared = relations[relation.biokalma_like].biokalma
            relations[pid] = dataclasses.replace(relation, biokalma=shared)
    if own_faults := [faults[pid] for pid in added["relations"] if pid in faults]:
        raise own_faults[0]
    labels = {pid: relation.label for pid, relation in relations.items()}
    return kinds, relations, {**properties, **labels}, faults


class _BadKey(Exception):  # noqa: N818
    """An error in a section of a file: ``where`` and ``detail`` of a ``RelationsFileError``."""


_Tables: TypeAlias = dict[str, dict[str, Any]]
"""The entries of a file by the name of their table: ``kinds``, ``relations``, ``properties``."""


@contextlib.contextmanager
def _naming(path: str, added: _Tables) -> Iterator[None]:
    """Turn a fault into an error that names the file: the user's, if the section is in it."""
    try:
        yield
    except _BadKey as fault:
        where, detail = fault.args
        table, _, name = where.strip("[]").partition(".")
        is_own = name in added.get(table, {}) if name else bool(added.get(table))
        raise RelationsFileError(path if is_own else FILE, where, detail) from fault


def _tables(text: str, path: str) -> _Tables:
    """Return the tables of a file; raise a RelationsFileError if it has others, or is not TOML."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RelationsFileError(path, "the file", str(error)) from error
    found: _Tables = {name: {} for name in ("kinds", "relations", "properties")}
    for name, table in tables.items():
        if name not in found:
            (similar,) = difflib.get_close_matches(name, found, n=1, cutoff=0.0)
            raise RelationsFileError(path, f"[{name}]", f"is unknown; is it [{similar}]?")
        if not isinstance(table, dict):
            raise RelationsFileError(path, f"[{name}]", f"is not a table of {name}")
        found[name] = table
    return found


def _merged(base: Mapping[str, Any], added: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of two files; keys of the second replace those of the first."""
    return {
        name: {**base[name], **added[name]}
        if isinstance(base.get(name), dict) and isinstance(added.get(name), dict)
        else added.get(name, base.get(name))
        for name in {**base, **added}
    }


def _kind(name: str, table: Any) -> Kind:
    section = f"[kinds.{name}]"
    fields = _fields(section, table, Kind)
    fields["phrases"] = tuple(tuple(pair) for pair in fields.get("phrases", ()))
    kind = Kind(name=name, **fields)
    if len(kind.similarity) > MAX_SIMILARITY:
        raise _BadKey(section, f"has more than {MAX_SIMILARITY} similarity properties")
    for pattern in (*kind.unfit_labels, *(pattern for pattern, _ in kind.phrases)):
        try:
            re.compile(pattern)
        except re.error as error:
            raise _BadKey(section, f"the pattern '{pattern}': {error}") from error
    for _, phrase in kind.phrases:
        if phrase.count("{label}") != 1:
            raise _BadKey(section, f"the phrase '{phrase}' needs one {{label}}")
    return kind


def _relation(pid: str, table: Any, kinds: Mapping[str, Kind]) -> Relation:
    section = f"[relations.{pid}]"
    _check_ids(section, "", (pid,), _PROPERTY)
    fields = _fields(section, table, Relation)
    for key in ("wordings", "questions"):
        fields[key] = _wordings(section, key, fields.get(key, {}))
    if missing := [_KEYS.get(name, name) for name in _REQUIRED if name not in fields]:
        example = next(iter(kinds), "")
        detail = f"needs {', '.join(missing)} (subject and object are kinds: ['{example}'])"
        raise _BadKey(section, detail)
    relation = Relation(pid=pid, **fields)
    if relation.bridge and relation.bridge.count("{subject}") != 1:
        raise _BadKey(section, f"the bridge '{relation.bridge}' needs one {{subject}}")
    named = (wording.name for wording in (*relation.wordings, *relation.questions))
    for kind in (*relation.subject_kinds, *relation.object_kinds, *named):
        if kind not in kinds:
            raise _BadKey(section, f"the kind '{kind}' is unknown; {_similar(kind, kinds)}")
    _check_questions(section, relation)
    return relation


def _similar(name: str, known: Iterable[str]) -> str:
    """Return the question whether the most similar of the known names is meant."""
    (similar,) = difflib.get_close_matches(name, [*known], n=1, cutoff=0.0) or ("nothing",)
    return f"is it '{similar}'?"


def _wordings(section: str, key: str, by_kind: Any) -> tuple[Wording, ...]:
    """Return the questions for single kinds."""
    if not isinstance(by_kind, dict) or not all(
        isinstance(templates, list) for templates in by_kind.values()
    ):
        raise _BadKey(section, f"{key} is not a table of lists of questions")
    return tuple(Wording(name, tuple(texts)) for name, texts in by_kind.items())


def _check_questions(section: str, relation: Relation) -> None:
    both = ["object", "subject"]
    for role, templates, placeholders in (
        ("question", relation.syn_qa, both),
        *(("question", wording.templates, both) for wording in relation.wordings),
        ("opening", relation.biokalma, [*both, "work"] if relation.connecting_property else both),
        ("question", relation.granola, ["subject"]),
        *(("question", wording.templates, ["subject"]) for wording in relation.questions),
    ):
        for template in templates:
            if placeholders_of(template) != placeholders:
                needs = " and ".join(f"one {{{name}}}" for name in reversed(placeholders))
                raise _BadKey(section, f"the {role} '{template}' needs {needs}")


def placeholders_of(template: str) -> list[str]:
    """Return the names of the placeholders of a template, in alphabetical order."""
    return sorted(re.findall(r"\{(\w*)\}", template))


def _fields(section: str, table: Any, dataclass: type) -> dict[str, Any]:
    """Check the keys and values of a table, and return the values by the fields of a dataclass.

    Lists become tuples.
    """
    if not isinstance(table, dict):
        raise _BadKey(section, "is not a table")
    types = {field.name: field.type for field in dataclasses.fields(dataclass)}
    ours = {"pid", "name", "are_kinds_own"}
    fields_by_key = {_KEYS.get(name, name): name for name in types.keys() - ours}
    for key in table:
        if key not in fields_by_key:
            similar = _similar(key, sorted(fields_by_key))
            raise _BadKey(section, f"the key '{key}' is unknown; {similar}")
        name = fields_by_key[key]
        _check_value(section, key, table[key], types[name])
        if name in _IDS:
            ids = table[key] if isinstance(table[key], list) else filter(None, [table[key]])
            _check_ids(section, f"the key '{key}': ", ids, _IDS[name])
    return {
        fields_by_key[key]: tuple(value) if isinstance(value, list) else value
        for key, value in table.items()
    }


def _check_value(section: str, key: str, value: Any, type_: Any) -> None:
    """Check that a value is of the type of its field; tables of wordings are checked elsewhere."""
    members = get_args(type_)
    if members[:1] == (Wording,):
        return
    kind: Any = get_origin(type_) or type_
    member: Any = members[0] if members else None
    is_right = isinstance(value, list if kind is tuple else kind)
    if is_right and member in (str, int):
        is_right = all(isinstance(part, member) for part in value)
    if not is_right:
        of = {str: " of texts", int: " of numbers"}.get(member, "")
        raise _BadKey(section, f"the key '{key}' needs {_VALUES[kind]}{of}, not {value!r:.60}")


def _check_ids(section: str, key: str, ids: Iterable[str], form: str) -> None:
    for one in ids:
        if not _FORMS[form].fullmatch(one):
            raise _BadKey(section, f"{key}'{one}' is not {form}")
