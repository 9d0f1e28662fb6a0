"""Draft a question about two subjects that a statement joins, with the pieces that answer it."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.questions.question_texts import PairTexts
from kgbuild.datasets.biokalma.rows import PEOPLE, SetOptions
from kgbuild.datasets.biokalma.sets import themes
from kgbuild.datasets.biokalma.sets.candidates import AskedProperties
from kgbuild.datasets.biokalma.sets.coherence import Coherence
from kgbuild.datasets.biokalma.sets.evolve import (
    MIN_PIECES,
    AskedProperty,
    Chosen,
    Dropped,
    Evolution,
    join_parallel,
    specificity,
)
from kgbuild.datasets.biokalma.sets.minimal import Minimality, Triple, joined_items, mentions
from kgbuild.datasets.biokalma.sets.pairs import SubjectPairs
from kgbuild.datasets.biokalma.sets.partition import Partition
from kgbuild.datasets.biokalma.sets.pool import Piece, Pools
from kgbuild.datasets.biokalma.sets.themes import GeneralSet, generalise
from kgbuild.datasets.since import Older, against
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejected


class PairDraft(NamedTuple):
    """A question with its knowledge set and the pieces left out of it.

    ``statement`` joins the two subjects. ``themes`` are what the question is about. ``further``
    has the pieces that only the general question needs: they complete its topics.
    ``opening`` is the text that a model extends to the paragraph: the sentence of a biography, or
    sentences that state the pieces of round 0. ``candidate`` is the text that names the draft in
    the table of rejections.
    """

    statement: Triple
    themes: Sequence[str]
    chosen: Sequence[Chosen]
    further: Sequence[Chosen]
    pool: Sequence[Piece]
    dropped: Sequence[Dropped]
    general: str
    specific: str
    paragraph: str
    opening: str
    candidate: str

    @property
    def knowledge(self) -> list[Piece]:
        """The minimum knowledge set, beginning with the pieces that join the subjects."""
        return [choice.piece for choice in self.chosen]


class Drafter:
    """Drafts questions from one store; ``since`` compares it with an ``older`` one, if any.

    ``coherence`` measures how well sentences continue a paragraph; without it, that is no matter.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        options: SetOptions,
        coherence: Coherence | None = None,
        older: Older | None = None,
    ):
        self.since = against(knowledge, older)
        self._options = options
        self._are_people = options.of_class == PEOPLE
        self.pools = Pools(knowledge)
        self.minimality = Minimality(knowledge)
        self.pairs = SubjectPairs(knowledge, self.minimality, options.of_class)
        self.texts = PairTexts(knowledge, self.pools)
        self._coherence = coherence
        # Of a property, within the class.
        self._specificity = cache(
            lambda pid: specificity(len(self.pairs.members), self.pairs.holders(pid))
        )
        self._candidates = AskedProperties(self.texts, self.minimality, self._specificity)
        self.partition = Partition(self.pairs, options.splits)
        self._evolution = Evolution(options.alpha, options.seed, self.minimality)

    def examine(self, statement: Triple) -> PairDraft:
        """Return the question about the two subjects of a statement, which may be no candidate.

        Raises:
            Rejected: no question can be made about them; reasons.toml has the reasons.
        """
        if self.since:
            self.since.check(self.pairs.steps(statement))
        self.pairs.check(statement)
        self.partition.check(statement)
        return self.draft(statement)

    def draft(
        self,
        statement: Triple,
        sentence: str = "",
        is_stated: Callable[[Piece], bool] | None = None,
    ) -> PairDraft:
        """Return the question about the two subjects of a statement.

        Its knowledge set begins with this statement and the pieces that ``sentence`` states: pieces
        whose values it mentions, or for which ``is_stated`` is true. Without a sentence, the set
        has only properties of both subjects.

        Raises:
            Rejected: the pool has too few pieces about the subjects, or those that it has make one
                question and set only, not two.
        """
        pool = self.pool(statement)
        steps = self.pairs.steps(statement)
        joining = [piece for step in steps for piece in pool if piece.triple == step]
        if len(joining) < len(steps):
            raise Rejected("not in the pool", "; ".join(map(" ".join, steps)))
        candidates, dropped = self._candidates.of(statement, joining, pool)
        is_stated = is_stated or partial(mentions, sentence)
        first = self._first_pieces(joining, candidates, is_stated)
        first_pieces = {choice.piece for choice in first}
        candidates = [
            candidate for candidate in candidates if candidate.pieces[0] not in first_pieces
        ]
        candidates = join_parallel(candidates, self.texts.is_parallel)
        if not sentence:  # a question that asks different things of the two sounds artificial
            candidates = [
                candidate
                for candidate in candidates
                if candidate.is_parallel and candidate.pid not in lexicon().by_theme
            ]
        chosen, implied, general = self._chosen(statement, joining, first, candidates, pool)
        knowledge = [choice.piece for choice in chosen]
        return PairDraft(
            statement,
            [*dict.fromkeys(lexicon().theme(piece.pid) for piece in knowledge[len(joining) :])],
            chosen,
            [self._first_choice(piece) for piece in general.further],
            pool,
            [*dropped, *implied],
            self.texts.general(statement, knowledge, general.theme),
            self.texts.specific(statement, knowledge),
            self.texts.paragraph(statement, knowledge),
            sentence or self.texts.paragraph(statement, [choice.piece for choice in first]),
            " ".join(statement),
        )

    def _chosen(
        self,
        statement: Triple,
        joining: Sequence[Piece],
        first: Sequence[Chosen],
        candidates: Sequence[AskedProperty],
        pool: Sequence[Piece],
    ) -> tuple[list[Chosen], list[Dropped], GeneralSet]:
        """Return the set of a question, the pieces that were dropped, and the general set.

        The set is the best one that the general question extends; the question names wider themes
        only if it extends none by their own. If it extends none at all, it names a wider theme of
        the best set.

        Raises:
            Rejected: there is no such set.
        """
        nameable = self._candidates.nameable(pool)
        sets = [*self._grown(statement, joining, first, candidates)]
        name = partial(generalise, self.minimality, len(joining), nameable)
        equal: list[tuple[list[Chosen], list[Dropped], GeneralSet]] = []
        widths = themes.WIDTHS_OF_PEOPLE if self._are_people else themes.WIDTHS_OF_THINGS
        for width, (chosen, dropped) in itertools.product(widths, sets):
            if general := name([choice.piece for choice in chosen], width):
                if general.further:
                    return chosen, dropped, general
                if width:
                    equal.append((chosen, dropped, general))
        if equal:
            return equal[0]
        count = sum(len(candidate.pieces) for candidate in candidates)
        raise Rejected("too little knowledge", f"{count} pieces beside what joins them")

    def _grown(
        self,
        statement: Triple,
        joining: Sequence[Piece],
        first: Sequence[Chosen],
        candidates: Sequence[AskedProperty],
    ) -> Iterator[tuple[list[Chosen], list[Dropped]]]:
        """Yield sets of a question with enough pieces, and the pieces that were dropped.

        The sets of the best choices come first. A choice of two themes is asked for as a whole.
        """
        compare = partial(self._compare, statement)
        rounds = self._options.rounds - (len(joining) - 1)  # a path has two pieces
        stated = Counter(choice.piece.qid for choice in first[len(joining) :])
        qids = joined_items(statement)
        lacking = {qid: MIN_PIECES - stated[qid] for qid in qids}
        opening = lexicon().theme(joining[0].pid)
        options = themes.choices(candidates, lacking, self._options.seed, opening, self._are_people)
        for of_themes in options:
            chosen, implied = self._evolution.grow(first, of_themes, compare, rounds, lacking)
            counts = Counter(choice.piece.qid for choice in chosen[len(joining) :])
            found = self._themes(choice.piece for choice in chosen[len(first) :])
            is_whole = len(found) >= min(2, len(self._themes(of_themes)))
            if is_whole and all(counts[qid] >= MIN_PIECES for qid in lacking):
                yield chosen, implied

    def _themes(self, asked: Iterable[AskedProperty | Piece]) -> set[str]:
        return {lexicon().theme(one.pid) for one in asked}

    def _compare(
        self, statement: Triple, pieces: Sequence[Piece], candidates: Sequence[AskedProperty]
    ) -> Sequence[float]:
        """Return how well each candidate continues the paragraph of a set."""
        if self._coherence is None:
            return [0.0] * len(candidates)
        sentences = [self.texts.sentences(candidate.pieces) for candidate in candidates]
        return self._coherence(self.texts.paragraph(statement, pieces), sentences)

    def pool(self, statement: Triple) -> list[Piece]:
        """Return the knowledge pool of the two subjects of a statement.

        For a path, it also has the statement from the item between them to the second subject.
        """
        pieces = [piece for qid in joined_items(statement) for piece in self.pools.pieces(qid)]
        for step in self.pairs.steps(statement)[1:]:
            pieces += [piece for piece in self.pools.pieces(step[0]) if piece.triple == step]
        return pieces

    def _first_pieces(
        self,
        joining: Sequence[Piece],
        candidates: Sequence[AskedProperty],
        is_stated: Callable[[Piece], bool],
    ) -> list[Chosen]:
        """Return the pieces of round 0: the joining ones, and those that the sentence states."""
        pieces = list(joining)
        for candidate in candidates:
            is_whole_stated = all(map(is_stated, candidate.pieces))
            if is_whole_stated and not self.minimality.redundant(pieces, candidate.pieces):
                pieces += candidate.pieces
        return [self._first_choice(piece) for piece in pieces]

    def _first_choice(self, piece: Piece) -> Chosen:
        """Return a piece of round 0, whose coherence is not measured."""
        value = self._specificity(piece.pid)
        return Chosen(piece, 0, value, 0.0, self._options.alpha * value)


def examiner(
    options: SetOptions, older: Older | None, knowledge: Knowledge
) -> Callable[[Triple], PairDraft]:
    """Return ``Drafter.examine`` for a worker, which measures no coherence."""
    return Drafter(knowledge, options, None, older).examine
