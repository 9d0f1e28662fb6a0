"""Aggregate several responses to a question: by the graph, by majority, by a model."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.aggregate import Responses, responses
from kgbuild.datasets.granola.common_answer import CommonAnswer, Sampled, informative, without_graph
from kgbuild.datasets.granola.model_prompts import aggregation_request, read_answer
from kgbuild.datasets.granola.scoring.majority import majority
from kgbuild.datasets.granola.scoring.majority import said as said_in_short
from kgbuild.english import date_levels, date_parsing
from kgbuild.errors import TableFileError, WrongCallError
from kgbuild.graph.open import open_store
from kgbuild.models.chat import Failure, Reply
from tests.conftest import load_text, triples
from tests.test_granola_profile import (
    CITY,
    COUNTRY,
    FILM,
    HUMAN,
    PLAYWRIGHT,
    TIME,
    USA,
    WRITER,
    item,
)

BOOK, EUROPE, AMERICA = "Q571", "Q46", "Q18"
SWEDEN, NORWAY, CHILE = "Q34", "Q20", "Q298"
NOVELIST, PAINTER = "Q6625963", "Q1028181"


def country(qid: str, label: str, continent: str, demonym: str, *facts: str) -> str:
    of = (f"wdt:P17 wd:{qid}", f"wdt:P30 wd:{continent}", f'wdt:P1549 "{demonym}"@en')
    return item(qid, label, COUNTRY, *of, *facts)


def town(qid: str, label: str, area: str, of: str) -> str:
    return item(qid, label, CITY, f"wdt:P131 wd:{area}", f"wdt:P17 wd:{of}")


PLACES = (
    item(EUROPE, "Europe", None),
    item(AMERICA, "South America", None),
    country(SWEDEN, "Sweden", EUROPE, "Swedish"),
    # So those who were born before were not born in Norway.
    country(NORWAY, "Norway", EUROPE, "Norwegian", f"wdt:P571 {TIME.format('1905-06-07')}"),
    country(CHILE, "Chile", AMERICA, "Chilean"),
    country(USA, "United States", AMERICA, "American", 'skos:altLabel "USA"@en'),
    item("Q1001", "Scania", CITY, f"wdt:P131 wd:{SWEDEN}", f"wdt:P17 wd:{SWEDEN}"),
    item("Q1000", "Lund", FILM),  # has the smaller number, but nobody was born in a film
    town("Q1002", "Lund", "Q1001", SWEDEN),
    town("Q1003", "Malmö", "Q1001", SWEDEN),
    town("Q1004", "Uppsala", SWEDEN, SWEDEN),
    town("Q1005", "Oslo", NORWAY, NORWAY),
    town("Q1006", "Bergen", NORWAY, NORWAY),
    *(town(f"Q{1007 + n}", f"Villa {n}", CHILE, CHILE) for n in range(4)),
)
BIRTHS = tuple(
    item(f"Q{2000 + n}", f"Ann {n}", HUMAN, f"wdt:P19 wd:Q{1002 + n}") for n in range(9)
) + tuple(
    item(f"Q{2100 + n}", f"Bo {n}", HUMAN, f"wdt:P569 {TIME.format(day)}")
    for n, day in enumerate(("1650-03-05", "1937-02-01", "1990-07-08"))
)


def author(number: int, name: str, of: str, *occupations: str, about: str = "") -> str:
    """Return a person, of a country, and a book that they wrote."""
    facts = [f"wdt:P27 wd:{of}", *(f"wdt:P106 wd:{one}" for one in occupations)]
    facts += [f'schema:description "{about}"@en'] if about else []
    wrote = item(f"Q{4000 + number}", f"Book {number}", BOOK, f"wdt:P50 wd:Q{3000 + number}")
    return item(f"Q{3000 + number}", name, HUMAN, *facts) + wrote


AUTHORS = (
    item(WRITER, "writer", None),
    item(PLAYWRIGHT, "playwright", None, f"wdt:P279 wd:{WRITER}"),
    item(NOVELIST, "novelist", None, f"wdt:P279 wd:{WRITER}"),
    item(PAINTER, "painter", None),
    author(1, "Ada Ames", USA, PLAYWRIGHT, PAINTER),
    author(2, "Bob Burr", USA, NOVELIST),
    author(3, "Cy Cole", USA, NOVELIST, PLAYWRIGHT, about="American novelist"),
    author(4, "Di Dunn", USA, NOVELIST, PLAYWRIGHT, about="American novelist"),
    author(5, "Eva Ek", SWEDEN, NOVELIST, PAINTER),
    *(author(6 + n, f"Painter {n}", SWEDEN, PAINTER) for n in range(3)),
    *(author(10 + n, f"Playwright {n}", SWEDEN, PLAYWRIGHT) for n in range(2)),
    *(author(20 + n, f"Novelist {n}", SWEDEN, NOVELIST) for n in range(3)),
    # More are writers than are of either sort, as everywhere.
    *(author(30 + n, f"Writer {n}", SWEDEN, WRITER) for n in range(9)),
)
WORLD = triples("".join((*PLACES, *BIRTHS, *AUTHORS)))
"""Some places, births, and authors."""

Ask = Callable[..., str]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Return a function that gives what responses to a question have in common."""
    with open_store(load_text(tmp_path_factory.mktemp("world"), WORLD)) as store:
        knowledge = store.knowledge(catalog().kinds)
        grounds = {bits: CommonAnswer(knowledge, store.names, bits) for bits in (0.0, 0.5, 1.0)}

        def asked(pid: str, *said: str, name: str = "", min_bits: float = 0.5) -> str:
            question = Sampled("", catalog().relations[pid], name)
            return grounds[min_bits].find(question, said)

        yield asked


# The two examples of the paper's table 8, retold


def test_towns_of_one_country(ask: Ask) -> None:
    # The commonest town is contradicted by the others, who all name one of the same country.
    assert ask("P19", "Lund", "Lund", "Uppsala", "Malmö") == "Sweden"


def test_dates_of_one_year(ask: Ask) -> None:
    # Two days and a month, of three different months.
    assert ask("P569", "May 3, 1962", "30 October 1962", "February 1962") == "1962"


# Places


@pytest.mark.parametrize(
    ("said", "shared"),
    [
        (("Lund", "Malmö"), "Scania"),
        (("Lund", "Sweden"), "Sweden"),  # what lies above the other is what both allow
        (("Lund", "Scania", "Sweden"), "Sweden"),
        (("Lund", "Oslo"), "Europe"),
        (("Oslo", "Bergen"), "Norway"),
        (("Lund", "Villa 1"), "IDK"),
        (("Lund, Sweden", "Malmö"), "Scania"),
        (("Lund, Norway", "Malmö"), "IDK"),  # there is no such Lund
        (("Lund", "Nowhere"), "IDK"),  # who knows whether that is in Sweden?
        (("LUND", "lund", "the Lund"), "LUND"),  # the same: the first form by letter
        (("Nowhere", "nowhere", "nowhere"), "nowhere"),  # the commonest form
        (("the USA.", "United States"), "the United States"),  # two names of one item
    ],
)
def test_places(ask: Ask, said: tuple[str, ...], shared: str) -> None:
    assert ask("P19", *said) == shared


def test_answers_with_few_bits_are_not_shared(ask: Ask) -> None:
    # Europe covers 5 of the 9 places of birth: log2(9 / 5) = 0.85 bits.
    assert ask("P19", "Lund", "Oslo", min_bits=1.0) == "IDK"
    assert ask("P19", "Europe", "Lund", min_bits=1.0) == "IDK"
    assert ask("P19", "Europe", min_bits=1.0) == "Europe"  # one response stands as it is


def test_answers_with_the_name_of_the_subject_are_not_shared(ask: Ask) -> None:
    assert ask("P19", "Lund", "Uppsala", name="Sweden") == "Europe"


# People


@pytest.mark.parametrize(
    ("said", "shared"),
    [
        (("Cy Cole", "Bob Burr"), "an American novelist"),
        (("Cy Cole", "an American novelist"), "an American novelist"),
        (("American novelist", "Bob Burr"), "an American novelist"),
        (("an American novelist", "a novelist"), "a novelist"),
        # Both are writers, as whoever wrote a book is.
        (("an American playwright", "an American novelist"), "IDK"),
        # Of several occupations without a description, none is the one that they are called by.
        (("Ada Ames", "Eva Ek"), "IDK"),
        (("Ada Ames", "a writer"), "IDK"),
        (("Painter 0", "Painter 1"), "a Swedish painter"),  # nothing else is known of them
        # Both are playwrights as well, who are rarer; but novelists they are called.
        (("Cy Cole", "Di Dunn"), "an American novelist"),
    ],
)
def test_people(ask: Ask, said: tuple[str, ...], shared: str) -> None:
    assert ask("P50", *said) == shared


# Dates


@pytest.mark.parametrize(
    ("said", "shared"),
    [
        (("22 March 1958", "March 22, 1958"), "22 March 1958"),  # of one day, differently
        (("22 March 1958", "1958-03-09"), "March 1958"),
        (("1958", "the 1950s"), "the 1950s"),
        (("1958", "1962"), "the 20th century"),
        (("1905", "1912"), "the 20th century"),
        (("1905", "1900"), "IDK"),  # "the 1900s" sounds like a century, so it is no answer
        (("1958", "1858"), "IDK"),
        (("1958", "some time"), "IDK"),
    ],
)
def test_dates(ask: Ask, said: tuple[str, ...], shared: str) -> None:
    assert ask("P569", *said) == shared


# Who does not answer


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (["Lund"], ["Lund"]),
        (["IDK"], []),
        (["Lund", "IDK"], ["Lund"]),  # half is not most
        (["Lund", "IDK", "I don't know."], []),
    ],
)
def test_informative_responses(said: list[str], left: list[str]) -> None:
    assert informative(said) == left
    assert without_graph("", said) == (left[0] if left else "IDK")


def test_different_responses_need_knowledge() -> None:
    assert without_graph("", ["Lund", "Malmö", "IDK"]) is None


def test_abstentions_contradict_no_response(ask: Ask) -> None:
    assert ask("P19", "Lund", "IDK", "Malmö") == "Scania"
    assert ask("P19", "Lund", "IDK", "Malmö", "IDK", "unknown") == "IDK"


# What always holds

ABOVE = {
    "Lund": {"Scania", "Sweden", "Europe"},
    "Lund, Sweden": {"Lund", "Scania", "Sweden", "Europe"},
    "Malmö": {"Scania", "Sweden", "Europe"},
    "Uppsala": {"Sweden", "Europe"},
    "Scania": {"Sweden", "Europe"},
    "Sweden": {"Europe"},
    "Oslo": {"Norway", "Europe"},
    "Bergen": {"Norway", "Europe"},
    "Norway": {"Europe"},
    "Europe": set[str](),
    "Villa 1": {"Chile", "South America"},
    "Chile": {"South America"},
    "Nowhere": set[str](),
    "IDK": set[str](),
}
SAID = st.lists(st.sampled_from(sorted(ABOVE)), min_size=1, max_size=6)
PEOPLE = st.lists(
    st.sampled_from(
        [
            *("Ada Ames", "Bob Burr", "Cy Cole", "Di Dunn", "Eva Ek", "Novelist 1", "Writer 1"),
            *("an American novelist", "a novelist", "a writer", "somebody", "IDK"),
        ]
    ),
    min_size=1,
)
DATES = st.lists(
    st.sampled_from(
        [
            *("22 March 1958", "March 22, 1958", "9 March 1958", "March 1958", "1958", "1950"),
            *("the 1950s", "1962", "the 20th century", "1900", "1850", "44 BC", "then", "IDK"),
        ]
    ),
    min_size=1,
)


@given(st.data())
def test_the_order_makes_no_difference(ask: Ask, data: st.DataObject) -> None:
    for pid, some in (("P19", SAID), ("P50", PEOPLE), ("P569", DATES)):
        said = data.draw(some)
        assert ask(pid, *data.draw(st.permutations(said))) == ask(pid, *said)


@given(SAID, st.sampled_from(sorted(ABOVE)))
def test_another_response_never_makes_a_place_finer(ask: Ask, said: list[str], one: str) -> None:
    before, after = ask("P19", *said), ask("P19", *said, one)
    # Unless most abstained: then it may end that.
    assert after in {before, "IDK", *ABOVE[before]} or not informative(said)


@given(DATES, DATES)
def test_more_responses_never_make_a_date_finer(
    ask: Ask, said: list[str], others: list[str]
) -> None:
    before, after = ask("P569", *said), ask("P569", *said, *others)
    value = date_parsing.read(before)
    coarser = (
        {text for one in date_levels.answers(value) for text in (one.text, *one.aliases)}
        if (value)
        else {before}
    )
    assert after in {"IDK", *coarser} or not informative(said)


@given(st.lists(st.text(), min_size=1))
def test_any_responses_give_an_answer(ask: Ask, said: list[str]) -> None:
    for pid in ("P19", "P50", "P569"):
        assert isinstance(ask(pid, *said), str)
    assert majority("", said) in {*said, "IDK"}


# By majority


@pytest.mark.parametrize(
    ("said", "commonest"),
    [
        (["Lund", "Malmö", "malmö", "Malmö"], "Malmö"),
        (["Lund", "Malmö"], "Lund"),  # the first of two that are as common
        (["Lund", "Malmö", "Malmö.", "the Malmö"], "Malmö"),  # three forms, the first by letter
        (["Lund", "IDK", "I don't know"], "IDK"),  # who abstains says the same
    ],
)
def test_the_majority(said: list[str], commonest: str) -> None:
    assert majority("", said) == commonest


# By a model


def reply(text: str, was_cut: bool = False) -> Reply:
    return Reply(text, "length" if was_cut else "stop", 1, 1, 0.1)


def test_the_request_has_the_question_and_each_response_on_a_line() -> None:
    (message,) = aggregation_request("Where was\nJo born?", ["Lund", "in\nOslo"]).messages
    assert message.content.endswith("\n\nQuestion: Where was Jo born?\nSaid:\n- Lund\n- in Oslo")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Answer: Scania", "Scania"),
        ("Scania", "Scania"),
        ("<think>Both lie in Scania.</think>\n**Answer:** Scania", "Scania"),
        ("They are towns of one province.\nAnswer: Scania", "Scania"),
        ("Answer: I don't know.", "IDK"),
    ],
)
def test_a_reply_is_read(text: str, read: str) -> None:
    assert read_answer(reply(text), "IDK") == read


@pytest.mark.parametrize("text", ["", "Answer:", "Lund lies in Scania.\nSo does Malmö."])
def test_nonsense_is_no_answer(text: str) -> None:
    nonsense = Failure("nonsense", "no answer on a line of its own")
    assert read_answer(reply(text), "IDK") == nonsense
    assert read_answer(reply("Answer: Scan", was_cut=True), "IDK") == nonsense
    assert read_answer(Failure("no answer", "HTTP 500"), "IDK") == Failure("no answer", "HTTP 500")


# From a file

FILE = Path("said.csv")


def read(*rows: dict[str, object]) -> list[Responses]:
    return responses(FILE, list(rows[0]), rows, {"q1", "q2"})


def test_responses_are_grouped_by_question_model_and_protocol() -> None:
    rows = [
        {"question_id": "q1", "model": "a", "answer": "Lund", "sample": 1},
        {"question_id": "q2", "model": "a", "answer": "Oslo", "sample": 1},
        {"question_id": "q1", "model": "b", "answer": "Ystad", "sample": 1},
        # What stands around an answer goes, and so does what is empty.
        {"question_id": "q1", "model": "a", "answer": "Well.\nAnswer: Malmö", "sample": 2},
        {"question_id": "q2", "model": "a", "answer": None, "sample": 2},
    ]
    assert read(*rows) == [
        Responses("q1", "a", "", ("Lund", "Malmö")),
        Responses("q2", "a", "", ("Oslo",)),
        Responses("q1", "b", "", ("Ystad",)),
    ]


def test_files_that_cannot_be_read() -> None:
    with pytest.raises(TableFileError):
        responses(FILE, ["question_id", "answer"], [], {"q1"})
    with pytest.raises(WrongCallError, match="are to questions that are not in") as unknown:
        read({"question_id": "q1", "answer": ""}, {"question_id": "q3", "answer": ""})
    assert "1 of the 2 answers" in str(unknown.value) and "such as 'q3'" in str(unknown.value)
    with pytest.raises(WrongCallError, match="answer the same question: ") as repeated:
        read(*[{"question_id": "q1", "sample": 1, "answer": text} for text in ("Lund", "Oslo")])
    assert "question_id 'q1', sample '1'." in str(repeated.value)


@pytest.mark.parametrize(
    ("reply", "question", "short"),
    [
        ("She was born on January 31, 1986.", "When was Ann Lee born?", "31 January 1986"),
        ("(1880 – 1931)", "When did Ann Lee die?", "1931"),
        ("1930 or 1931", "When did Ann Lee die?", "1930 or 1931"),
        ("Ann Lee was born in Fresno, CA.", "Where was Ann Lee born?", "Fresno, California"),
        ("I'm not sure, but I think Lund.", "Where was Ann Lee born?", "Lund"),
        ("It is [Lund](https://e.org), Sweden.", "Where was Ann Lee born?", "Lund, Sweden"),
        ("Lund or Oslo", "Where was Ann Lee born?", "Lund or Oslo"),
        ("lund", "Where was Ann Lee born?", "lund"),
    ],
)
def test_what_a_reply_says_in_short(reply: str, question: str, short: str) -> None:
    """A sentence is read as the scorer reads it: its date, or its name and the places after it."""
    assert said_in_short(reply, question, is_date=question.startswith("When")) == short


def test_sentences_that_say_the_same_are_one_response() -> None:
    """Wordings make no majority of their own."""
    responses = ["She was born in Lund.", "Oslo", "Lund", "Ann Lee was born in Lund."]
    assert "Lund" in majority("Where was Ann Lee born?", responses)
