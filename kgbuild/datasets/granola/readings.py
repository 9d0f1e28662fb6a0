"""The names in a reply: true answers to a question, other answers, and other places."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kgbuild.datasets.granola.class_matches import Description, describe, true_class
from kgbuild.datasets.granola.class_names import ClassNames
from kgbuild.datasets.granola.gazetteer import Gazetteer
from kgbuild.datasets.granola.reply_words import (
    AMERICAN_STATES,
    CODES_IN_LOWER_CASE,
    NAMED_PARTS,
    NO_NAMES,
    PARTS_OF_PLACES,
    PARTS_OF_STATES,
    STATES_OF_CODES,
    TITLES,
    WHOLE_PLACES,
    Word,
    is_extended,
    split_words,
)
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from kgbuild.evaluate.text_metrics import normalise

_SCHOOL = "P69"
_DENIALS = {"not", "never", "isnt", "wasnt", "than", "nor", "neither", "didnt"}
_COMPARED = {"after", "before", "unlike"}
"""Words directly before a name that is no answer: "who wrote after Jane Austen"."""
_ROLES = {"star", "actor", "director", "singer", "drummer", "guitarist", "founder", "creator"}
_OF = {"of", "at", "for"}
"""Words between the parts of a name: "University of Ohio"."""
_DENIED_WORDS = 3
"""The number of words before a name in which a denial concerns it: "not born in Paris"."""
_INSIDE = {"in", "near", "from"}
"""Words before a place, which may be in lower case: "She was born in pasadena"."""
_HOUSE = re.compile(r"\d{1,5}[A-Za-z]?")
"""The number of a house."""
_STOPS = set(",;:.!?–—")
"""What ends a denial: "not Paris, Rome"."""
_WITH_MIDDLE = 3
"""The number of words of a name with a middle name."""


class Mention(NamedTuple):
    """A name in a reply: its first word, the word after it, and the true answer, if it is one.

    ``name`` is normalised. Without a true answer it is another answer, or another place.
    """

    start: int
    end: int
    name: str
    answer: TrueAnswer | None


def _level(mention: Mention) -> int:
    """Return the level of a true answer; 0 of another one."""
    return mention.answer.level if mention.answer else 0


class Reading:
    """A reply to a question, with the names in it.

    ``names`` are the true answers by name. ``mentions`` are all names in the reply, in their order;
    ``claims`` are those that may be answers to the question.
    """

    def __init__(
        self, reply: str, truth: Truth, names: Mapping[str, TrueAnswer], gazetteer: Gazetteer
    ):
        self.words = split_words(reply)
        self.truth = truth
        self.names = names
        self.gazetteer = gazetteer
        self.asks_for_place = gazetteer.asks_for_place(truth.relation)
        self._classes = ClassNames(truth, gazetteer.people.keys())
        self._question = f" {normalise(truth.question)} "
        asked_words = split_words(truth.question)[1:]
        self._subject = {word.text for word in asked_words if word.is_name}
        self._longest: dict[str, int] = {}
        for name in (*names, *self._classes.nouns):
            first, *others = name.split()
            self._longest[first] = max(self._longest.get(first, 0), 1 + len(others))
        self._has_capitals = any(word.written[:1].isupper() for word in self.words)
        self.mentions = [*self._find()]
        self.claims = [mention for mention in self.mentions if self._is_claim(mention)]

    def _find(self) -> Iterator[Mention]:
        """Yield the longest names that do not overlap, in their order."""
        start = 0
        while start < len(self.words):
            mention = self._at(start)
            if self.words[start].text in TITLES:
                # "King George V of Hanover" is not "King George V".
                untitled = self._at(start + 1)
                names = filter(None, (mention, untitled))
                mention = max(names, key=lambda name: name.end, default=None)
            if mention is None or (mention.answer is None and mention.name in NAMED_PARTS):
                mention = self._part_of_place(start) or mention
            if mention:
                yield mention
            start = mention.end if mention else start + 1

    def _part_of_place(self, start: int) -> Mention | None:
        """Return the place in "Northern Italy", but none in "Northern Ireland"."""
        first, *others = self.words[start : start + 2]
        if not self.asks_for_place or not others or others[0].before or not others[0].is_name:
            return None
        place = self._at(start + 1)
        name = f"{first.text} {place.name}" if place else ""
        is_whole = name in WHOLE_PLACES or self.gazetteer.is_place(name)
        parts = PARTS_OF_PLACES
        if place and place.name in AMERICAN_STATES and self.truth.relation != _SCHOOL:
            parts |= PARTS_OF_STATES  # "South Florida" may be a university
        is_part = first.text in parts and not is_whole
        return place._replace(start=start) if place and (is_part or name in NAMED_PARTS) else None

    def _at(self, start: int) -> Mention | None:
        """Return the longest name that begins at a word."""
        words = self.words
        most = max((self._most_words(word) for word in words[start : start + 1]), default=0)
        for end in range(min(len(words), start + most), start, -1):
            if self._spans_names(start, end) or self._ends_in_preposition(start, end):
                continue
            texts = [word.text for word in words[start : end - 1]]
            lasts = dict.fromkeys((words[end - 1].text, words[end - 1].base))
            spellings = [" ".join([*texts, last]) for last in lasts]
            for read in (self._true_at, self._other_at):
                mentions = [*filter(None, (read(name, start, end) for name in spellings))]
                if mentions:
                    return min(mentions, key=_level)
        return None

    def true_class(self, mention: Mention) -> tuple[TrueAnswer | None, bool]:
        """Return the true answer that the words around a class state, and whether there are any.

        It is None if they are not true: "a French actor" for an English one.
        """
        answer, is_described = self._class(mention.name, mention.start, mention.end)
        return (answer, True) if is_described else (mention.answer, False)

    def _class(self, name: str, start: int, end: int) -> tuple[TrueAnswer | None, bool]:
        return true_class(self._classes, name, self._described(start, end))

    def description(self, mention: Mention) -> Description:
        """Return what the words around a class say of it."""
        return self._described(mention.start, mention.end)

    def _described(self, start: int, end: int) -> Description:
        dated = not self.truth.is_person
        return describe(self.words, start, end, self.gazetteer.people, dated)

    def _with_middle_name(self, name: str, start: int, end: int) -> TrueAnswer | None:
        """Return the person whose first name and surname have another name between them."""
        first, *middle, last = name.split() if end - start == _WITH_MIDDLE else ("", "")
        words = self.words[start:end]
        is_name = middle and all(word.is_name for word in words) and not words[1].before
        answer = self.names.get(f"{first} {last}") if is_name and not words[2].before else None
        is_person = self.truth.is_person and answer and answer.level == 1
        return answer if is_person else None

    def _most_words(self, first: Word) -> int:
        """Return the number of words of the longest name that begins with a word."""
        forms = (first.text, first.base)
        most = max(max(self._longest.get(f, 0), self.gazetteer.longest(f)) for f in forms)
        return max(most, _WITH_MIDDLE) if self.truth.is_person and most > 1 else most

    def _spans_names(self, start: int, end: int) -> bool:
        """Return whether words end within a second name: "Brooklyn, New York" before "City"."""
        has_comma = any("," in word.before for word in self.words[start + 1 : end])
        return has_comma and is_extended(self.words, start, end)

    def _ends_in_preposition(self, start: int, end: int) -> bool:
        """Return whether a name ends with a small word: "London on", which is not London, ON."""
        first, last = self.words[start], self.words[end - 1]
        return end - start > 1 and first.is_name and last.written in CODES_IN_LOWER_CASE

    def _true_at(self, name: str, start: int, end: int) -> Mention | None:
        """Return the true answer or the true class with a name."""
        answer = self.names.get(name)
        is_noun = name in self._classes.nouns and not self.words[start].is_name
        if name in self._classes.nouns and (is_noun or answer is None):
            described, _ = self._class(name, start, end)
            answer = described or answer
        return Mention(start, end, name, answer) if answer else None

    def _other_at(self, name: str, start: int, end: int) -> Mention | None:
        """Return another answer or place with a name, or the person with it and a middle name."""
        if self._is_other(name, start, end):
            return Mention(start, end, name, None)
        answer = self._with_middle_name(name, start, end)
        return Mention(start, end, name, answer) if answer else None

    def _is_other(self, name: str, start: int, end: int) -> bool:
        """Return whether words are the name of another answer, or of another place.

        A name may lack its capital if the reply has none, or at its beginning: "bangor, ME".
        """
        words = self.words[start:end]
        if self.asks_for_place and any("," in word.before for word in words[1:]):
            return False  # "Rio de Janeiro, Brazil" are two names
        is_alone = start == 0 and any(
            "," in word.before or (word.text in AMERICAN_STATES and not word.before)
            for word in self.words[end : end + 1]
        )
        is_alone |= self._precedes_state(end) and self.gazetteer.is_place(name)
        is_name = words[0].is_name or not self._has_capitals or is_alone
        return is_name and (
            self.gazetteer.is_answer(name, self.truth.relation) or self.gazetteer.is_place(name)
        )

    def _precedes_state(self, end: int) -> bool:
        """Return whether a state follows a comma, so that the words before it are a place."""
        following = self.words[end : end + 2]
        names = (following[0].text, " ".join(word.text for word in following)) if following else ()
        has_comma = bool(following) and following[0].before == ","
        return self.asks_for_place and has_comma and not STATES_OF_CODES.isdisjoint(names)

    def _is_claim(self, mention: Mention) -> bool:
        """Return whether a name may be an answer to the question."""
        words = self.words
        if self._is_denied(mention):
            return False
        if mention.answer:
            if not mention.answer.is_class and self._is_in_subject(mention):
                return False
            text = mention.answer.text.removeprefix("the ")
            is_common = mention.answer.level > 1 or text[:1].islower()
            return is_common or not self._has_capitals or self._is_written(mention)
        if self._is_adjective(mention) or self._is_of_role(mention):
            return False
        if self._is_direction(mention) or self._is_address(mention):
            return False
        is_rival = self.asks_for_place or self.gazetteer.is_answer(
            mention.name, self.truth.relation
        )
        is_subject = f" {mention.name} " in self._question
        return is_rival and not is_subject and not words[mention.end - 1].is_possessive

    def _is_in_subject(self, mention: Mention) -> bool:
        """Return whether a name is a part of the subject: "California" in "California Institute".

        The words around it, with "of" and "at" between, are those of the question.
        """
        words, start, end = self.words, mention.start, mention.end
        if end < len(words) and words[end].is_name and not words[end].before:
            return f" {mention.name} {words[end].text} " in self._question
        first = start - 1
        if first > 0 and words[first].text in _OF:
            first -= 1
        is_joined = 0 <= first < start and not any(w.before for w in words[first + 1 : start + 1])
        before = " ".join(word.text for word in words[max(first, 0) : start])
        is_named = is_joined and words[first].is_name
        return is_named and f" {before} {mention.name} " in self._question

    def _is_denied(self, mention: Mention) -> bool:
        """Return whether a denial concerns a name: that of "not Paris, but Rome" ends at "but"."""
        previous_words = self.words[max(0, mention.start - 1) : mention.start]
        if not self.asks_for_place and any(word.text in _COMPARED for word in previous_words):
            return not self.words[mention.start].before
        for position in range(mention.start, max(0, mention.start - _DENIED_WORDS), -1):
            previous = self.words[position - 1]
            if set(self.words[position].before) & _STOPS or previous.text == "but":
                return False
            if previous.text in _DENIALS:
                return True
        return False

    def _is_adjective(self, mention: Mention) -> bool:
        """Return whether a state belongs to the description of a class: "a US film producer"."""
        return mention.name in self.gazetteer.people and any(
            other.answer
            and other.answer.is_class
            and self.description(other).start <= mention.start < other.start
            for other in self.mentions
        )

    def _is_direction(self, mention: Mention) -> bool:
        """Return whether a name in lower case is a common word: "up north in Brazil"."""
        word = self.words[mention.start]
        return mention.end == mention.start + 1 and not word.is_name and word.text in NO_NAMES

    def _is_address(self, mention: Mention) -> bool:
        """Return whether a name follows the number of a house: "1515 Broadway, Manhattan"."""
        number = self.words[max(0, mention.start - 1)]
        is_numbered = mention.start > 0 and _HOUSE.fullmatch(number.written) is not None
        is_first = mention.start == 1 or bool(number.before)
        before = self.words[max(0, mention.start - 2)].text
        is_joined = not self.words[mention.start].before
        return self.asks_for_place and is_numbered and is_joined and (is_first or before == "at")

    def _is_of_role(self, mention: Mention) -> bool:
        """Return whether a name tells the role of a person: "Psycho star Janet Leigh"."""
        following = self.words[mention.end : mention.end + 2]
        is_joined = len(following) == len(("star", "Janet")) and not following[0].before
        return is_joined and following[0].text in _ROLES and following[1].is_name

    def _is_written(self, mention: Mention) -> bool:
        """Return whether a name has a capital, or stands alone, so that it is no common word."""
        following = self.words[mention.end : mention.end + 1]
        is_alone = mention.start == 0 and all(word.before for word in following)
        previous = self.words[mention.start - 1].text if mention.start else ""
        is_alone |= self.asks_for_place and previous in _INSIDE
        is_alone |= any(map(self._precedes_state, range(mention.start + 1, mention.end + 1)))
        return is_alone or any(word.is_name for word in self.words[mention.start : mention.end])

    def is_subject_word(self, word: Word) -> bool:
        """Return whether a word belongs to a name in the question."""
        return word.base in self._subject

    def is_nationality(self, word: Word) -> bool:
        """Return whether a word is a nationality: "Danish", or "Irishman"."""
        text = word.text.removesuffix("man").removesuffix("wo")
        return self.gazetteer.people.get(text) == text

    def shown(self, mention: Mention) -> str:
        """Return a name as the reply writes it."""
        return " ".join(word.written for word in self.words[mention.start : mention.end])
