"""Match questions with templates: the relation, and the name of the subject."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.files.templates import Templates
from kgbuild.english.templates import fill, in_tense
from kgbuild.relations import Relation

RELATIONS = catalog().relations_of("granola")
TEMPLATES = Templates(RELATIONS)
OWN_RELATIONS = (
    Relation("P1", "birth", (), (), granola=("Where was {subject} born?",)),
    Relation("P2", "child", (), (), granola=("Who is {subject}'s child?", "Whose is {subject}?")),
    Relation("P3", "place", (), (), granola=("Where is {subject}?",)),
    Relation("P12", "home", (), (), granola=("{subject} lives where?", "Where is {subject}?")),
)
OWN = Templates(OWN_RELATIONS)


def found(question: str, pid: str | None = None) -> list[tuple[str, str | None]]:
    among = [relation for relation in OWN_RELATIONS if relation.pid == pid]
    return [(fit.relation.pid, fit.mention) for fit in OWN.matches(question, among)]


@pytest.mark.parametrize(
    ("question", "mention"),
    [
        ("Where was Ann Lee born?", "Ann Lee"),
        ("  where WAS \t Ann\n Lee  BORN ", "Ann Lee"),
        ("Where was Ann Lee born ?", "Ann Lee"),
        ('Where was "Weird Al" Yankovic born?', '"Weird Al" Yankovic'),
        ('Where was " born?', '"'),
        ("Where was Who? born?", "Who?"),
        ("Where was {subject} born?", "{subject}"),
        ("Where was born born?", "born"),
        ("Where was Where was Ann born? born?", "Where was Ann born?"),
        ("Where was \x00\x1b[31m born?", "\x00\x1b[31m"),
        (f"Where was {'x' * 99_999} born?", "x" * 99_999),
    ],
)
def test_a_mention(question, mention):
    assert found(question) == [("P1", mention)]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Where was born?",
        "Where was  born?",
        "Tell me: Where was Ann born?",  # a template is the whole question
        "Where was Ann born? And when?",
        "Where wasAnn born?",
    ],
)
def test_a_question_that_no_template_fits(question):
    assert found(question) == []
    assert found(question, "P1") == []


def test_apostrophes_are_one():
    assert found("Who is Xi'an's child?") == [("P2", "Xi'an")]
    assert found("Who is Xi’an’s child?") == [("P2", "Xi’an")]


def test_all_that_fit():
    assert found("Where is Ann?") == [("P3", "Ann"), ("P12", "Ann")]
    assert found("Ann lives where?") == [("P12", "Ann")]


def test_questions_with_a_relation():
    assert found("Where is Ann?", "P12") == [("P12", "Ann")]
    assert found("Where is Ann?", "P1") == []


@pytest.mark.parametrize(
    ("name", "pid"),
    [
        ("P1.dev.json", "P1"),
        ("my_P12-P12.csv", "P12"),
        ("P1.P2.json", None),  # which of them?
        ("P1.P99.json", "P1"),  # P99 is no relation here
        ("P99.json", None),
        ("MP3.json", None),
        ("P1a.json", None),
        ("P123.json", None),
        ("questions.json", None),
    ],
)
def test_a_relation_in_the_name_of_a_file(name, pid):
    assert OWN.of_file(name) == pid


TEMPLATE_OF = st.sampled_from(
    [(r, in_tense(t, is_past)) for r in RELATIONS for t in r.granola for is_past in (True, False)]
)


@given(TEMPLATE_OF, st.text(min_size=1))
def test_a_template_gives_back_any_name(chosen, name):
    relation, template = chosen
    plain = " ".join(name.split())
    assume(plain)
    mentions = [
        fit.mention
        for fit in TEMPLATES.matches(fill(template, {"{subject}": name}))
        if fit.relation == relation
    ]
    assert plain in mentions


@given(TEMPLATE_OF, st.sampled_from(["Ann", "The {subject}", "Who's Who", "O’Neil", "a\x00b"]))
def test_so_it_does_in_capitals_and_without_a_question_mark(chosen, name):
    relation, template = chosen
    asked = fill(template.removesuffix("?").upper(), {"{SUBJECT}": name})
    mentions = [fit.mention for fit in TEMPLATES.matches(asked, [relation])]
    assert name in mentions


def test_two_relations_of_relations_toml_share_a_wording():
    fits = TEMPLATES.matches("Where is Ulm located?")
    assert [(fit.relation.pid, fit.mention) for fit in fits] == [("P131", "Ulm"), ("P276", "Ulm")]
    assert TEMPLATES.of_file("P276.dev.json") == "P276"
    (match,) = TEMPLATES.matches("Where is Ulm located?", [catalog().relations["P276"]])
    assert match.relation.pid == "P276"
