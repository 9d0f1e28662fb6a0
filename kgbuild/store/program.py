"""Tell this program from others by the content of its files and its libraries."""

import functools
import hashlib
from importlib import metadata
from pathlib import Path

from kgbuild.store import queries

_SUFFIXES = {".py", ".toml", ".rq"}
_LIBRARIES = ("networkx", "numpy")


@functools.cache
def digest() -> str:
    """Return a hash of the code, the queries and the tables of words of this program."""
    package = Path(__file__).parents[1]
    result = hashlib.blake2b(digest_size=8)
    for name in _LIBRARIES:
        result.update(f"{name} {metadata.version(name)}\n".encode())
    for folder in (package, queries.folder()):
        for path in sorted(folder.rglob("*")):
            if path.suffix in _SUFFIXES:
                result.update(f"{path.relative_to(folder).as_posix()}\n".encode())
                result.update(path.read_bytes())
    return result.hexdigest()
