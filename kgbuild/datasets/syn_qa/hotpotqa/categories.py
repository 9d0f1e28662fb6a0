"""The categories of titles, from a user's table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kgbuild.rows import require_columns


def read_categories(
    path: Path, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> Mapping[str, frozenset[str]]:
    """Return the categories of titles in the rows of the file ``path``, one a row.

    Titles may have underscores for spaces, as in Wikipedia's own tables.

    Raises:
        MissingColumnError: there is no column title or category.
    """
    require_columns(path, columns, ("title", "category"))
    title, category = columns.index("title"), columns.index("category")
    categories: dict[str, set[str]] = {}
    for row in rows:
        if row[title] is not None and row[category] is not None:
            categories.setdefault(str(row[title]).replace("_", " "), set()).add(str(row[category]))
    return {name: frozenset(own) for name, own in categories.items()}
