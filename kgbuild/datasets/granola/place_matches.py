"""Decide whether a place in a reply is a true answer: with the places after it."""

from collections.abc import Sequence

from kgbuild.datasets.granola.gazetteer import place_name
from kgbuild.datasets.granola.readings import Mention, Reading
from kgbuild.datasets.granola.truths import Match, TrueAnswer


def match_place(reading: Reading, mention: Mention) -> Match:
    """Return the match of a place, which is read with the places after it: "Portland, Oregon"."""
    shown = reading.shown(mention)
    qualifiers = _qualifiers(reading, mention)
    if mention.answer is None or reading.is_part(mention):
        return _around(reading, mention, qualifiers)
    for qualifier in qualifiers:
        if qualifier.answer:
            break  # "Dresden, Saxony, German Empire": the first place is enough
        if _contradicts(reading, qualifier, mention.answer):
            return Match(None, reason=f"a namesake in {reading.shown(qualifier)}: {shown}")
    if not qualifiers and _is_namesake(reading, mention):
        return Match(None, reason=f"a namesake of {shown}")
    if mention.answer.level > 1 and reading.has_head(mention):
        return Match(None, reason=f"another place in {shown}")
    return Match(mention.answer.level, mention.answer.text, f"the name {shown}")


def _around(reading: Reading, mention: Mention, qualifiers: Sequence[Mention]) -> Match:
    """Return the match of another place: a part of a true place, or a place around it."""
    answers = [qualifier.answer for qualifier in qualifiers if qualifier.answer]
    is_around = any(
        mention.name in _tails(answer) for answer in reading.truth.answers if answer.level == 1
    )
    for answer in answers:
        if answer.level == 1 or is_around:
            return Match(answer.level, answer.text, f"a place in {answer.text}")
    return Match(None, reason=f"another place: {reading.shown(mention)}")


def _qualifiers(reading: Reading, mention: Mention) -> list[Mention]:
    """Return the places after a place that say where it lies: "Portland, Oregon"."""
    qualifiers: list[Mention] = []
    last = mention
    for other in reading.mentions:
        between = reading.words[last.end : other.start]
        is_next = other.start >= last.end and all(word.text == "in" for word in between)
        if is_next and not reading.words[last.end].begins_sentence:
            qualifiers.append(other)
            last = other
    return qualifiers


def _is_namesake(reading: Reading, mention: Mention) -> bool:
    """Return whether a place and the next word name another place: "Portland, OR"."""
    following = reading.words[mention.end : mention.end + 1]
    name = " ".join([mention.name, *(word.text for word in following)])
    return name not in reading.names and reading.gazetteer.is_place(name)


def _contradicts(reading: Reading, qualifier: Mention, answer: TrueAnswer) -> bool:
    """Return whether a place cannot contain a true answer.

    It can if it lies in a place that does: London contains Hammersmith, if it is in England.
    """
    within = _tails(answer)
    own = {place_name(name) for name in answer.names}
    if qualifier.name in own | within or not reading.gazetteer.is_place(qualifier.name):
        return False
    coarser = [a for a in reading.truth.answers if a.level > answer.level]
    nearest = min((a.level for a in coarser), default=0)
    bounds = within or {place_name(name) for a in coarser if a.level == nearest for name in a.names}
    return bool(bounds) and not bounds & reading.gazetteer.around(qualifier.name)


def _tails(answer: TrueAnswer) -> set[str]:
    """Return the places that the names of a place add after a comma: "Portland, Maine"."""
    parts = (name.partition(",") for name in answer.names)
    return {place_name(tail.strip()) for _, comma, tail in parts if comma}
