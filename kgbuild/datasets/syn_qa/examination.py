"""Examine a statement by itself: which similar items can replace its subject.

The result does not depend on other pairs, so statements can be examined in any process.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kgbuild.catalog import Path, catalog
from kgbuild.datasets.since import Older, Statement, against
from kgbuild.datasets.syn_qa.candidates import Candidate, Candidates
from kgbuild.datasets.syn_qa.checks import Checks
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.rows import MOST_CHOICES
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Kind, Relation
from kgbuild.rows import Rejected


class Replacement(NamedTuple):
    """A similar item that passes all checks: its chain (subject, bridge, object), and the risk.

    ``is_far`` is whether it shares no value with the subject that others differ in, and
    ``is_undated`` whether its time is not known.
    """

    chain: Chain
    overlap: int
    risk: float
    is_far: bool
    is_undated: bool


class Trial(NamedTuple):
    """A similar item, and the replacement that it is, or the reason why it is none.

    ``position`` is its place among the similar items; those of other countries are not tried.
    """

    position: int
    qid: str
    replacement: Replacement | None = None
    reason: str = ""
    detail: str = ""


class Examined(NamedTuple):
    """A statement, and the trials of those similar items that are neither risky nor foreign.

    ``properties`` are those by which items are similar, ``similar`` and ``risky`` the numbers of
    similar items; ``tried`` is the number of those that can be tried, or are foreign. ``is_cut`` is
    whether there are further trials.
    """

    chain: Chain
    properties: Sequence[str]
    similar: int
    risky: int
    tried: int
    trials: Iterable[Trial]
    is_cut: bool = False


class Examination:
    """Examines the statements of one path.

    Replacements share at least ``min_overlap`` values with the subject, and the risk is at most
    ``max_risk``. ``train`` is whether one of the splits is for training. With an ``older`` store,
    the statements must be new; ``since`` compares them.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        path: Path,
        min_overlap: int,
        max_risk: float,
        train: bool,
        older: Older | None = None,
    ):
        self.since = against(knowledge, older)
        self.facts = PathFacts(knowledge, catalog(), path)
        self._path = path
        self._questions = self.facts.questions
        self._checks = Checks(knowledge, self.facts)
        self._candidates = Candidates(
            knowledge, self.facts, self._checks, min_overlap, max_risk, train
        )

    def of(self, statement: tuple[str, str]) -> Examined:
        """Examine a statement, a pair of subject and object; items are tried when they are read.

        Raises:
            Rejected: the statement has no pair.
        """
        chain = self.facts.chain(*statement)
        if self.since:
            self.since.check(steps(self._path, chain))
        self._checks.check_statement(chain)
        self._checks.check_names(chain)
        kind = self._questions.subject(chain.subject)
        properties = similarity_properties(self._path.start, kind)
        alike = self._candidates.alike(chain, properties)
        trials = (self._trial(chain, candidate) for candidate in alike.candidates)
        return Examined(chain, properties, alike.similar, alike.risky, alike.tried, trials)

    def _trial(self, chain: Chain, candidate: Candidate) -> Trial:
        """Return the trial of a similar item."""
        position, qid, overlap, risk = candidate
        try:
            self._checks.check_kind(chain.subject, qid)
            false = self.facts.chain(qid, chain.object)
            self._checks.check_false(chain, false)
        except Rejected as rejected:
            return Trial(position, qid, None, rejected.reason, rejected.detail)
        is_far = not self._checks.is_near(chain.subject, qid)
        is_undated = not self._checks.is_dated(qid)
        return Trial(position, qid, Replacement(false, overlap, risk, is_far, is_undated))


def steps(path: Path, chain: Chain) -> list[Statement]:
    """Return the statements by which a path joins the subject of a chain to its object."""
    last = chain.bridge, path.last.pid, chain.object
    return [(chain.subject, path.first.pid, chain.bridge), last] if path.first else [last]


def similarity_properties(relation: Relation, kind: Kind | None) -> list[str]:
    """Return the properties by which subjects of a relation are compared.

    The relation itself and equivalent properties are left out: by them, items would be similar
    because the relation joins them to the same object.
    """
    excluded = {*relation.forward_properties, *relation.backward_properties}
    return [pid for pid in (kind.similarity if kind else ()) if pid not in excluded]


def examiner(
    path: Path,
    min_overlap: int,
    max_risk: float,
    train: bool,
    older: Older | None,
    knowledge: Knowledge,
) -> Callable[[tuple[str, str]], Examined]:
    """Return the function that examines statements in a worker.

    It stops at ``MOST_CHOICES`` replacements; a builder seldom needs more of them.
    """
    examination = Examination(knowledge, path, min_overlap, max_risk, train, older)

    def examine(statement: tuple[str, str]) -> Examined:
        examined = examination.of(statement)
        trials, choices = list[Trial](), 0
        for trial in examined.trials:
            trials.append(trial)
            choices += trial.replacement is not None
            if choices == MOST_CHOICES:
                return examined._replace(trials=trials, is_cut=True)
        return examined._replace(trials=trials)

    return examine
