"""Find the similar items that may replace the subject of a statement, and their risk."""

import functools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from kgbuild.datasets.syn_qa.checks import PERSON, Checks
from kgbuild.datasets.syn_qa.names import COMMON
from kgbuild.datasets.syn_qa.path_facts import Bridges, PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.risk import MANY_VALUES, always_above, risk
from kgbuild.datasets.syn_qa.rows import MOST_CONSIDERED
from kgbuild.graph.association import Shares
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.row_labels import UNKNOWN
from kgbuild.rows import Rejected
from kgbuild.store.arrays import Flags, Positions

_RISK_FACTOR_OF_TWO_HOPS = 0.75
"""Factor of the maximum risk for paths of two relations, of which readers knew more to be true."""
_PART = 224
"""Number of similar items whose labels are compared at a time: they are usually enough."""
_MAX_SIMILAR = 600
"""Maximum number of similar items, of any split, that are read."""


class Candidate(NamedTuple):
    """A similar item of the subject's countries, and the risk that the assumption about it is true.

    ``position`` is its place among all candidates, of any country; ``overlap`` is the number of
    values that it shares with the subject.
    """

    position: int
    qid: str
    overlap: int
    risk: float


class Alike(NamedTuple):
    """The similar items of a subject.

    The candidates can be read once; most are never read, since the first ones that fit are enough.
    Of ``similar`` items, ``risky`` are too likely to have the object; ``tried`` others were chosen,
    the candidates and those of other countries.
    """

    candidates: Iterable[Candidate]
    tried: int
    similar: int
    risky: int


_ALL_RISKY = Alike((), 0, 0, 0)


class Candidates:
    """Finds the similar items of the subjects of one path.

    They share at least ``min_overlap`` values with the subject, and the risk is at most
    ``max_risk``. ``train`` is whether one of the splits is for training.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        facts: PathFacts,
        checks: Checks,
        min_overlap: int,
        max_risk: float,
        train: bool,
    ):
        self._knowledge = knowledge
        self._facts = facts
        self._questions = facts.questions
        self._checks = checks
        self._min_overlap = min_overlap
        self._max_risk = max_risk * (_RISK_FACTOR_OF_TWO_HOPS if facts.path.first else 1)
        self._train = train

    def alike(self, chain: Chain, properties: Sequence[str]) -> Alike:
        """Return the items whose names have as many words of the object's name as the subject's.

        They are at most ``MOST_CONSIDERED``. Items near the subject come first: they share a value
        of a ``near`` property, such as the country.

        Raises:
            Rejected: the statement of the chain has no such items.
        """
        all_similar, bridges = self._similar(chain, properties)
        count = len(all_similar)
        all_risks = self._risks(bridges, chain)
        is_low = all_risks <= self._max_risk
        if not is_low.any():
            return _ALL_RISKY._replace(similar=count, risky=count)
        similar, risks = all_similar[is_low], all_risks[is_low]
        qids = self._knowledge.similarity.qids(similar)
        is_near = functools.partial(self._checks.is_near, chain.subject)
        order = np.argsort([not is_near(qid) for qid in qids], kind="stable")
        chosen = self._chosen(chain, np.ascontiguousarray(similar[:, 0]), order)
        candidates = (
            Candidate(position, qids[n], int(similar[n, 1]), float(risks[n]))
            for position, n in enumerate(chosen.tolist())
            if not self._checks.is_foreign(chain.subject, qids[n])
        )
        return Alike(candidates, len(chosen), count, count - len(risks))

    def _risks(self, bridges: Bridges, chain: Chain) -> Shares:
        """Return the risk of each item; infinity if it is certain that all are too high."""
        shares = self._always_above[np.minimum(bridges.values, MANY_VALUES)]
        if self._facts.holders(chain.object).base >= shares.max():
            return np.full(len(shares), np.inf)
        return risk(self._facts.signals(bridges, chain))

    @functools.cached_property
    def _always_above(self) -> Shares:
        """The shares from which on the risk is too high, by the number of values of an item."""
        return always_above(self._max_risk, self._facts.usage.mean_values)

    def _chosen(self, chain: Chain, rows: Positions, order: Positions) -> Positions:
        """Return the first items, in this order, whose labels share as many words."""
        chosen, count, start = list[Positions](), 0, 0
        while count < MOST_CONSIDERED and start < len(order):
            part = order[start : start + _PART]
            chosen.append(part[self._share_words(chain, rows[part])])
            count, start = count + len(chosen[-1]), start + _PART
        return np.concatenate([order[:0], *chosen])[:MOST_CONSIDERED]

    def _share_words(self, chain: Chain, rows: Positions) -> Flags:
        """Return whether the label of each row has as many words of the object's name."""
        subject, _, object_ = chain
        shared = self._questions.shared_words(subject, object_)
        kind = self._questions.subject(subject)
        if shared.words and kind and kind.name != PERSON:
            return np.zeros(len(rows), np.bool_)  # a city in the name of a club
        stems, last = self._questions.object_name(object_)
        counts = self._knowledge.row_labels().shared_words(rows, sorted(stems), last, COMMON)
        share: Flags = counts == 2 * shared.words + shared.is_last
        for n in np.flatnonzero(counts == UNKNOWN).tolist():
            item = f"Q{self._knowledge.postings.items[rows[n]]}"
            share[n] = self._questions.shared_words(item, object_) == shared
        return share

    def _similar(self, chain: Chain, properties: Sequence[str]) -> tuple[Positions, Bridges]:
        """Return the most similar items of the subject's split, and their bridges.

        The items are an array of ``Similarity.ranked``.
        """
        x, splits = chain.subject, self._knowledge.splits(self._train)
        min_overlap = self._min_overlap
        ranked = self._knowledge.similarity.ranked_before(
            x, tuple(properties), _MAX_SIMILAR, min_overlap
        )
        if not len(ranked):
            raise Rejected("no similar item", f"needs {min_overlap} shared values")
        same_split = ranked[splits.of(ranked[:, 0]) == splits.number(x)]
        if not len(same_split):
            raise Rejected("no fair replacement", f"{len(ranked)} items of other splits")
        bridges = self._facts.bridges_of_rows(np.ascontiguousarray(same_split[:, 0]))
        stating, count = int(np.count_nonzero(bridges.values)), len(same_split)
        if not self._facts.usage.is_closed_for(stating / count):
            raise Rejected("seldom stated", f"by {stating} of {count} similar items")
        return same_split, bridges
