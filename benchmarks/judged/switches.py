"""Switch a rule of the program off, to measure what it buys."""

import functools
import inspect
import tomllib
from collections import abc
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import CodeType, FunctionType, NoneType
from typing import Any, cast, get_args, get_origin, get_type_hints

import kgbuild

_NOTHING = "\x00"
"""What stands for the entries of an emptied list: a pattern of no entries would match all."""
_NEUTRAL: dict[Any, Callable[..., Any]] = {
    NoneType: lambda *_, **__: None,
    bool: lambda *_, **__: False,
    int: lambda *_, **__: 0,
    float: lambda *_, **__: 0.0,
    str: lambda *_, **__: "",
    list: lambda *_, **__: [],
    dict: lambda *_, **__: {},
    set: lambda *_, **__: set(),
    frozenset: lambda *_, **__: frozenset(),
    tuple: lambda *_, **__: (),
    abc.Mapping: lambda *_, **__: {},
    abc.Set: lambda *_, **__: set(),
    abc.Sequence: lambda *_, **__: (),
    abc.Collection: lambda *_, **__: (),
    abc.Iterable: lambda *_, **__: (),
    abc.Iterator: lambda *_, **__: iter(()),
}
"""For each type of results, a function that returns the neutral one; of no module but builtins."""


class RuleError(ValueError):
    """A rule does not exist, or can't be switched off."""


def switch_off(rule: str) -> None:
    """Switch off a rule in this process, which has not imported what uses it.

    A rule is a function (``package.module:function`` or ``package.module:Class.method``), a table
    of words (``table.toml:section.key``, with folders before it if the name is not unique), or one
    of its entries (``table.toml:section.key=entry``).

    A function returns its first argument if that has the type of its result, else the empty value
    of this type. A table is read without the words, wherever it is read.

    Raises:
        RuleError: there is no such rule, or its results have no neutral value.
    """
    place, colon, name = rule.partition(":")
    if not colon or not name:
        raise RuleError(f"{rule!r} is neither module:function nor table.toml:section.key")
    if place.endswith(".toml"):
        _empty(place, *name.partition("=")[::2])
    else:
        _neutralise(place, name)


def _neutralise(module: str, name: str) -> None:
    try:
        found = attrgetter(name)(import_module(module))
    except (ImportError, AttributeError) as error:
        raise RuleError(str(error)) from error
    cached = found
    while isinstance(found, (property, functools.cached_property)) or hasattr(found, "__wrapped__"):
        found = (
            found.fget
            if isinstance(found, property)
            else getattr(found, "func", None) or found.__wrapped__
        )
    if not inspect.isfunction(found):
        raise RuleError(f"{module}:{name} is no function")
    found.__code__ = _neutral_code(found, is_method="." in name)
    found.__defaults__ = found.__kwdefaults__ = None
    if hasattr(cached, "cache_clear"):
        cached.cache_clear()


def _neutral_code(function: FunctionType, is_method: bool) -> CodeType:
    """Return the code that returns the neutral value of a function's results."""
    hints = get_type_hints(function)
    result = hints.pop("return", None)
    first = next(iter(hints.values()), None)
    neutral: Callable[..., Any]
    if first is not None and first == result:
        neutral = (
            (lambda _, first, *__, **___: first) if is_method else lambda first, *_, **__: first
        )
    else:
        kind = NoneType if NoneType in get_args(result) else get_origin(result) or result
        if kind not in _NEUTRAL:
            raise RuleError(f"{function.__qualname__} returns {result}: nothing is neutral")
        neutral = _NEUTRAL[kind]
    return cast("FunctionType", neutral).__code__


def _argument(first: Any, *_: Any, **__: Any) -> Any:
    return first


def _argument_of_method(_: Any, first: Any, *__: Any, **___: Any) -> Any:
    return first


def _empty(table: str, key: str, entry: str) -> None:
    """Let ``tomllib.loads`` return a table without the words of a key, or without one entry."""
    files = [
        file
        for file in Path(kgbuild.__file__).parent.rglob("*.toml")
        if file.as_posix().endswith(f"/{table}")
    ]
    if len(files) != 1:
        raise RuleError(f"{len(files)} tables have the name {table}")
    text, loads = files[0].read_text(encoding="utf-8"), tomllib.loads
    _without(loads(text), key, entry)

    def loads_without(read: str, **options: Any) -> dict[str, Any]:
        values = loads(read, **options)
        return _without(values, key, entry) if read == text else values

    tomllib.loads = loads_without


def _without(values: dict[str, Any], key: str, entry: str) -> dict[str, Any]:
    """Return a table without the words of a key, or without one of its entries.

    Raises:
        RuleError: there is no such key or entry.
    """
    *sections, last = key.split(".")
    section = values
    for name in sections:
        section = section.get(name, {})
    if last not in section:
        raise RuleError(f"the table has no {key}")
    words = section[last]
    if not entry:
        section[last] = [_NOTHING] if isinstance(words, list) else type(words)()
        return values
    entries = words.split() if isinstance(words, str) else words
    if entry not in entries:
        raise RuleError(f"{key} has no entry {entry}")
    kept = [other for other in entries if other != entry]
    if isinstance(words, str):
        section[last] = " ".join(kept)
    else:
        section[last] = (
            {name: words[name] for name in kept} if isinstance(words, dict) else kept or [_NOTHING]
        )
    return values
