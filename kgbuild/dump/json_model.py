"""Decode an entity of Wikidata's JSON dump.

Only the parts that become triples are decoded. Qualifiers, references and sitelinks, most of the
text, are skipped. An entity that has a part of another form is decoded part by part, so that only
this part is lost.
"""

from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")
DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Raised for a line that is not JSON."""
IGNORED_TYPES = {"lexeme", "mediainfo"}
"""Types of entities without triples: no dataset uses words or files."""


class MalformedError(ValueError):
    """Raised when a part of an entity does not have the expected form."""


class Text(msgspec.Struct, gc=False):
    """A label, description or alias."""

    language: str
    value: str


class Snak(msgspec.Struct, gc=False):
    """A property and its value. The dump calls this a snak."""

    snaktype: str
    property: str
    datatype: str
    datavalue: Any = None


class Statement(msgspec.Struct, gc=False):
    """A statement of an entity."""

    mainsnak: Snak
    rank: Literal["preferred", "normal", "deprecated"]
    id: str = ""


_Empty: TypeAlias = tuple[()]  # PHP writes an empty object as a list


class Entity(msgspec.Struct):
    """An item or a property."""

    type: str
    id: str
    labels: dict[str, Text] | _Empty
    descriptions: dict[str, Text] | _Empty
    aliases: dict[str, list[Text]] | _Empty
    claims: dict[str, list[Statement]] | _Empty


_decoder = msgspec.json.Decoder(Entity)


def decode(line: bytes, problems: list[str]) -> Entity | None:
    """Decode the entity of a line; add the reasons why parts of it are left out to ``problems``.

    Returns:
        The entity, or None if its type is one of IGNORED_TYPES.

    Raises:
        MalformedError: the line has no entity.
        DECODE_ERRORS: the line is not JSON.
    """
    try:
        entity = _decoder.decode(line)
    except msgspec.ValidationError:
        return _decode_parts(msgspec.json.decode(line), problems)
    return None if entity.type in IGNORED_TYPES else entity


def _decode_parts(parts: Any, problems: list[str]) -> Entity | None:
    """Return an entity without its malformed parts; add the reasons to ``problems``."""
    if not isinstance(parts, dict):
        raise MalformedError("no entity: not an object")
    entity_type, entity_id = parts.get("type"), parts.get("id")
    if not isinstance(entity_type, str) or not isinstance(entity_id, str):
        raise MalformedError("no entity: no type or no id")
    if entity_type in IGNORED_TYPES:
        return None
    reader = _PartReader(parts, problems)
    return Entity(
        entity_type,
        entity_id,
        labels=reader.members("labels", Text),
        descriptions=reader.members("descriptions", Text),
        aliases=reader.lists("aliases", Text, "aliases "),
        claims=reader.lists("claims", Statement),
    )


class _PartReader:
    """Converts the members of an entity's parts one by one, and adds reasons to ``problems``."""

    def __init__(self, parts: dict[str, Any], problems: list[str]):
        self._parts = parts
        self._problems = problems

    def members(self, part: str, kind: type[T]) -> dict[str, T]:
        """Return the well-formed members of a part."""
        converted = (
            (key, self._convert(value, kind, f"{part} {key!r:.40}"))
            for key, value in self._content(part).items()
        )
        return {key: value for key, value in converted if value is not None}

    def lists(self, part: str, kind: type[T], name: str = "") -> dict[str, list[T]]:
        """Return the members of a part, with the well-formed elements of each list."""
        lists = {}
        for key, values in self._content(part).items():
            where = f"{name}{key!r:.40}" if name else f"{key:.40}"
            if not isinstance(values, list):
                self._problems.append(f"{where}: not a list")
                continue
            converted = (self._convert(value, kind, where) for value in values)
            lists[key] = [value for value in converted if value is not None]
        return lists

    def _content(self, part: str) -> dict[str, Any]:
        content = self._parts.get(part)
        if isinstance(content, dict):
            return content
        if content != []:
            reason = "not an object" if part in self._parts else "missing"
            self._problems.append(f"{part}: {reason}")
        return {}

    def _convert(self, value: Any, kind: type[T], where: str) -> T | None:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            self._problems.append(f"{where}: {error}")
            return None
