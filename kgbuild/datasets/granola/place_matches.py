"""Decide whether a place in a reply is a true answer: with the places after it."""

import operator
import re
from collections.abc import Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.gazetteer import place_name
from kgbuild.datasets.granola.name_bounds import has_head, is_part
from kgbuild.datasets.granola.neighbours import has_neighbour, is_beside
from kgbuild.datasets.granola.qualifiers import contradiction, of_today, places_after
from kgbuild.datasets.granola.readings import Mention, Reading
from kgbuild.datasets.granola.regions import holds
from kgbuild.datasets.granola.reply_words import CODES_IN_LOWER_CASE, DIRECTIONS, begins_name
from kgbuild.datasets.granola.truths import Match, TrueAnswer
from kgbuild.english.dates import ORDINALS
from kgbuild.evaluate.text_metrics import normalise

_AREA = "P131"
"""The relation that asks for the area of a place; a town in this area is another answer."""
_SCHOOL = "P69"
"""The relation that asks for a school, whose name may be that of its town."""
_KINDS = {
    *(
        "town",
        "city",
        "village",
        "municipality",
        "commune",
        "comune",
        "province",
        "provinces",
        "region",
    ),
    *("state", "county", "department", "district", "island", "towns", "cities", "university"),
    *("universities", "school", "college", "conservatory", "academy", "capital"),
    *("alps", "pyrenees", "riviera", "coast", "countryside", *DIRECTIONS),
}
_SCHOOLS = {"university", "school", "college", "conservatory", "academy"}
_WORDS = read_toml("granola", "reply_words")
_LOCATED = frozenset(_WORDS["located"]["words"])
_PART_OF = re.compile(
    rf"(?:(?:\S+ ){{0,2}}(?:{'|'.join(_WORDS['parts_of']['kinds'])}) of"
    rf"|(?:{'|'.join(_WORDS['parts_of']['words'])})) \S"
)
"""The normalised name of a part of a town, as it begins."""
_PART_BEFORE = re.compile(
    rf"(?:^| )(?:(?:\d\w*|{'|'.join(ORDINALS)}) (?:{'|'.join(_WORDS['parts_of']['kinds'])})(?: of)?"
    rf"|{'|'.join(_WORDS['parts_of']['words'])})$"
)
_MOST_OF_PART = 3
"""The greatest number of words before a town: "fifth arrondissement of"."""
_SEATS = {"P159", "P740"}
"""The relations that ask where an organisation or a group has its home."""
_OF = "|".join(_WORDS["parts_of"]["joints"])
_OF_CONTINENTS = {"europe": "european", "asia": "asian", "africa": "african"}
_ATTENDED = {"at", "to", "attended", "entered"}
"""Words before a university that is called by its town."""
_AT_TOWN = {"in", "near", "of", "outside"}
"""Words before a town that is no university."""
_OF_SCHOOLS = frozenset(map(normalise, _WORDS["schools"]["towns"]))
"""Towns whose names are rather those of their universities."""
_INSIDE = {"in", "at", "near", "from"}
_ENDS = {"by", "but", "though"}
"""Words after a nationality that stands for a place: "Cuban by birth"."""
_MOST_ADJECTIVES = 3
_STOPS = set(".;:–—")
_by_level = operator.attrgetter("level")


def match_place(reading: Reading, mention: Mention) -> Match:
    """Return the match of a place, which is read with the places after it: "Portland, Oregon"."""
    shown = reading.shown(mention)
    qualifiers = places_after(reading, mention)
    if later := of_today(reading, mention, qualifiers):
        return match_place(reading, later)
    if mention.answer is None or is_part(reading, mention):
        return _around(reading, mention, qualifiers)
    if qualifier := contradiction(reading, qualifiers, mention.answer):
        return Match(None, reason=f"a namesake in {reading.shown(qualifier)}: {shown}")
    if is_beside(reading, mention):
        return _outside(reading, mention, mention.answer)
    if not qualifiers and _is_namesake(reading, mention):
        return Match(None, reason=f"a namesake of {shown}")
    if mention.answer.level > 1 and has_head(reading, mention):
        return Match(None, reason=f"another place in {shown}", has_unknown=True)
    answer = _attended(reading, mention, qualifiers) or mention.answer
    return Match(answer.level, answer.text, f"the name {shown}")


def _attended(
    reading: Reading, mention: Mention, qualifiers: Sequence[Mention]
) -> TrueAnswer | None:
    """Return the university that a reply calls by its town: "She went to Princeton".

    Of some towns, the name alone is rather that of the university: "Princeton, class of 1980".
    """
    before = {word.text for word in reading.words[max(0, mention.start - 1) : mention.start]}
    is_alone = mention.name in _OF_SCHOOLS and not before & _AT_TOWN and not qualifiers
    if reading.truth.relation != _SCHOOL or not (is_alone or before & _ATTENDED):
        return None
    kinds = ("university", "college")
    forms = {f"university of {mention.name}", *(f"{mention.name} {kind}" for kind in kinds)}
    golds = (answer for answer in reading.truth.answers if answer.level == 1)
    return next((gold for gold in golds if forms & {*map(place_name, gold.names)}), None)


def match_nation(reading: Reading, end: int) -> Match | None:
    """Return the match of a country by its people: "a French town", before the word ``end``.

    Nothing in the same clause says which town it is.
    """
    if not reading.asks_for_place:
        return None
    words = reading.words[:end]
    for number, word in enumerate(words):
        if not word.is_name or _is_head_named(reading, number):
            continue
        for answer in sorted(reading.truth.answers, key=_by_level):
            peoples = {reading.gazetteer.people.get(place_name(name)) for name in answer.names}
            peoples |= {_OF_CONTINENTS.get(place_name(name)) for name in answer.names}
            if word.text in peoples:
                return Match(answer.level, answer.text, f"the nationality {word.written}")
    return None


def _outside(reading: Reading, mention: Mention, beside: TrueAnswer) -> Match:
    """Return the match of a place beside a true one: as coarse as what lies around that."""
    shown = reading.shown(mention)
    coarser = [answer for answer in reading.truth.answers if answer.level > beside.level]
    if not coarser or has_neighbour(reading, mention):
        return Match(None, reason=f"another place, beside {shown}")
    around = min(coarser, key=_by_level)
    return Match(around.level, around.text, f"a place beside {shown}")


def _is_head_named(reading: Reading, number: int) -> bool:
    """Return whether a nationality describes no place, or one that has a name in the reply.

    It describes a place if a word such as "town" follows, or if nothing does: "It's American".
    """
    following = reading.words[number + 1 : number + 1 + _MOST_ADJECTIVES]
    if not following or following[0].begins_sentence or following[0].text in _ENDS:
        others = reading.words[:number] + reading.words[number + 1 :]
        return any(
            begins_name(w) and not w.begins_sentence and not reading.is_subject_word(w)
            for w in others
        )
    known = _KINDS | _LOCATED if reading.truth.relation in _SEATS else _KINDS
    kinds = [n for n, other in enumerate(following) if other.text in known]
    if not kinds or any(word.before for word in following[: kinds[0] + 1]):
        return True
    if following[kinds[0]].text in _SCHOOLS and following[kinds[0]].is_name:
        return True  # "American University"
    position = number + 2 + kinds[0]
    after = reading.words[position : position + 1]
    is_named = any(not set(w.before) & _STOPS for w in after if begins_name(w))
    is_named |= any(w.text in {"of", "called", "named"} and not w.before for w in after)
    return is_named or _names_place(reading, position)


def _names_place(reading: Reading, position: int) -> bool:
    """Return whether a preposition and a name follow that is no true answer: "in Smallville"."""
    following = reading.words[position : position + 2]
    is_known = any(name.start == position + 1 and name.answer for name in reading.mentions)
    return (
        len(following) == len(("in", "Smallville"))
        and following[0].text in _INSIDE
        and not following[0].begins_sentence
        and begins_name(following[1])
        and not is_known
    )


def _around(reading: Reading, mention: Mention, qualifiers: Sequence[Mention]) -> Match:
    """Return the match of another place: a part of a true place, or a place around it."""
    shown = reading.shown(mention)
    if is_part(reading, mention):
        return Match(None, reason=f"part of another name: {shown}")
    if region := _region(reading, mention):
        return region
    is_area = reading.truth.relation == _AREA
    answers = [place.answer for place in qualifiers if place.answer and not is_area]
    gazetteer = reading.gazetteer
    golds = [answer for answer in reading.truth.answers if answer.level == 1]
    if any(gazetteer.contains(mention.name, gold) for gold in golds):
        answers += [
            answer
            for answer in sorted(reading.truth.answers, key=_by_level)
            if answer.level > 1
            and gazetteer.is_within(mention.name, answer)
            and not gazetteer.is_state(mention.name)
        ]
        for answer in answers:
            return Match(answer.level, answer.text, f"{shown} lies in {answer.text}")
    elif all(qualifier.answer for qualifier in qualifiers):
        answers += [
            gold
            for gold in golds
            if _has_districts(reading, gold) and gazetteer.is_within(mention.name, _in_full(gold))
        ]
    for answer in answers:
        if answer.level == 1:
            return Match(answer.level, answer.text, f"a place in {answer.text}")
    return Match(None, reason=f"another place: {shown}")


def _in_full(gold: TrueAnswer) -> TrueAnswer:
    """Return an answer without its aliases in capitals: "UK" is the University of Kentucky."""
    return gold._replace(aliases=[name for name in gold.aliases if not name.isupper()])


def _region(reading: Reading, mention: Mention) -> Match | None:
    """Return the match of a region that contains the answer, and of the town of a school.

    A town is around its parts: Paris around "the 6th arrondissement of Paris".
    """
    golds = [normalise(answer.text) for answer in reading.truth.answers if answer.level == 1]
    is_of_school = reading.truth.relation == _SCHOOL and any(
        f" {mention.name} " in f" {gold} " for gold in golds
    )
    has_part = not _is_other_part(reading, mention) and any(
        gold.endswith(f" {mention.name}") and _PART_OF.match(gold) for gold in golds
    )
    is_around = is_of_school or has_part or _is_area_of(reading, mention, golds)
    if not is_around and not holds(mention.name, reading.truth.names):
        return None
    for answer in sorted(reading.truth.answers, key=_by_level):
        if answer.level > 1 and reading.gazetteer.is_within(mention.name, answer):
            shown = reading.shown(mention)
            if has_head(reading, mention):
                return Match(None, reason=f"another place in {shown}", has_unknown=True)
            return Match(answer.level, answer.text, f"{shown} lies in {answer.text}")
    return None


def _is_area_of(reading: Reading, mention: Mention, golds: Sequence[str]) -> bool:
    """Return whether the name of a smaller area has that of a place: "Gulf of Morbihan"."""
    in_name = re.compile(rf".* (?:{_OF}) {re.escape(mention.name)}(?: .*)?")
    is_named = reading.truth.relation == _AREA and any(map(in_name.fullmatch, golds))
    return is_named and not _is_other_part(reading, mention)


def _is_other_part(reading: Reading, mention: Mention) -> bool:
    """Return whether a town ends the name of a part of it: "the 5th arrondissement of Paris"."""
    first = max(0, mention.start - _MOST_OF_PART)
    before = " ".join(word.text for word in reading.words[first : mention.start])
    return _PART_BEFORE.search(before) is not None


def _has_districts(reading: Reading, gold: TrueAnswer) -> bool:
    """Return whether a place in a true answer is right: the answer is a town, not a large area.

    A country, and an area directly in a country, have towns that are other answers.
    """
    gazetteer = reading.gazetteer
    nearest = min((a.level for a in reading.truth.answers if a.level > 1), default=0)
    bounds = [place_name(a.text) for a in reading.truth.answers if a.level == nearest]
    is_in_a_state = gazetteer.has_state(place_name(gold.text))
    is_large = gazetteer.is_state(place_name(gold.text)) or all(map(gazetteer.is_state, bounds))
    return reading.truth.relation != _AREA and is_in_a_state and not is_large


def _is_namesake(reading: Reading, mention: Mention) -> bool:
    """Return whether a place and the next word name another place: "Portland, OR"."""
    following = reading.words[mention.end : mention.end + 1]
    name = " ".join([mention.name, *(word.text for word in following)])
    if any(word.written in CODES_IN_LOWER_CASE for word in following):
        return False  # "London on", of somebody who died there on a day
    return name not in reading.names and reading.gazetteer.is_place(name)
