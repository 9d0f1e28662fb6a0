"""Read the tables of words and items beside this module: classes, demonyms and places."""

import functools
import tomllib
from collections.abc import Mapping
from typing import Any

from kgbuild.datasets.base import package_folder


@functools.cache
def word_tables(name: str) -> Mapping[str, Any]:
    """Return the tables of the file ``name``.toml."""
    return tomllib.loads((package_folder("granola") / f"{name}.toml").read_text(encoding="utf-8"))
