"""Find the areas that a reply names besides its first place: "London, in the City of Oslo"."""

from collections.abc import Iterator, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.neighbours import is_beside
from kgbuild.datasets.granola.place_matches import match_place
from kgbuild.datasets.granola.readings import Mention, Reading
from kgbuild.datasets.granola.regions import bare_name, regions
from kgbuild.datasets.granola.reply_words import AMERICAN_STATES, HEDGES, PLACE_KINDS
from kgbuild.datasets.granola.truths import Match, TrueAnswer

_AREA = "P131"
_WORDS = read_toml("granola", "reply_words")
_INSIDE = frozenset(_WORDS["inside"]["words"])
_LINKS = _INSIDE | PLACE_KINDS
_KINDS = frozenset(_WORDS["kinds"]["areas"])
_JOINTS = {",", "(", ",("}


def in_later_area(reading: Reading, mentions: Sequence[Mention], match: Match) -> Match | None:
    """Return the match of a finest answer that the reply names as the area of its first place.

    "New Brunswick, New Jersey" answers New Jersey. The places before it must not lie beside it.
    """
    if reading.truth.relation != _AREA or match.level == 1:
        return None
    last = mentions[0]
    before = [last]
    for mention in mentions[1:]:
        if not _is_inside(reading, last, mention):
            return None
        if mention.answer and mention.answer.level == 1:
            gold = mention.answer
            is_apart = any(_is_apart(reading, place, gold) for place in before)
            return None if is_apart else match_place(reading, mention)
        before.append(mention)
        last = mention
    return None


def in_other_area(reading: Reading, match: Match) -> Match | None:
    """Return that a reply names another area of a true state: "in the Gers department, France".

    ``match`` is that of the state. A list of regions tells that both areas are in it.
    """
    if reading.truth.relation != _AREA or match.level in (None, 1):
        return None
    golds = [answer for answer in reading.truth.answers if answer.level == 1]
    for area in _areas_with_kinds(reading):
        if all(_is_other_member(reading, area.name, gold) for gold in golds):
            return Match(None, reason=f"another area: {reading.shown(area)}")
    return None


def _areas_with_kinds(reading: Reading) -> Iterator[Mention]:
    """Yield the names between "in" and the kind of an area: "in the Gers department"."""
    words = reading.words
    for end, word in enumerate(words):
        start = end
        while start > 0 and words[start - 1].is_name and not words[start].before:
            start -= 1
        if word.text in _KINDS and 0 < start < end and words[start - 1].text in _INSIDE:
            yield Mention(start, end, " ".join(name.text for name in words[start:end]), None)


def _is_other_member(reading: Reading, name: str, gold: TrueAnswer) -> bool:
    """Return whether regions of one state have an area and a true one, which differ."""
    own = {bare_name(text) for text in gold.names}
    every = [region for named in regions().values() for region in named]
    states = {region.state for region in every if not own.isdisjoint(region.members)}
    is_member = any(name in region.members and region.state in states for region in every)
    return is_member and name not in own and not reading.gazetteer.contains(name, gold)


def in_last_sentence(reading: Reading, mentions: Sequence[Mention], match: Match) -> Match | None:
    """Return the match of a finer place that is the last sentence: "Somewhere in Ohio. Toledo?"."""
    last, words = mentions[-1], reading.words
    if match.level is None or last.answer is None or last.answer.level >= match.level:
        return None
    others = words[last.end :]
    is_next = len(mentions) == len(("Ohio", "Toledo")) and words[last.start].begins_sentence
    is_alone = all(word.text in HEDGES and not word.begins_sentence for word in others)
    return match_place(reading, last) if is_next and is_alone else None


def _is_inside(reading: Reading, place: Mention, area: Mention) -> bool:
    """Return whether a comma, a bracket or words such as "within" join a place to an area."""
    between = reading.words[place.end : area.start]
    stops = [word.before for word in reading.words[place.end : area.start + 1] if word.before]
    is_joined = all(stop in _JOINTS for stop in stops) and bool(stops or between)
    return is_joined and all(word.text in _LINKS for word in between)


def _is_apart(reading: Reading, mention: Mention, gold: TrueAnswer) -> bool:
    """Return whether a place is a state, or an area that neither contains a true one nor is in it.

    A place that is only near the subject may be anywhere: "just outside Rome".
    """
    name, gazetteer = mention.name, reading.gazetteer
    if mention.answer or is_beside(reading, mention):
        return False
    own = {bare_name(text) for text in gold.names}
    if gazetteer.is_state(name) or name in AMERICAN_STATES or _are_in_two_regions(name, own):
        return True
    if not gazetteer.is_answer(name, _AREA) or gazetteer.is_within(name, gold):
        return False
    is_region = any(not own.isdisjoint(region.members) for region in regions().get(name, ()))
    return not is_region and not gazetteer.contains(name, gold) and not _is_named(name, own)


def _are_in_two_regions(name: str, own: set[str]) -> bool:
    """Return whether a place and an area lie in two regions of one state: Milan and Turin."""
    every = [region for named in regions().values() for region in named]
    around = [region for region in every if name in {region.name, *region.members}]
    others = [region for region in every if not own.isdisjoint(region.members)]
    return any(
        region.state == other.state and region.name != other.name
        for region in around
        for other in others
    ) and {region.name for region in around}.isdisjoint(region.name for region in others)


def _is_named(name: str, own: set[str]) -> bool:
    return any(f" {text} ".endswith(f" {name} ") for text in own)
