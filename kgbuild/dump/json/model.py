"""Decode an entity of Wikidata's JSON dump.

Only the parts that become triples are decoded; qualifiers, references and sitelinks, most of the
text, are skipped, and texts and values stay as they are (``Raw``) until they are written. An entity
that has a part of another form is decoded part by part, so that only this part is lost.
"""

from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")
Raw: TypeAlias = msgspec.Raw
"""A part of JSON as it is written."""
DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Raised for a line that is not JSON."""
TYPES = {
    **{"Q": "item", "P": "property"},
    **{"L": "lexeme", "M": "mediainfo", "E": "entity-schema"},
}
"""The types of entities, by the first letter of their ids."""
UNUSED_TYPES = ("lexeme", "mediainfo", "entity-schema")
"""Types of entities without triples: no dataset uses words, media files or schemas."""


class MalformedError(ValueError):
    """Raised when a part of an entity does not have the expected form."""


class JsonText(msgspec.Struct, gc=False):
    """A label, description or alias."""

    language: str
    value: str


class Snak(msgspec.Struct, gc=False):
    """A property and its value. The dump calls this a snak."""

    snaktype: str
    property: str
    datatype: str = ""  # absent in dumps before 2016, and if the property was deleted
    datavalue: Raw = Raw(b"null")


class JsonStatement(msgspec.Struct, gc=False):
    """A statement of an entity."""

    mainsnak: Snak
    rank: Literal["preferred", "normal", "deprecated"]
    id: str = ""


_Empty: TypeAlias = tuple[()]  # PHP writes an empty object as a list


class Entity(msgspec.Struct):
    """An entity. Programs that filter dumps leave out its type, or parts of it, which are None."""

    id: str
    type: str = ""
    labels: dict[str, Raw] | _Empty | None = None
    descriptions: dict[str, Raw] | _Empty | None = None
    aliases: dict[str, list[Raw]] | _Empty | None = None
    claims: dict[str, list[JsonStatement]] | _Empty | None = None


_decoder = msgspec.json.Decoder(Entity)
decode_text = msgspec.json.Decoder(JsonText).decode
decode_value = msgspec.json.Decoder().decode


def decode(line: bytes, problems: list[str]) -> Entity:
    """Decode the entity of a line; add the reasons why parts of it are left out to ``problems``.

    Of an entity of UNUSED_TYPES, only the type and the id may be there.

    Raises:
        MalformedError: the line has no entity.
        DECODE_ERRORS: the line is not JSON.
    """
    try:
        entity = _decoder.decode(line)
    except msgspec.ValidationError:
        entity = _decode_parts(msgspec.json.decode(line), problems)
    if not entity.type:
        parts = (entity.labels, entity.descriptions, entity.aliases, entity.claims)
        if all(part is None for part in parts):
            raise MalformedError("no entity: no type and no parts")
        entity.type = TYPES.get(entity.id[:1], "")
    return entity


def _decode_parts(parts: Any, problems: list[str]) -> Entity:
    """Return an entity without its malformed parts; add the reasons to ``problems``."""
    if not isinstance(parts, dict):
        raise MalformedError("no entity: not an object")
    entity_id, entity_type = parts.get("id"), parts.get("type", "")
    if not isinstance(entity_type, str) or not isinstance(entity_id, str):
        raise MalformedError("no entity: no type or no id")
    if entity_type in UNUSED_TYPES:
        return Entity(entity_id, entity_type)
    reader = _PartReader(parts, problems)
    return Entity(
        entity_id,
        entity_type,
        labels=reader.members("labels"),
        descriptions=reader.members("descriptions"),
        aliases=reader.lists("aliases", Raw, "aliases "),
        claims=reader.lists("claims", JsonStatement),
    )


class _PartReader:
    """Converts the members of an entity's parts one by one, and adds reasons to ``problems``."""

    def __init__(self, parts: dict[str, Any], problems: list[str]):
        self._parts = parts
        self._problems = problems

    def members(self, part: str) -> dict[str, Raw]:
        """Return the members of a part."""
        return {key: _recoded(value, Raw) for key, value in self._content(part).items()}

    def lists(self, part: str, kind: type[T], name: str = "") -> dict[str, list[T]]:
        """Return the members of a part, with the well-formed elements of each list."""
        lists: dict[str, list[T]] = {}
        for key, values in self._content(part).items():
            where = f"{name}{key!r:.40}" if name else f"{key:.40}"
            if not isinstance(values, list):
                self._problems.append(f"{where}: not a list")
                continue
            lists[key] = []
            for value in values:
                try:
                    lists[key].append(_recoded(value, kind))
                except msgspec.ValidationError as error:
                    self._problems.append(f"{where}: {error}")
        return lists

    def _content(self, part: str) -> dict[str, Any]:
        content = self._parts.get(part)
        if isinstance(content, dict):
            return content
        if content not in (None, []):
            self._problems.append(f"{part}: not an object")
        return {}


def _recoded(value: Any, kind: type[T]) -> T:
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)
