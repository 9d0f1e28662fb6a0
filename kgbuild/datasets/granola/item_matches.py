"""Find the level of a true item, class or place that a reply matches."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.granola.clauses import clauses
from kgbuild.datasets.granola.gazetteer import Gazetteer, place_name
from kgbuild.datasets.granola.reply_words import (
    TITLES,
    Word,
    begins_name,
    is_extended,
    split_words,
    without_variants,
)
from kgbuild.datasets.granola.true_names import true_names
from kgbuild.datasets.granola.truths import Match, TrueAnswer, Truth
from kgbuild.evaluate.text_metrics import normalise

_DENIALS = {"not", "never", "isnt", "wasnt", "than", "nor", "neither", "didnt"}
_DENIED_WORDS = 3
"""The number of words before a name in which a denial concerns it: "not born in Paris"."""
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_FROM = {"from", "of", "in"}
"""Words before the year of a work: "a film from 2010"."""


_JOINTS = {"and", "or", "then", "in", "at", "of"}
"""Words between the names of a list."""
_VENUES = {
    *("street", "avenue", "road", "hospital", "palace", "building", "house", "castle", "hotel"),
    *("theatre", "theater", "square", "center", "centre"),
}
"""Last words of names of what lies in a place, and is no place itself."""


class _Mention(NamedTuple):
    """A name in a reply: its first word and the word after it, and the true answer, if it is one.

    ``name`` is normalised. Without a true answer it is another answer, or another place.
    """

    start: int
    end: int
    name: str
    answer: TrueAnswer | None


def _end(mention: _Mention) -> int:
    return mention.end


class ItemMatcher:
    """Matches replies to the questions whose answers are items, classes or places."""

    def __init__(self, gazetteer: Gazetteer):
        self._gazetteer = gazetteer

    def match(self, reply: str, truth: Truth) -> Match:
        """Return the level of the answer that a reply gives.

        The first answer in the reply decides, if it is a sentence. A list of answers matches if at
        least half of them are true; alternatives ("or") match if all of them are. The name of a
        place is read with the places after it: "Portland, Oregon".
        """
        names = true_names(truth, self._gazetteer)
        if answer := names.get(without_variants(normalise(reply))):
            return Match(answer.level, answer.text, "the same words")
        words = split_words(reply)
        reading = _Reading(words, truth, names, self._gazetteer)
        for start, end in clauses(reply, truth.relation):
            inside = [
                mention for mention in reading.mentions if start <= words[mention.start].start < end
            ]
            if inside:
                return reading.decide(inside)
        return Match(None, reason="no true answer")


def _tails(answer: TrueAnswer) -> set[str]:
    """Return the places that the names of a place add after a comma: "Portland, Maine"."""
    parts = (name.partition(",") for name in answer.names)
    return {place_name(tail.strip()) for _, comma, tail in parts if comma}


class _Reading:
    """A reply to a question, with the names in it."""

    def __init__(
        self,
        words: Sequence[Word],
        truth: Truth,
        names: Mapping[str, TrueAnswer],
        gazetteer: Gazetteer,
    ):
        self._words = words
        self._truth = truth
        self._names = names
        self._gazetteer = gazetteer
        self._question = f" {normalise(truth.question)} "
        asked_words = split_words(truth.question)[1:]
        self._subject = {word.text for word in asked_words if word.is_name}
        self._asks_for_place = gazetteer.asks_for_place(truth.relation)
        self._max_words = max([gazetteer.max_words, *(n.count(" ") + 1 for n in names)])
        self._has_capitals = any(word.written[:1].isupper() for word in words)
        self._all = [*self._find()]
        self.mentions = [mention for mention in self._all if self._is_claim(mention)]

    def _find(self) -> Iterator[_Mention]:
        """Yield the longest names that do not overlap, in their order."""
        start = 0
        while start < len(self._words):
            mention = self._at(start)
            if self._words[start].text in TITLES:
                # "King George V of Hanover" is not "King George V".
                untitled = self._at(start + 1)
                mention = max(filter(None, (mention, untitled)), key=_end, default=None)
            if mention:
                yield mention
            start = mention.end if mention else start + 1

    def _at(self, start: int) -> _Mention | None:
        """Return the longest name that begins at a word."""
        words = self._words
        for end in range(min(len(words), start + self._max_words), start, -1):
            if self._spans_names(start, end):
                continue
            texts = [word.text for word in words[start : end - 1]]
            for last in dict.fromkeys((words[end - 1].text, words[end - 1].base)):
                name = " ".join([*texts, last])
                if name in self._names:
                    return _Mention(start, end, name, self._names[name])
                if dated := self._dated(name, start, end):
                    return dated
                if self._is_other(name, words[start:end]):
                    return _Mention(start, end, name, None)
        return None

    def _spans_names(self, start: int, end: int) -> bool:
        """Return whether words end within a second name: "Brooklyn, New York" before "City"."""
        has_comma = any("," in word.before for word in self._words[start + 1 : end])
        return has_comma and is_extended(self._words, start, end)

    def _dated(self, name: str, start: int, end: int) -> _Mention | None:
        """Return "a film from 2010", which is "a 2010 film"."""
        following = self._words[end : end + 2]
        if len(following) == 2 and following[0].text in _FROM:
            full = f"{following[1].text} {name}"
            if full in self._names:
                return _Mention(start, end + 2, full, self._names[full])
        return None

    def _is_other(self, name: str, words: Sequence[Word]) -> bool:
        """Return whether words are the name of another answer, or of another place."""
        if self._asks_for_place and any("," in word.before for word in words[1:]):
            return False  # "Rio de Janeiro, Brazil" are two names
        is_name = words[0].is_name or not self._has_capitals
        return is_name and (
            self._gazetteer.is_answer(name, self._truth.relation) or self._gazetteer.is_place(name)
        )

    def _is_claim(self, mention: _Mention) -> bool:
        """Return whether a name may be an answer to the question."""
        words = self._words
        nearby = words[max(0, mention.start - _DENIED_WORDS) : mention.start]
        if any(word.text in _DENIALS for word in nearby):
            return False
        if mention.answer:
            is_common = mention.answer.level > 1 or mention.answer.text[:1].islower()
            return is_common or not self._has_capitals or self._is_written(mention)
        is_rival = self._asks_for_place or self._gazetteer.is_answer(
            mention.name, self._truth.relation
        )
        is_subject = f" {mention.name} " in self._question
        return is_rival and not is_subject and not words[mention.end - 1].is_possessive

    def _is_written(self, mention: _Mention) -> bool:
        """Return whether a name has a capital, so that it is not a common word."""
        return any(word.is_name for word in self._words[mention.start : mention.end])

    def decide(self, mentions: Sequence[_Mention]) -> Match:
        """Return the match of the answers in a reply; there is at least one."""
        whole = [mention for mention in mentions if not self._is_part(mention)] or mentions
        alternatives = self._alternatives(whole)
        of = self._of_place if self._asks_for_place else self._of_name
        matches = [of(mention) for mention in alternatives]
        if self._asks_for_place or len(alternatives) > 1:
            wrong = next((match for match in matches if match.level is None), None)
            return wrong or max(matches, key=lambda match: match.level or 0)
        rivals = sum(mention.answer is None for mention in whole)
        if whole[0].answer is None and not self._is_list(whole):
            return matches[0]
        if 2 * rivals > len(whole) and self._is_list(whole):
            return Match(None, reason=f"{rivals} of {len(whole)} answers are not true")
        return self._best(whole[1:], matches[0])

    def _best(self, mentions: Sequence[_Mention], match: Match) -> Match:
        """Return the finest of a match and of those of other names."""
        others = [self._of_name(mention) for mention in mentions if mention.answer]
        return min([match, *others], key=lambda match: match.level or len(self._truth.answers) + 1)

    def _alternatives(self, mentions: Sequence[_Mention]) -> list[_Mention]:
        """Return the first answer, and those that "or" joins to it."""
        alternatives = [mentions[0]]
        for mention in mentions[1:]:
            between = self._words[alternatives[-1].end : mention.start]
            if "or" not in {word.text for word in between[:2]}:
                break
            alternatives.append(mention)
        return alternatives

    def _is_list(self, mentions: Sequence[_Mention]) -> bool:
        """Return whether there are only names from the first to the last answer."""
        inside = {n for mention in self._all for n in range(mention.start, mention.end)}
        return all(
            n in inside or self._words[n].is_name or self._words[n].text in _JOINTS
            for n in range(mentions[0].start, mentions[-1].end)
        )

    def _of_name(self, mention: _Mention) -> Match:
        answer = mention.answer
        shown = self._shown(mention)
        if answer is None:
            return Match(None, reason=f"another answer: {shown}")
        if answer.kind in ("item", "place"):
            if self._is_part(mention):
                return Match(None, reason=f"part of another name: {shown}")
            if answer.level > 1 and self._has_head(mention):
                return Match(None, reason=f"an unknown answer in {shown}")
        elif modifier := self._modifier(mention):
            return self._modified(mention, modifier)
        return Match(answer.level, answer.text, f"the name {shown}")

    def _of_place(self, mention: _Mention) -> Match:
        shown = self._shown(mention)
        qualifiers = self._qualifiers(mention)
        if mention.answer is None or self._is_part(mention):
            return self._around(mention, qualifiers)
        for qualifier in qualifiers:
            if qualifier.answer:
                break  # "Dresden, Saxony, German Empire": the first place is enough
            if self._contradicts(qualifier, mention.answer):
                return Match(None, reason=f"a namesake in {self._shown(qualifier)}: {shown}")
        if not qualifiers and self._is_namesake(mention):
            return Match(None, reason=f"a namesake of {shown}")
        if mention.answer.level > 1 and self._has_head(mention):
            return Match(None, reason=f"another place in {shown}")
        return Match(mention.answer.level, mention.answer.text, f"the name {shown}")

    def _around(self, mention: _Mention, qualifiers: Sequence[_Mention]) -> Match:
        """Return the match of another place: a part of a true place, or a place around it."""
        answers = [qualifier.answer for qualifier in qualifiers if qualifier.answer]
        is_around = any(
            mention.name in _tails(answer) for answer in self._truth.answers if answer.level == 1
        )
        for answer in answers:
            if answer.level == 1 or is_around:
                return Match(answer.level, answer.text, f"a place in {answer.text}")
        return Match(None, reason=f"another place: {self._shown(mention)}")

    def _qualifiers(self, mention: _Mention) -> list[_Mention]:
        """Return the places after a place that say where it lies: "Portland, Oregon"."""
        qualifiers: list[_Mention] = []
        last = mention
        for other in self._all:
            between = self._words[last.end : other.start]
            is_next = other.start >= last.end and all(word.text == "in" for word in between)
            if is_next and not self._words[last.end].begins_sentence:
                qualifiers.append(other)
                last = other
        return qualifiers

    def _is_namesake(self, mention: _Mention) -> bool:
        """Return whether a place and the next word name another place: "Portland, OR"."""
        following = self._words[mention.end : mention.end + 1]
        name = " ".join([mention.name, *(word.text for word in following)])
        return name not in self._names and self._gazetteer.is_place(name)

    def _contradicts(self, qualifier: _Mention, answer: TrueAnswer) -> bool:
        """Return whether a place cannot contain a true answer.

        It can if it lies in a place that does: London contains Hammersmith, if it is in England.
        """
        within = _tails(answer)
        own = {place_name(name) for name in answer.names}
        if qualifier.name in own | within or not self._gazetteer.is_place(qualifier.name):
            return False
        coarser = [a for a in self._truth.answers if a.level > answer.level]
        nearest = min((a.level for a in coarser), default=0)
        bounds = within or {
            place_name(name) for a in coarser if a.level == nearest for name in a.names
        }
        return bool(bounds) and not bounds & self._gazetteer.around(qualifier.name)

    def _is_part(self, mention: _Mention) -> bool:
        following = next((other for other in self._all if other.start == mention.end), None)
        if following and not self._words[following.start].before:
            # "Oakland California": the next name does not extend this one.
            words = self._words[: mention.end]
            return is_extended(words, mention.start, mention.end)
        previous = next((other for other in self._all if other.end == mention.start), None)
        start = 0 if previous is None else mention.start
        return is_extended(self._words[start:], mention.start - start, mention.end - start)

    def _has_head(self, mention: _Mention) -> bool:
        """Return whether an unknown name is joined to a coarser answer: "Nohant, France"."""
        words = self._words
        if mention.start == 0 or any(other.end == mention.start for other in self._all):
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
            and words[last].text not in _VENUES
            and words[last].text not in self._subject
        )

    def _modifier(self, mention: _Mention) -> str:
        """Return the year or the nationality that a reply adds to a class; "" if none."""
        words = self._words
        following = words[mention.end : mention.end + 2]
        if (
            len(following) == 2
            and following[0].text in _FROM
            and _YEAR.fullmatch(following[1].text)
        ):
            return following[1].text
        if mention.start > 0 and not words[mention.start].before:
            previous = words[mention.start - 1]
            if _YEAR.fullmatch(previous.text) or begins_name(previous):
                return previous.text
        return ""

    def _modified(self, mention: _Mention, modifier: str) -> Match:
        """Return the match of a class with the words that are added to it."""
        answer = self._names.get(f"{modifier} {mention.name}")
        if answer:
            return Match(answer.level, answer.text, f"the words {modifier} {mention.name}")
        return Match(None, reason=f"not true: {modifier} {mention.name}")

    def _shown(self, mention: _Mention) -> str:
        return " ".join(word.written for word in self._words[mention.start : mention.end])
