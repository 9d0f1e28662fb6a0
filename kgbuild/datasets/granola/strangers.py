"""Tell whether a description in a reply is that of an answer that is not true.

"Eva Hill, an American actress" names Eva Hill. If she is no true answer, that another American
actress is one does not make the reply right.
"""

from kgbuild.datasets.granola.name_bounds import is_part
from kgbuild.datasets.granola.readings import Mention, Reading
from kgbuild.datasets.granola.reply_words import TITLES, begins_name

_CALLED = {"called", "named", "titled", "entitled"}
_APPOSITION = set(",(–—-")
_ENDS = set(".;\n")
_QUOTES = set("\"'“”‘*")
_FULL_NAME = 2
"""The number of words of the name of a person."""


def describes_stranger(reading: Reading, mention: Mention) -> bool:
    """Return whether a class in a reply describes a name that is no true answer."""
    return (
        _answers_with_stranger(reading)
        or _begins_with_stranger(reading, mention)
        or _precedes_stranger(reading, mention)
        or _follows_stranger(reading, mention)
    )


def _answers_with_stranger(reading: Reading) -> bool:
    """Return whether a reply begins with a full name that stands alone: "King Louis XV. He …"."""
    words = reading.words
    first = next((n for n, word in enumerate(words) if word.text not in TITLES), len(words))
    last = first + 1
    while last < len(words) and not words[last].before and words[last].is_name:
        last += 1
    is_alone = last < len(words) and set(words[last].before) & _ENDS
    is_name = last - first >= _FULL_NAME and begins_name(words[first])
    return is_name and bool(is_alone) and _is_unknown(reading, first)


def _begins_with_stranger(reading: Reading, mention: Mention) -> bool:
    """Return whether the sentence begins with a name: "Eva Hill, who is an actress"."""
    words = reading.words
    first = max((n for n in range(mention.start + 1) if words[n].begins_sentence), default=0)
    if first + 1 < mention.start and words[first].text in TITLES and words[first].is_name:
        # "Princess Louise, who": the first name is enough
        return not words[first + 1].before and _is_unknown(reading, first + 1)
    name = words[first : first + _FULL_NAME]
    return (
        first + _FULL_NAME <= mention.start
        and all(begins_name(word) and not word.written.isupper() for word in name)
        and not reading.is_nationality(name[1])
        and _is_unknown(reading, first)
        and not name[1].before
    )


def _precedes_stranger(reading: Reading, mention: Mention) -> bool:
    """Return whether a name follows: "the actress Eva Hill", "an actress called Eva Hill".

    After a comma, it must stand alone: "an actress, Eva Hill.".
    """
    words = reading.words
    position = mention.end
    if position < len(words) and words[position].text in _CALLED and not words[position].before:
        position += 1
    if position == len(words) or not _is_unknown(reading, position):
        return False
    before = set(words[position].before) - _QUOTES
    return not before or (before <= _APPOSITION and _is_alone(reading, position))


def _is_alone(reading: Reading, position: int) -> bool:
    """Return whether a name ends at a stop or a comma: "an actress, Eva Hill."."""
    words = reading.words
    rival = next((name for name in reading.mentions if name.start == position), None)
    end = rival.end if rival else position + 1
    while end < len(words) and not words[end].before and begins_name(words[end]):
        end += 1
    is_full = rival is not None or end - position >= _FULL_NAME
    return is_full and (end == len(words) or bool(words[end].before))


def _follows_stranger(reading: Reading, mention: Mention) -> bool:
    """Return whether a name and a comma stand before: "by Eva Hill, an American actress"."""
    words = reading.words
    first = reading.description(mention).start
    if first == 0 or not words[first].has_article or not set(words[first].before) & _APPOSITION:
        return False
    last = first - 1
    if words[last].begins_sentence:
        return _is_unknown(reading, last)
    is_full = last > 0 and not words[last].before and begins_name(words[last])
    return is_full and _is_unknown(reading, last - 1)


def _is_unknown(reading: Reading, position: int) -> bool:
    """Return whether a word belongs to a name that is not the subject, a true answer or a place."""
    word = reading.words[position]
    # A place may be a part of a name: "Charlotte Brontë".
    names = [
        name
        for name in reading.mentions
        if name.start <= position < name.end and (name.answer or not is_part(reading, name))
    ]
    is_other = reading.is_subject_word(word) or reading.is_nationality(word)
    is_rival = all(
        not name.answer and reading.gazetteer.is_answer(name.name, reading.truth.relation)
        for name in names
    )
    return begins_name(word) and is_rival and not is_other
