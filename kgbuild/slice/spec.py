"""The specification of a slice, from options or from the same keys in a TOML file."""

import difflib
import itertools
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.dump.filter import Filter
from kgbuild.dump.kinds import ALL, HIERARCHY, KINDS, USUAL, USUAL_KINDS
from kgbuild.dump.scanning.rules import PROPERTIES
from kgbuild.errors import MalformedIdError, SpecError, UnreadableDumpError, WrongCallError, shorten
from kgbuild.wikidata import parse_item, parse_property

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,8})*")
_SEPARATOR = re.compile(r"[\s,;|]+")
_LIKE_ID = re.compile(r"\bQ\d", re.IGNORECASE)
# The first word of a table's heading: a variable such as ?item, QID, Item.
_HEADING = re.compile(r"[\"<]?\??(?:[a-z_][A-Za-z_]*|[A-Z_]{2,}|Item|Entity)[\">]?(?:[\s,;|]|$)")


@dataclass(frozen=True)
class Spec:
    """The items of a slice, and the lines to keep of each item.

    The items are the instances of the classes ``instance_of`` (and, with ``subclasses``, of their
    subclasses), the items in the file ``items``, and the items up to ``hops`` statements away from
    these. Without these conditions, a slice has all items. ``limit`` keeps the first items, and
    ``sample`` keeps a random fraction, which depends on ``seed``. ``lang`` has language codes,
    ``properties`` ids, USUAL or ALL, and ``datatype`` kinds of values of ``kinds.KINDS``.
    """

    lang: tuple[str, ...] = ("en",)
    descriptions: bool = True
    aliases: bool = True
    properties: tuple[str, ...] = (USUAL,)
    datatype: tuple[str, ...] = USUAL_KINDS
    instance_of: tuple[str, ...] = ()
    subclasses: bool = False
    items: str | None = None
    hops: int = 0
    limit: int | None = None
    sample: float | None = None
    seed: int = 0

    @property
    def keys(self) -> dict[str, Any]:
        """The spec as keys and values of a TOML file."""
        values = {key: getattr(self, _field(key)) for key in _CHECKS}
        return {key: value for key, value in values.items() if value not in (None, ())}

    @property
    def listed(self) -> Sequence[str]:
        """The ids in the file of items. Raises the errors of ``read_items``."""
        return read_items(self.items) if self.items else ()

    @property
    def selects(self) -> bool:
        """Whether the spec selects a part of all items."""
        return bool(self.instance_of or self.items or self.limit or self.sample is not None)

    @property
    def loading(self) -> Filter:
        """The filter with which a load of the slice keeps all its lines."""
        return Filter(self.lang, everything=not set(self.datatype) <= set(USUAL_KINDS))

    @property
    def filter(self) -> Filter:
        """The lines to keep of each item."""
        return Filter(
            languages=self.lang,
            properties=_properties(self.properties),
            kinds=self.datatype,
            descriptions=self.descriptions,
            aliases=self.aliases,
        )


def _field(key: str) -> str:
    return "properties" if key == "property" else key.replace("-", "_")


def _properties(words: Sequence[str]) -> tuple[str, ...] | None:
    """Return the ids of the properties to keep, with USUAL replaced; None keeps all."""
    if ALL in words:
        return None
    usual = (*catalog().mentioned, *HIERARCHY) if USUAL in words else ()
    return tuple(dict.fromkeys((*(word for word in words if word != USUAL), *usual)))


def make_spec(options: Mapping[str, Any], path: Path | None = None) -> Spec:
    """Return the spec from options, which override the keys of a TOML file.

    Raises:
        SpecError: a key is unknown, a value is invalid, or two keys contradict each other.
    """
    values: dict[str, Any] = {}
    for key, value in {**(_read(path) if path else {}), **options}.items():
        if key not in _CHECKS:
            suggestions = difflib.get_close_matches(key, list(_CHECKS), 1, 0.0)
            raise SpecError(key, f"is unknown; is it '{suggestions[0]}'?")
        try:
            values[_field(key)] = _CHECKS[key](value)
        except ValueError as error:
            raise SpecError(key, str(error)) from error
        except MalformedIdError as error:
            raise SpecError(key, f"'{error.text}' is not the id of {_IDS[key]}") from error
    spec = Spec(**values)
    _check_together(spec)
    return spec


def _read(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableDumpError(str(path), error.strerror or str(error)) from error
    except RecursionError as error:
        raise SpecError(str(path), "has a list or a table that is nested too deeply") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(str(path), f"is not TOML: {error}") from error
    except ValueError as error:  # Python's limit
        raise SpecError(str(path), "has a number with too many digits") from error
    if values.get("items") and isinstance(values["items"], str):  # relative to the file
        values["items"] = str(path.parent / values["items"])
    return values


def _check_together(spec: Spec) -> None:
    if spec.subclasses and not spec.instance_of:
        raise SpecError("subclasses", "needs 'instance-of', whose subclasses are meant")
    if spec.hops and not (spec.instance_of or spec.items):
        raise SpecError("hops", "needs 'instance-of' or 'items' to go from")
    if "item" not in spec.datatype and (spec.instance_of or spec.hops):
        raise SpecError("datatype", "needs 'item' too: classes and hops are found by such values")
    if spec.seed and spec.sample is None:
        raise SpecError("seed", "needs 'sample', which it is for")
    if ALL in spec.properties and len(spec.properties) > 1:
        raise SpecError("property", f"'{ALL}' leaves nothing to add")


def read_items(path: str) -> list[str]:
    """Return the ids in a file: those at the beginning of each line, up to the first other word.

    Empty lines, comments and the heading of a table are skipped.

    Raises:
        UnreadableDumpError: the file cannot be read.
        WrongCallError: a line does not begin with an id, or its first other word is like an id but
            none; or the file has no ids.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnreadableDumpError(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise WrongCallError(f"{path} is no text in UTF-8.") from error
    lines = [(n, line.partition("#")[0].strip()) for n, line in enumerate(text.split("\n"), 1)]
    lines = [(number, content) for number, content in lines if content]
    if lines and _HEADING.match(lines[0][1]):
        del lines[0]
    ids: list[str] = []
    for number, content in lines:
        words = _SEPARATOR.split(content)
        found = list(itertools.takewhile(bool, map(_id, words)))
        other = "".join(words[len(found) : len(found) + 1])
        if not found or _LIKE_ID.search(other):
            text = shorten(other or content)
            raise WrongCallError(
                f"{path}, line {number}: '{text}' is not the id of an item, such as Q42."
            )
        ids += found
    if not ids:
        raise WrongCallError(f"{path} names no item. It must have an id such as Q42 in each line.")
    return ids


def _id(word: str) -> str:
    """Return the id in a word, which may be in quotes or brackets; "" if there is none."""
    try:
        return parse_item(word.strip("\"'<>[]()"))
    except MalformedIdError:
        return ""


# Functions that check a value of a key, from an option or from a TOML file.


def _texts(value: Any) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    is_list = isinstance(texts, list | tuple) and texts
    if not is_list or not all(isinstance(text, str) for text in texts):
        raise ValueError("must be a text or a list of texts")
    return tuple(dict.fromkeys(text.strip() for text in texts))


def _languages(value: object) -> tuple[str, ...]:
    codes = tuple(dict.fromkeys(code.lower() for code in _texts(value)))
    for code in codes:
        if not _LANGUAGE.fullmatch(code):
            suggestion = code.replace("_", "-")
            hint = (
                f"; is it '{suggestion}'?"
                if suggestion != code and _LANGUAGE.fullmatch(suggestion)
                else ""
            )
            raise ValueError(f"'{code}' is not a language code{hint}")
    return codes


def _items(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(parse_item, _texts(value))))


def _property(value: object) -> tuple[str, ...]:
    words = [w.lower() if w.lower() in (USUAL, ALL) else w for w in _texts(value)]
    ids = [word if word in (USUAL, ALL) else parse_property(word) for word in words]
    for pid in ids:
        if pid not in (USUAL, ALL) and wikidata.number(pid) >= PROPERTIES:
            raise ValueError(f"has '{pid}': only properties below P{PROPERTIES} can be chosen")
    return tuple(dict.fromkeys(ids))


def _kinds(value: object) -> tuple[str, ...]:
    words = _texts(value)
    for word in words:
        if word not in KINDS:
            suggestions = difflib.get_close_matches(word, KINDS, 1, 0.0)
            raise ValueError(f"'{word}' is none of {', '.join(KINDS)}; is it '{suggestions[0]}'?")
    return words


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _number(low: int, high: int, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"must be a whole number from {low:,} to {high:,}")
    return value


def _share(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        raise ValueError("must be a number above 0, at most 1")
    return float(value)


def _path(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("must be the path of a file")
    return value


_CHECKS: dict[str, Callable[[object], Any]] = {
    "lang": _languages,
    "descriptions": _flag,
    "aliases": _flag,
    "property": _property,
    "datatype": _kinds,
    "instance-of": _items,
    "subclasses": _flag,
    "items": _path,
    "hops": partial(_number, 0, 10),
    "limit": partial(_number, 1, 10**9),
    "sample": _share,
    "seed": partial(_number, 0, 2**63 - 1),
}
_IDS = {
    "instance-of": "an item, such as Q5",
    "property": f"a property, such as P19, nor '{USUAL}' or '{ALL}'",
}
