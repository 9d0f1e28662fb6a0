"""Choose the aliases of an item that name the item itself, not a larger one.

Some aliases in dumps are cut at a comma ("Brooklyn, New York"), so that Brooklyn has the alias
"New York", and Moscow "USSR".
"""

import functools
import re
from collections.abc import Sequence

_NOTHING = {
    # Parts that are cut off names of companies and people, and English words.
    *("co", "corp", "corporation", "inc", "incorporated", "limited", "llc", "lp", "ltd", "plc"),
    *("gmbh", "ag", "sa", "s.a", "nv", "bv", "jr", "sr", "ii", "iii", "iv", "esq", "md", "phd"),
    *("am", "an", "as", "at", "be", "by", "do", "go", "he", "if", "in", "is", "it", "la", "me"),
    *("my", "no", "of", "on", "or", "so", "to", "up", "we", "all", "and", "are", "not", "the"),
}
_SHORT, _KNOWN = 2, {"EU", "UK", "US"}
"""Aliases of two letters are ambiguous, except for these."""
_CODE = re.compile(r"\d{4}")
_PAIRS = ("()", "[]", "«»", "“”", "„“")


@functools.lru_cache(1 << 16)
def names(label: str, aliases: tuple[str, ...], others: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the aliases of an item that are unambiguous names.

    It leaves out the parts after commas of other aliases, the ``others``, which are names of larger
    items, and texts that are no names: "Inc.", "DC)".

    >>> names("Brooklyn", ("Brooklyn, New York", "New York", "BKN"))
    ('Brooklyn, New York', 'BKN')
    """
    taken = {_plain(name) for name in others} - {_plain(label)}
    tails = {_plain(tail) for name in (label, *aliases) for tail in _tails(name)}
    return tuple(
        name
        for name in aliases
        if _is_name(name, label) and _plain(name) not in taken and _plain(name) not in tails
    )


def _tails(name: str) -> Sequence[str]:
    """Return the parts of a name after its commas."""
    parts = name.split(",")
    return [*parts[1:], *(",".join(parts[n:]) for n in range(1, len(parts)))]


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def _is_name(alias: str, label: str) -> bool:
    is_balanced = alias.count('"') % 2 == 0 and all(
        alias.count(pair[0]) == alias.count(pair[1]) for pair in _PAIRS
    )
    letters = sum(letter.isalnum() for letter in alias)
    has_letters = letters > _SHORT or alias.replace(".", "") in _KNOWN
    is_code = _CODE.search(alias) is not None and _CODE.search(label) is None
    is_word = has_letters and _plain(alias).rstrip(".") not in _NOTHING
    return is_balanced and is_word and not is_code
