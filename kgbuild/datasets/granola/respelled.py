"""Write the names of a reply as the true answers do: "Joan Crawford" for "Joan Crawfrod"."""

import re
from collections.abc import Iterator, Mapping, Sequence

from kgbuild.datasets.granola.gazetteer import Gazetteer
from kgbuild.datasets.granola.name_forms import is_spaced
from kgbuild.datasets.granola.reply_words import SUFFIXES, TITLES, Word, split_words
from kgbuild.datasets.granola.spellings import is_same_person, is_same_thing
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from kgbuild.evaluate.text_metrics import normalise

_MOST_WORDS = 6
"""The number of words of the longest name that is looked for."""
_HYPHEN = re.compile(r"[-‐‑–]")


def respelled(
    text: str, truth: Truth, names: Mapping[str, TrueAnswer], gazetteer: Gazetteer
) -> str:
    """Return a reply with the first name that is a true one in another spelling as it is usual.

    A name of the subject, or of another answer, is left as it is. Without such a name, it is the
    same text.
    """
    words = split_words(text)
    question = {word.base for word in split_words(truth.question)}
    targets = [
        (name.split(), answer)
        for name, answer in names.items()
        if not answer.is_class and not (truth.is_person and is_spaced(name, answer.text))
    ]
    for start, end in _spans(words):
        window = words[start:end]
        name = " ".join([*(word.text for word in window[:-1]), window[-1].base])
        if name in names or all(word.base in question for word in window):
            continue
        if _is_other(name, truth, gazetteer):
            continue
        parts = [*_parts(window)]
        for target, answer in targets:
            if _fits(parts, target, answer, truth, gazetteer):
                last = window[-1]
                length = len(last.written) - (2 if last.is_possessive else 0)
                shown = answer.text.removeprefix("the ")
                return text[: window[0].start] + shown + text[last.start + length :]
    return text


def _spans(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a reply that may be names; the longest first of those at a word."""
    is_cased = any(word.written[:1].isupper() for word in words)
    for start, first in enumerate(words):
        if first.text in TITLES or (is_cased and not first.is_name):
            continue
        for end in range(min(len(words), start + _MOST_WORDS), start, -1):
            following = words[start + 1 : end]
            is_joined = all(not word.before or word.text in SUFFIXES for word in following)
            if is_joined and (words[end - 1].is_name or not is_cased):
                yield start, end


def _parts(window: Sequence[Word]) -> Iterator[str]:
    """Yield the normalised words of a name, those with a hyphen by their parts."""
    for word in window[:-1]:
        yield from word.text.split() if "-" not in word.written else _split(word.written)
    last = window[-1]
    yield from _split(last.written) if "-" in last.written else last.base.split()


def _split(written: str) -> list[str]:
    return [normalise(part) for part in _HYPHEN.split(written) if part]


def _is_other(name: str, truth: Truth, gazetteer: Gazetteer) -> bool:
    """Return whether a name is that of another answer."""
    is_place = gazetteer.asks_for_place(truth.relation) and gazetteer.is_place(name)
    return is_place or gazetteer.is_answer(name, truth.relation)


def _fits(
    words: Sequence[str],
    name: Sequence[str],
    answer: TrueAnswer,
    truth: Truth,
    gazetteer: Gazetteer,
) -> bool:
    def is_known(word: str) -> bool:
        return gazetteer.has_word(word, truth.relation)

    is_person = truth.is_person and answer.level == 1
    return (is_same_person if is_person else is_same_thing)(words, name, is_known)
