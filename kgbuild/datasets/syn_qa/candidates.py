"""Find the similar items that may replace the subject of a statement, and their risk."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kgbuild.datasets.syn_qa.checks import Checks
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.risk import risk
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.similarity import Neighbour
from kgbuild.rows import Rejected

_PERSON = "person"
_RISK_FACTOR_OF_TWO_HOPS = 0.75
"""Factor of the maximum risk for paths of two relations, of which readers knew more to be true."""
_MAX_SIMILAR = 600
"""Maximum number of similar items, of any split, that are read."""


class Candidate(NamedTuple):
    """A similar item, the risk that the assumption about it is true, and if it is foreign."""

    neighbour: Neighbour
    risk: float
    is_foreign: bool


class Candidates:
    """Finds the similar items of the subjects of one path.

    They share at least ``min_overlap`` values with the subject, and the risk is at most
    ``max_risk``. ``train`` is whether one of the splits is for training. ``reject`` is called with
    (subject, object, reason, detail).
    """

    def __init__(
        self,
        knowledge: Knowledge,
        facts: PathFacts,
        checks: Checks,
        min_overlap: int,
        max_risk: float,
        train: bool,
        reject: Callable[[str, str, str, str], None],
    ):
        self._knowledge = knowledge
        self._facts = facts
        self._questions = facts.questions
        self._checks = checks
        self._min_overlap = min_overlap
        self._max_risk = max_risk * (_RISK_FACTOR_OF_TWO_HOPS if facts.path.first else 1)
        self._train = train
        self._reject = reject

    def alike(self, chain: Chain, properties: Sequence[str]) -> Iterator[Candidate]:
        """Yield the items whose names have as many words of the object's name as the subject's.

        Raises:
            Rejected: the statement of the chain has no such items.
        """
        similar = self._similar(chain, properties)
        self._checks.check_names(chain)
        shared = self._questions.shared_words
        shared_by_subject = shared(chain.subject, chain.object)
        kind = self._questions.subject(chain.subject)
        if shared_by_subject.words and kind and kind.name != _PERSON:
            return  # a city in the name of a club
        for candidate in similar:
            if shared(candidate.neighbour.qid, chain.object) == shared_by_subject:
                yield candidate

    def _similar(self, chain: Chain, properties: Sequence[str]) -> Iterator[Candidate]:
        """Return the most similar items of the subject's split, each with a risk that is allowed.

        Items near the subject come first: they share a value of a ``near`` property, such as the
        country.
        """
        x, splits = chain.subject, self._knowledge.splits(self._train)
        min_overlap = self._min_overlap
        ranked = self._knowledge.similarity.ranked(x, properties, _MAX_SIMILAR, min_overlap)
        if not len(ranked):
            raise Rejected("no similar item", f"needs {min_overlap} shared values")
        same_split = ranked[splits.of(ranked[:, 0]) == splits.number(x)]
        if not len(same_split):
            raise Rejected("no fair replacement", f"{len(ranked)} items of other splits")
        similarity = self._knowledge.similarity
        signals = self._facts.signals(similarity.qids(same_split), chain)
        has_value = signals.values > 0
        if not self._facts.usage.is_closed_for(has_value.mean()):
            detail = f"by {has_value.sum()} of {len(has_value)} similar items"
            raise Rejected("seldom stated", detail)
        risks = risk(signals)
        is_low = risks <= self._max_risk
        if risky := len(risks) - int(is_low.sum()):
            self._reject(x, chain.object, "risky", f"{risky} of {len(risks)} similar items")
        if not is_low.any():
            raise Rejected("all similar items fell out", f"{len(risks)} items")
        allowed, risks = same_split[is_low], risks[is_low]
        order = np.argsort(~self._checks.are_near(x, allowed), kind="stable")
        neighbours = similarity.neighbours(allowed[order])
        are_foreign = self._checks.are_foreign(x, allowed[order]).tolist()
        return map(Candidate, neighbours, risks[order].tolist(), are_foreign)
