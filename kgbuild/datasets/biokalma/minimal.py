"""Minimal sets of knowledge: no piece that another one says, or makes known.

The rules are of three sorts: what relations.toml says of relations (a child's father has that
child; siblings have their parents in common), what words.toml says of properties that tell the
same (``group``, ``implied_by``), and what the store says of values (a place and its country).
"""

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from kgbuild.catalog import Catalog
from kgbuild.datasets.biokalma.lexicon import Lexicon, Wording
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.english.normalize import fold
from kgbuild.graph.hierarchy import Wholes

Triple: TypeAlias = tuple[str, str, str]
_NONE = Wording("", "", "")


class Minimality:
    """Tells which pieces of knowledge make others superfluous."""

    def __init__(self, catalog: Catalog, lexicon: Lexicon, wholes: Wholes):
        self._lexicon = lexicon
        self._wholes = wholes
        relations = catalog.relations.values()
        self._joint = tuple(one for one in relations if one.transitive or one.shared)
        self._forward: dict[str, list[str]] = defaultdict(list)
        self._backward: dict[str, list[str]] = defaultdict(list)
        for relation in relations:
            for pid in relation.narrower:
                self._forward[pid].append(relation.pid)
            for pid in relation.backward:
                self._backward[pid].append(relation.pid)
        # What may follow from others: for all else there is no need to look.
        self._related = {
            *(
                pid
                for found in (*self._forward.values(), *self._backward.values())
                for pid in found
            ),
            *(relation.pid for relation in self._joint),
            *(pid for relation in self._joint for pid in relation.shared),
        }
        # From what anything follows at all.
        self._telling = {*self._forward, *self._backward, *self._related}

    def redundant(self, facts: Sequence[Fact]) -> tuple[Fact, str] | None:
        """Return the last piece that the others make superfluous, and by what; None if none is.

        ``by what`` is the piece that does it, as ids, or what follows together from several.
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
        """Tell whether one piece of knowledge alone makes another superfluous."""
        mine, its = self._wording(one), self._wording(other)
        if one.qid != other.qid:
            return its.shared and (one.pid, one.value) == (other.pid, other.value)
        if one.pid in its.implied_by:
            return True
        same = one.pid == other.pid or (its.group and its.group in (mine.group, mine.tells))
        if not same:
            return _plain(one.shown) != _plain(other.shown) and stands_in(other.shown, one.shown)
        above = one.value_qid and other.value.text in self._wholes.above(one.value_qid)
        equal = one.pid != other.pid and one.value.text == other.value.text
        if (
            one.pid != other.pid
            and its.group in self._lexicon.akin
            and _akin(one.shown, other.shown)
        ):
            return True
        return bool(above or equal or stands_in(other.shown, one.shown))

    def follows(self, triple: Triple, known: Iterable[Triple]) -> bool:
        """Tell whether a statement about items follows from others by the relations' rules."""
        if triple[1] not in self._related:
            return False
        reached: dict[Triple, None] = dict.fromkeys(one for one in known if one[1] in self._telling)
        ahead = list(reached)
        for one in ahead:  # grows while it is walked
            for new in self._steps(one, tuple(reached)):
                if new not in reached:
                    reached[new] = None
                    ahead.append(new)
            if triple in reached:
                return True
        return False

    def _steps(self, one: Triple, known: Sequence[Triple]) -> Iterator[Triple]:
        """Yield what follows from a statement, alone or with one of the known ones."""
        subject, pid, value = one
        for above in self._forward.get(pid, ()):
            yield subject, above, value
        for back in self._backward.get(pid, ()):
            yield value, back, subject
        for other in known:
            yield from self._together(one, other)
            yield from self._together(other, one)

    def _together(self, one: Triple, other: Triple) -> Iterator[Triple]:
        (x, pid, y), (z, qid, w) = one, other
        for relation in self._joint:
            if relation.transitive and pid == qid == relation.pid and y == z and x != w:
                yield x, pid, w
            if pid == qid and pid in relation.shared and y == w and x != z:
                yield x, relation.pid, z  # who share a parent are siblings
            if pid == relation.pid and qid in relation.shared and y == z:
                yield x, qid, w  # and siblings share their parents

    def _wording(self, fact: Fact) -> Wording:
        return self._lexicon.properties.get(fact.pid, _NONE)


def stands_in(part: str, whole: str) -> bool:
    """Tell whether the words of one label stand in another, in this order.

    >>> stands_in("tennis", "Tennis player"), stands_in("art", "martial arts")
    (True, False)
    """
    return f" {_plain(part)} " in f" {_plain(whole)} "


_TELLING = 4
"""Letters of a word, at least, that tells more than "the" and "von"."""


def share_a_word(one: str, other: str) -> bool:
    """Tell whether two labels have a telling word in common.

    >>> share_a_word("House of Saud", "Faisal Al Saud"), share_a_word("House of York", "A of Kent")
    (True, False)
    """
    words = {word for word in _plain(one).split() if len(word) >= _TELLING}
    return not words.isdisjoint(_plain(other).split())


_STEM = 6
"""So many letters at the beginning of a word tell its stem: physics, physicist."""


def _akin(one: str, other: str) -> bool:
    """Tell whether two labels have words with one stem.

    >>> _akin("biology", "marine biologist"), _akin("writer", "composer")
    (True, False)
    """
    stems = [{word[:_STEM] for word in _plain(text).split()} for text in (one, other)]
    return any(len(stem) == _STEM for stem in stems[0] & stems[1])


@functools.lru_cache(1 << 16)
def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))
