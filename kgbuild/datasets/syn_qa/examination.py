"""Examine a statement by itself: which similar items can replace its subject, or its object.

The result does not depend on other pairs, so statements can be examined in any process.
"""

import functools

from kgbuild.catalog import Path
from kgbuild.datasets.since import Older, Statement, against
from kgbuild.datasets.syn_qa.candidates import CANDIDATES, Examined
from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.replacement_checks import CHECKS
from kgbuild.datasets.syn_qa.rows import PairOptions, Variant
from kgbuild.datasets.syn_qa.statement_checks import StatementChecks
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import remembered

_MOST_STATEMENTS = 1 << 16
"""Maximum number of statements of which it is remembered whether questions fit them."""


class _Asked:
    """The statements of a path that questions fit and that an older store does not have."""

    def __init__(self, knowledge: Knowledge, path: Path, older: Older | None):
        self.facts = PathFacts(knowledge, path)
        self.since = against(knowledge, older)
        self._path = path
        self._checks = StatementChecks(knowledge, self.facts)
        self.chain = remembered(self._chain, _MOST_STATEMENTS)

    def _chain(self, statement: tuple[str, str]) -> Chain:
        chain = self.facts.chain(*statement)
        if self.since:
            self.since.check(steps(self._path, chain))
        self._checks.check_statement(chain)
        return chain


# The ends of a path that are replaced, one after the other, share what was read about it.
_asked = functools.lru_cache(1)(_Asked)


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
        asked = _asked(knowledge, path, older)
        self.facts, self.since, self._chain = asked.facts, asked.since, asked.chain
        self.checks = CHECKS[variant.perturbed](knowledge, self.facts)
        find = CANDIDATES[variant.perturbed]
        self._examine = find(knowledge, self.facts, self.checks, options, variant).examine

    def __call__(self, statement: tuple[str, str]) -> Examined:
        """Examine a statement.

        Raises:
            Rejected: the statement has no pair.
        """
        return self._examine(self._chain(statement))


def steps(path: Path, chain: Chain) -> list[Statement]:
    """Return the statements by which a path joins the subject of a chain to its object."""
    last = chain.bridge, path.last.pid, chain.object
    return [(chain.subject, path.first.pid, chain.bridge), last] if path.first else [last]
