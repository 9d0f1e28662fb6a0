"""Write an HTML page with a matrix for each judge: the share of passed tests by type and metric.

Source: the picture of results on GroUSE's page. There a square shows whether one test passes, fails
or has an unreadable output; here a cell shows the counts of all tests of a type.
"""

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from string import Template

from kgbuild.data_files import read_text
from kgbuild.datasets.grouse.rows import FAILED, METRICS, PASSED, UNPARSABLE
from kgbuild.tables.records import GrouseResult as Result

_MARKS = {FAILED: "✗", UNPARSABLE: "?"}


def page(source: str, by_judge: Mapping[str, Sequence[Result]]) -> str:
    """Return the page about judges and their results in the tests of a source.

    The page fetches nothing, and the same results give the same bytes.
    """
    text = read_text("datasets/grouse/matrix.html")
    return Template(text).substitute(
        source=html.escape(source),
        matrices="\n".join(_matrix(judge, results) for judge, results in by_judge.items()),
    )


def _matrix(judge: str, results: Sequence[Result]) -> str:
    """Return the table of a judge: a row for each type of tests, and a row for all tests."""
    heads = "".join(f'<th scope="col">{name.replace("_", " ")}</th>' for name in METRICS)
    types = dict.fromkeys(result.test_type for result in results)
    rows = "\n".join(
        _row(name or "no type", [result for result in results if result.test_type == name])
        for name in types
    )
    return (
        f"<table>\n<caption>{html.escape(judge)}</caption>\n"
        f'<thead><tr><th scope="col">test type</th>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n<tfoot>\n{_row('all', results)}\n</tfoot>\n</table>"
    )


def _row(name: str, results: Sequence[Result]) -> str:
    counts = Counter((result.metric, result.outcome) for result in results)
    cells = (
        _cell({outcome: counts[metric, outcome] for outcome in (PASSED, *_MARKS)})
        for metric in METRICS
    )
    tests = len(results) // len(METRICS)  # each test has a result on each metric
    head = f"{html.escape(name.replace('_', ' '))}<small>tests: {tests:,}</small>"
    return f'<tr><th scope="row">{head}</th>{"".join(cells)}</tr>'


def _cell(counts: Mapping[str, int]) -> str:
    """Return a cell with the share of passed tests, and the counts of the other outcomes."""
    # Rounded down, so that 100 % means that all tests passed.
    share = counts[PASSED] * 100 // sum(counts.values())
    marks = "".join(
        f'<small class="{outcome}" title="{outcome}">{mark} {counts[outcome]:,}</small>'
        for outcome, mark in _MARKS.items()
        if counts[outcome]
    )
    return f'<td style="--share: {share}%">{share} %{marks}</td>'
