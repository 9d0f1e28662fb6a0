"""Read the data files of this package, such as lists of words, prompts and pages.

Releases have the data files that their modules name in such a call.
"""

import functools
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any


def read_text(name: str) -> str:
    """Return the text of a data file, by its path in this package."""
    return (resources.files("kgbuild") / name).read_text(encoding="utf-8")


@functools.cache
def read_toml(name: str) -> Mapping[str, Any]:
    """Return the content of a data file in TOML, by its path in this package.

    >>> read_toml("english/demonyms.toml")["Q30"]
    'American'
    """
    return tomllib.loads(read_text(name))
