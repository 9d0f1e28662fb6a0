"""Tell whether a name in a reply is a name by itself, or a part of a longer one."""

from kgbuild.datasets.granola.readings import Mention, Reading
from kgbuild.datasets.granola.regions import regions
from kgbuild.datasets.granola.reply_words import (
    DIRECTIONS,
    HEDGES,
    LEGAL_FORMS,
    NO_NAMES,
    NUMERAL,
    PLACE_KINDS,
    STATE_KINDS,
    begins_name,
    is_extended,
)
from kgbuild.evaluate.text_metrics import normalise

VENUES = {
    *("street", "avenue", "road", "hospital", "palace", "building", "house", "castle", "hotel"),
    *("theatre", "theater", "square", "center", "centre"),
}
"""Last words of names of what lies in a place, and is no place itself."""

_MOST_LOWER = 2
"""The greatest number of words of a name in lower case."""
_SCHOOL = "P69"
_ORGANISATIONS = {"P112", "P127", "P176", "P264"}
"""The relations whose answers are organisations, whose legal forms do not count."""
_INSIDE = {"in", "at", "near", "from"}
_ADVERB = "ly"
_MOST_HEDGES = 4
"""The greatest number of words after a choice and before the second name: "or maybe in Oslo"."""


def is_part(reading: Reading, mention: Mention) -> bool:
    """Return whether a name is a part of a longer name: "Paris" in "Paris Hilton"."""
    following = next((other for other in reading.mentions if other.start == mention.end), None)
    if following and _is_apart(reading, following) and not reading.words[following.start].before:
        # "Oakland California": the next name does not extend this one, but "MCA Nashville" does.
        words = reading.words[: mention.end]
        return is_extended(words, mention.start, mention.end)
    if _has_subtitle(reading, mention):
        return True
    if _is_whole(reading, mention):
        return False
    previous = next((other for other in reading.mentions if other.end == mention.start), None)
    start = 0 if previous is None else mention.start
    return is_extended(reading.words[start:], mention.start - start, mention.end - start)


def _is_apart(reading: Reading, following: Mention) -> bool:
    """Return whether a name after another one is a name by itself: a true answer, or a place.

    "Union College" may be a part of "Hebrew Union College".
    """
    is_school = reading.truth.relation == _SCHOOL and reading.gazetteer.is_answer(
        following.name, _SCHOOL
    )
    return following.answer is not None or (reading.asks_for_place and not is_school)


def _has_subtitle(reading: Reading, mention: Mention) -> bool:
    """Return whether a colon and a capital follow the title of a work: "Red Hill: Part Two"."""
    following = reading.words[mention.end : mention.end + 1]
    is_title = not reading.asks_for_place and not reading.truth.is_person
    is_finest = mention.answer is not None and mention.answer.level == 1
    has_colon = any(word.before == ":" and begins_name(word) for word in following)
    return is_title and is_finest and has_colon


def _is_whole(reading: Reading, mention: Mention) -> bool:
    """Return whether the words around a name are no part of it, though they look like one.

    "The Canadian province of Quebec" names Quebec, "Washington State" Washington, and "Ann Lee
    of Oslo" Ann Lee, but "Anne I of Oslo" is a queen.
    """
    words = reading.words
    is_described = words[mention.start].text in PLACE_KINDS and not words[mention.start].is_name
    if is_described or _precedes_legal_form(reading, mention):
        return True
    following = words[mention.end : mention.end + 2]
    is_region = not mention.answer and mention.name in regions()
    if is_region and following and following[0].text == "of":
        # "The West Coast of the United States" is no longer name.
        return any(o.start == mention.end + 1 and o.answer for o in reading.mentions)
    is_kind_named = bool(following) and following[0].text in STATE_KINDS
    if is_region and is_kind_named and not following[0].before:
        name = f"{mention.name} {following[0].text}"
        return not reading.gazetteer.is_place(name)  # "Okinawa Prefecture"
    if not following or not mention.answer:
        return False
    if following[0].text == "at" and mention.answer.level == 1:
        # "Downing College at Cambridge University": it lies there.
        return any(o.start == mention.end + 1 and o.answer for o in reading.mentions)
    *_, last = mention.name.split()
    is_full_name = reading.truth.is_person and mention.answer.level == 1 and " " in mention.name
    if is_full_name and following[0].text == "of":
        return not NUMERAL.fullmatch(last) and not _has_realm(mention)
    if following[0].text == "of" and " " in mention.name and not reading.asks_for_place:
        return any(
            other.start == mention.end + 1 and reading.gazetteer.is_place(other.name)
            for other in reading.mentions
        )
    name = f"{mention.name} {following[0].text}"
    is_area = reading.asks_for_place and mention.answer.level > 1
    is_alone = len(following) == 1 or bool(following[1].before) or not begins_name(following[1])
    is_state = following[0].text in STATE_KINDS and not following[0].before
    return is_area and is_alone and is_state and not reading.gazetteer.is_place(name)


def _precedes_legal_form(reading: Reading, mention: Mention) -> bool:
    """Return whether a legal form follows, which is no part of the name: "Red Records Inc."."""
    words, end = reading.words, mention.end
    if reading.truth.relation not in _ORGANISATIONS or mention.start == end:
        return False
    before = words[mention.start - 1 : mention.start] if mention.start else []
    is_begun = any(begins_name(word) for word in before) and not words[mention.start].before
    is_legal = any(word.text in LEGAL_FORMS and word.is_name for word in words[end : end + 1])
    following = words[end + 1 : end + 2]
    is_ended = not any(begins_name(word) and not word.before for word in following)
    return is_legal and is_ended and not is_begun


def _has_realm(mention: Mention) -> bool:
    """Return whether a name is that of a true answer without a realm: "Princess Helena"."""
    names = mention.answer.names if mention.answer else ()
    tails = (f" {normalise(name)} ".partition(f" {mention.name} ")[2] for name in names)
    return any(" of " in f" {tail}" for tail in tails)


def has_head(reading: Reading, mention: Mention) -> bool:
    """Return whether an unknown name is joined to a coarser answer: "Nohant, France".

    Another known place may be a part of the unknown name: "Lower Manhattan, New York City".
    """
    words = reading.words
    if mention.start == 0:
        return False
    if _has_lower_head(reading, mention) or _has_lower_town(reading, mention):
        return True
    if _has_known_area(reading, mention):
        return False
    previous = next((other for other in reading.mentions if other.end == mention.start), None)
    if previous and (previous.answer or not is_part(reading, previous)):
        return False
    place = words[mention.start]
    last = mention.start - 1
    if words[last].text in ("in", "at", "of", "near") and not place.before:
        last -= 1
    elif not set(place.before) & {",", "("}:
        return False
    return (
        last >= 0
        and begins_name(words[last])
        and words[last].text not in VENUES | PLACE_KINDS | DIRECTIONS
        and not reading.is_subject_word(words[last])
        and not reading.is_nationality(words[last])  # "She read English at Cambridge"
    )


def _has_known_area(reading: Reading, mention: Mention) -> bool:
    """Return whether a name with "in the" and a comma stand before: "in the Valley, in Ohio"."""
    words, start = reading.words, mention.start
    if _has_area_with_article(reading, start):
        return True
    if start < len(("in", "Valley", "in")) or words[start - 1].text not in _INSIDE:
        return False
    area = words[start - 2]
    is_apart = words[start - 1].before == "," and not words[start].before
    is_inside = words[start - 3].text in _INSIDE and not area.before
    return is_apart and is_inside and area.has_article and area.is_name


def _has_area_with_article(reading: Reading, start: int) -> bool:
    """Return whether an unknown area with an article stands before: "in the Visayas, Ohio"."""
    words = reading.words
    first = start
    while first > 0 and words[first - 1].is_name and not words[first].has_article:
        first -= 1
        if first + 1 < start and words[first + 1].before:
            return False
    is_inside = 0 < first < start and words[first - 1].text in _INSIDE and not words[first].before
    is_apart = start > 0 and words[start].before == ","
    is_known = any(name.start < start and name.end > first for name in reading.mentions)
    return is_inside and is_apart and words[first].has_article and not is_known


def _has_lower_town(reading: Reading, mention: Mention) -> bool:
    """Return whether an unknown town in lower case stands before: "born in smallville, Ohio"."""
    words = reading.words
    first = mention.start
    while first > max(0, mention.start - _MOST_LOWER) and words[first - 1].text not in _INSIDE:
        first -= 1
    town = words[first : mention.start]
    return (
        bool(town)
        and first > 0
        and words[first - 1].text in _INSIDE
        and reading.asks_for_place
        and words[mention.start].before == ","
        and not any(word.before or word.is_name or word.has_article for word in town)
        and not any(word.text in NO_NAMES | VENUES or word.text.endswith(_ADVERB) for word in town)
        and not any(reading.is_subject_word(word) for word in town)
        and not any(first < other.end <= mention.start for other in reading.mentions)
    )


def _has_lower_head(reading: Reading, mention: Mention) -> bool:
    """Return whether a reply begins with one or two words in lower case: "nohant, France"."""
    head = reading.words[: mention.start]
    return (
        len(head) <= _MOST_LOWER
        and reading.words[mention.start].before == ","
        and not any(word.is_name or word.has_article or word.text in NO_NAMES for word in head)
        and not any(word.before for word in head[1:])
        and not any(word.text.endswith(_ADVERB) or reading.is_subject_word(word) for word in head)
        and not any(other.start < mention.start for other in reading.mentions)
    )


def has_unknown_alternative(reading: Reading, mention: Mention) -> bool:
    """Return whether "or" joins a name to an unknown one, which follows or stands before it."""
    following = reading.words[mention.end : mention.end + 2]
    is_known = any(other.start == mention.end + 1 for other in reading.mentions)
    is_choice = len(following) == 2 and following[0].text == "or"
    if is_choice and not is_known and begins_name(following[1]):
        return True
    return _follows_unknown(reading, mention)


def _follows_unknown(reading: Reading, mention: Mention) -> bool:
    """Return whether an unknown name and "or" stand before a name: "Bangor or Portland"."""
    words = reading.words
    last = mention.start - 1
    while last > max(0, mention.start - _MOST_HEDGES) and words[last].text in NO_NAMES - {"or"}:
        last -= 1
    if last < 1 or words[last].text != "or" or words[mention.start].begins_sentence:
        return False
    while last > 1 and words[last - 1].text in HEDGES:
        last -= 1
    is_known = any(name.start < last <= name.end for name in reading.mentions)
    return (
        begins_name(words[last - 1])
        and not reading.is_subject_word(words[last - 1])
        and not is_known
    )
