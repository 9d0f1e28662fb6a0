"""The benchmarks of truth: what is removed, what is counted, what the estimate is worth."""

import gzip
from pathlib import Path

import pytest

from benchmarks.truth import contamination
from benchmarks.truth.contamination import Assumption, Outcome
from benchmarks.truth.holdout import MODES, Removal, holdout
from kgbuild.datasets.syn_qa.rows import PairOptions
from tests.conftest import SAMPLE

LINES = SAMPLE.read_bytes().splitlines(keepends=True)
STATEMENTS = [line for line in LINES if b"/prop/direct/P" in line and line.startswith(b"<")]


@pytest.mark.parametrize("mode", MODES)
def test_a_share_of_the_statements_is_removed_and_nothing_else(mode: str) -> None:
    rest = list(Removal(mode, 0.3, 7).rest(LINES))
    removed = set(LINES) - set(rest)
    assert removed <= set(STATEMENTS)
    assert 0.2 < len(removed) / len(STATEMENTS) < 0.4
    assert rest == [line for line in LINES if line not in removed]  # in their order
    assert rest == list(Removal(mode, 0.3, 7).rest(LINES))
    assert removed != set(LINES) - set(Removal(mode, 0.3, 8).rest(LINES))
    # Who removes more removes those, too: the shares can be compared.
    assert removed < set(LINES) - set(Removal(mode, 0.5, 7).rest(LINES))


def test_all_of_a_relation_about_an_item_goes_or_stays() -> None:
    rest = set(Removal("item", 0.3, 7).rest(LINES))
    kept: dict[tuple[bytes, bytes], set[bool]] = {}
    for line in STATEMENTS:
        subject, predicate, _ = line.split(b" ", 2)
        kept.setdefault((subject, predicate), set()).add(line in rest)
    assert all(len(states) == 1 for states in kept.values())


def test_tables() -> None:
    one = Outcome(10, [Assumption("P26", "subject, near", "closed", 0.001, False, True)] * 3)
    other = Outcome(10, [Assumption("P26", "subject, far", "absent", 0.02, True, True)])
    text = contamination.tables([one, other])
    assert "4 pairs of 20 statements" in text and "(20.0%)" in text
    assert "**25.00% (4.56% to 69.94%) of the false assumptions are true**" in text
    assert "| absent | 1 | 100.00%" in text and "| closed | 3 | 0.00%" in text
    assert "| from 0.001 (mean 0.0010) | 3 | 0.00%" in text
    assert "| P26 spouse | 4 | 25.00%" in text


def test_the_slope_of_a_perfect_estimate_is_one() -> None:
    risks = [0.1] * 100 + [0.4] * 100
    outcomes = [n < 10 for n in range(100)] + [n < 40 for n in range(100)]
    assert contamination.slope(risks, outcomes) == pytest.approx(1, abs=1e-6)


def test_the_sample(tmp_path: Path) -> None:
    source = tmp_path / "sample.nt.gz"
    source.write_bytes(gzip.compress(SAMPLE.read_bytes()))
    outcomes = {}
    with holdout(source) as held_out, held_out.stores(Removal("random", 0.5, 3)) as stores:
        for risk in (0.003, 1.0):
            outcomes[risk] = contamination.outcome(*stores, PairOptions(limit=50, max_risk=risk))
    for found in outcomes.values():
        assert 0 < len(found.assumptions) <= found.examined
    highest = [max(one.risk for one in outcomes[risk].assumptions) for risk in (0.003, 1.0)]
    assert highest[0] <= 0.003 < highest[1]
