"""Convert entities of Wikidata's JSON dump to the N-Triples lines of its truthy RDF dump.

The conversion follows Wikibase's RDF writer (its folder repo/includes/Rdf), except for these lines:

- The precision of a time, which a truthy dump lacks, is written as an additional triple.
- A label is written once, as rdfs:label; a truthy dump repeats it as skos:prefLabel and
  schema:name.
- Links of external ids (wdtn:P…) are not written, because they need the formatters of properties.
- Metadata, such as rdf:type wikibase:Item, is not written.
- Lexemes and media files have no lines.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from kgbuild import wikidata
from kgbuild.dump import json_values
from kgbuild.dump.json_values import ENTITY, MalformedError

_LETTERS = {"item": "Q", "property": "P"}
"""The first letter of the id of an entity, by its type."""
_IGNORED_TYPES = {"lexeme", "mediainfo"}  # no dataset uses words or files
_PROPERTY = re.compile(f"P{wikidata.NUMBER}")
_RANKS = ("preferred", "normal", "deprecated")


class Fault(NamedTuple):
    """A bad line: its number in the dump (from 1), the reason why it is bad, and its text."""

    number: int
    reason: str
    text: bytes


class Converted(NamedTuple):
    """A block of JSON lines, converted to N-Triples.

    ``text`` has the N-Triples lines; ``line_numbers`` has, for each of them, the number of the JSON
    line that it comes from. ``stored`` is the number of JSON lines that should have an entity:
    those other than empty lines, ``[`` and ``]``. ``entities`` of them have an entity; ``faulty``
    of them have no entity, or an entity with a faulty part, which is left out. ``empty`` is the
    number of lines without a fault and without triples. ``last`` is the last line that is not
    empty; ``end`` is the number of the last line.
    """

    text: bytes
    line_numbers: list[int]
    stored: int
    entities: int
    faulty: int
    empty: int
    faults: list[Fault]
    last: bytes
    end: int


def convert(text: bytes, first: int) -> Converted:
    """Convert a block of whole lines of a JSON dump; ``first`` is the number of its first line."""
    lines: list[str] = []
    line_numbers: list[int] = []
    faults: list[Fault] = []
    stored = entities = empty = 0
    last, number = b"", first - 1
    json_lines = text.removesuffix(b"\n").split(b"\n") if text else []
    for number, line in enumerate(json_lines, first):
        content = line.strip()
        last = content or last
        if content in (b"", b"[", b"]"):
            empty += 1
            continue
        stored += 1
        problems: list[str] = []
        try:
            triples = _triples(orjson.loads(content.removesuffix(b",")), problems)
        except orjson.JSONDecodeError as error:
            faults.append(Fault(number, f"no JSON: {error}", line))
        except MalformedError as error:
            faults.append(Fault(number, str(error), line))
        else:
            entities += 1
            lines += triples
            line_numbers += [number] * len(triples)
            empty += not (triples or problems)
            faults += [Fault(number, problem, line) for problem in problems]
    lines.append("")
    return Converted(
        text="\n".join(lines).encode(),
        line_numbers=line_numbers,
        stored=stored,
        entities=entities,
        faulty=len({fault.number for fault in faults}),
        empty=empty,
        faults=faults,
        last=last,
        end=number,
    )


def _triples(entity: Any, problems: list[str]) -> list[str]:
    """Return the lines of an entity; add the faults of its parts to ``problems``."""
    if not isinstance(entity, dict):
        raise MalformedError("no entity: not an object")
    entity_type, entity_id = entity.get("type"), entity.get("id")
    if not isinstance(entity_type, str) or not isinstance(entity_id, str):
        raise MalformedError("no entity: no type or no id")
    if entity_type in _IGNORED_TYPES:
        return []
    if entity_type not in _LETTERS:
        raise MalformedError(f"no entity: of unknown type {entity_type!r:.40}")
    if not ENTITY.fullmatch(entity_id) or entity_id[0] != _LETTERS[entity_type]:
        raise MalformedError(f"no entity: {entity_id!r:.40} is not an id of this type")
    subject = f"<{wikidata.ENTITY}{entity_id}>"
    lines = list(_texts(entity, subject, problems))
    for pid, statements in _members(entity, "claims", problems):
        _claims(subject, pid, statements, lines, problems)
    return lines


def _members(entity: dict[str, Any], part: str, problems: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the members of a part of an entity, such as its labels; an empty part may be ``[]``."""
    members = entity.get(part)
    if isinstance(members, dict):
        yield from members.items()
    elif members != []:
        problems.append(f"{part}: missing" if part not in entity else f"{part}: not an object")


def _texts(entity: dict[str, Any], subject: str, problems: list[str]) -> Iterator[str]:
    """Yield the lines of an entity's labels, descriptions and aliases."""
    for part, predicate in (
        ("labels", wikidata.LABEL),
        ("descriptions", wikidata.DESCRIPTION),
        ("aliases", wikidata.ALIAS),
    ):
        start = f"{subject} <{predicate}> "
        for key, entries in _members(entity, part, problems):
            is_list = part == "aliases" and isinstance(entries, list)
            for entry in entries if is_list else (entries,):
                try:
                    yield f"{start}{json_values.text(entry['value'], entry['language'])} ."
                except (KeyError, TypeError, ValueError) as error:
                    problems.append(f"{part} {key!r:.40}: {_reason(error)}")


def _claims(subject: str, pid: str, statements: Any, lines: list[str], problems: list[str]) -> None:
    """Add the lines of an entity's truthy statements with a property to ``lines``.

    Statements are truthy if they have the preferred rank, or the normal rank if none is preferred.
    """
    if not _PROPERTY.fullmatch(pid):
        problems.append(f"{pid!r:.40}: no property")
        return
    if not isinstance(statements, list):
        problems.append(f"{pid}: not a list")
        return
    by_rank: dict[str, list[Any]] = {rank: [] for rank in _RANKS}
    for statement in statements:
        try:
            by_rank[statement["rank"]].append(statement)
        except (KeyError, TypeError) as error:
            problems.append(f"{pid}: {_reason(error)}")
    for statement in by_rank["preferred"] or by_rank["normal"]:
        try:
            lines += _statement(subject, pid, statement)
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"{pid}: {_reason(error)}")


def _statement(subject: str, pid: str, statement: Any) -> list[str]:
    """Return the lines of a statement. Its "snak" is its property and value."""
    snak = statement["mainsnak"]
    if snak["property"] != pid:
        raise MalformedError("a statement of another property")
    start = f"{subject} <{wikidata.DIRECT}{pid}> "
    match snak["snaktype"]:
        case "value":
            value, kind = snak["datavalue"]["value"], snak["datavalue"]["type"]
            if kind == "time":
                precision_start = f"{subject} <{wikidata.PRECISION}{pid}> "
                return json_values.time_lines(start, precision_start, value)
            write = json_values.WRITERS.get(kind)
            if write is None:
                raise MalformedError(f"a value of unknown type {kind!r:.40}")
            return [f"{start}{write(value, snak['datatype'])} ."]
        case "somevalue":
            return [f"{start}{json_values.unknown(statement['id'])} ."]
        case "novalue":
            return [f"{subject} <{wikidata.TYPE}> <{wikidata.NO_VALUE}{pid}> ."]
    raise MalformedError(f"of unknown snaktype {snak['snaktype']!r:.40}")


def _reason(error: Exception) -> str:
    """Return the reason why a part of an entity is faulty."""
    if isinstance(error, KeyError):
        return f"no or unknown {error.args[0]!r:.40}"
    return str(error) if isinstance(error, MalformedError) else "not of the known form"
