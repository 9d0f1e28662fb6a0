"""Tables as the command line prints them."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.cli import output

LONG = "meta-llama/Meta-Llama-3.1-70B-Instruct-quantized"


def rendered(rows: list[dict[str, object]], width: int) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        return output.render(rows, as_json=False).splitlines()


def scores(models: int, metrics: int) -> list[dict[str, object]]:
    """Return rows as those of scores: each metric with its interval, and a count."""
    values = {f"level {n}": "13% (10–17)" for n in range(metrics)}
    return [{"model": f"{LONG}-{n}", **values, "answers": 400} for n in range(models)]


def characters(texts: object) -> Counter[str]:
    return Counter(itertools.chain.from_iterable("".join(map(str, texts)).split()))  # type: ignore[call-overload]


@given(
    cells=st.lists(st.lists(st.text("ab 9é漢", max_size=30), min_size=3, max_size=3), max_size=5),
    width=st.integers(1, 90),
)
def test_no_cell_is_cut(cells: list[list[str]], width: int) -> None:
    """Whatever the room, all characters of all cells are there."""
    rows: list[dict[str, object]] = [dict(zip("xyz", row, strict=True)) for row in cells]
    shown = rendered(rows, width) if rows else []
    expected = characters(itertools.chain.from_iterable(cells))
    assert not expected - characters(shown)


@pytest.mark.parametrize(("metrics", "width"), [(3, 120), (6, 120), (9, 120)])
def test_long_names_of_models_leave_a_table(metrics: int, width: int) -> None:
    """A name is broken before a table becomes blocks, and the last column stays whole."""
    shown = rendered(scores(2, metrics), width)
    assert shown[0].startswith("model") and shown[0].endswith("answers")
    assert max(map(len, shown)) <= width
    assert sum("400" in line for line in shown) == 2


def test_rows_without_room_for_a_table_stand_beside_each_other() -> None:
    """One line a column and not one line a cell: it were 15 × 23 lines."""
    rows = [{**row, "model": f"m{n}"} for n, row in enumerate(scores(15, 20))]
    shown = rendered(rows, 120)
    assert max(map(len, shown)) <= 120
    assert len(shown) == 2 * 22 + 1  # eight rows beside each other, and seven
    assert shown[0].split() == ["model", *(f"m{n}" for n in range(8))]
