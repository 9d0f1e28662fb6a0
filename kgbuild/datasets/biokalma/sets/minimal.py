"""Minimal sets of pieces: sets in which no piece follows from the others.

The rules come from relations.toml (a child's father has that child; siblings share parents), from
words.toml (properties of one ``group``, or ``implied_by`` another property) and from the store (a
place lies in its country). Labels decide nothing: Ohio Wesleyan University is not Wesleyan
University.
"""

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.english import date_levels
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.wikidata import Value

Triple: TypeAlias = tuple[str, str, str]
"""A statement: the ids of its subject and its property, and its value."""
_ENDS = ("P576", "P582")
"""Properties of what does not exist today: dissolved, end time."""
_CACHE_SIZE = 1 << 14
"""Maximum number of sets of premises whose conclusions are cached."""


def joined_items(statement: Triple) -> tuple[str, str]:
    """Return the two items that a statement joins."""
    subject, _, value = statement
    return subject, value


class Minimality:
    """Finds pieces that follow from others, by relations and by what the store says of values."""

    def __init__(self, knowledge: Knowledge):
        self._lexicon = lexicon()
        self._knowledge = knowledge
        relations = catalog().relations.values()
        # Relations whose rules have two premises; ``shared`` holds the ids of the properties whose
        # values related items share: siblings share P22 (father) and P25 (mother).
        self._pair_rules = tuple(rule for rule in relations if rule.transitive or rule.shared)
        # The properties that follow from each property: with the same direction, or reversed.
        self._forward: dict[str, list[str]] = defaultdict(list)
        self._backward: dict[str, list[str]] = defaultdict(list)
        for relation in relations:
            for pid in relation.narrower:
                self._forward[pid].append(relation.pid)
            for pid in relation.backward_properties:
                self._backward[pid].append(relation.pid)
        # Properties whose statements may follow from others.
        self._conclusion_pids = {
            *itertools.chain.from_iterable(self._forward.values()),
            *itertools.chain.from_iterable(self._backward.values()),
        }
        for relation in self._pair_rules:  # siblings follow from parents, and parents from siblings
            self._conclusion_pids.update((relation.pid, *relation.shared))
        # Properties from whose statements others may follow.
        self._premise_pids = {*self._forward, *self._backward, *self._conclusion_pids}
        self._implying = functools.cache(self._find_implying)
        self._consequences = functools.lru_cache(_CACHE_SIZE)(self._conclude)

    def redundant(
        self, minimal: Sequence[Piece], added: Sequence[Piece]
    ) -> tuple[Piece, str] | None:
        """Return the last piece that follows from the others, and the text of its premises.

        Pieces are ``added`` to a set that is ``minimal``. Return None if no piece does. The text
        lists the ids in one piece that implies it alone; else the ids in all other pieces, of
        which some imply it together.
        """
        pieces = [*minimal, *added]
        for place in reversed(range(len(pieces))):
            piece = pieces[place]
            for premise in pieces if place >= len(minimal) else added:
                if premise is not piece and self.implies(premise, piece):
                    return piece, " ".join(premise.triple)
            if piece.pid in self._conclusion_pids:
                triples = [premise.triple for premise in pieces if premise is not piece]
                if self.follows(piece.triple, triples):
                    return piece, "; ".join(map(" ".join, triples))
        return None

    def _find_implying(self, pid: str) -> frozenset[str]:
        """Return the properties of which a piece may imply one of a property, alone."""
        wording = self._lexicon.wording(pid)
        of_group = (
            other
            for other, wording_of_other in self._lexicon.properties.items()
            if wording.group
            and wording.group in (wording_of_other.group, wording_of_other.implies_group)
        )
        return frozenset({pid, *wording.implied_by, *of_group})

    def finest(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the pieces without those that another value of the same property implies.

        London implies England, so only London counts.
        """
        finest = [*pieces]
        for piece in pieces:
            others = (one for one in finest if (one.qid, one.pid) == (piece.qid, piece.pid))
            if any(one is not piece and self.implies(one, piece) for one in others):
                finest.remove(piece)
        return finest

    def implies(self, premise: Piece, conclusion: Piece) -> bool:
        """Return whether a piece alone implies another piece, by words.toml and the store."""
        is_close = premise.pid in self._implying(conclusion.pid)  # nearly all pieces are not
        if not is_close or premise.qid != conclusion.qid:
            return False
        if premise.pid in self._lexicon.wording(conclusion.pid).implied_by:
            return True
        is_same = premise.pid != conclusion.pid and premise.value == conclusion.value
        return is_same or self._is_finer(premise.value, conclusion.value)

    def _is_finer(self, value: Value, other: Value) -> bool:
        """Return whether a value lies in another one today, is a kind of it or a part of it.

        A former state and its successor are two values, of which neither tells the other one.
        """
        is_above = (
            value.kind == other.kind == "item"
            and other.text in self._knowledge.wholes.above(value.text)
        )
        return is_above and not any(map(self._has_ended, (value.text, other.text)))

    def _has_ended(self, qid: str) -> bool:
        return any(self._knowledge.times.of(qid, pid) for pid in _ENDS)

    def follows(self, triple: Triple, premises: Iterable[Triple]) -> bool:
        """Return whether a statement follows from ``premises`` by the rules of relations.toml."""
        if triple[1] not in self._conclusion_pids:
            return False
        relevant = tuple(
            dict.fromkeys(statement for statement in premises if statement[1] in self._premise_pids)
        )
        return bool(relevant) and triple in self._consequences(relevant)

    def _conclude(self, premises: Sequence[Triple]) -> Collection[Triple]:
        """Return the premises and all that follows from them."""
        reached = dict.fromkeys(premises)
        queue = list(reached)
        for statement in queue:  # the queue grows during the loop
            for new in self._conclusions(statement, tuple(reached)):
                if new not in reached:
                    reached[new] = None
                    queue.append(new)
        return reached

    def _conclusions(self, statement: Triple, premises: Sequence[Triple]) -> Iterator[Triple]:
        """Yield what follows from a statement, alone or together with one of the premises."""
        subject, pid, value = statement
        for implied_pid in self._forward.get(pid, ()):
            yield subject, implied_pid, value
        for inverse_pid in self._backward.get(pid, ()):
            yield value, inverse_pid, subject
        for premise in premises:
            yield from self._combined(statement, premise)
            yield from self._combined(premise, statement)

    def _combined(self, first: Triple, second: Triple) -> Iterator[Triple]:
        """Yield what follows from two statements by rules with two premises."""
        (subject, first_pid, value), (next_subject, second_pid, next_value) = first, second
        for relation in self._pair_rules if value in (next_subject, next_value) else ():
            has_relation = first_pid == relation.pid and value == next_subject
            if has_relation and relation.transitive and second_pid == relation.pid:
                if subject != next_value:
                    yield subject, first_pid, next_value  # siblings of siblings are siblings
            elif has_relation and second_pid in relation.shared:
                yield subject, second_pid, next_value  # siblings share their parents
            is_shared = first_pid == second_pid and first_pid in relation.shared
            if is_shared and value == next_value and subject != next_subject:
                yield subject, relation.pid, next_subject  # items with a common parent are siblings


def stands_in(part: str, whole: str) -> bool:
    """Return whether the words of the label ``part`` occur in ``whole``, one after the other.

    >>> stands_in("tennis", "Tennis player"), stands_in("art", "martial arts")
    (True, False)
    """
    return f" {plain_words(part)} " in f" {plain_words(whole)} "


def mentions(text: str, piece: Piece) -> bool:
    """Return whether the value of a piece occurs in a text: a label, or a date in any usual form.

    Known weakness: the text may state this value of another subject.
    """
    return any(
        stands_in(form, text) for form in (piece.value_text, *date_levels.spellings(piece.value))
    )


@functools.lru_cache(1 << 16)
def plain_words(text: str) -> str:
    """Return the normalised words of a text, without punctuation."""
    return " ".join(re.findall(r"\w+", fold(text)))
