"""Remove from questions what only describes their subject."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.english.asides import SUBJECT as S
from kgbuild.english.asides import without_asides


@pytest.mark.parametrize(
    ("question", "core"),
    [
        (f"Who designed {S}?", f"Who designed {S}?"),
        (f"Who designed {S}, the brick bridge in Saxony?", f"Who designed {S}?"),
        (f"Which label did {S}, the punk pioneers, sign with?", f"Which label did {S} sign with?"),
        (f"Who starred in {S} (1953)?", f"Who starred in {S}?"),
        (f"{S} - not the one in England - is in what country?", f"{S} is in what country?"),
        (f"{S} became queen after her mother. Who was the mother?", "Who was the mother?"),
        (f"Besides John Wayne, who can be seen in {S}?", f"who can be seen in {S}?"),
        # A question between commas is none about the subject only.
        (f"In what year, and where, did {S} die?", f"In what year, and where, did {S} die?"),
        ("Is it?", "Is it?"),
    ],
)
def test_a_question_without_asides(question, core):
    assert without_asides(question) == core


@given(st.text(alphabet=f"aW who,.?!-()–{S}\n"))
def test_asides_are_only_left_out(text):
    kept = without_asides(text).split()
    words = iter(text.replace("(", " ").replace(")", " ").split())
    assert all(any(word in other for other in words) for word in kept if word.isalpha())
