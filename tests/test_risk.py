"""Assess any assumption: in Python and on the command line."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

import kgbuild
from kgbuild.cli import cli
from kgbuild.datasets.syn_qa.falsity.assessment import Assessment
from kgbuild.errors import KgbuildError, WrongCallError
from kgbuild.rows import Evidence
from tests.conftest import triples
from tests.test_granola_profile import TIME

PEOPLE = """
wd:Q1 wdt:P31 wd:Q5
wd:Q1 rdfs:label "Ann"@en
wd:Q1 wdt:P106 wd:Q900
wd:Q2 wdt:P31 wd:Q5
wd:Q2 rdfs:label "Bea"@en
wd:Q2 wdt:P106 wd:Q900
wd:Q2 wdt:P19 wd:Q10
wd:Q3 wdt:P31 wd:Q5
wd:Q3 rdfs:label "Cleo"@en
wd:Q3 wdt:P106 wd:Q900
wd:Q3 wdt:P19 wd:Q11
wd:Q900 rdfs:label "poet"@en
wd:Q10 wdt:P31 wd:Q515
wd:Q10 rdfs:label "London"@en
wd:Q11 wdt:P31 wd:Q515
wd:Q11 rdfs:label "Lund"@en
"""


@pytest.fixture
def store(make_store: Callable[..., Path]) -> Path:
    return make_store(triples(PEOPLE))


def test_an_assumption_that_the_store_contradicts(store: Path) -> None:
    with kgbuild.open(store) as opened:
        assessment = kgbuild.assess(opened, "Q3", "P19", "Q10")
    assert (assessment.support, assessment.falsity) == (None, "contradicted")
    assert assessment.evidence == [Evidence("Q3", "P19", "Q11")]
    # Of the other poets, one states the birthplace, and was born in London.
    assert ("P106", "Q900", 1, 1) in assessment.sources
    assert (assessment.values, assessment.mean_values) == (1, 1.0)
    assert 0 < assessment.risk < 1


def test_an_assumption_that_the_store_states(store: Path) -> None:
    with kgbuild.open(store) as opened:
        assessment = kgbuild.assess(opened, "Bea", "place of birth", "London")
    assert assessment.support == Evidence("Q2", "P19", "Q10")
    assert (assessment.falsity, assessment.risk) == (None, 1.0)


def test_who_states_nothing_is_riskier(store: Path) -> None:
    with kgbuild.open(store) as opened:
        silent, other = (kgbuild.assess(opened, qid, "P19", "Q10") for qid in ("Q1", "Q3"))
    assert silent.falsity == "absent" and silent.risk > other.risk


def test_what_is_kept_of_a_store_changes_no_assessment(store: Path) -> None:
    asked = [(x, y) for x in ("Q1", "Q2", "Q3") for y in ("Q10", "Q11", "Q900")]

    def each_alone(x: str, y: str) -> Assessment:
        with kgbuild.open(store) as opened:
            return kgbuild.assess(opened, x, "P19", y)

    alone = [each_alone(*ends) for ends in asked]
    with kgbuild.open(store) as opened, ThreadPoolExecutor(4) as pool:
        one_by_one = [kgbuild.assess(opened, x, "P19", y) for x, y in asked]
        at_once = [*pool.map(lambda ends: kgbuild.assess(opened, ends[0], "P19", ends[1]), asked)]
    assert one_by_one == at_once == alone
    assert len({one.risk for one in alone}) > 1


def test_unknown_items_and_relations(store: Path) -> None:
    with kgbuild.open(store) as opened:
        with pytest.raises(WrongCallError, match="There is no statement of"):
            kgbuild.assess(opened, "Q77", "P19", "Q10")
        with pytest.raises(KgbuildError, match="No item is called") as unknown:
            kgbuild.assess(opened, "Anne", "P19", "Q10")
        assert "Ann" in str(unknown.value)
        with pytest.raises(WrongCallError, match="questions"):
            kgbuild.assess(opened, "Q1", "P9999", "Q10")


def test_a_date_is_evidence_without_a_label(make_store: Callable[..., Path]) -> None:
    # Who was born after the end of a war did not fight in it.
    years = (("Q2", "P569", 1914), ("Q20", "P580", 1899), ("Q20", "P582", 1902))
    dates = "\n".join(
        f"wd:{qid} wdt:{pid} {TIME.format(f'{year}-05-31')}" for qid, pid, year in years
    )
    war = 'wd:Q3 wdt:P607 wd:Q20\nwd:Q20 wdt:P31 wd:Q198\nwd:Q20 rdfs:label "War"@en\n'
    store = make_store(triples(PEOPLE + war + dates))
    result = CliRunner().invoke(cli, ["risk", "Bea", "P607", "War", "--store", str(store)])
    assert result.exit_code == 0, result.output
    assert "impossible" in result.output and " – 1902-05-31T00:00:00Z" in result.output


def test_the_command(store: Path) -> None:
    result = CliRunner().invoke(cli, ["risk", "Cleo", "P19", "London", "--store", str(store)])
    assert result.exit_code == 0, result.output
    assert "Cleo (Q3) – place of birth (P19) – London (Q10)" in result.output
    assert "contradicted" in result.output
    assert "poet (Q900): 1 of 1 others that state the relation have this object" in result.output
    arguments = ["risk", "Q2", "P19", "Q10", "--json", "--store", str(store)]
    (record,) = json.loads(CliRunner().invoke(cli, arguments).output)
    assert record["support"] == {"subject": "Q2", "property": "P19", "object": "Q10"}
    assert (record["falsity"], record["risk"]) == (None, 1.0)
