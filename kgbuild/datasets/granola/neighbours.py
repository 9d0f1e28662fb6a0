"""Tell whether a reply names a place that lies beside another one: "just outside Portland"."""

import re

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.name_bounds import VENUES
from kgbuild.datasets.granola.readings import Mention, Reading
from kgbuild.datasets.granola.reply_words import DIRECTIONS, begins_name

_WORDS = read_toml("granola", "reply_words")["beside"]
_PHRASE = re.compile(rf"(?:^| )(?:{'|'.join(_WORDS['phrases'])})$")
_FAR = {"far", "very", "extreme", "deep"}
_MOST_WORDS = 5
"""The greatest number of words of a phrase before the place."""


def is_beside(reading: Reading, mention: Mention) -> bool:
    """Return whether a phrase says that the place meant is not this one: "north of Oslo"."""
    return _start(reading, mention) is not None


def has_neighbour(reading: Reading, mention: Mention) -> bool:
    """Return whether a name stands before such a phrase: "Solihull, just outside Birmingham"."""
    start = _start(reading, mention)
    if not start:
        return False
    word = reading.words[start - 1]
    is_venue = word.text in VENUES
    return begins_name(word) and not is_venue and not reading.is_subject_word(word)


def _is_in_part(reading: Reading, mention: Mention) -> bool:
    """Return whether a direction is a part of the place: "the far north of Oslo"."""
    before = reading.words[max(0, mention.start - 3) : mention.start]
    if len(before) < len(("north", "of")) or before[-1].text != "of":
        return False
    *adverbs, direction, _ = before
    is_name = direction.is_name and not direction.begins_sentence
    has_article = any(word.text in _FAR and word.has_article for word in adverbs)
    return direction.text in DIRECTIONS and (direction.has_article or has_article or is_name)


def _start(reading: Reading, mention: Mention) -> int | None:
    """Return the first word of the phrase before a place, None without one."""
    first = max(0, mention.start - _MOST_WORDS)
    words = reading.words[first : mention.start]
    stops = [n for n, word in enumerate(words[1:], 1) if word.before]
    own = stops[-1] if stops else 0
    if reading.words[mention.start].before or _is_in_part(reading, mention):
        return None
    text = " ".join(word.text for word in words[own:])
    phrase = _PHRASE.search(text)
    if phrase is None:
        return None
    return first + own + len(text[: phrase.start()].split())
