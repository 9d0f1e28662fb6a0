"""Find what questions about two subjects can ask for: candidates, with all pieces of a property."""

import functools
import re
from collections.abc import Callable, Sequence

from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.questions.question_texts import PairTexts
from kgbuild.datasets.biokalma.sets.evolve import AskedProperty, Dropped, Reason, make_candidates
from kgbuild.datasets.biokalma.sets.minimal import (
    Minimality,
    Triple,
    joined_items,
    share_a_word,
    stands_in,
)
from kgbuild.datasets.biokalma.sets.pool import Piece

PERSON, THING = "person", "thing"
"""The kinds of subjects."""
_MAX_VALUES = 5
"""Maximum number of values of a property that one question asks for."""


class AskedProperties:
    """Finds the candidates of questions.

    ``specificity`` returns that of a property; ``sentence`` writes the sentence of a candidate.
    """

    def __init__(
        self,
        texts: PairTexts,
        minimality: Minimality,
        specificity: Callable[[str], float],
        sentence: Callable[[Sequence[Piece]], str],
    ):
        self._lexicon = lexicon()
        self._texts = texts
        self._minimality = minimality
        self._specificity = specificity
        self._sentence = sentence
        self.asks_for = functools.cache(self._asks_for)

    def of(
        self, statement: Triple, joining: Sequence[Piece], pool: Sequence[Piece]
    ) -> tuple[list[AskedProperty], list[Dropped]]:
        """Return the candidates of both subjects, and the dropped pieces."""
        candidates: list[AskedProperty] = []
        dropped: list[Dropped] = []
        subject_qids = joined_items(statement)
        names = [self._texts.name(qid) for qid in subject_qids]
        linked_qids = {item for piece in joining for item in (piece.qid, piece.value.text)}
        revealed = {
            piece
            for piece in pool
            if piece.value.text in linked_qids
            or any(self._is_in_name(piece, name) for name in names)
        }
        for qid in subject_qids:
            kind = self._kind(qid)
            pieces = [piece for piece in pool if piece.qid == qid]
            pids = {piece.pid for piece in pieces}
            joining_pids = {piece.pid for piece in pieces if self._joins(joining, piece)}
            askable = [
                piece
                for piece in pieces
                if piece.pid not in joining_pids and self._can_be_asked(piece, kind, pids)
            ]
            subject_candidates, subject_dropped = make_candidates(
                askable,
                self._max_values,
                self._specificity,
                self._sentence,
                self._minimality,
                revealed,
            )
            candidates += subject_candidates
            dropped += subject_dropped
        return candidates, dropped

    def _can_be_asked(self, piece: Piece, kind: str, pids: set[str]) -> bool:
        """Return whether a question can ask for the property of a piece.

        ``kind`` is the kind of its subject, "person" or "thing"; ``pids`` has all properties of
        the subject in the pool.
        """
        return self.asks_for(piece.pid, kind) and pids.isdisjoint(
            self._lexicon.wording(piece.pid).unless
        )

    def _asks_for(self, pid: str, kind: str) -> bool:
        """Return whether questions ask for a property of some subjects of a kind."""
        is_worded = pid in self._lexicon.properties and pid not in self._lexicon.unasked
        return is_worded and self._lexicon.wording(pid).asked_of in ("", kind)

    def nameable(self, pool: Sequence[Piece]) -> list[Piece]:
        """Return the pieces for which the name of a theme can ask: their values fit the wording."""
        wording = self._lexicon.wording
        unfit = {
            (piece.qid, piece.pid)
            for piece in pool
            if (values := wording(piece.pid).unfit_values) and re.search(values, piece.value_text)
        }
        return [
            piece
            for piece in pool
            if (piece.qid, piece.pid) not in unfit
            and self.asks_for(piece.pid, self._kind(piece.qid))
        ]

    def _kind(self, qid: str) -> str:
        return THING if self._texts.is_thing(qid) else PERSON

    def _is_in_name(self, piece: Piece, name: str) -> bool:
        """Return whether the name of a subject contains the value of a piece or hints at it."""
        if stands_in(piece.value_text, name):
            return True
        return self._lexicon.wording(piece.pid).value_in_name and share_a_word(
            piece.value_text, name
        )

    def _joins(self, joining: Sequence[Piece], piece: Piece) -> bool:
        """Return whether the property of a piece, or one that implies it, joins the subjects too.

        A question for such a piece would ask for the joining piece as well.
        """
        pids = (piece.pid, *self._lexicon.wording(piece.pid).implied_by)
        return any(
            triple == joint.triple or self._minimality.follows(triple, [joint.triple])
            for joint in joining
            for pid in pids
            for triple in [(piece.qid, pid, item) for item in (joint.qid, joint.value.text)]
        )

    def _max_values(self, pid: str, values: Sequence[Piece]) -> int | Reason:
        """Return the maximum number of values to ask for, or why they cannot be asked for."""
        wording = self._lexicon.wording(pid)
        if wording.unfit_values:
            for piece in values:
                if re.search(wording.unfit_values, piece.value_text):
                    return Reason("odd value", piece.value_text)
        if self._texts.lacks_tense(values):
            return Reason("no tense", "")
        if wording.number == "several" and len(values) == 1:
            return Reason("single value", values[0].value_text)
        return _MAX_VALUES if wording.noun or wording.number else 1
