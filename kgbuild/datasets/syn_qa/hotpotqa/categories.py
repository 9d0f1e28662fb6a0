"""Read the categories of titles from a user's table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kgbuild.cells import text_of
from kgbuild.rows import require_columns


def read_categories(
    path: Path, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> Mapping[str, frozenset[str]]:
    """Return the categories of each title.

    ``columns`` and ``rows`` are the contents of the file ``path``, with one title and one category
    per row. Titles may have underscores for spaces, as in Wikipedia's tables.

    Raises:
        WrongCallError: there is no column title or category.
    """
    require_columns(path, columns, ("title", "category"))
    title_column, category_column = columns.index("title"), columns.index("category")
    categories_by_title: dict[str, set[str]] = {}
    for row in rows:
        title, category = row[title_column], row[category_column]
        if title is not None and category is not None:
            key = text_of(title).replace("_", " ")
            categories_by_title.setdefault(key, set()).add(text_of(category))
    return {title: frozenset(categories) for title, categories in categories_by_title.items()}
