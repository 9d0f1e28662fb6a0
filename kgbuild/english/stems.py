"""Reduce words to stems, so that "director" and "directed" become equal."""

import functools

_MIN_STEM = 4
"""Minimum number of letters of a word without its ending."""
_ENDINGS = (
    *("ations", "ation", "ings", "ing", "ions", "ion", "ers", "ors"),
    *("ies", "er", "or", "ed", "es", "s", "e", "y"),
)


@functools.lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return a folded word without the first of the endings that leaves enough letters."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word.removesuffix(ending)
    return word
