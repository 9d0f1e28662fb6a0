"""Labels in questions: as they stand, closed with a comma where the sentence goes on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.english.templates import closed, fill, in_tense

ONE = "{subject}"
TEMPLATES = [
    in_tense(template, is_past)
    for relation in catalog().relations_of("granola")
    for template in relation.granola
    for is_past in (True, False)
]


@pytest.mark.parametrize(
    ("phrase", "template", "question"),
    [
        # An addition is closed where the sentence goes on, but not before its mark.
        ("Davis, Jr.", "Where was {subject} born?", "Where was Davis, Jr., born?"),
        ("Davis, Jr.", "Who wrote {subject}?", "Who wrote Davis, Jr.?"),
        ("Davis, Jr.", "Name a child of {subject}.", "Name a child of Davis, Jr."),
        ("Davis", "Where was {subject} born?", "Where was Davis born?"),
        # In quotes it is closed already, and a comma without a space is a number's.
        ('"Run, Lola"', "When did {subject} come out?", 'When did "Run, Lola" come out?'),
        ("10,000 Maniacs", "When did {subject} end?", "When did 10,000 Maniacs end?"),
        ("Apple, Inc.", "What is {subject}'s seat?", "What is Apple, Inc.'s seat?"),
    ],
)
def test_a_question(phrase: str, template: str, question: str) -> None:
    assert fill(template, {ONE: closed(phrase, template, ONE)}) == question


def _without_second_period(label: str, template: str) -> str:
    """Return a label without the period that ends the sentence, too: "Name a child of Ann, Jr."."""
    return label.removesuffix(".") if template.endswith(f"{ONE}.") else label


@given(st.text(min_size=1), st.sampled_from(TEMPLATES))
def test_a_label_stands_there_as_it_is(label: str, template: str) -> None:
    # Also one that looks like a place in a template.
    before, after = template.split(ONE)
    kept = _without_second_period(label, template)
    assert fill(template, {ONE: label}) == f"{before}{kept}{after}"
