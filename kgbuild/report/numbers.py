"""The numbers of the report: queries by their names, from this package's SQL files."""

import functools
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, TypeAlias

from kgbuild.tables.reviews import Select

Row: TypeAlias = dict[str, Any]
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


class Numbers:
    """What the queries find in one database."""

    def __init__(self, select: Select):
        self._select = select

    def of(self, file: str, name: str, **values: object) -> list[Row]:
        """Return the rows that a query of a file finds, with values for what it names."""
        return self._select(queries(file)[name], values)


@functools.cache
def queries(file: str) -> Mapping[str, str]:
    """Return the queries of a file of this package, by their names."""
    text = (resources.files("kgbuild.report") / f"{file}.sql").read_text(encoding="utf-8")
    _, *parts = _NAME.split(text)
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))
