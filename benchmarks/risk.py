"""Fit the estimate of risk: remove statements, draw candidates, look them up in the whole.

A candidate is a similar item in the place of a statement's subject, as the builder examines it.
Only candidates whose relation the whole slice states count: of the others it is not certain what
they lack. Prints the constants of ``kgbuild/datasets/syn_qa/risk.toml``.
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
from benchmarks.holdout import MODES, Removal, holdout
from kgbuild.catalog import Path, catalog
from kgbuild.datasets.syn_qa.checks import Checks
from kgbuild.datasets.syn_qa.examination import similarity_properties
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.risk import features
from kgbuild.datasets.syn_qa.stored_facts import StoredFacts
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store
from kgbuild.graph.pairs import shuffled_pairs
from kgbuild.relations import Relation
from kgbuild.rows import Rejected
from kgbuild.wikidata import number

Table = npt.NDArray[np.float64]
_STATEMENTS, _CANDIDATES = 400, 20
"""Statements of a relation, and candidates for each, that are drawn."""
_RIDGE = 1e-5


def candidates(whole: Store, part: Store, seed: int) -> Iterator[tuple[float, ...]]:
    """Yield, for each candidate, its signals, whether it is true, and the relation's number."""
    known = catalog()
    truth, knowledge = whole.knowledge(known.kinds), part.knowledge(known.kinds)
    for relation in known.relations_of("syn_qa"):
        facts = StoredFacts(truth, relation, known.relations)
        yield from _of_relation(relation, facts, knowledge, seed)


def _of_relation(
    relation: Relation, truth: StoredFacts, knowledge: Knowledge, seed: int
) -> Iterator[tuple[float, ...]]:
    facts = PathFacts(knowledge, catalog(), Path(relation))
    checks = Checks(knowledge, facts)
    for x, y in itertools.islice(shuffled_pairs(relation.pid, facts.ends(), seed), _STATEMENTS):
        try:
            chain = facts.chain(x, y)
            checks.check_statement(chain)
            checks.check_names(chain)
        except Rejected:
            continue
        properties = similarity_properties(relation, facts.questions.subject(x))
        similar = [one.qid for one in knowledge.similarity.most_similar(x, properties, 100, 3)]
        drawn = 0
        bridges = facts.bridges(np.fromiter(map(number, similar), np.int32))
        signals = facts.signals(bridges, chain)
        for qid, of_candidate in zip(similar, features(signals).T.tolist(), strict=True):
            try:
                checks.check_kind(x, qid)
                checks.check_false(chain, facts.chain(qid, y))
            except Rejected:
                continue
            drawn += 1
            if truth.evidence(qid):
                is_true = bool(truth.statement(qid, y))
                yield (*of_candidate[1:], is_true, int(relation.pid[1:]))
            if drawn == _CANDIDATES:
                break


def fit(table: Table) -> tuple[float, list[float]]:
    """Return the constants of greatest penalised likelihood: ``unforeseen`` and ``weights``.

    The penalty (ridge) is on standardised features.
    """
    x, y = table[:, :-2], table[:, -2]
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    z = (x - mean) / deviation
    _, relation = np.unique(table[:, -1], return_inverse=True)
    weights = 1 / np.sqrt(np.bincount(relation)[relation])
    weights /= weights.sum()

    def loss(t: Table) -> tuple[float, Table]:
        unforeseen, share = expit(t[0]), expit(t[1] + z @ t[2:])
        p = np.clip(unforeseen + (1 - unforeseen) * share, 1e-12, 1 - 1e-12)
        slope = -weights * (y / p - (1 - y) / (1 - p))
        by_share = slope * (1 - unforeseen) * share * (1 - share)
        first = (slope * (1 - share)).sum() * unforeseen * (1 - unforeseen)
        value = -(weights * (y * np.log(p) + (1 - y) * np.log(1 - p))).sum()
        ridge = _RIDGE * t[2:]
        gradient = np.concatenate([[first, by_share.sum()], z.T @ by_share + ridge])
        return value + ridge @ t[2:] / 2, gradient

    start = np.concatenate([[-6.0, -3.0], np.zeros(z.shape[1])])
    t = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000}).x
    constant = t[1] - (t[2:] * mean / deviation).sum()
    return float(expit(t[0])), [constant, *(t[2:] / deviation)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.risk", description=__doc__)
    parser.add_argument("source", type=pathlib.Path, help="a clean slice, .nt.gz")
    parser.add_argument("--share", type=float, default=0.3, help="removed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102])
    parser.add_argument("--candidates", type=pathlib.Path, help="keep the candidates as .npy")
    options = parser.parse_args(arguments)
    tables = []
    with holdout(options.source) as held_out:
        for mode in MODES:
            for seed in options.seeds:
                with held_out.stores(Removal(mode, options.share, seed)) as (whole, part):
                    tables.append(np.array([*candidates(whole, part, seed)], float))
    table = np.concatenate(tables)
    if options.candidates:
        np.save(options.candidates, table)
    unforeseen, weights = fit(table)
    print(f"# {measure.machine()}")
    print(f"unforeseen = {unforeseen:.4f}")
    print(f"weights = [{', '.join(f'{weight:.4f}' for weight in weights)}]")


if __name__ == "__main__":
    main(sys.argv[1:])
