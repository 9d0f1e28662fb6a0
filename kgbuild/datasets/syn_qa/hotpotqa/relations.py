"""Read from a text which words lead to which names: 'directed by Tim Burton', 'aired in 1996'."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kgbuild.datasets.syn_qa.hotpotqa.text import stems, words
from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import KINDS, PREPOSITIONS, STOP_WORDS
from kgbuild.text.sentences import sentence_spans

_ARTICLES = frozenset(("a", "an", "the"))
_TOKEN = re.compile(r"\w[\w’'-]*|[,&]")
_YEAR = re.compile(r"[12]\d{3}")
_THING = "*"
"""Stands for all nouns of the kind of the subject, so that an album and an EP are compared."""


Relations = Mapping[tuple[str, bool], frozenset[str]]
"""The stems of the names or, if it is true, the years, to which each stem leads."""


def relations(text: str, kind: str | None) -> Relations:
    """Return the names and years to which the words of a text lead.

    A word leads to the names after it if a preposition, an article or a name follows. Of 'a 1994
    film written and directed by Tim Burton', film (by its ``kind``), written, directed and by lead
    to him, film to 1994, too.
    """
    found: defaultdict[tuple[str, bool], set[str]] = defaultdict(set)
    for start, end in sentence_spans(text):
        for leading, name in _of_sentence(_TOKEN.findall(text[start:end]), kind):
            found[leading, bool(_YEAR.fullmatch(name))] |= stems(words(name))
    return {leading: frozenset(names) for leading, names in found.items()}


def _of_sentence(tokens: Sequence[str], kind: str | None) -> Iterator[tuple[str, str]]:
    """Yield each stem that leads to a name, and the name."""
    leading: set[str] = set()
    waiting: set[str] = set()  # before another one that leads: written and ...
    before: list[str] = []  # names before their noun: 1994 American film
    has_names = False
    for token, following in zip(tokens, [*tokens[1:], ","], strict=True):
        word, is_kind = token.lower(), kind is not None and KINDS.get(token.lower()) == kind
        if _is_name(token):
            before.append(token)
            has_names = bool(leading)
            yield from ((one, token) for one in leading)
        elif word in _ARTICLES:
            before = []
        elif word not in STOP_WORDS and word[0].isalpha():
            if is_kind:
                yield from ((_THING, name) for name in before)
            cues = {_THING} if is_kind else {*stems([word])}
            if following.lower() in PREPOSITIONS | _ARTICLES or _is_name(following):
                leading = (
                    cues | waiting | ({following} & {"by"}) | (set() if has_names else leading)
                )
                waiting, has_names = set(), False
            else:
                waiting = waiting | cues if is_kind or following in ("and", ",", "&") else set()


def _is_name(token: str) -> bool:
    """Return whether a token is capitalised and no stop word, or a year."""
    is_capital = token[0].isupper() and token.lower() not in STOP_WORDS
    return is_capital or bool(_YEAR.fullmatch(token))
