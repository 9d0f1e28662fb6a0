"""Find the names of items in a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.mentions import find
from kgbuild.english.normalize import fold
from kgbuild.store.labels import Nearness

EXACT = Nearness(is_spelled_otherwise=False, is_alias=False)
ITEMS = {
    name: {f"Q{n}": EXACT}
    for n, name in enumerate(
        ("ann lee", "ann", "lee", "it", "in", "who?", "king's cross", "the who", "city", "inc."), 1
    )
}


def names(question: str) -> list[str]:
    mentions = find(question, lambda name: ITEMS.get(fold(name), {}))
    assert all(question[m.start : m.end] == m.text for m in mentions)
    return [mention.text for mention in mentions]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where was Ann Lee born?", ["Ann Lee", "Ann", "Lee"]),  # the longest first
        ("Where was Ann Lee's child born?", ["Ann Lee", "Ann", "Lee"]),
        ("Where was Ann Lee’s child born?", ["Ann Lee", "Ann", "Lee"]),
        ("Where is King's Cross?", ["King's Cross"]),  # here the "'s" belongs to the name
        ("Is “Ann” (Lee) there, Ann?", ["Ann", "Lee", "Ann"]),
        ("Who wrote It?", ["It"]),
        ("It was written by whom?", []),  # the first word has a capital anyway
        ("who wrote it in the city", ["city"]),
        ("Who is in Who?", ["Who?"]),  # with its mark: the name of an item
        ("Who sings in The Who?", ["The Who", "Who?"]),
        ("", []),
        ("?!", []),
    ],
)
def test_names_in_a_question(question, expected):
    assert names(question) == expected


def test_a_name_contains_another_one():
    lee, ann = find("Ann Lee and Ann", lambda name: ITEMS.get(fold(name), {}))[:2]
    assert lee.contains(ann) and not ann.contains(lee) and not lee.contains(lee)


@given(st.text())
def test_all_texts_have_names_inside_them(question):
    mentions = find(question, lambda name: {"Q1": EXACT})
    assert all(m.text == question[m.start : m.end] and m.text.strip() for m in mentions)
