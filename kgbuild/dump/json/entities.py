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
import functools
import pickle
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from kgbuild import wikidata
from kgbuild.dump.json import model as json_model
from kgbuild.dump.json import values as json_values
from kgbuild.dump.json.model import Entity, JsonStatement, MalformedError, Raw
from kgbuild.dump.json.values import ENTITY
from kgbuild.dump.kinds import HIERARCHY
from kgbuild.dump.rejects import Fault

_AROUND = b"[], "
"""Bytes around an entity in its line."""
_PROPERTY = re.compile(f"P{wikidata.NUMBER}")
_PARTS = {wikidata.LABEL: "labels", wikidata.DESCRIPTION: "descriptions", wikidata.ALIAS: "aliases"}
"""The parts of an entity that have texts, by predicate."""
_INSTANCE_OF = "P31"
_FAULTS = (KeyError, TypeError, ValueError, *json_model.DECODE_ERRORS)
"""What the parts of an entity raise that do not have the expected form."""
Texts: TypeAlias = Mapping[str, Raw | list[Raw]]
"""The texts of a part of an entity, by language."""


class Wanted(NamedTuple):
    """What is written of entities; the scanner would drop the rest, but to write it takes longer.

    ``languages`` are the codes of the languages of texts, ``names`` the predicates of texts, and
    ``properties`` the ids of the properties of statements; None is all. Unless ``strings``, no
    external ids are written. If ``classes`` is not None, only the statements of HIERARCHY are
    written of items that are neither ``listed`` nor instances of the classes; their other
    statements are not even counted.
    """

    languages: tuple[str, ...] | None = None
    names: Collection[str] = tuple(_PARTS)
    properties: Collection[str] | None = None
    strings: bool = True
    listed: Collection[str] = ()
    classes: Collection[str] | None = None

    def has_language(self, tag: str) -> bool:
        """Return whether texts in a language are written. An invalid tag is, so it is reported."""
        return (
            self.languages is None
            or any(f"{tag.lower()}-".startswith(f"{code}-") for code in self.languages)
            or not json_values.LANGUAGE.fullmatch(tag)
        )


EVERYTHING = Wanted()


class Converted(NamedTuple):
    """A block of JSON lines, converted to N-Triples.

    ``text`` has the N-Triples lines; ``line_numbers`` has, for each of them, the number of the JSON
    line that it comes from. ``dropped`` has the numbers of triples that are not ``Wanted``, and of
    entities without triples, by reason. ``stored`` is the number of JSON lines that
    should have an entity: those other than empty lines and brackets, whose number is ``empty``.
    ``entities`` of them have an entity; ``faulty`` of them have no entity, or an entity with a
    faulty part, which is left out. ``last`` is the last line that is not empty; ``end`` is the
    number of the last line.
    """

    text: bytes
    line_numbers: list[int]
    dropped: Counter[str]
    stored: int
    entities: int
    faulty: int
    empty: int
    faults: list[Fault]
    last: bytes
    end: int


def convert(text: bytes, first: int, wanted: Wanted = EVERYTHING) -> Converted:
    """Convert a block of whole lines; ``first`` is the number of its first line in the dump.

    The scanner judges the triples by the rules.
    """
    writer = _Writer(wanted)
    line_numbers: list[int] = []
    faults: list[Fault] = []
    stored = entities = empty = 0
    last, number = b"", first - 1
    lines = text.split(b"\n")
    if not lines[-1]:
        del lines[-1]
    for number, line in enumerate(lines, first):
        content = line.strip()
        last = content or last
        if content in (b"", b"[", b"]", b"[]"):
            empty += 1
            continue
        stored += 1
        problems = writer.problems = []
        try:
            # The brackets of the list, or the comma, may stand on either side of an entity.
            around = _AROUND if b"{" in content[:2] else b","
            writer.write(json_model.decode(content.strip(around), problems))
        except json_model.DECODE_ERRORS as error:
            faults.append(Fault(number, f"no JSON: {error}", line))
        except MalformedError as error:
            faults.append(Fault(number, str(error), line))
        else:
            entities += 1
            if writer.is_empty and not problems:
                writer.dropped["empty_entity"] += 1
            line_numbers += [number] * (len(writer.lines) - len(line_numbers))
            faults += [Fault(number, problem, line) for problem in problems]
    return Converted(
        text="\n".join([*writer.lines, ""]).encode(),
        line_numbers=line_numbers,
        dropped=writer.dropped,
        stored=stored,
        entities=entities,
        faulty=len({fault.number for fault in faults}),
        empty=empty,
        faults=faults,
        last=last,
        end=number,
    )


class _Writer:
    """Writes the ``lines`` of entities that are wanted, and counts the others.

    ``problems`` are the faults of the parts of an entity; ``is_empty`` is whether there was nothing
    to write or to count of the last one.
    """

    def __init__(self, wanted: Wanted):
        self.lines: list[str] = []
        self.dropped: Counter[str] = Counter()
        self.problems: list[str] = []
        self.is_empty = True
        self._wanted = wanted
        self._has_language = functools.cache(wanted.has_language)

    def write(self, entity: Entity) -> None:
        """Write an entity."""
        before, self.is_empty = len(self.lines), True
        if entity.type in json_model.UNUSED_TYPES:
            self._drop("other_entity", 1)
            return
        if entity.type not in json_model.TYPES.values():
            raise MalformedError(f"no entity: of unknown type {entity.type!r:.40}")
        if not ENTITY.fullmatch(entity.id) or json_model.TYPES[entity.id[0]] != entity.type:
            raise MalformedError(f"no entity: {entity.id!r:.40} is not an id of this type")
        subject = f"<{wikidata.ENTITY}{entity.id}>"
        for predicate, part in _PARTS.items():
            self._write_texts(
                subject, predicate, self._kept(predicate, dict(getattr(entity, part) or ()))
            )
        claims = dict(entity.claims or ())
        has_all = self._has_all(entity.id, claims.get(_INSTANCE_OF, ()))
        for pid, statements in claims.items():
            if not _PROPERTY.fullmatch(pid):
                self.problems.append(f"{pid!r:.40}: no property")
            elif has_all or pid in HIERARCHY:
                self._write_statements(subject, pid, _truthy(statements))
        self.is_empty &= len(self.lines) == before

    def _drop(self, reason: str, count: int) -> None:
        if count:
            self.dropped[reason] += count
            self.is_empty = False

    def _kept(self, predicate: str, texts: Texts) -> Texts:
        """Return the texts of a predicate, by language, that are wanted; count the others."""
        has_name = predicate in self._wanted.names
        kept = {tag: texts[tag] for tag in texts if self._has_language(tag)} if has_name else {}
        if len(kept) < len(texts):
            reason = "other_language" if has_name else "name"
            self._drop(reason, _count(texts) - _count(kept))
        return kept

    def _write_texts(self, subject: str, predicate: str, texts: Texts) -> None:
        for tag, texts_of_tag in texts.items():
            for raw in texts_of_tag if isinstance(texts_of_tag, list) else [texts_of_tag]:
                try:
                    text = json_model.decode_text(raw)
                    literal = json_values.text(text.value, text.language)
                    self.lines.append(f"{subject} <{predicate}> {literal} .")
                except _FAULTS as error:
                    self.problems.append(f"{_PARTS[predicate]} {tag!r:.40}: {error}")

    def _has_all(self, entity_id: str, classes: Iterable[JsonStatement]) -> bool:
        """Return whether all statements of an entity are wanted, by its id and its classes."""
        wanted = self._wanted
        if wanted.classes is None or not entity_id.startswith("Q") or entity_id in wanted.listed:
            return True
        return any(_entity_id(statement) in wanted.classes for statement in classes)

    def _write_statements(self, subject: str, pid: str, statements: list[JsonStatement]) -> None:
        wanted = self._wanted
        is_wanted = wanted.properties is None or pid in wanted.properties
        datatype = statements[0].mainsnak.datatype if statements else ""
        is_string = datatype == "external-id" and not wanted.strings
        if (is_string or not is_wanted) and _are_single(statements, datatype):
            self._drop("string" if is_wanted else "other_property", len(statements))
            return
        for statement in statements:
            try:
                self.lines += _statement_lines(subject, pid, statement)
            except _FAULTS as error:
                self.problems.append(f"{pid}: {_reason(error)}")


def _count(texts: Texts) -> int:
    """Return the number of texts: a language has one, or a list of them."""
    lists = [value for value in texts.values() if isinstance(value, list)]
    return sum(map(len, lists)) + len(texts) - len(lists)


def _are_single(statements: list[JsonStatement], datatype: str) -> bool:
    """Return whether statements, whose values have a datatype, are a triple each.

    A time is two triples, and a value that is unknown or none may be one of another predicate.
    """
    if datatype in ("", "time"):
        return False
    for statement in statements:
        snak = statement.mainsnak
        if snak.snaktype != "value" or snak.datatype != datatype:
            return False
    return True


def _entity_id(statement: JsonStatement) -> str:
    """Return the id of the entity that is the value of a statement, or ""."""
    with contextlib.suppress(*_FAULTS):
        datavalue = json_model.decode_value(statement.mainsnak.datavalue)
        return json_values.entity_id(datavalue["value"])
    return ""


def _truthy(statements: list[JsonStatement]) -> list[JsonStatement]:
    """Return the preferred statements, or those of normal rank if none is preferred."""
    ranks = {statement.rank for statement in statements}
    best = "preferred" if "preferred" in ranks else "normal"
    return [statement for statement in statements if statement.rank == best]


def _statement_lines(subject: str, pid: str, statement: JsonStatement) -> list[str]:
    snak = statement.mainsnak
    if snak.property != pid:
        raise MalformedError("a statement of another property")
    start = f"{subject} <{wikidata.DIRECT}{pid}> "
    match snak.snaktype:
        case "value":
            datavalue = json_model.decode_value(snak.datavalue)
            value, kind = datavalue["value"], datavalue["type"]
            if kind == "time":
                precision_start = f"{subject} <{wikidata.PRECISION}{pid}> "
                return json_values.time_lines(start, precision_start, value)
            write = json_values.WRITERS.get(kind)
            if write is None:
                raise MalformedError(f"a value of unknown type {kind!r:.40}")
            return [f"{start}{write(value, snak.datatype)} ."]
        case "somevalue":
            return [f"{start}{json_values.unknown(statement.id)} ."]
        case "novalue":
            return [f"{subject} <{wikidata.TYPE}> <{wikidata.NO_VALUE}{pid}> ."]
        case _:
            raise MalformedError(f"of unknown snaktype {snak.snaktype!r:.40}")


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"no or unknown {error.args[0]!r:.40}"
    return str(error) if isinstance(error, MalformedError) else "not of the known form"


def main() -> None:
    """Convert blocks from the standard input until it ends; this is a process of ``json_workers``.

    First it gets what is wanted. The module imports little, because it is started for each run.
    """
    source, target = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(EOFError, BrokenPipeError, MemoryError):
        wanted = Wanted(*pickle.load(source))  # noqa: S301
        while True:
            text, first = pickle.load(source)  # noqa: S301
            converted = convert(text, first, wanted)
            pickle.dump(tuple(converted), target)
            target.flush()


if __name__ == "__main__":
    main()
