"""Check the arguments of the Python API by the annotations of its functions.

Without it, an argument of another type ends in an error of Python far inside kgbuild, or changes
the result unseen. The limits of a number, and the choices of a text, stand in the annotation, too:
``Annotated[int, Range(1, 12)]``. Options of commands take them from there.
"""

import functools
import inspect
import math
import numbers
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar

import kgbuild
from kgbuild.errors import WrongCallError, shorten, unknown_choice

Checked = TypeVar("Checked", bound=Callable[..., Any])
Result = TypeVar("Result")
_WORDS = {
    "Build": "a Build, which the 'build' of a dataset returns",
    "Callable": "a function",
    "Database": "a Database, which kgbuild.database returns",
    "Dataset": "a dataset, such as kgbuild.granola",
    "Frame": "a table",
    "Iterable": "a list",
    "Mapping": "a dict",
    "NoneType": "None",
    "Path": "a path",
    "Sequence": "a list",
    "Store": "a Store, which kgbuild.open returns",
    "bool": "True or False",
    "float": "a number",
    "int": "a whole number",
    "str": "a text",
}
UNIONS = (typing.Union, types.UnionType)
_NUMBERS = {int: numbers.Integral, float: numbers.Real}
"""What may be passed for a number, which is then converted: also numbers of NumPy."""


class Range(NamedTuple):
    """The limits of a number, each of which is a value of it unless it is open."""

    min: float | None = None
    max: float | None = None
    min_open: bool = False
    max_open: bool = False

    def allows(self, value: Any) -> bool:
        """Return whether a number is within the limits."""
        is_above = self.min is None or value > self.min or (value == self.min and not self.min_open)
        is_below = self.max is None or value < self.max or (value == self.max and not self.max_open)
        return is_above and is_below

    def describe(self, kind: str) -> str:
        """Return the words for a number of this kind within the limits."""
        if None not in (self.min, self.max) and not (self.min_open or self.max_open):
            return f"{kind} from {self.min:,} to {self.max:,}"
        ends = []
        if self.min is not None:
            ends.append(f"{'above' if self.min_open else 'of at least'} {self.min:,}")
        if self.max is not None:
            ends.append(f"{'below' if self.max_open else 'at most'} {self.max:,}")
        return f"{kind} {' and '.join(ends)}"


class OneOf(NamedTuple):
    """The choices of a value."""

    choices: Sequence[Any]

    def allows(self, value: Any) -> bool:
        """Return whether a value is one of the choices."""
        return value in self.choices

    def describe(self, _kind: str) -> str:
        """Return the words for one of the choices."""
        return f"one of {', '.join(map(str, self.choices))}"


Count: TypeAlias = Annotated[int, Range(1, 2**31 - 1)]
Seed: TypeAlias = Annotated[int, Range(-(2**63), 2**63 - 1)]
Share: TypeAlias = Annotated[float, Range(0, 1)]
Positive: TypeAlias = Annotated[float, Range(0, min_open=True)]


def checked(function: Checked) -> Checked:
    """Return a function that checks its arguments, or a class that does, in its public methods.

    The function receives a tuple for a list, in which a single value stands alone, and numbers of
    Python for those of NumPy.

    Raises:
        WrongCallError: at a call, if an argument is not what its annotation says, or is closed.
    """
    if isinstance(function, type):
        for name, method in [*vars(function).items()]:
            if inspect.isfunction(method) and (name == "__init__" or name[0] != "_"):
                setattr(function, name, checked(method))
        return typing.cast(Checked, function)

    shown = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return call_checked(function, shown, *arguments, **named)

    return typing.cast(Checked, call)


def call_checked(function: Callable[..., Any], shown: str, *arguments: Any, **named: Any) -> Any:
    """Call a function, or create an object of a class, with checked arguments: see ``checked``.

    Errors begin with the name that is ``shown``.
    """
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*arguments, **named)
    except TypeError as error:
        only = ", ".join(name for name in signature.parameters if name != "self")
        raise WrongCallError(f"{shown}: {error}; it takes {only}.") from error
    values, kinds = bound.arguments, parameter_kinds(function)
    for name, value in values.items():
        if getattr(value, "is_closed", False) and shown != "close":
            raise WrongCallError(f"{shown}: {value!r} is closed. Open it again.")
        if name in kinds:
            try:
                values[name] = fitted(value, kinds[name])
            except ValueError:
                raise WrongCallError(
                    f"{shown}: '{name}' must be {describe(kinds[name])}, not {_shown(value)}."
                ) from None
    return function(*bound.args, **bound.kwargs)


def call_with_options(
    command: str, function: Callable[..., Result], *arguments: Any, **options: Any
) -> Result:
    """Call a function of the dataset of a ``command`` with the options of a user.

    Raises:
        WrongCallError: the function has no such option, or no such value of it.
    """
    parameters = inspect.signature(function).parameters.values()
    choices = [parameter.name for parameter in parameters][len(arguments) :]
    takes_any_option = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    for option in () if takes_any_option else options:
        if option not in choices:
            raise unknown_choice(command, "option", option, choices)
    return call_checked(function, command, *arguments, **options)  # type: ignore[no-any-return]


@functools.cache
def parameter_kinds(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of a function's parameters, without those that only type checkers know."""
    kinds = {}
    makes_objects = isinstance(function, type)
    plain = inspect.unwrap(vars(function)["__init__"] if makes_objects else function)
    for name, parameter in inspect.signature(function).parameters.items():
        kind = parameter.annotation
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue  # its annotation is that of each value
        if isinstance(kind, str):
            try:
                kind = eval(kind, {}, _Names(plain.__globals__))  # noqa: S307
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


def fitted(value: Any, kind: Any) -> Any:
    """Return a value as a type wants it: see ``checked``.

    Raises:
        ValueError: it is not of the type.
    """
    origin, parts = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin is Annotated:
        value, rule = fitted(value, parts[0]), parts[1]
        return _if(rule.allows(value), value)
    if origin in UNIONS:
        return _first_fitted(value, parts)
    if origin in (Iterable, Sequence):
        is_list = isinstance(value, Iterable) and not isinstance(value, str | bytes)
        return tuple(fitted(member, parts[0]) for member in (value if is_list else [value]))
    if origin is Callable:
        return _if(callable(value), value)
    if origin in _NUMBERS:
        is_number = isinstance(value, _NUMBERS[origin]) and not isinstance(value, bool)
        return origin(_if(is_number and abs(value) < math.inf, value))
    try:
        return _if(isinstance(value, origin), value)
    except TypeError:  # Any, a variable, a protocol
        return value


def _first_fitted(value: Any, kinds: Sequence[Any]) -> Any:
    """Return a value as the first type wants it that it is of; no path is an empty text."""
    _if(not (Path in kinds and isinstance(value, str) and not value), value)
    for kind in kinds:
        try:
            return fitted(value, kind)
        except ValueError:
            continue
    raise ValueError(value)


def _if(is_right: bool, value: Any) -> Any:
    if not is_right:
        raise ValueError(value)
    return value


def describe(kind: Any) -> str:
    """Return the words for a type."""
    origin, parts = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin is Annotated:
        words: str = parts[1].describe(describe(parts[0]))
        return words
    if origin in UNIONS:  # a path may be a text
        return " or ".join(describe(part) for part in parts if part is not str or Path not in parts)
    if origin in (Iterable, Sequence) and typing.get_origin(parts[0]) is Annotated:
        return f"a list, each {describe(parts[0])}"
    name = getattr(origin, "__name__", str(kind))
    return _WORDS.get(name, f"of the type {name}")


def _shown(value: Any) -> str:
    if isinstance(value, str | int | float | list | None):
        return shorten(repr(value))
    return f"of the type {type(value).__name__}"
