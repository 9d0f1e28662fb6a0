"""Find the level of a true item, class or place that a reply names."""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgbuild.datasets.granola.scoring.names import (
    CODES,
    STATES,
    ReplyWord,
    TrueNames,
    key,
    listed,
    sentences,
)
from kgbuild.datasets.granola.scoring.truths import Reached, TrueAnswer
from kgbuild.text.claims import denies, event_of
from kgbuild.text.sentences import MONTHS

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NO_NAMES = {*_DAYS, *MONTHS, "bc", "ad", "i"}
_POSSESSIVES = ("'s", "’s", "s'", "s’")
_LABEL_WORDS = 3
"""The greatest number of words before a colon that may be a label."""


class Named(NamedTuple):
    """A name in a sentence: the words from ``start`` to ``end``, and its true answer, if any."""

    start: int
    end: int
    answer: TrueAnswer | None


class _Group(NamedTuple):
    """Names that are joined by "and", "or" or commas; each is a chain of a name and its places."""

    chains: list[list[Named]]
    is_choice: bool = False


def match_item(reply: str, names: TrueNames) -> Reached | None:
    """Return the level of the answer that a reply names; None if it names nothing.

    The first sentence with a true name decides. Without one, the first description of the answer
    does, if no other name stands before it.
    """
    described: Reached | None = None
    stranger = ""
    for words in sentences(reply):
        sentence = _Sentence(words, names, has_label=not stranger)
        if any(claim.answer for claim in sentence.claims):
            return sentence.decide()
        if not stranger and not described:
            described = sentence.described()
        if sentence.claims and not stranger:
            stranger = sentence.shown(sentence.claims[0])
    if stranger and not described:
        return Reached(None, reason=f"another name: {stranger}")
    return described


def first_names(reply: str, names: TrueNames) -> list[str]:
    """Return the first name in a reply and the places after it; none of several answers."""
    for words in sentences(reply):
        sentence = _Sentence(words, names)
        if groups := sentence.groups():
            chains = groups[0].chains
            return [sentence.in_full(claim) for claim in chains[0]] if len(chains) == 1 else []
    return []


class _Sentence:
    """A sentence of a reply; ``claims`` are the names in it that may be answers, true or not.

    Without ``has_label``, the words before a colon may be an answer, too: the state in a later line
    is that of the city in an earlier one.
    """

    def __init__(self, words: Sequence[ReplyWord], names: TrueNames, has_label: bool = True):
        self._words = words
        self._texts = [word.text for word in words]
        self._names = names
        self._truth = names.truth
        claims = [*self._find()]
        self.claims = claims[self._label(claims) if has_label else 0 :]

    def shown(self, claim: Named) -> str:
        """Return a name as it is written."""
        return " ".join(word.written for word in self._words[claim.start : claim.end])

    def _find(self) -> Iterator[Named]:
        """Yield the true names, and other words in capitals that are not known."""
        position = 0
        while position < len(self._words):
            end = self._end_of_name(position)
            starts = range(position, max(end, position + 1))
            if claim := next(filter(None, map(self._true_at, starts)), None):
                yield claim
                position = claim.end
                continue
            span = self._texts[position:end]
            if span and not self._is_known(span):
                yield Named(position, end, None)
            position = max(end, position + 1)

    def _label(self, claims: Sequence[Named]) -> int:
        """Return how many names are no answers, but a label of the next: "Birthplace: England"."""
        for number, claim in enumerate(claims):
            if ":" in self._words[claim.start].gap and claim.start <= _LABEL_WORDS:
                return number
            if claim.answer:
                break
        return 0

    def _is_known(self, texts: Sequence[str]) -> bool:
        """Return whether words are a name of the question, or only describe: "American"."""
        asked = self._names.asked
        is_asked = texts[0] in asked and texts[-1] in asked
        return is_asked or self._names.describing.issuperset(texts)

    def _true_at(self, start: int) -> Named | None:
        """Return the true name that begins at a word, if it is a whole name and claimed."""
        for end, answer in self._names.at(self._texts, start):
            name = " ".join(self._texts[start:end])
            if not self._names.is_written(name, self._words[start].written):
                continue
            is_clear = name in self._names.full and not self._truth.is_place
            if is_clear or not (self._is_led(start, answer) or self._is_continued(end)):
                return None if self._is_denied(start) else Named(start, end, answer)
        return None

    def _is_led(self, start: int, answer: TrueAnswer) -> bool:
        """Return whether words before a name belong to another one: "Randy" of "Newman".

        One with the initial of the answer belongs to this: "James Wilson" of "James W. Marshall".
        """
        first, known = start, listed("starts", "sides", "kinds")
        while first and self._words[first].is_joined and self._words[first - 1].is_capital:
            first -= 1
        before = [text for text in self._texts[first:start] if text not in known and len(text) > 1]
        return bool(before) and not any(text[0] == key(answer.text)[:1] for text in before)

    def _is_continued(self, end: int) -> bool:
        """Return whether words after a name belong to it: "Hilton" of "Paris"."""
        if self._words[end - 1].written.endswith(_POSSESSIVES):
            return False
        return any(w.is_joined and w.is_capital for w in self._words[end : end + 1])

    def _is_denied(self, start: int) -> bool:
        """Return whether a name is no answer: denied, or of another event."""
        before = " ".join([*self._texts[:start], ""])
        event, asked = event_of(before), event_of(self._truth.question)
        return bool(event and asked and event != asked) or denies(before)

    def _end_of_name(self, start: int) -> int:
        """Return the end of the words in capitals that begin at a word; ``start`` without any."""
        words = self._words
        first = words[start]
        if not first.is_capital or first.text in _NO_NAMES or first.text in listed("starts"):
            return start
        end = start + 1
        while end < len(words) and words[end].is_joined:
            if not (words[end].is_capital or words[end].text.isdigit()):
                break
            end += 1
        following = words[end : end + 1]
        is_alone = start > 0 or end > 1 or not following or not following[0].is_joined
        return end if is_alone or following[0].text in {"and", "or"} else start

    def decide(self) -> Reached:
        """Return the match of the first list of names of which one is true.

        Of a list, one true name is enough, as the store may lack the others; all alternatives must
        be true.
        """
        group = next(
            group
            for group in self.groups()
            if any(claim.answer for chain in group.chains for claim in chain)
        )
        matches = [self._match(chain) for chain in group.chains]
        true = [match for match in matches if match.level is not None]
        wrong = [match for match in matches if match.level is None]
        if wrong and (group.is_choice or not true):
            return wrong[0]
        return min(true, key=lambda match: match.level or 0)

    def in_full(self, claim: Named) -> str:
        """Return a name as it is written; a part of a state by its name."""
        written = self.shown(claim)
        return STATES.get(written, written)

    def groups(self) -> list[_Group]:
        """Return the lists of names in their order."""
        groups: list[_Group] = []
        last: Named | None = None
        for claim in self.claims:
            joint = self._joint(last, claim) if last else ""
            if joint == "in":
                groups[-1].chains[-1].append(claim)
            elif joint:
                chains, is_choice = groups[-1]
                groups[-1] = _Group([*chains, [claim]], is_choice or joint == "or")
            else:
                groups.append(_Group([[claim]]))
            last = claim
        return groups

    def _joint(self, last: Named, claim: Named) -> str:
        """Return how a name is joined to the one before: "in", "and", "or", or "" if not at all."""
        between = {*self._texts[last.end : claim.start]}
        gaps = "".join(word.gap for word in self._words[last.end : claim.start + 1])
        if between == {"or"}:
            return "or"
        if between == {"and"} or (not between and not self._truth.is_place and "," in gaps):
            return "and"
        is_inside = between <= listed("within", "sides", "kinds")
        return "in" if self._truth.is_place and is_inside else ""

    def _match(self, chain: Sequence[Named]) -> Reached:
        """Return the match of a name and the places after it.

        A place in the finest answer has its level; another place in a coarser one is wrong, and so
        is a true one in another part of a state.
        """
        head, *places = chain
        shown = self.shown(head)
        if head.answer is None:
            for place in places:
                if place.answer and place.answer.level == 1:
                    return place.answer.reached(f"{shown} in {place.answer.text}")
            return Reached(None, reason=f"another name: {shown}")
        if head.answer.level == 1 and (other := self._other_part(places)):
            return Reached(None, reason=f"{shown} in {other}")
        return head.answer.reached(f"the name {shown}")

    def _other_part(self, places: Sequence[Named]) -> str:
        """Return the part of a state after a name that is not the true one, or ""."""
        true = {CODES.get(key(answer.text)) for answer in self._truth.answers} - {None}
        for claim in itertools.takewhile(lambda claim: not claim.answer, places):
            part = CODES.get(key(self.in_full(claim)))
            if part and true and part not in true:
                return self.shown(claim)
        return ""

    def described(self) -> Reached | None:
        """Return the match of a class before any other name.

        A name directly after it is another answer: "the actor Max Orr".
        """
        end = self.claims[0].start if self.claims else len(self._words)
        words, asked = self._words[:end], {*self._names.asked}
        texts = {word.text for word in words}
        has_subject = any(word.is_capital and word.text in asked for word in self._words[1:])
        for parts, answer in self._names.classes:
            if texts.issuperset(parts) and not (has_subject and asked.issuperset(parts)):
                if self.claims and words[-1].text in parts and self._words[end].gap in {" ", ", "}:
                    return None
                return answer.reached(f"the description {answer.text}")
        return None
