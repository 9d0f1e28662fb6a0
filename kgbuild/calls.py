"""Check the arguments of the Python API by the annotations of its functions.

Without it, an argument of another type ends in an error of Python far inside kgbuild, or changes
the result unseen.
"""

import collections
import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import kgbuild
from kgbuild.errors import WrongCallError, shorten

Checked = TypeVar("Checked", bound=Callable[..., Any])
_WORDS = {
    "Build": "a Build, which the 'build' of a dataset returns",
    "Callable": "a function",
    "Database": "a Database, which kgbuild.database returns",
    "Dataset": "a dataset, such as kgbuild.granola",
    "Iterable": "a list",
    "Mapping": "a dict",
    "NoneType": "None",
    "Path": "a path",
    "Sequence": "a list",
    "Store": "a Store, which kgbuild.open returns",
    "bool": "True or False",
    "float": "a number",
    "int": "a whole number (int)",
    "str": "a text",
}


def checked(function: Checked) -> Checked:
    """Return a function that checks its arguments, or a class that does, in its public methods.

    Raises:
        WrongCallError: at a call, if an argument has another type than its annotation.
    """
    if isinstance(function, type):
        for name, method in [*vars(function).items()]:
            if inspect.isfunction(method) and (name == "__init__" or name[0] != "_"):
                setattr(function, name, checked(method))
        return typing.cast(Checked, function)

    shown = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        signature = inspect.signature(function)
        try:
            values = signature.bind(*arguments, **named).arguments
        except TypeError as error:
            only = ", ".join(signature.parameters)
            raise WrongCallError(f"{shown}: {error}; it takes {only}.") from error
        kinds = _kinds(function)
        for name in values.keys() & kinds.keys():
            if not _fits(values[name], kinds[name]):
                raise WrongCallError(
                    f"{shown}: '{name}' must be {_describe(kinds[name])}, "
                    f"not {_shown(values[name])}."
                )
        return function(*arguments, **named)

    return typing.cast(Checked, call)


@functools.cache
def _kinds(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of a function's parameters, without those that only type checkers know."""
    kinds = {}
    for name, parameter in inspect.signature(function).parameters.items():
        kind = parameter.annotation
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue  # its annotation is that of each value
        if isinstance(kind, str):
            try:
                kind = eval(kind, {}, _Names(function.__globals__))  # noqa: S307
            except NameError:
                continue
        kinds[name] = Any if kind is parameter.empty else kind
    return kinds


class _Names(dict[str, Any]):
    """The names in a module, and those of the API, which a module may import for types alone."""

    def __missing__(self, name: str) -> Any:
        if name in kgbuild.__all__:
            return getattr(kgbuild, name)
        raise KeyError(name)


def _fits(value: Any, kind: Any) -> bool:
    """Return whether a value, and each member of a list, is of a type."""
    origin, parts = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is collections.abc.Callable:
        return callable(value)
    if origin in (Iterable, Sequence):  # any iterable is as good as a list
        members = () if isinstance(value, Iterator) else value
        return isinstance(value, Iterable) and all(_fits(member, parts[0]) for member in members)
    if isinstance(value, bool) and origin in (int, float):
        return False
    try:
        return isinstance(value, (int, float) if origin is float else origin)
    except TypeError:  # Any, a variable, a protocol
        return True


def _describe(kind: Any) -> str:
    """Return the words for a type."""
    if parts := typing.get_args(kind) if isinstance(kind, types.UnionType) else ():
        return " or ".join(map(_describe, parts))
    name = getattr(typing.get_origin(kind) or kind, "__name__", str(kind))
    return _WORDS.get(name, f"of the type {name}")


def _shown(value: Any) -> str:
    """Return the words for a value."""
    if isinstance(value, str | int | float | list | None):
        return shorten(repr(value))
    return f"of the type {type(value).__name__}"
