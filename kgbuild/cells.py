"""The cells of users' files: texts, lists and objects, whatever the format of the file.

A cell is a text, a list or an object of such values, or None. A number of a JSON file is a text, as
the file writes it: 1939.0 and 0.10 are years and prices, and not to be rounded. CSV and TSV can
only say texts, so a reader that wants a list takes it from a text as well.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_NOT_A_LIST = (ValueError, SyntaxError, RecursionError, MemoryError)
_LITERAL = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(\s+(?=['"]))?""", re.DOTALL)
"""A text in Python, and the space before another one, for which NumPy writes no comma."""

_CALL = re.compile(r"(?:array|list)|(?:np|numpy)\.\w+")


class Written(str):
    """A number, true or false of a JSON file, as it is written there."""

    __slots__ = ()


def _constant(text: str) -> Written | None:
    return None if text == "NaN" else Written(text)  # Python's JSON of a missing number


DECODER = json.JSONDecoder(parse_int=Written, parse_float=Written, parse_constant=_constant)
"""Decodes JSON to cells, but for true and false; NaN is None."""
DEEPEST = 100
"""Maximum depth of lists and objects in a cell, far below the depth of Python's calls."""


def text_of(cell: object) -> str:
    """Return a cell as a text: of a list or an object its JSON, of None an empty text.

    >>> text_of(DECODER.decode('{"a": [1.50, "x", true]}'))
    '{"a": [1.50, "x", true]}'
    """
    if isinstance(cell, str):
        return cell
    return "" if cell is None else dumps(cell)


def dumps(cell: object) -> str:
    """Return the JSON of a value, with numbers as they were written."""
    if isinstance(cell, Written):
        return str(cell)
    if isinstance(cell, dict):
        return f"{{{', '.join(f'{dumps(str(name))}: {dumps(cell[name])}' for name in cell)}}}"
    if isinstance(cell, list | tuple):
        return f"[{', '.join(map(dumps, cell))}]"
    return json.dumps(cell, ensure_ascii=False, default=str)


def shallow(cell: Any) -> Any:
    """Return a cell; raise a RecursionError if its lists and objects are nested too deeply."""
    level = [cell]
    for _ in range(DEEPEST):
        nested = [part for part in level if isinstance(part, dict | list | tuple)]
        if not nested:
            return cell
        level = [p for one in nested for p in (one.values() if isinstance(one, dict) else one)]
    raise RecursionError


def parsed(cell: Any) -> Any:
    """Return a cell; if it is a text of a list or an object, in JSON, Python or NumPy, parse it.

    >>> parsed("['Warsaw' 'Warszawa']"), parsed('["Paris"]'), parsed("[1] Rome")
    (['Warsaw', 'Warszawa'], ['Paris'], '[1] Rome')
    >>> parsed("{'text': array(['Oslo'], dtype=object)}"), parsed("('a', 'b')")
    ({'text': ['Oslo']}, ['a', 'b'])
    """
    start = cell.lstrip()[:1] if isinstance(cell, str) else ""
    if start in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return shallow(DECODER.decode(cell))
    if start and start in "[({a":
        commas = _LITERAL.sub(lambda found: found[1] + ", " * bool(found[2]), cell.strip())
        with suppress(*_NOT_A_LIST), warnings.catch_warnings(action="ignore"):
            value = ast.literal_eval(_Uncalled().visit(ast.parse(commas, mode="eval")))
            if isinstance(value, list | tuple | set | dict):
                return shallow(value if isinstance(value, dict) else _ordered(value))
    return cell


class _Uncalled(ast.NodeTransformer):
    """Replaces NumPy's calls, such as array([…]) and np.str_(…), by their argument."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.args[0] if node.args and _CALL.fullmatch(ast.unparse(node.func)) else node


def _ordered(values: list[Any] | tuple[Any, ...] | set[Any]) -> list[Any]:
    return sorted(values, key=str) if isinstance(values, set) else [*values]


def texts(cell: object) -> Iterator[str]:
    """Yield the texts in a cell, also those in its lists and objects."""
    if isinstance(cell, dict):
        cell = [*cell.values()]
    if isinstance(cell, list | tuple):
        for part in cell:
            yield from texts(part)
    elif cell is not None:
        yield text_of(cell)
