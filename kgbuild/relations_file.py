"""Parse the text of ``relations.toml`` into kinds, relations and labels of properties."""

import dataclasses
import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from kgbuild.errors import RelationsFileError
from kgbuild.relations import MAX_SIMILARITY, Kind, Relation, Wording
from kgbuild.wikidata import NUMBER

_ID = re.compile(f"P{NUMBER}")
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
    "preferred_properties": "near",
    "may_be_foreign": "abroad",
    "evident_paths": "evident",
    "accepts_places": "where",
    "accepts_classes": "classes",
    "earliest_only": "first",
    "event_date_property": "at",
    "connecting_property": "via",
}
"""The keys of the file by the fields of a kind or a relation, where the two names differ."""


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
    _check_ids(section, (*kind.similarity, *kind.begin_properties, *kind.end_properties))
    if len(kind.similarity) > MAX_SIMILARITY:
        raise RelationsFileError(section, f"has more than {MAX_SIMILARITY} similarity properties")
    for pattern in (*kind.unfit_labels, *(pattern for pattern, _ in kind.phrases)):
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
    for key in ("wordings", "questions"):
        fields[key] = _wordings(section, key, fields.get(key, {}))
    try:
        relation = Relation(pid=pid, **fields)
    except TypeError as error:
        raise RelationsFileError(section, "needs label, subject and object") from error
    related = (
        *relation.required_properties,
        *relation.matching_properties,
        *relation.preferred_properties,
    )
    related += (
        *relation.evident_properties,
        *filter(None, (relation.event_date_property, relation.connecting_property)),
    )
    _check_ids(
        section, (pid, *relation.forward_properties, *relation.backward_properties, *related)
    )
    if relation.bridge and relation.bridge.count("{subject}") != 1:
        raise RelationsFileError(section, f"the bridge '{relation.bridge}' needs one {{subject}}")
    named = (wording.name for wording in (*relation.wordings, *relation.questions))
    for kind in (*relation.subject_kinds, *relation.object_kinds, *named):
        if kind not in kinds:
            raise RelationsFileError(section, f"the kind '{kind}' is not one of {', '.join(kinds)}")
    _check_questions(section, relation)
    return relation


def _wordings(section: str, key: str, by_kind: Any) -> tuple[Wording, ...]:
    """Return the questions for single kinds."""
    if not isinstance(by_kind, dict) or not all(
        isinstance(templates, list) for templates in by_kind.values()
    ):
        raise RelationsFileError(section, f"{key} is not a table of lists of questions")
    return tuple(Wording(name, tuple(texts)) for name, texts in by_kind.items())


def _check_questions(section: str, relation: Relation) -> None:
    both = ["object", "subject"]
    for role, templates, placeholders in (
        ("question", relation.syn_qa, both),
        *(("question", wording.templates, both) for wording in relation.wordings),
        ("opening", relation.biokalma, both),
        ("question", relation.granola, ["subject"]),
        *(("question", wording.templates, ["subject"]) for wording in relation.questions),
    ):
        for template in templates:
            if placeholders_of(template) != placeholders:
                needs = " and ".join(f"one {{{name}}}" for name in reversed(placeholders))
                raise RelationsFileError(section, f"the {role} '{template}' needs {needs}")


def placeholders_of(template: str) -> list[str]:
    """Return the names of the placeholders of a template, in alphabetical order."""
    return sorted(re.findall(r"\{(\w*)\}", template))


def _fields(section: str, table: Mapping[str, Any], dataclass: type) -> dict[str, Any]:
    """Check the keys of a table, and return its values by the fields of a dataclass.

    Lists become tuples.
    """
    names = {field.name for field in dataclasses.fields(dataclass)} - {"pid", "name"}
    fields_by_key = {_KEYS.get(name, name): name for name in names}
    for key in table:
        if key not in fields_by_key:
            suggestions = difflib.get_close_matches(key, sorted(fields_by_key), n=1, cutoff=0.0)
            raise RelationsFileError(
                section, f"the key '{key}' is unknown; is it '{suggestions[0]}'?"
            )
    return {
        fields_by_key[key]: tuple(value) if isinstance(value, list) else value
        for key, value in table.items()
    }


def _check_ids(section: str, pids: Iterable[str]) -> None:
    for pid in pids:
        if not _ID.fullmatch(pid):
            raise RelationsFileError(section, f"'{pid}' is not the id of a property")
