"""Examine a statement by itself: which similar items can replace its subject, or its object.

The result does not depend on other pairs, so statements can be examined in any process.
"""

import functools

from kgbuild.catalog import Path
from kgbuild.datasets.since import Older, Statement, against
from kgbuild.datasets.syn_qa.candidates import Alike, Candidates
from kgbuild.datasets.syn_qa.checks import Checks
from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.rows import PairOptions, Variant
from kgbuild.graph.knowledge import Knowledge

# The ends of a path that are replaced, one after the other, share what was read about it.
_facts = functools.lru_cache(1)(PathFacts)


class Examination:
    """Examines the statements of one path: a statement has a subject and an object.

    ``variant`` says which end is replaced. With an ``older`` store, the statements must be new;
    ``since`` compares them. ``checks`` checks replacements.
    """

    def __init__(
        self,
        path: Path,
        options: PairOptions,
        variant: Variant,
        older: Older | None,
        knowledge: Knowledge,
    ):
        self.since = against(knowledge, older)
        self.facts = _facts(knowledge, path)
        self._path = path
        self.checks = Checks(knowledge, self.facts, variant.perturbed)
        self._candidates = Candidates(knowledge, self.facts, self.checks, options, variant)

    def __call__(self, statement: tuple[str, str]) -> Alike:
        """Examine a statement.

        Raises:
            Rejected: the statement has no pair.
        """
        chain = self.facts.chain(*statement)
        if self.since:
            self.since.check(steps(self._path, chain))
        self.checks.check_statement(chain)
        return self._candidates.alike(chain)


def steps(path: Path, chain: Chain) -> list[Statement]:
    """Return the statements by which a path joins the subject of a chain to its object."""
    last = chain.bridge, path.last.pid, chain.object
    return [(chain.subject, path.first.pid, chain.bridge), last] if path.first else [last]
