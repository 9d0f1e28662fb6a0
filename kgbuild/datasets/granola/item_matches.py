"""Find the level of a true item, class or place that a reply matches."""

import itertools
from collections.abc import Mapping, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.clauses import clauses
from kgbuild.datasets.granola.gazetteer import Gazetteer
from kgbuild.datasets.granola.later_areas import in_last_sentence, in_later_area, in_other_area
from kgbuild.datasets.granola.name_bounds import has_head, has_unknown_alternative, is_part
from kgbuild.datasets.granola.neighbours import is_beside
from kgbuild.datasets.granola.place_matches import match_nation, match_place
from kgbuild.datasets.granola.readings import Mention, Reading
from kgbuild.datasets.granola.regions import holds, regions
from kgbuild.datasets.granola.reply_lists import ORDER, names_of_list
from kgbuild.datasets.granola.reply_words import PLACE_KINDS, SHARED, begins_name, without_variants
from kgbuild.datasets.granola.strangers import describes_stranger
from kgbuild.datasets.granola.truths import Match, TrueAnswer, Truth
from kgbuild.evaluate.text_metrics import normalise

_MOST_BETWEEN = 4
"""The number of words between two alternatives: "Paris, I believe – or London"."""
_PAIR = 2
_PRECISELY = {"specifically", "namely", "precisely", "exactly", "exact", "precise"}
"""Words between a place and a more precise one."""
_AREA, _SCHOOL = "P131", "P69"
_KINDS_OF_AREAS = PLACE_KINDS | {"voivodeship", "oblast", "krai"}
_MOST_OF_AREA = 6
"""The greatest number of words of an area with "in" before it."""
_IN = {"of", "in", "within", "inside", "at"}
_STAYS = frozenset(read_toml("granola", "reply_words")["joints"]["stays"])
"""Words of how long somebody stays at a school: "Northwestern for one year, then Yale"."""
_PARTLY = {"partly", "partially"}
"""Words before each of the places in which a place lies."""
_SMALL_WORDS = {"in", "at", "near", "city", "town", "of", "village"}


def match_item(
    reply: str, truth: Truth, names: Mapping[str, TrueAnswer], gazetteer: Gazetteer
) -> Match:
    """Return the level of the answer that a reply gives; ``names`` are the true ones.

    The first answer in the reply decides, if it is a sentence. A list of answers matches if all of
    them are true; of a pair, one is enough if the store may lack the other. Alternatives ("or")
    match if all of them are true. The name of a place is read with the places after it: "Portland,
    Oregon".
    """
    if answer := names.get(without_variants(normalise(reply))):
        return Match(answer.level, answer.text, "the same words")
    reading = Reading(reply, truth, names, gazetteer)
    for start, end in clauses(reply, truth.relation):
        claims = [
            mention
            for mention in reading.claims
            if start <= reading.words[mention.start].start < end
        ]
        if claims:
            match = _decide(reading, claims)
            nation = match_nation(reading, claims[0].end)
            return nation if nation and match.level is None else match
    nation = match_nation(reading, len(reading.words))
    return nation or Match(None, reason="no true answer", claims=False)


def _decide(reading: Reading, mentions: Sequence[Mention]) -> Match:
    """Return the match of the answers in a reply; there is at least one."""
    whole = _whole(reading, mentions)
    if not whole:
        shown = reading.shown(mentions[0])
        return Match(None, reason=f"part of another name: {shown}", claims=False)
    alternatives = _alternatives(reading, whole)
    if has_unknown_alternative(reading, alternatives[-1]):
        return Match(None, reason=f"one of several guesses: {reading.shown(alternatives[-1])}")
    match_one = match_place if reading.asks_for_place else _of_name
    matches = [match_one(reading, mention) for mention in alternatives]
    listed = names_of_list(reading, whole[0])
    if len(listed) > 1 and len(alternatives) == 1:
        false = [name for name in listed if not name or match_one(reading, name).level is None]
        is_pair_enough = len(listed) == _PAIR and _may_lack(reading.truth)
        if len(false) > is_pair_enough:
            reason = f"{len(false)} of {len(listed)} answers are not true"
            # "Mike Schur" may be Michael Schur, of whose name it has a part.
            has_unknown = any(not name or name.answer for name in false)
            return Match(None, reason=reason, has_unknown=has_unknown)
    if len(alternatives) > 1:
        wrong = next((match for match in matches if match.level is None), None)
        return wrong or max(matches, key=lambda match: match.level or 0)
    if reading.asks_for_place:
        return (
            in_other_area(reading, matches[0])
            or in_later_area(reading, whole, matches[0])
            or _precise(reading, whole)
            or _in_brackets(reading, whole, matches[0])
            or _in_sequence(reading, whole, matches[0])
            or _from_large_to_small(reading, whole, matches[0])
            or _in_unknown_area(reading, whole[0], matches[0])
            or in_last_sentence(reading, whole, matches[0])
            or _in_full(reading, whole, matches[0])
        )
    if whole[0].answer is None and len(listed) == 1:
        return matches[0]
    return _best(reading, whole[1:], matches[0])


def _whole(reading: Reading, mentions: Sequence[Mention]) -> Sequence[Mention]:
    """Return the names that are no parts of longer ones; without such names, the classes.

    If a finest answer follows places that are only near it, these are left out: "a suburb north of
    Elmdale, mostly in Oak County" answers Oak County.
    """
    classes = [mention for mention in mentions if mention.answer and mention.answer.is_class]
    whole = [mention for mention in mentions if not is_part(reading, mention)] or classes
    if not reading.asks_for_place:
        return whole
    rest = [*itertools.dropwhile(lambda mention: is_beside(reading, mention), whole)]
    is_answered = any(mention.answer and mention.answer.level == 1 for mention in rest)
    return rest if is_answered else whole


def _may_lack(truth: Truth) -> bool:
    """Return whether a store may lack the second of two true answers: it has only one of them."""
    golds = {answer.text for answer in truth.answers if answer.level == 1}
    return truth.relation in SHARED and len(golds) < _PAIR


def _precise(reading: Reading, mentions: Sequence[Mention]) -> Match | None:
    """Return the match of a more precise place: "Lombardy, specifically Varese"."""
    end = mentions[0].end
    markers = [n for n, word in enumerate(reading.words[end : end + 3]) if word.text in _PRECISELY]
    if not markers:
        return None
    start = end + markers[-1] + 1
    while start < len(reading.words) and reading.words[start].text in _SMALL_WORDS:
        start += 1
    if following := next((mention for mention in mentions if mention.start == start), None):
        return match_place(reading, following)
    is_exact = mentions[0].answer is not None and mentions[0].answer.level == 1
    if not is_exact and any(begins_name(word) for word in reading.words[start : start + 1]):
        return Match(None, reason=f"another place: {reading.words[start].written}")
    return None


def _in_brackets(reading: Reading, mentions: Sequence[Mention], match: Match) -> Match | None:
    """Return the match of a finer place in brackets: "Piedmont, Italy (province of Vercelli)"."""
    if match.level is None or match.level == 1:
        return None
    for mention in mentions[1:]:
        start = mention.start
        while (
            reading.words[start - 1].text in PLACE_KINDS | {"of"}
            and not reading.words[start].before
        ):
            start -= 1
        is_finer = mention.answer is not None and mention.answer.level < match.level
        if is_finer and reading.words[start].before.endswith("("):
            return match_place(reading, mention)
    return None


def _in_sequence(reading: Reading, mentions: Sequence[Mention], match: Match) -> Match | None:
    """Return the match of the finest of true schools: "Northwestern, then Yale School of Drama"."""
    if match.level in (None, 1) or reading.truth.relation != _SCHOOL:
        return None
    matches, last = [match], mentions[0]
    for mention in mentions[1:]:
        between = {word.text for word in reading.words[last.end : mention.start]}
        if not between & ORDER or not between <= ORDER | _STAYS:
            break
        matches.append(match_place(reading, mention))
        last = mention
    levels = [other.level for other in matches]
    finest = min(filter(None, levels))
    return None if None in levels or finest == match.level else matches[levels.index(finest)]


def _from_large_to_small(
    reading: Reading, mentions: Sequence[Mention], match: Match
) -> Match | None:
    """Return the match of the last place if each lies in the one before: "Italy, Rome"."""
    if match.level is None or match.level == 1:
        return None
    words, level, last = reading.words, match.level, mentions[0]
    for mention in mentions[1:]:
        between = words[last.end : mention.start]
        is_next = words[last.end].before == "," and not any(word.before for word in between[1:])
        is_kind = all(word.text in PLACE_KINDS | _IN for word in between)
        is_region = mention.answer is None and mention.name in regions()
        is_finer = mention.answer is not None and mention.answer.level < level
        names = reading.truth.names
        if is_next and is_kind and is_region and holds(mention.name, names) is False:
            return Match(None, reason=f"another region: {reading.shown(mention)}")
        if is_next and is_kind and _is_other_within(reading, last, mention):
            return Match(None, reason=f"another place: {reading.shown(mention)}")
        if not (is_next and is_kind and (is_region or is_finer)):
            break
        level = mention.answer.level if mention.answer else level
        last = mention
    is_choice = any(word.text in ("or", "and") for word in words[last.end : last.end + 1])
    return (
        match_place(reading, last)
        if last.answer and level < match.level and not is_choice
        else None
    )


def _in_unknown_area(reading: Reading, mention: Mention, match: Match) -> Match | None:
    """Return that a reply names another area: "Poland, in the Kraków Voivodeship".

    Only a question that asks for an area says that the area is another one.
    """
    following = reading.words[mention.end : mention.end + _MOST_OF_AREA]
    if reading.truth.relation != _AREA or match.level in (None, 1) or not following:
        return None
    if "," not in following[0].before or following[0].text != "in":
        return None
    names = [*itertools.takewhile(lambda word: not word.before, following[1:])]
    kinds = (n for n, word in enumerate(names) if word.is_name and word.text in _KINDS_OF_AREAS)
    last = next(kinds, 0)
    end = mention.end + 2 + last
    is_known = any(name.start < end <= name.end for name in reading.mentions)
    if last == 0 or is_known or not all(word.is_name for word in names[:last]):
        return None
    shown = " ".join(word.written for word in names[: last + 1])
    return Match(None, reason=f"another area: {shown}")


def _is_other_within(reading: Reading, outer: Mention, mention: Mention) -> bool:
    """Return whether a place lies in a true one, but neither around a finest answer nor in it."""
    gazetteer, name = reading.gazetteer, mention.name
    if mention.answer or not outer.answer or not gazetteer.is_within(name, outer.answer):
        return False
    golds = [answer for answer in reading.truth.answers if answer.level == 1]
    is_region = name in regions()
    is_around = any(gazetteer.contains(name, gold) for gold in golds)
    return not (is_region or is_around or any(gazetteer.is_within(name, gold) for gold in golds))


def _in_full(reading: Reading, mentions: Sequence[Mention], match: Match) -> Match:
    """Return the match of a place; if it is true, perhaps of a later name that begins with it.

    "He played for Syracuse, i.e. he studied at Syracuse University."
    """
    if match.level is None:
        return match
    first = f"{mentions[0].name} "
    longer = [mention for mention in mentions[1:] if mention.name.startswith(first)]
    others = [match_place(reading, mention) for mention in longer if mention.answer]
    return min([match, *others], key=lambda match: match.level or len(reading.truth.answers) + 1)


def _best(reading: Reading, mentions: Sequence[Mention], match: Match) -> Match:
    """Return the finest of a match and of those of other names."""
    others = [_of_name(reading, mention) for mention in mentions if mention.answer]
    return min([match, *others], key=lambda match: match.level or len(reading.truth.answers) + 1)


def _alternatives(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the first answer, and those that "or" joins to it."""
    alternatives = [mentions[0]]
    for mention in mentions[1:]:
        between = reading.words[alternatives[-1].end : mention.start]
        is_joined = len(between) <= _MOST_BETWEEN and not any(w.begins_sentence for w in between)
        texts = {word.text for word in between}
        is_last_or = any(word.text == "or" for word in between[-1:])
        is_choice = is_joined and (is_last_or or not texts.isdisjoint(_PARTLY))
        if not is_choice and "or" not in {word.text for word in between[:2]}:
            break
        alternatives.append(mention)
    return alternatives


def _of_name(reading: Reading, mention: Mention) -> Match:
    answer = mention.answer
    shown = reading.shown(mention)
    if answer is None:
        return Match(None, reason=f"another answer: {shown}")
    if answer.kind in ("item", "place"):
        if is_part(reading, mention):
            return Match(None, reason=f"part of another name: {shown}")
        if answer.level > 1 and has_head(reading, mention):
            return Match(None, reason=f"an unknown answer in {shown}")
    elif describes_stranger(reading, mention):
        return Match(None, reason=f"an unknown answer that is {shown}", has_unknown=True)
    else:
        stated, is_described = reading.true_class(mention)
        if stated is None:
            return Match(None, reason=f"not true of the answer: {shown} with the words around it")
        if is_described:
            return Match(stated.level, stated.text, f"the words around {shown}")
    return Match(answer.level, answer.text, f"the name {shown}")
