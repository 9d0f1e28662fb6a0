"""The categories of titles, from a user's table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kgbuild.rows import require_columns


def categories(
    path: Path, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> Mapping[str, frozenset[str]]:
    """Return the categories of titles in the rows of the file ``path``, one a row.

    Titles may have underscores for spaces, as in Wikipedia's own tables.

    Raises:
        MissingColumnError: there is no column title, or none category.
    """
    require_columns(path, columns, ("title", "category"))
    title, category = columns.index("title"), columns.index("category")
    found: dict[str, set[str]] = {}
    for row in rows:
        if row[title] is not None and row[category] is not None:
            found.setdefault(str(row[title]).replace("_", " "), set()).add(str(row[category]))
    return {name: frozenset(held) for name, held in found.items()}
