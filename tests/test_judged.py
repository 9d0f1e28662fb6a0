"""Test the measurement of judged sets, and of what a rule buys."""

import json
import subprocess
import sys

import pytest

from benchmarks import judged
from benchmarks.judged.switches import RuleError, switch_off


def _run(*options: str) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "benchmarks.judged", *options]
    return subprocess.run(call, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", [file.stem for file in judged.FOLDER.glob("*.jsonl")])
def test_every_record_has_an_id_of_its_own(name: str) -> None:
    """An id names one record, so that a change can be traced to it."""
    records = judged.records(name, kept=False)
    assert records
    assert len({record["id"] for record in records}) == len(records)


def test_rule_that_is_switched_off_changes_cases_and_says_which() -> None:
    """Without its reader of dates, the program finds no date in a reply."""
    rule = "kgbuild.english.date_mentions:find_dates"
    done = _run("--set", "granola_replies", "--without", rule)
    assert done.returncode == 0, done.stderr
    assert f"without {rule}:" in done.stdout
    assert "worse without it: " in done.stdout
    assert "worse without it: 0" not in done.stdout


@pytest.mark.parametrize(
    "rule",
    [
        "nonsense",
        "kgbuild.nothing:f",
        "kgbuild.cells:nothing",
        "nothing.toml:a",
        "kgbuild.rows:Row",
    ],
)
def test_unknown_rule_is_an_error(rule: str) -> None:
    """A misspelt rule must not look like one that buys nothing."""
    with pytest.raises(RuleError):
        switch_off(rule)


_SWITCHED = """
import json, sys
from benchmarks.judged.switches import switch_off
switch_off(sys.argv[1])
from kgbuild.data_files import read_toml
from kgbuild.english.articles import indefinite
usual = read_toml("datasets/granola/levels/classes.toml")["usual"]
print(json.dumps([usual.get("Q6881511"), indefinite("city")]))
"""


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ("kgbuild.english.articles:_is_spelled", ["company", "a city"]),
        ("kgbuild.english.articles:indefinite", ["company", "city"]),
        ("granola/levels/classes.toml:usual", [None, "a city"]),
        ("granola/levels/classes.toml:usual=Q6881511", [None, "a city"]),
        ("granola/levels/classes.toml:usual.Q4830453", ["company", "a city"]),
    ],
)
def test_rule_is_off_wherever_it_is_used(rule: str, found: list[str | None]) -> None:
    """A function gives its argument or an empty value, a table lacks the words."""
    call = [sys.executable, "-c", _SWITCHED, rule]
    assert json.loads(subprocess.check_output(call, text=True)) == found
