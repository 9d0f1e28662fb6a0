"""A slice that is a folder of parts, which tasks on several machines have written.

The folder has a file ``_parts.json`` with the names of the parts, in the order of the dump, and
their sizes. Hadoop and Spark ignore files whose names begin with an underscore.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kgbuild.errors import UnreadableDumpError

LIST = "_parts.json"
"""The name of the file that lists the parts."""


def listing(sizes: Mapping[str, int]) -> str:
    """Return the text of the list of parts, from their sizes in bytes by name, in order."""
    return json.dumps({"parts": sizes}, indent=1) + "\n"


def checked(folder: str, text: str, sizes: Mapping[str, int]) -> list[str]:
    """Return the names of the parts of a folder, in order.

    ``text`` is that of the list of parts, ``sizes`` are those of all files in the folder.

    Raises:
        UnreadableDumpError: a part is missing or has another size, or the list is no list of parts.
    """
    try:
        parts: dict[str, Any] = json.loads(text)["parts"]
        names = list(parts.keys())
        are_names = all(name == Path(name).name for name in names)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        are_names = False
    if not are_names:
        raise UnreadableDumpError(folder, f"its {LIST} is no list of parts")
    for name in names:
        if sizes.get(name) != parts[name]:
            problem = "has another size than" if name in sizes else "is missing, which"
            detail = f"{name} {problem} {LIST} lists; copy the folder again"
            raise UnreadableDumpError(folder, detail)
    return names


def files(path: str) -> Iterator[str]:
    """Yield the files of a dump: the path itself or, for a folder of parts, its parts in order.

    Raises:
        UnreadableDumpError: a part is missing or incomplete.
    """
    folder = Path(path)
    if path == "-" or not (folder / LIST).is_file():
        yield path
        return
    try:
        text = (folder / LIST).read_text(encoding="utf-8", errors="replace")
        sizes = {file.name: file.stat().st_size for file in folder.iterdir()}
    except OSError as error:
        raise UnreadableDumpError(path, error.strerror or str(error)) from error
    for name in checked(path, text, sizes):
        yield str(folder / name)
