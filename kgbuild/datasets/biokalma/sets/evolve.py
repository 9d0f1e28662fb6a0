"""Choose a minimum knowledge set, the pieces that an answer needs: add the best pieces of the pool.

A property is added with all its values or not at all: one of three instruments does not answer the
question which instruments somebody plays. So a candidate has all pieces of a subject and property.
If one clause can ask both subjects for a property, the pieces of both are one candidate, and added
together. Each added piece counts as one round.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kgbuild.datasets.biokalma.sets.coherence import Coherence
from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.rows import stable_id

MIN_PIECES = 2
"""Minimum number of pieces about each subject, beside those that join the two."""
MAX_PARALLELS = 2
"""Maximum number of properties that a question asks both subjects for."""


class AskedProperty(NamedTuple):
    """All pieces of a property, of one subject or of both, as one clause asks for them.

    ``sentence`` states them.
    """

    pieces: tuple[Piece, ...]
    specificity: float
    sentence: str

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


class Reason(NamedTuple):
    """A reason of reasons.toml, and its detail."""

    name: str
    detail: str


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


@dataclass(frozen=True)
class Evolution:
    """Grows knowledge sets; ``alpha`` is the weight of specificity against coherence."""

    alpha: float
    seed: int
    coherence: Coherence
    minimality: Minimality

    def grow(
        self,
        first: Sequence[Chosen],
        candidates: Sequence[AskedProperty],
        write: Callable[[Sequence[Piece]], str],
        rounds: int,
        lacking: Mapping[str, int],
    ) -> tuple[list[Chosen], list[Dropped]]:
        """Return the set that grows from the pieces ``first``, and the pieces that were dropped.

        ``write`` returns the paragraph of a set. ``lacking`` is the number of pieces that the set
        needs at least about each subject. Each step adds the candidate with the best score
        among those that keep the set minimal: no piece of the set follows from the others. Those
        with a better score that do not keep it minimal are dropped.
        """
        chosen, remaining = list(first), list(candidates)
        dropped: list[Dropped] = []
        while eligible := _eligible(remaining, chosen[len(first) :], rounds, lacking):
            pieces = [choice.piece for choice in chosen]
            for candidate, coherence, score in self._rank(eligible, write(pieces)):
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
        self, candidates: Sequence[AskedProperty], paragraph: str
    ) -> list[tuple[AskedProperty, float, float]]:
        """Return candidates with coherence and score, the best first; a seeded hash breaks ties."""

        def sort_key(row: tuple[AskedProperty, float, float]) -> tuple[float, str]:
            candidate, _, score = row
            return -score, stable_id(str(self.seed), *candidate.qids, candidate.pid)

        sentences = [candidate.sentence for candidate in candidates]
        rows = [
            (
                candidate,
                coherence,
                self.alpha * candidate.specificity + (1 - self.alpha) * coherence,
            )
            for candidate, coherence in zip(
                candidates, self.coherence(paragraph, sentences), strict=True
            )
        ]
        return sorted(rows, key=sort_key)


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
            of_property[0] = AskedProperty(
                (*partner.pieces, *candidate.pieces),
                partner.specificity,
                f"{partner.sentence} {candidate.sentence}",
            )
        else:
            of_property.append(candidate)
    return [candidate for of_property in joined.values() for candidate in of_property]


def make_candidates(
    pool: Sequence[Piece],
    max_values: Callable[[str, Sequence[Piece]], int | Reason],
    specificity: Callable[[str], float],
    sentence: Callable[[Sequence[Piece]], str],
    minimality: Minimality,
    revealed: Collection[Piece],
) -> tuple[list[AskedProperty], list[Dropped]]:
    """Return a candidate for each property that a question can ask for, and the dropped pieces.

    ``pool`` has pieces about one subject. ``max_values`` returns the maximum number of values that
    a question can ask for, for a property and its pieces; or why it cannot ask for them.
    ``specificity`` returns that of a property, ``sentence`` a sentence that states pieces.
    ``revealed`` has the pieces that the question reveals. Only the finest values count.
    """
    candidates: list[AskedProperty] = []
    dropped: list[Dropped] = []
    by_property: dict[str, list[Piece]] = defaultdict(list)
    for piece in pool:
        by_property[piece.pid].append(piece)
    for pid, pieces in by_property.items():
        finest = minimality.finest(pieces)
        if revealed_pieces := [piece for piece in finest if piece in revealed]:
            dropped += [Dropped(piece, "given away", piece.value_text) for piece in revealed_pieces]
        elif isinstance(maximum := max_values(pid, finest), Reason):
            dropped.append(Dropped(finest[0], *maximum))  # one entry for the property
        elif len(finest) > maximum:
            dropped.append(Dropped(finest[0], "many values", f"{len(finest)} values"))
        else:
            candidates.append(AskedProperty(tuple(finest), specificity(pid), sentence(finest)))
    return candidates, dropped
