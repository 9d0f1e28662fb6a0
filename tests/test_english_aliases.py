"""Aliases that are names of an item, and of nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.english.aliases import names


@pytest.mark.parametrize(
    ("label", "alias", "others"),
    [
        # Cut off behind a comma of another name: a state, a part of a company's name.
        ("Brooklyn", "New York", ("Brooklyn, New York",)),
        ("Kurt Vonnegut", "Jr.", ("Kurt Vonnegut, Jr.",)),
        ("Moscow", "Russian SFSR", ("Moscow, Russian SFSR",)),
        ("Warner Bros.", "Inc.", ()),
        # No words: brackets and quotes that were cut, letters and codes that mean anything.
        ("Washington, D.C.", "DC)", ()),
        ("Kenneth Branagh", '"Sir Kenneth', ()),
        ("Italy", "IT", ()),
        ("Island Records", "LC 00407", ()),
        ("Amazon", ".", ()),
    ],
)
def test_texts_that_are_no_names(label: str, alias: str, others: tuple[str, ...]) -> None:
    assert names(label, (alias, *others)) == others


@pytest.mark.parametrize("alias", ["NYC", "Big Apple", "N.Y.C.", "New York City, New York"])
def test_names(alias: str) -> None:
    assert names("New York City", (alias,)) == (alias,)


def test_letters_that_mean_one_thing() -> None:
    assert names("United States of America", ("US", "U.S.", "us")) == ("US", "U.S.")


def test_a_code_is_a_name_where_the_label_is_one() -> None:
    assert names("Boeing 7470", ("B-7470",)) == ("B-7470",)


def test_names_of_larger_items_are_left_out() -> None:
    # Manhattan is in New York City, which its dump calls it, too; its own name stays its own.
    others = ("New York City", "manhattan")
    assert names("Manhattan", ("new  york city", "Manhattan borough"), others) == (
        "Manhattan borough",
    )


@given(st.text(), st.lists(st.text()).map(tuple))
def test_names_are_among_the_aliases(label: str, aliases: tuple[str, ...]) -> None:
    found = names(label, aliases)
    assert set(found) <= set(aliases)
    assert names(label, found) == found  # what was left is left again
