"""Examine a statement by itself: which similar items can replace its subject, or its object.

The result does not depend on other pairs, so statements can be examined in any process.
"""

from collections.abc import Callable
from typing import NamedTuple

from kgbuild.catalog import Path, catalog
from kgbuild.datasets.since import Older, Statement, against
from kgbuild.datasets.syn_qa.candidates import Alike, Candidates
from kgbuild.datasets.syn_qa.checks import Checks
from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.rows import Variant
from kgbuild.graph.knowledge import Knowledge


class Examined(NamedTuple):
    """A statement, and what may replace an end of it."""

    chain: Chain
    alike: Alike


class Examination:
    """Examines the statements of one path.

    Replacements share at least ``min_overlap`` values with what they replace, and the risk is at
    most ``max_risk``. ``train`` is whether one of the splits is for training. ``variant`` says
    which end is replaced. With an ``older`` store, the statements must be new; ``since`` compares
    them. ``checks`` checks replacements.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        path: Path,
        min_overlap: int,
        max_risk: float,
        train: bool,
        variant: Variant = Variant(),  # noqa: B008
        older: Older | None = None,
    ):
        self.since = against(knowledge, older)
        self.facts = PathFacts(knowledge, catalog(), path)
        self._path = path
        self.checks = Checks(knowledge, self.facts, variant.perturbed)
        self._candidates = Candidates(
            knowledge, self.facts, self.checks, min_overlap, max_risk, train, variant
        )

    def of(self, statement: tuple[str, str]) -> Examined:
        """Examine a statement, a pair of subject and object.

        Raises:
            Rejected: the statement has no pair.
        """
        chain = self.facts.chain(*statement)
        if self.since:
            self.since.check(steps(self._path, chain))
        self.checks.check_statement(chain)
        return Examined(chain, self._candidates.alike(chain))


def steps(path: Path, chain: Chain) -> list[Statement]:
    """Return the statements by which a path joins the subject of a chain to its object."""
    last = chain.bridge, path.last.pid, chain.object
    return [(chain.subject, path.first.pid, chain.bridge), last] if path.first else [last]


def examiner(
    path: Path,
    min_overlap: int,
    max_risk: float,
    train: bool,
    variant: Variant,
    older: Older | None,
    knowledge: Knowledge,
) -> Callable[[tuple[str, str]], Examined]:
    """Return the function that examines statements in a worker."""
    return Examination(knowledge, path, min_overlap, max_risk, train, variant, older).of
