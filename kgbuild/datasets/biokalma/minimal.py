"""Minimal sets of facts: sets in which no fact follows from the others.

The rules come from relations.toml (a child's father has that child; siblings share parents), from
words.toml (properties with the same ``group``, or ``implied_by`` another one) and from the store
(a place lies in its country).
"""

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.lexicon import Wording, lexicon
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.english import dates
from kgbuild.english.normalize import fold
from kgbuild.graph.hierarchy import Wholes

Triple: TypeAlias = tuple[str, str, str]
_NONE = Wording("", "", "")


class Minimality:
    """Finds facts that follow from others."""

    def __init__(self, wholes: Wholes):
        self._lexicon = lexicon()
        self._wholes = wholes
        relations = catalog().relations.values()
        self._joint = tuple(one for one in relations if one.transitive or one.shared)
        self._forward: dict[str, list[str]] = defaultdict(list)
        self._backward: dict[str, list[str]] = defaultdict(list)
        for relation in relations:
            for pid in relation.narrower:
                self._forward[pid].append(relation.pid)
            for pid in relation.backward:
                self._backward[pid].append(relation.pid)
        # Properties whose statements may follow from others.
        self._conclusion_pids = {
            *itertools.chain(*self._forward.values(), *self._backward.values()),
            *itertools.chain(*((relation.pid, *relation.shared) for relation in self._joint)),
        }
        # Properties from whose statements others may follow.
        self._premise_pids = {*self._forward, *self._backward, *self._conclusion_pids}

    def redundant(self, facts: Sequence[Fact]) -> tuple[Fact, str] | None:
        """Return the last fact that follows from the others, and why; None if there is none.

        The reason has the ids of the fact that implies it, or of all others together.
        """
        for fact in reversed(facts):
            others = [other for other in facts if other is not fact]
            for other in others:
                if self.implies(other, fact):
                    return fact, " ".join(other.triple)
            if self.follows(fact.triple, [other.triple for other in others]):
                return fact, "; ".join(" ".join(other.triple) for other in others)
        return None

    def implies(self, one: Fact, other: Fact) -> bool:
        """Return whether one fact alone implies another."""
        mine, its = self._wording(one), self._wording(other)
        if one.qid != other.qid:
            return its.shared and (one.pid, one.value) == (other.pid, other.value)
        if one.pid in its.implied_by:
            return True
        same = one.pid == other.pid or (its.group and its.group in (mine.group, mine.tells))
        if not same:
            return _plain(one.shown) != _plain(other.shown) and stands_in(other.shown, one.shown)
        above = one.value_qid and other.value.text in self._wholes.above(one.value_qid)
        equal = one.pid != other.pid and (
            one.value.text == other.value.text
            or (its.group in self._lexicon.akin and _akin(one.shown, other.shown))
        )
        return bool(above or equal or stands_in(other.shown, one.shown))

    def follows(self, triple: Triple, premises: Iterable[Triple]) -> bool:
        """Return whether a statement about items follows from others by rules of relations."""
        if triple[1] not in self._conclusion_pids:
            return False
        reached: dict[Triple, None] = dict.fromkeys(
            one for one in premises if one[1] in self._premise_pids
        )
        queue = list(reached)
        for one in queue:  # it grows during the loop
            for new in self._steps(one, tuple(reached)):
                if new not in reached:
                    reached[new] = None
                    queue.append(new)
            if triple in reached:
                return True
        return False

    def _steps(self, one: Triple, premises: Sequence[Triple]) -> Iterator[Triple]:
        """Yield what follows from a statement, alone or with one of the premises."""
        subject, pid, value = one
        for above in self._forward.get(pid, ()):
            yield subject, above, value
        for back in self._backward.get(pid, ()):
            yield value, back, subject
        for other in premises:
            yield from self._together(one, other)
            yield from self._together(other, one)

    def _together(self, one: Triple, other: Triple) -> Iterator[Triple]:
        (x, pid, y), (z, qid, w) = one, other
        for relation in self._joint:
            if relation.transitive and pid == qid == relation.pid and y == z and x != w:
                yield x, pid, w
            if pid == qid and pid in relation.shared and y == w and x != z:
                yield x, relation.pid, z  # items with a common parent are siblings
            if pid == relation.pid and qid in relation.shared and y == z:
                yield x, qid, w  # siblings share their parents

    def _wording(self, fact: Fact) -> Wording:
        return self._lexicon.properties.get(fact.pid, _NONE)


def stands_in(part: str, whole: str) -> bool:
    """Return whether the words of one label occur in another, in this order.

    >>> stands_in("tennis", "Tennis player"), stands_in("art", "martial arts")
    (True, False)
    """
    return f" {_plain(part)} " in f" {_plain(whole)} "


def mentions(text: str, fact: Fact) -> bool:
    """Return whether the value of a fact occurs in a text: a label, or a date in any usual form.

    Known weakness: the text may state the value of another subject.
    """
    return any(stands_in(form, text) for form in (fact.shown, *dates.spellings(fact.value)))


_SIGNIFICANT = 4
"""The fewest letters of a significant word: "the" and "von" are shorter."""


def share_a_word(one: str, other: str) -> bool:
    """Return whether two labels share a significant word.

    >>> share_a_word("House of Saud", "Faisal Al Saud"), share_a_word("House of York", "A of Kent")
    (True, False)
    """
    words = {word for word in _plain(one).split() if len(word) >= _SIGNIFICANT}
    return not words.isdisjoint(_plain(other).split())


_STEM = 6
"""The length of the prefix that is taken for the stem of a word: physics, physicist."""


def _akin(one: str, other: str) -> bool:
    """Return whether two labels have words with the same stem.

    >>> _akin("biology", "marine biologist"), _akin("writer", "composer")
    (True, False)
    """
    stems = [{word[:_STEM] for word in _plain(text).split()} for text in (one, other)]
    return any(len(stem) == _STEM for stem in stems[0] & stems[1])


@functools.lru_cache(1 << 16)
def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))
