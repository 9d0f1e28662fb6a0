"""Names without the words for the kind of thing that a question asks for: "Warner Bros."."""

from collections.abc import Iterator

from kgbuild.datasets.base import read_toml
from kgbuild.evaluate.text_metrics import normalise

_ASKED = read_toml("granola", "reply_words")["asked_kinds"]
_WITH_TWO_INITIALS = frozenset(read_toml("granola", "reply_words")["initials"]["relations"])
_COMMON = frozenset(read_toml("granola", "reply_words")["initials"]["common"])
_OTHERS = read_toml("granola", "reply_words")["other_kinds"]


def in_asked_kind(name: str, relation: str) -> Iterator[str]:
    """Yield the names with and without the words for the kind that a relation asks for.

    A question about a record label makes the name of its company that of the label.

    >>> [*in_asked_kind("Warner Bros. Records", "P264")], [*in_asked_kind("Parlophone", "P264")]
    (['warner bros', 'warner bros recordings'], ['parlophone records', 'parlophone recordings'])
    """
    kinds = _ASKED.get(relation, ())
    *words, last = normalise(name).split() or [""]
    if last in kinds and words:
        yield " ".join(words)
        yield from (f"{' '.join(words)} {kind}" for kind in kinds if kind != last)
    elif last not in _OTHERS.get(relation, ()):
        yield from (f"{normalise(name)} {kind}" for kind in kinds)


def two_initials(name: str, relation: str) -> Iterator[str]:
    """Yield "gm" for the organisation "General Motors"; a word such as "it" is left out."""
    words = name.removeprefix("the ").split()
    initials = "".join(word[0] for word in words)
    is_name = len(words) == len("GM") and initials.isupper()
    if relation in _WITH_TWO_INITIALS and is_name and normalise(initials) not in _COMMON:
        yield normalise(initials)


def without_other_kinds(name: str, relation: str) -> Iterator[str]:
    """Yield the names without the last words for kinds of organisations, one word after the other.

    >>> [*without_other_kinds("Sanctuary Records Group", "P264")]
    ['sanctuary records', 'sanctuary']
    """
    kinds = {*_OTHERS.get(relation, ()), *_ASKED.get(relation, ())}
    words = normalise(name).split()
    while len(words) > 1 and words[-1] in kinds:
        words.pop()
        yield " ".join(words)
