"""Fit the estimate of risk: remove statements, draw candidates, look them up in the whole.

A candidate is a similar item in the place of a statement's subject, as the builder examines it.
Only candidates whose relation the whole slice states count: of the others it is not certain what
they lack. Prints the weights of ``kgbuild/datasets/syn_qa/falsity/risk.toml``.
"""

import argparse
import itertools
import pathlib
import sys
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

from benchmarks import measure
from benchmarks.truth.holdout import MODES, Removal, holdout
from kgbuild.catalog import Path, catalog
from kgbuild.datasets.syn_qa.candidates import SubjectCandidates
from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.falsity.risk import FEATURES, SIGNS, features
from kgbuild.datasets.syn_qa.falsity.stored_facts import StoredFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.replacement_checks import SubjectChecks
from kgbuild.datasets.syn_qa.rows import SUBJECT, PairOptions, Variant
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store
from kgbuild.graph.pairs import shuffled_pairs
from kgbuild.relations import Relation
from kgbuild.rows import Rejected
from kgbuild.wikidata import number

Table = npt.NDArray[np.float64]
_STATEMENTS = 120
"""Number of statements of a relation that are drawn."""
_RIDGE = 1e-4


def candidates(whole: Store, part: Store, seed: int) -> Iterator[tuple[float, ...]]:
    """Yield, for each candidate, its features, whether it is true, and the relation's number."""
    known = catalog()
    truth, knowledge = whole.knowledge(known.kinds), part.knowledge(known.kinds)
    for relation in known.relations_of("syn_qa"):
        facts = StoredFacts(truth, relation, known.relations)
        yield from _of_relation(relation, facts, knowledge, seed)


def _of_relation(
    relation: Relation, truth: StoredFacts, knowledge: Knowledge, seed: int
) -> Iterator[tuple[float, ...]]:
    facts = PathFacts(knowledge, Path(relation))
    checks = SubjectChecks(knowledge, facts)
    options, variant = PairOptions(max_risk=1.0), Variant(SUBJECT, "")
    similar = SubjectCandidates(knowledge, facts, checks, options, variant)
    statements = shuffled_pairs(relation.pid, facts.ends(), seed)
    for x, y in itertools.islice(statements, _STATEMENTS):
        try:
            true = facts.chain(x, y)
            checks.check_statement(true)
            alike = similar.examine(true).candidates
            chains = [one.chain for one in alike if _is_false(checks, true, one.chain)]
        except Rejected:
            continue
        bridges = np.array([number(false.bridge) for false in chains], np.int32)
        signals = facts.signals(bridges, true)
        for false, row in zip(chains, features(signals).T.tolist(), strict=True):
            if truth.evidence(false.bridge):
                is_true = bool(truth.statement(false.bridge, y))
                yield (*row, is_true, int(relation.pid[1:]))


def _is_false(checks: SubjectChecks, true: Chain, false: Chain) -> bool:
    """Return whether a part of the slice allows that the assumption of a chain is false."""
    try:
        checks.check_false(true, false)
    except Rejected:
        return False
    return True


def fit(table: Table) -> list[float]:
    """Return the constant and the weights of greatest penalised likelihood, with their signs.

    The penalty (ridge) is on standardised features. Each relation counts by the square root of its
    number of candidates.
    """
    x, y = table[:, :-2], table[:, -2]
    mean, deviation = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = (x - mean) / deviation
    _, relation = np.unique(table[:, -1], return_inverse=True)
    weights = 1 / np.sqrt(np.bincount(relation)[relation])
    weights /= weights.sum()

    def loss(t: Table) -> tuple[float, Table]:
        p = np.clip(expit(t[0] + z @ t[1:]), 1e-12, 1 - 1e-12)
        slope, ridge = weights * (p - y), _RIDGE * t[1:]
        value = -(weights * (y * np.log(p) + (1 - y) * np.log(1 - p))).sum() + ridge @ t[1:] / 2
        return value, np.concatenate([[slope.sum()], z.T @ slope + ridge])

    start = np.concatenate([[-4.0], np.zeros(z.shape[1])])
    bounds = [(None, None), *((0, None) if sign > 0 else (None, 0) for sign in SIGNS)]
    t = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return [t[0] - (t[1:] * mean / deviation).sum(), *(t[1:] / deviation)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth.risk", description=__doc__)
    parser.add_argument("source", type=pathlib.Path, help="a clean slice, .nt.gz")
    parser.add_argument("--share", type=float, default=0.3, help="removed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[101])
    options = parser.parse_args(arguments)
    tables = []
    with holdout(options.source) as held_out:
        for mode in MODES:
            for seed in options.seeds:
                with held_out.stores(Removal(mode, options.share, seed)) as (whole, part):
                    tables.append(np.array([*candidates(whole, part, seed)], float))
    weights = fit(np.concatenate(tables))
    print(f"# {measure.machine()}")
    for name, weight in zip(("constant", *FEATURES), weights, strict=True):
        print(f"{name} = {weight:.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
