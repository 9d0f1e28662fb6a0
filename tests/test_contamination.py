"""The benchmark of truth: what is removed, what is counted."""

from pathlib import Path

from benchmarks import contamination
from benchmarks.contamination import Assumed, Outcome
from kgbuild.catalog import catalog
from kgbuild.datasets.syn_qa.build import Options
from tests.conftest import SAMPLE

LINES = SAMPLE.read_bytes().splitlines(keepends=True)


def test_a_share_of_the_statements_is_removed_and_nothing_else():
    kept = list(contamination.removed(LINES, 0.3, 7))
    gone = set(LINES) - set(kept)
    statements = [line for line in LINES if b"/prop/direct/P" in line]
    assert 0.27 < len(gone) / len(statements) < 0.33
    assert gone <= set(statements)
    assert kept == [line for line in LINES if line not in gone]  # in their order
    assert kept == list(contamination.removed(LINES, 0.3, 7))
    assert gone != set(LINES) - set(contamination.removed(LINES, 0.3, 8))
    # Who removes more removes those, too: the shares can be compared.
    assert gone < set(LINES) - set(contamination.removed(LINES, 0.5, 7))


def test_tables():
    one = Outcome(10, [Assumed("P26", "closed", 0.001, False)] * 3)
    other = Outcome(10, [Assumed("P26", "absent", 0.02, True)])
    text = contamination.tables([one, other], catalog())
    assert "4 pairs of 20 statements" in text and "(20.0%)" in text
    assert "**25.00% of the false assumptions are true** (by seed, 0.00% to 100.00%" in text
    assert "| absent | 1 | 100.00% |" in text and "| closed | 3 | 0.00% |" in text
    assert "| from 0.001 (mean 0.0010) | 3 | 0.00% |" in text
    assert "spouse" not in text  # of so few pairs a relation has no row


def test_the_sample(tmp_path: Path):
    import gzip

    source = tmp_path / "sample.nt.gz"
    source.write_bytes(gzip.compress(SAMPLE.read_bytes()))
    careful, careless = (
        contamination.measured(source, 0.5, [3], Options(limit=50, max_risk=risk))[0]
        for risk in (0.01, 1.0)
    )
    for found in (careful, careless):
        assert 0 < len(found.assumed) <= found.examined
    shares = [
        sum(one.is_true for one in found.assumed) / len(found.assumed)
        for found in (careful, careless)
    ]
    assert shares[0] < shares[1]  # or there would be no sense in leaving pairs out
    assert (
        max(one.risk for one in careful.assumed) <= 0.01 < max(one.risk for one in careless.assumed)
    )
