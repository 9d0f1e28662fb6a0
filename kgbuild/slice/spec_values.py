"""Check the values of a slice's spec, from options or from a TOML file."""

import difflib
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from kgbuild.dump.kinds import ALL, KINDS, USUAL
from kgbuild.dump.rules import PROPERTIES
from kgbuild.wikidata import number, parse_item, parse_property


def _texts(value: Any) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    is_list = isinstance(texts, list | tuple) and texts
    if not is_list or not all(isinstance(text, str) for text in texts):
        raise ValueError("must be a text or a list of texts")
    return tuple(dict.fromkeys(text.strip() for text in texts))


_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,8})*")


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
        if pid not in (USUAL, ALL) and number(pid) >= PROPERTIES:
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


CHECKS: dict[str, Callable[[object], Any]] = {
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
IDS = {
    "instance-of": "an item, such as Q5",
    "property": f"a property, such as P19, nor '{USUAL}' or '{ALL}'",
}
