"""Choose a minimum knowledge set, the pieces that an answer needs: add the best pieces of the pool.

A property is added with all its values or not at all: one of three instruments does not answer the
question which instruments somebody plays. So a candidate has all pieces of a subject and property.
If one clause can ask both subjects for a property, the pieces of both are one candidate, and added
together. Each added piece counts as one round.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.rows import stable_id

MIN_PIECES = 2
"""Minimum number of pieces about each subject, beside those that join the two."""
MAX_PARALLELS = 2
"""Maximum number of properties that a question asks both subjects for."""


class AskedProperty(NamedTuple):
    """All pieces of a property, of one subject or of both, as one clause asks for them."""

    pieces: tuple[Piece, ...]
    specificity: float

    @property
    def qids(self) -> tuple[str, ...]:
        """The subjects."""
        return tuple(dict.fromkeys(piece.qid for piece in self.pieces))

    @property
    def pid(self) -> str:
        """The property."""
        return self.pieces[0].pid

    @property
    def is_parallel(self) -> bool:
        """Whether it is about both subjects."""
        return len(self.qids) > 1


class Chosen(NamedTuple):
    """A piece of a knowledge set, with its round and its scores."""

    piece: Piece
    round: int
    specificity: float
    coherence: float
    score: float


class Dropped(NamedTuple):
    """A candidate that was left out, for a reason of reasons.toml."""

    piece: Piece
    reason: str
    detail: str


def specificity(items: int, holders: int) -> float:
    """Return the specificity of a property: log(2 · N / Count), natural logarithm.

    ``items`` (N) is the number of items of the class, ``holders`` (Count) the number of these items
    that have the property. The minimum is log 2, for a property that all items have.

    Source: appendix A.3 of the BioKaLMA paper, equation 1, derived from IDF.
    """
    return math.log(2 * items / max(holders, 1))


Compare: TypeAlias = Callable[[Sequence[Piece], Sequence[AskedProperty]], Sequence[float]]
"""A function of a set and candidates: it returns how well each one continues the paragraph."""


class Evolution(NamedTuple):
    """Grows knowledge sets; ``alpha`` is the weight of specificity against coherence."""

    alpha: float
    seed: int
    minimality: Minimality

    def grow(
        self,
        first: Sequence[Chosen],
        candidates: Sequence[AskedProperty],
        compare: Compare,
        rounds: int,
        lacking: Mapping[str, int],
    ) -> tuple[list[Chosen], list[Dropped]]:
        """Return the set that grows from the pieces ``first``, and the pieces that were dropped.

        ``compare`` returns the coherence of candidates. ``lacking`` is the number of pieces that
        the set needs at least about each subject. Each step adds the candidate with the best score
        among those that keep the set minimal: no piece of the set follows from the others. Those
        with a better score that do not keep it minimal are dropped.
        """
        chosen, remaining = list(first), list(candidates)
        dropped: list[Dropped] = []
        while eligible := _eligible(remaining, chosen[len(first) :], rounds, lacking):
            pieces = [choice.piece for choice in chosen]
            for candidate, coherence, score in self._rank(eligible, compare(pieces, eligible)):
                remaining.remove(candidate)
                redundancy = self.minimality.redundant(pieces, candidate.pieces)
                if redundancy is None:
                    chosen += [
                        Chosen(piece, round_, candidate.specificity, coherence, score)
                        for round_, piece in enumerate(
                            candidate.pieces, len(chosen) - len(first) + 1
                        )
                    ]
                    break
                implied, premises = redundancy
                # The set implies a piece of the candidate, or the other way round.
                is_candidate_implied = implied in candidate.pieces
                detail = premises if is_candidate_implied else f"{' '.join(implied.triple)} by it"
                dropped += [Dropped(piece, "implied", detail) for piece in candidate.pieces]
        return chosen, dropped

    def _rank(
        self, candidates: Sequence[AskedProperty], coherences: Sequence[float]
    ) -> list[tuple[AskedProperty, float, float]]:
        """Return candidates with coherence and score, the best first; a seeded hash breaks ties."""
        rows = [
            (one, coherence, self.alpha * one.specificity + (1 - self.alpha) * coherence)
            for one, coherence in zip(candidates, coherences, strict=True)
        ]
        seed = str(self.seed)
        return sorted(rows, key=lambda row: (-row[2], stable_id(seed, *row[0].qids, row[0].pid)))


def _eligible(
    remaining: Sequence[AskedProperty],
    added: Sequence[Chosen],
    rounds: int,
    lacking: Mapping[str, int],
) -> list[AskedProperty]:
    """Return the candidates of the next step that fit into the remaining rounds.

    Candidates of both subjects come first, then those of a subject with too few pieces.
    """
    small = [candidate for candidate in remaining if len(candidate.pieces) <= rounds - len(added)]
    pids = {choice.piece.pid for choice in added}
    pieces = Counter(choice.piece.qid for choice in added)
    if parallel := [
        candidate for candidate in small if candidate.is_parallel and len(pids) < MAX_PARALLELS
    ]:
        return parallel
    return [
        candidate
        for candidate in small
        # A property is not asked once of each subject, in two clauses.
        if not candidate.is_parallel
        and candidate.pid not in pids
        and pieces[candidate.qids[0]] < lacking[candidate.qids[0]]
    ]


def join_parallel(
    candidates: Sequence[AskedProperty],
    can_share: Callable[[Sequence[Piece], Sequence[Piece]], bool],
) -> list[AskedProperty]:
    """Return the candidates of both subjects, with one for two that one clause can ask for.

    ``can_share`` returns whether one clause can ask for the pieces of two candidates.
    """
    joined: dict[str, list[AskedProperty]] = {}
    for candidate in candidates:
        of_property = joined.setdefault(candidate.pid, [])
        partner = of_property[0] if of_property else None
        if (
            partner
            and partner.qids != candidate.qids
            and can_share(partner.pieces, candidate.pieces)
        ):
            of_property[0] = partner._replace(pieces=(*partner.pieces, *candidate.pieces))
        else:
            of_property.append(candidate)
    return [candidate for of_property in joined.values() for candidate in of_property]
