"""Minimal sets of facts: sets in which no fact follows from the others.

The rules come from relations.toml (a child's father has that child; siblings share parents), from
words.toml (properties of one ``group``, or ``implied_by`` another property) and from the store (a
place lies in its country).
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
        # Relations whose rules have two premises.
        self._joint = tuple(rule for rule in relations if rule.transitive or rule.shared)
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
        """Return the last fact that follows from the others, and its premises; None without any.

        The premises are the ids of one fact that implies it, or of all other facts.
        """
        for fact in reversed(facts):
            others = [other for other in facts if other is not fact]
            for other in others:
                if self.implies(other, fact):
                    return fact, " ".join(other.triple)
            if self.follows(fact.triple, [other.triple for other in others]):
                return fact, "; ".join(" ".join(other.triple) for other in others)
        return None

    def implies(self, fact: Fact, other: Fact) -> bool:
        """Return whether a fact alone implies another fact."""
        first, second = self._wording(fact), self._wording(other)
        if fact.qid != other.qid:
            return second.shared and (fact.pid, fact.value) == (other.pid, other.value)
        if fact.pid in second.implied_by:
            return True
        is_in_group = second.group and second.group in (first.group, first.tells)
        if not (fact.pid == other.pid or is_in_group):
            return _plain(fact.shown) != _plain(other.shown) and stands_in(other.shown, fact.shown)
        above = fact.value_qid and other.value.text in self._wholes.above(fact.value_qid)
        equal = fact.pid != other.pid and (
            fact.value.text == other.value.text
            or (second.group in self._lexicon.akin and _share_a_stem(fact.shown, other.shown))
        )
        return bool(above or equal or stands_in(other.shown, fact.shown))

    def follows(self, triple: Triple, premises: Iterable[Triple]) -> bool:
        """Return whether a statement about items follows from ``premises`` by the rules."""
        if triple[1] not in self._conclusion_pids:
            return False
        reached: dict[Triple, None] = dict.fromkeys(
            statement for statement in premises if statement[1] in self._premise_pids
        )
        queue = list(reached)
        for statement in queue:  # it grows during the loop
            for new in self._steps(statement, tuple(reached)):
                if new not in reached:
                    reached[new] = None
                    queue.append(new)
            if triple in reached:
                return True
        return False

    def _steps(self, statement: Triple, premises: Sequence[Triple]) -> Iterator[Triple]:
        """Yield the statements that follow from one, alone or with one of the premises."""
        subject, pid, value = statement
        for above in self._forward.get(pid, ()):
            yield subject, above, value
        for back in self._backward.get(pid, ()):
            yield value, back, subject
        for premise in premises:
            yield from self._combined(statement, premise)
            yield from self._combined(premise, statement)

    def _combined(self, first: Triple, second: Triple) -> Iterator[Triple]:
        (x, pid, y), (z, qid, w) = first, second
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


_MIN_LETTERS = 4
"""Minimum number of letters of a significant word: "the" and "von" are shorter."""


def share_a_word(label: str, other: str) -> bool:
    """Return whether two labels share a significant word.

    >>> share_a_word("House of Saud", "Faisal Al Saud"), share_a_word("House of York", "A of Kent")
    (True, False)
    """
    words = {word for word in _plain(label).split() if len(word) >= _MIN_LETTERS}
    return not words.isdisjoint(_plain(other).split())


_STEM_LENGTH = 6
"""Number of letters of a word that count as its stem: physics, physicist."""


def _share_a_stem(label: str, other: str) -> bool:
    """Return whether two labels have words with the same stem.

    >>> _share_a_stem("biology", "marine biologist"), _share_a_stem("writer", "composer")
    (True, False)
    """
    stems = [{word[:_STEM_LENGTH] for word in _plain(text).split()} for text in (label, other)]
    return any(len(stem) == _STEM_LENGTH for stem in stems[0] & stems[1])


@functools.lru_cache(1 << 16)
def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))
