"""Find what questions about two subjects can ask for: candidates, with all pieces of a property."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.questions.question_texts import PairTexts
from kgbuild.datasets.biokalma.sets.evolve import AskedProperty, Dropped
from kgbuild.datasets.biokalma.sets.minimal import Minimality, Triple, joined_items, stands_in
from kgbuild.datasets.biokalma.sets.pool import Piece

MAX_VALUES = 5
"""Maximum number of values of a property that one question asks for."""


@dataclass(frozen=True)
class AskedProperties:
    """Finds the candidates of questions; ``specificity`` returns that of a property."""

    texts: PairTexts
    minimality: Minimality
    specificity: Callable[[str], float]

    def of(
        self, statement: Triple, joining: Sequence[Piece], pool: Sequence[Piece]
    ) -> tuple[list[AskedProperty], list[Dropped]]:
        """Return the candidates of both subjects, and the dropped pieces.

        A candidate has only the finest values of a property, and all of them.
        """
        candidates: list[AskedProperty] = []
        dropped: list[Dropped] = []
        subject_qids = joined_items(statement)
        names = [self.texts.name(qid) for qid in subject_qids]
        linked_qids = {item for piece in joining for item in (piece.qid, piece.value.text)}
        by_property: dict[tuple[str, str], list[Piece]] = defaultdict(list)
        for piece in pool:
            if piece.qid in subject_qids and self._is_asked_for(piece):
                by_property[piece.qid, piece.pid].append(piece)
        for piece in pool:  # a question for the property would ask for what joins the subjects
            if self._is_joining(piece, joining):
                by_property.pop((piece.qid, piece.pid), None)
        for (_, pid), pieces in by_property.items():
            finest = self.minimality.finest(pieces)
            revealed = [
                piece
                for piece in finest
                if piece.value.text in linked_qids
                or any(stands_in(piece.value_text, name) for name in names)
            ]
            faults = [Dropped(piece, "given away", piece.value_text) for piece in revealed]
            faults = faults or [*self._faults(finest)]
            dropped += faults
            if not faults:
                candidates.append(AskedProperty(tuple(finest), self.specificity(pid)))
        return candidates, dropped

    def _is_joining(self, piece: Piece, joining: Sequence[Piece]) -> bool:
        """Return whether a piece joins the subjects, or follows from one that does."""
        return any(
            piece.triple == joint.triple or self.minimality.follows(piece.triple, [joint.triple])
            for joint in joining
        )

    def _is_asked_for(self, piece: Piece) -> bool:
        """Return whether questions ask for the property of a piece."""
        return piece.pid in lexicon().properties and piece.pid not in lexicon().unasked

    def nameable(self, pool: Sequence[Piece]) -> list[Piece]:
        """Return the pieces for which the name of a theme can ask: their values fit the wording."""
        unfit = {(piece.qid, piece.pid) for piece in pool if self._is_unfit(piece)}
        return [
            piece
            for piece in pool
            if (piece.qid, piece.pid) not in unfit and self._is_asked_for(piece)
        ]

    def _is_unfit(self, piece: Piece) -> bool:
        """Return whether the wording of its property does not fit the value of a piece."""
        unfit = lexicon().wording(piece.pid).unfit_values
        return bool(unfit and re.search(unfit, piece.value_text))

    def _faults(self, pieces: Sequence[Piece]) -> Iterator[Dropped]:
        """Yield why no question can ask for the values of a property, as one entry; or nothing."""
        first, wording = pieces[0], lexicon().wording(pieces[0].pid)
        maximum = MAX_VALUES if wording.noun or wording.any_number else 1
        if unfit := next(filter(self._is_unfit, pieces), None):
            yield Dropped(first, "odd value", unfit.value_text)
        elif self.texts.lacks_tense(pieces):
            yield Dropped(first, "no tense", "")
        elif len(pieces) > maximum:
            yield Dropped(first, "many values", f"{len(pieces)} values")
