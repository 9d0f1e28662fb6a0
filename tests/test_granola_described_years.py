"""Years in descriptions contradict dates, unless they are those of an office."""

import pytest

from kgbuild.datasets.granola.questions.described_years import contradicts


@pytest.mark.parametrize(
    ("description", "pid", "year", "other", "result"),
    [
        ("Greek poet (1872-1933)", "P569", 1871, [1933], True),
        ("Greek poet (1872-1933)", "P569", 1872, [1933], False),
        ("Greek poet (1872–1933)", "P570", 1934, [1872], True),
        ("Queen of the Netherlands (1980-2013)", "P569", 1938, [2030], False),  # an office
        ("Greek poet (1872-1933)", "P569", 1871, [], False),  # it may be an office
        ("French university, founded in 1460.", "P571", 1961, [], True),
        ("French university, created in 1722", "P571", 1722, [], False),
        ("university in Oslo since 2003", "P571", 1837, [], False),
        ("(1802-1917) imperial university", "P571", 1803, [], True),
        ("2016 film by Ann Lee", "P577", 2015, [], True),
        ("film about the year 2016", "P577", 2015, [], False),
        ("2016 film by Ann Lee", "P585", 2015, [], False),
    ],
)
def test_contradictions(
    description: str, pid: str, year: int, other: list[int], result: bool
) -> None:
    other_years = [(n, n) for n in other]
    assert contradicts(description, pid, (year, year), other_years) is result
