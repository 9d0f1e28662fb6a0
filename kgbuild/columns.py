"""The columns that users' files are to have."""

import difflib
from collections.abc import Sequence
from pathlib import Path

from kgbuild.errors import MissingColumnError


def require(path: Path, columns: Sequence[str], required: Sequence[str]) -> None:
    """Raise a MissingColumnError unless the required ones are among the columns of a file."""
    for name in required:
        if name not in columns:
            near = difflib.get_close_matches(name, columns, n=1, cutoff=0.5)
            raise MissingColumnError(path, name, columns, near)
