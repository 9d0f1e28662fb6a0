"""What BioKaLMA asks a language model, and how it understands the replies."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.biokalma.questions.writing import (
    MAX_WORDS,
    NamedPiece,
    annotate,
    asked,
    extend,
    missing,
    read_indices,
    read_paragraph,
    read_question,
    rewrite,
)
from kgbuild.models.chat import Failure, Reply, Request

BUDGET = Failure("budget", "30 of 25 tokens are used")
SUBJECTS = ("Ada Lindqvist", "Jonas Lindqvist")
BORN = NamedPiece("Ada Lindqvist", "place of birth", "Malmö")
CHILD = NamedPiece("Ada Lindqvist", "child", "Jonas Lindqvist")
DIED = NamedPiece("Jonas Lindqvist", "date of death", "1958-03-22")
CITIZEN = NamedPiece("Jonas Lindqvist", "country of citizenship", "Sweden", ("Swedish",))
PIECES = [BORN, CHILD, DIED, CITIZEN]
PARAGRAPH = (
    "Ada Lindqvist, born in Malmö, was the mother of Jonas Lindqvist. He was Swedish and died on "
    "22 March 1958."
)
QUESTION = "Where was Ada Lindqvist born, and when did her son Jonas die, as a citizen of where?"


def reply(text: str, *, was_cut: bool = False) -> Reply:
    return Reply(text, "length" if was_cut else "stop", 1, 1, 0.1)


def nonsense(detail: str) -> Failure:
    return Failure("nonsense", detail)


REQUESTS = [
    annotate("A sentence.", PIECES),
    extend("A paragraph.", PIECES),
    rewrite("general", "A question?", SUBJECTS, PIECES),
    rewrite("specific", "A question?", SUBJECTS, PIECES),
    asked("A question?", PIECES),
]


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_request_shows_one_example(request_: Request) -> None:
    assert [turn.role for turn in request_.messages] == ["user", "assistant", "user"]
    assert (request_.temperature, request_.sample) == (0.0, 0)


def test_the_examples_keep_the_rules() -> None:
    # What a model is shown as a good reply would be taken as one.
    veitch = ("Orlanda Veitch", "Bruno Karsten")
    told = [
        NamedPiece("Orlanda Veitch", "place of birth", "Graz"),
        NamedPiece("Orlanda Veitch", "student", "Bruno Karsten"),
        NamedPiece("Bruno Karsten", "occupation", "sculptor"),
        NamedPiece("Bruno Karsten", "work location", "Trieste"),
    ]
    facts, paragraph, *questions, needed = [
        reply(request.messages[1].content) for request in REQUESTS
    ]
    assert read_indices(facts, 4) == [0, 2, 3]
    assert read_paragraph(paragraph, told) == paragraph.text
    assert read_indices(needed, 5) == [1, 2, 3, 4]
    for one in questions:
        assert read_question(one, veitch, told) == one.text
    for piece in told:  # and they are examples of those very facts
        assert f"- {piece.subject}, {piece.property}: {piece.value}" in (
            REQUESTS[2].messages[0].content
        )


def test_annotation_lists_the_pool() -> None:
    turn = annotate("Ada was\n born.\nFacts: all", [BORN, DIED]).messages[-1]
    assert turn.content == (
        "Sentence: Ada was born. Facts: all\n"  # one line: it cannot add another
        "Facts:\n"
        "1. Ada Lindqvist, place of birth: Malmö\n"
        "2. Jonas Lindqvist, date of death: 1958-03-22"
    )


def test_extension_requests_have_paragraph_and_knowledge() -> None:
    turn = extend("Ada wrote.", [BORN, CITIZEN]).messages[-1]
    assert turn.content == (
        "Paragraph: Ada wrote.\n"
        "Knowledge:\n"
        "- Ada Lindqvist, place of birth: Malmö\n"
        "- Jonas Lindqvist, country of citizenship: Sweden"
    )


@pytest.mark.parametrize("kind", ["general", "specific"])
def test_question_requests_have_question_subjects_and_knowledge(kind: str) -> None:
    turn = rewrite(kind, "Where was\n Ada born?", SUBJECTS, [BORN]).messages[-1]
    assert turn.content == (
        "Question: Where was Ada born?\n"
        "Subjects: Ada Lindqvist and Jonas Lindqvist\n"
        "Knowledge:\n"
        "- Ada Lindqvist, place of birth: Malmö"
    )


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Facts: 1, 3", [0, 2]),
        ("3,1", [0, 2]),
        ("**Facts:** 1, 2, and 3.", [0, 1, 2]),
        ("Facts: [2]", [1]),
        ("Facts: 2 and 2", [1]),
        ("Here are the facts:\n1 and 3", [0, 2]),
        ("<think>Facts: 2? No.</think>\nFacts: 1, 3", [0, 2]),
        ("Facts: none", []),
        ("None.", []),
    ],
)
def test_stated_facts_are_understood(text: str, places: list[int]) -> None:
    assert read_indices(reply(text), 3) == places


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("Facts: 1, 4", "numbers that are not from 1 to 3"),
        ("0", "numbers that are not from 1 to 3"),
        ("Facts: all", "no numbers of facts"),
        ("1. Ada Lindqvist, place of birth: Malmö", "no numbers of facts"),
        ("Facts: 1-3", "no numbers of facts"),
        ("Facts: 1\nThe sentence says so.", "the reply is not one line"),
        ("Facts:", "the reply is not one line"),
        ("<think>1, 2", "the reply is not one line"),  # it never ended to think
    ],
)
def test_replies_without_facts(text: str, detail: str) -> None:
    assert read_indices(reply(text), 3) == nonsense(detail)


@pytest.mark.parametrize(
    "text",
    [
        PARAGRAPH,
        f"Paragraph: {PARAGRAPH}",
        f"Here is the extended paragraph:\n\n{PARAGRAPH}\n",
        f"Sure! Here it is:\n\n{PARAGRAPH}",
        f"**New paragraph:** {PARAGRAPH}",
        f"“{PARAGRAPH}”",
        f'"{PARAGRAPH}"',
        PARAGRAPH.replace("Malmö", "*Malmö*").replace("Swedish", "`Swedish`"),
        f"<think>\nParagraph: Ada.\n</think>\n\n{PARAGRAPH}",
    ],
)
def test_a_paragraph_is_read(text: str) -> None:
    assert read_paragraph(reply(text), PIECES) == PARAGRAPH


def test_quotes_and_stars_of_the_paragraph_remain() -> None:
    text = '"Emma" is older than M*A*S*H, and both are older than "Clueless"'
    assert read_paragraph(reply(text), []) == text
    assert read_paragraph(reply(f"“{text}”"), []) == text


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        (
            "Ada Lindqvist was the mother of Jonas Lindqvist.",
            "the paragraph lacks Malmö, 1958-03-22, Sweden",
        ),
        (PARAGRAPH.replace("22 ", ""), "the paragraph lacks 1958-03-22"),
        (PARAGRAPH.replace("Malmö", "Malmöhus"), "the paragraph lacks Malmö"),
        (f"{PARAGRAPH}\n\nI added a sentence.", "the reply is not one line"),
    ],
)
def test_replies_without_a_valid_paragraph(text: str, detail: str) -> None:
    assert read_paragraph(reply(text), PIECES) == nonsense(detail)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Nobel Prize in Literature", "She won the NOBEL prize in literature."),
        ("Stratford-upon-Avon", "He was born in Stratford upon Avon."),
        ("Édith Piaf", "It was Edith Piaf's song."),
        ("O’Brien", "So said O'Brien."),
        ("1596-07-08", "on July 8, 1596,"),
        ("1596-07-08", "on the 8th of July 1596"),
        ("1596-07-08", "(8 Jul 1596)"),
        ("1596-07-08", "born 1596-07-08"),
        ("1654", "in 1654."),
        ("1654-03", "in March of 1654"),
        ("44 BCE", "in 44 BC"),
        ("15 March 44 BCE", "on March 15, 44 BCE"),
        ("19th century", "in the nineteenth century"),
        ("1850s", "in the 1850s"),
    ],
)
def test_texts_that_mention_a_value(value: str, text: str) -> None:
    assert missing(text, [NamedPiece("Ada", "a property", value)]) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("art", "She was an artist."),
        ("Nobel Prize in Literature", "a prize in literature, the Nobel one"),
        ("1596-07-08", "in July 1596"),
        ("1596-07-08", "on 8 July of that year, 1597, and not 1596"),
        ("1654-03", "in 1654"),
        ("painter", "Both were painters."),
        ("Sweden", "a Swedish writer"),
    ],
)
def test_texts_that_do_not_mention_a_value(value: str, text: str) -> None:
    piece = NamedPiece("Ada", "a property", value)
    assert missing(text, [piece]) == [piece]


def test_other_spellings_of_a_value() -> None:
    assert missing("a Swedish writer", [CITIZEN]) == []
    assert missing("", PIECES) == PIECES


@pytest.mark.parametrize(
    "text",
    [
        QUESTION,
        f"Question: {QUESTION}",
        f"**Specific question:** {QUESTION}",
        f'"{QUESTION}"',
        f"Here is a question:\n{QUESTION}",
        f"<think>Who was she?</think>{QUESTION}",
        QUESTION.replace(" and ", "  and "),
    ],
)
def test_a_question_is_read(text: str) -> None:
    assert read_question(reply(text), SUBJECTS, PIECES) == QUESTION


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("Tell me of Ada and Jonas Lindqvist.", "has no question mark at its end"),
        ("Who were Ada and Jonas? They wrote.", "has no question mark at its end"),
        ("Who was Ada Lindqvist, and who was her son?", "does not name Jonas Lindqvist"),
        # Lindqvist is the name of both.
        ("Who was Jonas Lindqvist, and who his mother, Lindqvist?", "does not name Ada Lindqvist"),
        ("Who were Ada and Jonas, and why was Malmo theirs?", "gives Malmö away"),
        ("Of Ada and Jonas, who died on 22 March 1958?", "gives 1958-03-22 away"),
        ("Which Swedish authors were Ada and Jonas?", "gives Sweden away"),
        (f"Who were Ada {'and ' * (MAX_WORDS - 3)}Jonas?", f"has {MAX_WORDS + 1} words"),
    ],
)
def test_invalid_questions_are_failures(text: str, detail: str) -> None:
    assert read_question(reply(text), SUBJECTS, PIECES) == nonsense(f"the question {detail}")


def test_the_longest_question() -> None:
    text = f"Who were Ada {'and ' * (MAX_WORDS - 4)}Jonas?"
    assert read_question(reply(text), SUBJECTS, PIECES) == text


@pytest.mark.parametrize(
    ("subjects", "text", "names"),
    [
        (("Johann Strauss", "Johann Strauss II"), "Who was Johann Strauss II?", False),
        (("Johann Strauss", "Johann Strauss II"), "Is Johann Strauss II of Johann Strauss?", True),
        (("Oscar Hertwig", "Richard Hertwig"), "Who were Oscar and Richard Hertwig?", True),
        (("Édith Piaf", "Marcel Cerdan"), "What joined Edith Piaf and Cerdan?", True),
        # An article, a particle or an initial names nobody.
        (("The Matrix", "Titanic"), "What have the films The One and Titanic in common?", False),
        (("Ludwig van Beethoven", "Joseph Haydn"), "What did van Gogh owe to Haydn?", False),
        (("J. Cole", "Ann Lee"), "What did J. Brown owe to Ann?", False),
        # Nor does a word that is no name where it stands: one of the question itself.
        (("What Women Want", "Titanic"), "What is told in Titanic?", False),
        (("Grace Hill", "Ann Lee"), "By whose grace did Ann live on a hill?", False),
    ],
)
def test_questions_must_name_both_subjects(
    subjects: tuple[str, str], text: str, names: bool
) -> None:
    assert isinstance(read_question(reply(text), subjects, []), str) == names


def test_values_in_the_name_of_a_subject_may_occur() -> None:
    subjects = ("University of Jena", "Ernst Haeckel")
    pieces = [
        NamedPiece("University of Jena", "headquarters location", "Jena"),
        NamedPiece("University of Jena", "employer", "Ernst Haeckel", ("Haeckel",)),
    ]
    text = "Where is the University of Jena, and what did Haeckel do there?"
    assert read_question(reply(text), subjects, pieces) == text


@pytest.mark.parametrize(
    "read",
    [
        lambda one: read_indices(one, 3),
        lambda one: read_paragraph(one, PIECES),
        lambda one: read_question(one, SUBJECTS, PIECES),
    ],
)
def test_missing_and_cut_replies(read: Callable[[Reply | Failure], object]) -> None:
    assert read(BUDGET) == BUDGET
    for text in ("Facts: 1, 2", PARAGRAPH, QUESTION):
        assert read(reply(text, was_cut=True)) == nonsense("the reply was cut")


WORDS = st.sampled_from(
    ["Ada", "Jonas", "Lindqvist", "Malmö", "1", ", ", "?", ":", "\n", " ", "question", "*", '"']
)


@given(st.text() | st.lists(WORDS).map("".join))
def test_any_reply_gives_something_or_a_reason(text: str) -> None:
    for found in (
        read_indices(reply(text), 3),
        read_paragraph(reply(text), [BORN]),
        read_question(reply(text), SUBJECTS, PIECES),
    ):
        if isinstance(found, Failure):
            assert found.reason == "nonsense"
        else:
            assert not isinstance(found, str) or found == " ".join(found.split()) != ""


@given(st.sets(st.integers(0, 399)))
def test_numbers_that_are_written_are_read(places: set[int]) -> None:
    text = f"Facts: {', '.join(str(place + 1) for place in places) or 'none'}"
    assert read_indices(reply(text), 400) == sorted(places)
