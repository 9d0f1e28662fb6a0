"""Convert entities of Wikidata's JSON dump to the N-Triples lines of its truthy RDF dump.

The conversion follows Wikibase's RDF writer (its folder repo/includes/Rdf), except for these lines:

- The precision of a time, which a truthy dump lacks, is written as an additional triple.
- A label is written once, as rdfs:label; a truthy dump repeats it as skos:prefLabel and
  schema:name.
- Links of external ids (wdtn:P…) are not written, because they need the formatters of properties.
- Metadata, such as rdf:type wikibase:Item, is not written.
- Lexemes and media files have no lines.
"""

import contextlib
import pickle
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.dump import json_model, json_values
from kgbuild.dump.json_model import Entity, JsonStatement, JsonText, MalformedError
from kgbuild.dump.json_values import ENTITY
from kgbuild.dump.rejects import Fault

_AROUND = b"[], "
"""Bytes around an entity in its line."""
_PROPERTY = re.compile(f"P{wikidata.NUMBER}")
_PARTS = {wikidata.LABEL: "labels", wikidata.DESCRIPTION: "descriptions", wikidata.ALIAS: "aliases"}
"""The parts of an entity that have texts, by predicate."""


class Converted(NamedTuple):
    """A block of JSON lines, converted to N-Triples.

    ``text`` has the N-Triples lines; ``line_numbers`` has, for each of them, the number of the JSON
    line that it comes from. ``dropped`` has the number of triples that a ``Pruner`` has removed, by
    (reason, predicate), and that of entities without triples, by ("other_entity", type).
    ``stored`` is the number of JSON lines that should have an entity: those other than empty lines,
    ``[`` and ``]``. ``entities`` of them have an entity; ``faulty`` of them have no entity, or an
    entity with a faulty part, which is left out. ``empty`` is the number of other lines without a
    fault and without triples. ``last`` is the last line that is not empty; ``end`` is the number of
    the last line.
    """

    text: bytes
    line_numbers: list[int]
    dropped: Counter[tuple[str, str]]
    stored: int
    entities: int
    faulty: int
    empty: int
    faults: list[Fault]
    last: bytes
    end: int


def convert(text: bytes, first: int) -> Converted:
    """Convert a block of whole lines; ``first`` is the number of its first line in the dump.

    The scanner judges the triples by the rules. A ``Pruner`` has removed most of those that the
    rules drop, but from entities that are not written as Wikidata writes them.
    """
    lines: list[str] = []
    line_numbers: list[int] = []
    faults: list[Fault] = []
    unused: Counter[tuple[str, str]] = Counter()
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
        before = len(lines)
        try:
            # The brackets of the list, or the comma, may stand on either side of an entity.
            around = _AROUND if b"{" in content[:2] else b","
            entity = json_model.decode(content.strip(around), problems)
            if is_used := entity.type not in json_model.UNUSED_TYPES:
                _write(entity, lines, problems)
            else:
                unused["other_entity", entity.type] += 1
        except json_model.DECODE_ERRORS as error:
            reason = str(error).partition(" (byte ")[0]  # the line may be pruned
            faults.append(Fault(number, f"no JSON: {reason}", line))
        except MalformedError as error:
            faults.append(Fault(number, str(error), line))
        else:
            entities += 1
            line_numbers += [number] * (len(lines) - before)
            empty += is_used and not (len(lines) > before or problems)
            faults += [Fault(number, problem, line) for problem in problems]
    lines.append("")
    return Converted(
        text="\n".join(lines).encode(),
        line_numbers=line_numbers,
        dropped=unused,
        stored=stored,
        entities=entities,
        faulty=len({fault.number for fault in faults}),
        empty=empty,
        faults=faults,
        last=last,
        end=number,
    )


def _write(entity: Entity, lines: list[str], problems: list[str]) -> None:
    """Add the lines of an entity to ``lines``, and the faults of its parts to ``problems``."""
    if entity.type not in json_model.TYPES.values():
        raise MalformedError(f"no entity: of unknown type {entity.type!r:.40}")
    if not ENTITY.fullmatch(entity.id) or json_model.TYPES[entity.id[0]] != entity.type:
        raise MalformedError(f"no entity: {entity.id!r:.40} is not an id of this type")
    subject = f"<{wikidata.ENTITY}{entity.id}>"
    for predicate, text in _texts(entity):
        try:
            language = json_values.require_language(text.language)
            lines.append(f"{subject} <{predicate}> {json_values.text(text.value, language)} .")
        except MalformedError as error:
            problems.append(f"{_PARTS[predicate]} {text.language!r:.40}: {error}")
    for pid, statements in dict(entity.claims).items():
        if _PROPERTY.fullmatch(pid):
            _write_statements(subject, pid, _truthy(statements), lines, problems)
        else:
            problems.append(f"{pid!r:.40}: no property")


def _texts(entity: Entity) -> Iterator[tuple[str, JsonText]]:
    """Yield the labels, descriptions and aliases of an entity, with their predicates."""
    for label in dict(entity.labels).values():
        yield wikidata.LABEL, label
    for description in dict(entity.descriptions).values():
        yield wikidata.DESCRIPTION, description
    for aliases in dict(entity.aliases).values():
        for alias in aliases:
            yield wikidata.ALIAS, alias


def _truthy(statements: list[JsonStatement]) -> list[JsonStatement]:
    """Return the preferred statements, or those of normal rank if none is preferred."""
    return [statement for statement in statements if statement.rank == "preferred"] or [
        statement for statement in statements if statement.rank == "normal"
    ]


def _write_statements(
    subject: str, pid: str, statements: list[JsonStatement], lines: list[str], problems: list[str]
) -> None:
    for statement in statements:
        try:
            _write_statement(subject, pid, statement, lines)
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"{pid}: {_reason(error)}")


def _write_statement(subject: str, pid: str, statement: JsonStatement, lines: list[str]) -> None:
    snak = statement.mainsnak
    if snak.property != pid:
        raise MalformedError("a statement of another property")
    start = f"{subject} <{wikidata.DIRECT}{pid}> "
    match snak.snaktype:
        case "value":
            value, kind = snak.datavalue["value"], snak.datavalue["type"]
            if kind == "time":
                precision_start = f"{subject} <{wikidata.PRECISION}{pid}> "
                lines += json_values.time_lines(start, precision_start, value)
                return
            write = json_values.WRITERS.get(kind)
            if write is None:
                raise MalformedError(f"a value of unknown type {kind!r:.40}")
            lines.append(f"{start}{write(value, snak.datatype)} .")
        case "somevalue":
            lines.append(f"{start}{json_values.unknown(statement.id)} .")
        case "novalue":
            lines.append(f"{subject} <{wikidata.TYPE}> <{wikidata.NO_VALUE}{pid}> .")
        case _:
            raise MalformedError(f"of unknown snaktype {snak.snaktype!r:.40}")


def _reason(error: Exception) -> str:
    """Return the reason why a part of an entity is faulty."""
    if isinstance(error, KeyError):
        return f"no or unknown {error.args[0]!r:.40}"
    return str(error) if isinstance(error, MalformedError) else "not of the known form"


def main() -> None:
    """Convert blocks from the standard input until it ends; this is a process of ``json_workers``.

    The module imports little, because it is started for each run.
    """
    source, target = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(EOFError, BrokenPipeError, MemoryError):
        while True:
            converted = convert(*pickle.load(source))  # noqa: S301
            pickle.dump(tuple(converted), target)
            target.flush()


if __name__ == "__main__":
    main()
