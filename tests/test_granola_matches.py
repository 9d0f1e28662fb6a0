"""Replies to GRANOLA are judged by the items and the dates that they name."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from kgbuild.english import dates
from kgbuild.english.date_mentions import find_dates
from kgbuild.wikidata import Value


def truth(question: str, relation: str, *rows: tuple[Any, ...]) -> Truth:
    """Return a question with an answer at each level: kind, text, aliases, id, is_state."""
    answers = [TrueAnswer(level, *row) for level, row in enumerate(rows, 1)]
    return Truth(question, relation, answers)


def date(relation: str, time: str, precision: int = 11) -> Truth:
    forms = dates.answers(Value("time", time, precision=precision))
    rows = [(form.kind, form.text, [*form.aliases]) for form in forms]
    return truth("When was it?", relation, *rows)


USA = ("place", "the United States of America", ["USA", "United States"], None, True)
PORTLAND_MAINE = truth(
    "Where was Ann Lee born?", "P19", ("item", "Portland", []), ("place", "Maine", []), USA
)
PORTLAND_OREGON = truth(
    "Where was Bo Ray born?",
    "P19",
    ("item", "Portland", ["Portland, Oregon", "Portland, OR"]),
    ("place", "Oregon", []),
    USA,
)
HAMMERSMITH = truth(
    "Where was Cy Fox born?",
    "P19",
    ("item", "Hammersmith", []),
    ("place", "England", []),
    ("place", "the United Kingdom", ["UK"]),
)
LONDON = truth(
    "Where was Di Orr born?",
    "P19",
    ("item", "London", []),
    ("place", "England", []),
    ("place", "the United Kingdom", ["UK"]),
)
CHICAGO = truth(
    "Where did Ann Lee study?",
    "P69",
    ("item", "University of Chicago", ["UChicago"]),
    ("place", "Chicago", []),
    ("class", "a university", []),
)
JUILLIARD = truth(
    "Where did Bo Ray study?",
    "P69",
    ("item", "Juilliard School", []),
    ("place", "New York City", ["New York"]),
    ("class", "a conservatory", []),
)
RECORD = truth(
    "Where did Cy Fox study?",
    "P69",
    ("item", "University of Illinois", []),
    ("place + class", "an American university", []),
)
SPOUSE = truth(
    "Who is the spouse of Eve Moss?",
    "P26",
    ("item", "Frank Ash", ["Francis Albert Ash"]),
    ("people + occupation", "an American film actor", []),
    ("occupation", "a film actor", []),
)
CHILD = truth(
    "Who is a child of Tom Ash?", "P26", ("item", "Ida Ash", []), ("occupation", "a singer", [])
)
FILM = truth(
    "For which work is Ann Lee known?",
    "P800",
    ("item", "Red Hill", []),
    ("year + people + class", "a 1970 American film", ["a 1970 American movie"]),
    ("class + maker", "a film by Max Orr", []),
    ("year + class", "a 1970 film", ["a 1970 movie"]),
    ("people + class", "an American film", ["an American movie"]),
)
ALL = [
    *(PORTLAND_MAINE, PORTLAND_OREGON, HAMMERSMITH, LONDON, CHICAGO, JUILLIARD, RECORD),
    *(SPOUSE, CHILD, FILM),
]
MATCHER = Matcher(ALL)
BIRTH = date("P569", "1898-04-23T00:00:00Z")
DEATH = date("P570", "1999-09-22T00:00:00Z")
SIXTIES = date("P569", "1965-04-17T00:00:00Z")
BOROUGH = truth(
    "Where was Fay Low born?",
    "P19",
    ("item", "Astoria", ["Astoria, Big City"]),
    ("place", "Big City", []),
    ("place", "Bay State", []),
    USA,
)
CITY = truth(
    "Where was Gus Roe born?",
    "P19",
    ("item", "Big City", ["Big City, Bay State"]),
    ("place", "Bay County", []),
    ("place", "Bay State", []),
    USA,
)
VILLAGE = truth("Where was Hal May born?", "P19", ("item", "Elmdale", ["Elmdale, Oregon"]), USA)
TOWN = truth("Where did Ivo Kern die?", "P20", ("item", "Kernstadt", []))
HEIR = truth(
    "Who is a child of Jon Lane?", "P40", ("item", "Kit Vale", []), ("occupation", "a singer", [])
)
STATE = truth("Where was Jan Orr born?", "P19", ("item", "Oregon", []), USA)
LYCEE = truth(
    "Where did Lea Roy study?", "P69", ("item", "Lycée Saint-Jean", []), ("class", "a lycée", [])
)
OWNER = truth(
    "Who owns Moss Ltd?", "P127", ("item", "North Street Corporation", []), ("class", "a bank", [])
)
PLACES = Matcher([*ALL, BOROUGH, CITY, VILLAGE, TOWN, HEIR, STATE, LYCEE, OWNER])
DECADE = date("P571", "0862-01-01T00:00:00Z", 8)


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (PORTLAND_MAINE, "Ann Lee was born in Portland, Maine.", 1),
        (PORTLAND_MAINE, "**Portland** [1]", 1),
        (PORTLAND_MAINE, "Portland, Oregon", None),  # a namesake
        (PORTLAND_MAINE, "Portland, OR", None),  # the same one by an alias of its own
        (PORTLAND_MAINE, "Bangor, Maine", None),  # another place of the right state
        (PORTLAND_MAINE, "Mercy Hospital in Portland, Maine", 1),
        (PORTLAND_MAINE, "somewhere in Maine", 2),
        (PORTLAND_MAINE, "Portland or Oregon", None),  # leaves the choice
        (PORTLAND_MAINE, "Portland or Bangor", None),  # though nothing says what Bangor is
        (PORTLAND_MAINE, "She was not born in Portland", None),
        (PORTLAND_MAINE, "Not Bangor, but Portland.", 1),
        (PORTLAND_MAINE, "It was Portland, and The Times reported it.", 1),  # no list
        (SPOUSE, "Frank Ash, and Bob Miller says so", 1),
        (SPOUSE, "Frank Ash, as Bob Miller wrote", 1),
        (SPOUSE, "Frank Ash and Bob Miller", 1),  # there may be another spouse
        (SPOUSE, "Frank Ash & Bob Miller", 1),
        (SPOUSE, "Frank Ash, Bob Miller and Cy Noe", None),
        (SPOUSE, "King Carl IX. He was an actor.", None),  # that is said of somebody else
        (SPOUSE, "London Breed, an American actor", None),  # though London is a place
        (SPOUSE, "Hmm, an American actor, I think", 2),
        (PORTLAND_MAINE, "Portland, ME", 1),
        (PORTLAND_MAINE, "Bangor, ME", None),
        (PORTLAND_MAINE, "Portland, a city in Oregon", None),
        (PORTLAND_MAINE, "an American town", 3),
        (PORTLAND_MAINE, "an American town called Salem", None),
        (PORTLAND_MAINE, "a small French town", None),
        (PORTLAND_MAINE, "It lies in the U.S. state of Maine.", 2),
        (SPOUSE, "frank ash (the guy from Alien)", 1),  # a name in lower case
        (SPOUSE, "frank ash aka Ron Swan", 1),
        (SPOUSE, "eva hill aka Ron Swan", None),
        (SPOUSE, "some film actor, the name escapes me", 3),
        (LONDON, "London, more exactly Soho", 1),  # Soho may be a part of it
        (PORTLAND_MAINE, "Maine, more exactly Bangor", None),
        (LONDON, "Hammersmith, a district of London", 1),
        (LONDON, "Many would say Oregon, but no: London.", 1),
        (LONDON, "Many would say London, but no: it was Oregon.", None),
        (LONDON, "People think it was Oregon, but it was actually London.", 1),
        (PORTLAND_MAINE, "Ann Lee died in Portland, Maine.", None),  # another event
        (PORTLAND_MAINE, "She grew up in London, and was born in Portland.", 1),
        (PORTLAND_MAINE, "London and Portland", None),  # the first place decides
        (PORTLAND_MAINE, "West Portland", None),
        (HAMMERSMITH, "Hammersmith, London", 1),  # London lies in England, as Hammersmith does
        (HAMMERSMITH, "Hammersmith, Oregon", None),
        (LONDON, "Hammersmith, London, UK", 1),  # a part of London
        (LONDON, "London Bridge Road", None),  # no place that the reply names
        (CHICAGO, "the University of Chicago", 1),
        (CHICAGO, "She studied in Chicago.", 2),
        (CHICAGO, "University of Illinois at Chicago", None),
        (CHICAGO, "University of Chicago Press", None),
        (JUILLIARD, "Juilliard", 1),
        (JUILLIARD, "the Juilliard School in New York City", 1),
        (JUILLIARD, "New York University", None),
        (JUILLIARD, "University of Chicago, Juilliard School", None),  # half of a list
        (JUILLIARD, "University of Chicago, University of Illinois, Juilliard School", None),
        (JUILLIARD, "the Juilliard School and Harvard", None),  # an unknown school
        (JUILLIARD, "- Juilliard School\n- Harvard\n- Yale", None),
        (JUILLIARD, "the Juilliard School, New York City", 1),
        (SPOUSE, "She married Frank Ash in 1950.", 1),
        (SPOUSE, "Ash", 1),
        (SPOUSE, 'Francis "Frank" Albert Ash', 1),
        (SPOUSE, "Frank Ash Jr.", None),
        (SPOUSE, "Frank Elm", None),
        (SPOUSE, "an American film actress", 2),
        (SPOUSE, "a British film actor", None),
        (CHILD, "Ida", 1),
        (CHILD, "Ash", None),  # the surname of the parent
        (CHILD, "Frank Ash", None),
        (FILM, '"Red Hill"', 1),
        (FILM, "It is about a red hill.", None),  # no title
        (FILM, "Red Hill 2", None),
        (FILM, "a 1970 American movie", 2),
        (FILM, "a 1972 American movie", None),
        (FILM, "a film from 1970", 4),
        (FILM, "a Max Orr film", 3),
        (FILM, "a French film", None),
        (FILM, "an award-winning American film", 5),
    ],
)
def test_items_in_replies(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (BIRTH, "23/4/1898", 1),
        (BIRTH, "4/23/1898", 1),
        (BIRTH, "She was born on April 23rd, 1898 in Rome.", 1),
        (BIRTH, "23 Apr. 1898", 1),
        (BIRTH, "April 1898", 2),
        (BIRTH, "in 1898", 3),
        (BIRTH, "c. 1898", 3),
        (BIRTH, "the late 1890s", 4),
        (BIRTH, "the 1800s", 5),  # a decade or a century
        (BIRTH, "the nineteenth century", 5),
        (BIRTH, "24 April 1898", None),
        (BIRTH, "3/4/1898", None),  # neither 3 April nor 4 March
        (BIRTH, "1898 or 1899", None),  # one excludes the other
        (BIRTH, "23 April 1898, or was it 1896?", None),
        (BIRTH, "22 or 23 April 1898", 2),  # both state the month
        (BIRTH, "in 1898 or so", 3),
        (BIRTH, "1899 or 1900", None),
        (BIRTH, "before 1898", None),
        (BIRTH, "not 1899, but 1898", 3),
        (BIRTH, "(23 April 1898 – 6 January 1984)", 1),
        (BIRTH, "She died on 23 April 1898.", None),
        (BIRTH, "a long time ago", None),
        (BIRTH, "not sure, 1898", 3),
        (BIRTH, "It depends on what you count. The usual answer is 1898.", 3),
        (DEATH, "(18 October 1927 – 22 September 1999)", 1),
        (DEATH, "He lived from 1927 until 1999.", 3),
        (DEATH, "Born in 1927, he died in September 1999.", 2),
        (SIXTIES, "in the sixties", 4),
        (SIXTIES, "the '60s", 4),
        (SIXTIES, "in '65", 3),
        (SIXTIES, "17th April '65", 1),
        (SIXTIES, "April '65", 2),
        (SIXTIES, "17/4/65", 1),
        (SIXTIES, "the seventeenth of April 1965", 1),
        (SIXTIES, "the seventies", None),
        (DECADE, "862 AD", 1),  # lies in the finest true answer
        (DECADE, "the ninth century", 2),
        (DECADE, "872", None),
    ],
)
def test_dates_in_replies(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert outcome.level == level, outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        (PORTLAND_MAINE, "No idea, sorry."),
        (PORTLAND_MAINE, "Not a clue."),
        (PORTLAND_MAINE, "My sources don't say where Ann Lee was born."),
        (PORTLAND_MAINE, "Ann Lee's birthplace is not publicly documented."),
        (PORTLAND_MAINE, "Ann Lee is a retired goalkeeper. Sadly her birthplace isn't recorded."),
        (PORTLAND_MAINE, "Ann Lee was a dancer, but where she was born cannot be verified."),
        (PORTLAND_MAINE, "There are many people called Ann Lee. Which one do you mean?"),
        (PORTLAND_MAINE, "Could you give me more context?"),
        (PORTLAND_MAINE, "She lived in London. Her birthplace is unknown."),  # another fact
        (PORTLAND_MAINE, "As a language model I can't look that up."),
        (PORTLAND_MAINE, "I'd have to guess here, and I'd rather not."),
        (PORTLAND_MAINE, "There are several people called Ann Lee, and I can't say which."),
        (PORTLAND_MAINE, "N/A – I can't answer this one."),
        (PORTLAND_MAINE, "I'm not certain, so I'll pass."),
        (PORTLAND_MAINE, "I do not have Ann Lee's birth date available."),
        (PORTLAND_MAINE, "Great question! Is there anything about Ann Lee you want to discuss?"),
        (PORTLAND_MAINE, "Where she was born, I really couldn't tell you."),
        (CHICAGO, "I have no biography of Ann Lee, so I can't name a school."),
        (RECORD, "It is hard to say."),
        (DEATH, "I would only be guessing."),
        (DEATH, "Nothing is known about that."),
        (DEATH, "The passages do not mention a death."),
        (PORTLAND_MAINE, "Ask me something easier!"),
        (PORTLAND_MAINE, "Désolé, je ne dispose pas de cette information."),
        (RECORD, "Hmm. Not sure about that."),
    ],
)
def test_a_reply_that_commits_to_nothing_abstains(asked: Truth, reply: str) -> None:
    assert MATCHER.judge(reply, asked).abstained


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (PORTLAND_MAINE, "Portland, but I'm not sure.", 1),
        (PORTLAND_MAINE, "In Maine, though I couldn't tell you the town.", 2),
        (PORTLAND_MAINE, "in the far north-east of Maine", 2),
        (PORTLAND_MAINE, "She was born in Portland on 4 May 1936.", 1),
        (PORTLAND_MAINE, "London, but I can't confirm it.", None),
        (PORTLAND_MAINE, "Smallville, but I'm not sure.", None),
        (PORTLAND_MAINE, "She was born in Smallville. I don't know the hospital.", None),
        (PORTLAND_MAINE, "No idea, but I would guess Bangor.", None),
        (DEATH, "In 1999, but the day is not documented.", 3),
        (DEATH, "1998, but I am not certain.", None),
    ],
)
def test_doubt_about_an_answer_is_no_abstention(
    asked: Truth, reply: str, level: int | None
) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (DEATH, "in 1998... no, let me correct that: in 1999", 3),
        (DEATH, "1998. So, to answer your question: in 1999.", 3),
        (PORTLAND_MAINE, "Portland. Wait, no, that isn't right: London.", None),
        (PORTLAND_MAINE, "Portland, so to answer your question: Smallville.", None),  # unknown
        (PORTLAND_MAINE, "At first London, but no: actually it was Portland.", 1),
        (DEATH, "in 1999, sorry, I meant 1998", None),
        (DEATH, "in 1998, no, sorry: in 1999", 3),
        (DEATH, "in 1999 - no, hold on, that was 1989", None),
        (DEATH, "1998, or rather September 1999", 2),
        (DEATH, "Sept 22, 1998 - sorry, 1999", 1),
        (DEATH, "22/9/1998... no, 1999", 1),
        (DEATH, "Sept 23, 1999 - sorry, 1999", None),
        (DEATH, "Sept 22, 1998, sorry, May 1999", None),
        (DEATH, "1998 - sorry, 1999", 3),
        (PORTLAND_MAINE, "London, I think? Hmm, no: Portland, Maine.", 1),
        (PORTLAND_MAINE, "Portland… er, no, London", None),
        (DEATH, "On 22 September 1999. Correction: 23 September 1999.", None),
        (PORTLAND_MAINE, "London. Scratch that: Portland.", 1),
        (PORTLAND_MAINE, "Many people say London. Actually, it was Portland.", 1),
        (PORTLAND_MAINE, "Portland. Wait, that was wrong, it is London.", None),
        (PORTLAND_MAINE, "Portland, I mean the large one.", 1),
    ],
)
def test_the_last_correction_counts(asked: Truth, reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, asked).level == level


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (CITY, "Astoria", 1),  # lies in the city
        (CITY, "Astoria, Bay State", 1),
        (CITY, "Big City and London", None),  # half of a list
        (CITY, "Big City, Bay State and Bay County", 1),
        (CITY, "in the City of Big City", 1),
        (CITY, "Northern Bay State", 3),
        (CITY, "in the Canadian state of Bay State", 3),
        (PORTLAND_OREGON, "in Oregon State", 2),
        (PORTLAND_OREGON, "at Oregon State University", None),
        (TOWN, "Kernstadt at the General Hospital", 1),
        (HEIR, "Kit Vale of Elmdale", 1),
        (CITY, "in her Astoria apartment", 1),
        (CITY, "Elmdale", None),
        (BOROUGH, "Big City", 2),
        (STATE, "Portland", None),  # a state has many towns
        (VILLAGE, "Oregon", 2),  # around Elmdale, as its alias says, and in the United States
        (VILLAGE, "in Oregon, but I couldn't tell you the town", 2),
        (VILLAGE, "Maine", None),
        (VILLAGE, "Portland, Oregon", None),  # another town in the right state
        (TOWN, "Kernstadt, Oregon", 1),  # nothing contradicts it
        (HEIR, "Kit Ann Vale", 1),
        (HEIR, "Kit", 1),
        (HEIR, "Ann Vale", None),
        (HEIR, "Ida Lane, who is also a singer", None),  # a stranger
        (HEIR, "He is a singer.", 2),
        (LYCEE, "at Saint-Jean in Paris", 1),
        (LYCEE, "Lycee Saint Jean", 1),
        (LYCEE, "Saint-Paul", None),
        (OWNER, "North Street Corp.", 1),
        (OWNER, "NSC", 1),
        (FILM, "red hill (she was Ada)", 1),
    ],
)
def test_names_by_parts_and_places_by_all_chains(
    asked: Truth, reply: str, level: int | None
) -> None:
    outcome = PLACES.judge(reply, asked)
    assert outcome.level == level, outcome.reason


def test_the_reason_names_what_was_read() -> None:
    shown = [
        MATCHER.judge(reply, PORTLAND_MAINE)[3:]
        for reply in ("in Portland", "Portland, Oregon", "London", "", "N/A")
    ]
    assert shown == [
        ("Portland", "the name Portland"),
        ("", "a namesake in Oregon: Portland"),
        ("", "another place: London"),
        ("", "empty"),
        ("", "abstained"),
    ]


@pytest.mark.parametrize("asked", [*ALL, BIRTH, DEATH, DECADE])
def test_every_name_matches_its_level_alone_and_in_a_sentence(asked: Truth) -> None:
    for answer in asked.answers:
        for name in answer.names:
            for reply in (name, f"{name}.", f"It is {name}."):
                assert MATCHER.judge(reply, asked).level == answer.level, reply


@given(st.sampled_from(ALL), st.text() | st.lists(st.sampled_from(
    ["Portland", "Oregon", ",", "or", "not", "London", "a", "film", "from", "1970", ".", "of",
     "University", "Chicago", "King", "(", "born", "Jr."]
)).map(" ".join))  # fmt: skip
def test_any_reply_is_judged(asked: Truth, reply: str) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert outcome.level is None or outcome.matched in {answer.text for answer in asked.answers}
    assert outcome.reason


def _golds(truths: Iterable[Truth], relation: str) -> list[str]:
    return [t.answers[0].text for t in truths if t.relation == relation]


@pytest.mark.parametrize("relation", ["P19", "P26", "P69"])
def test_another_gold_answer_is_wrong(relation: str) -> None:
    for asked in (t for t in ALL if t.relation == relation):
        others = [text for text in _golds(ALL, relation) if text != asked.answers[0].text]
        assert {MATCHER.judge(text, asked).level for text in others} == {None}


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("22/1/1909", ["1909-01-22"]),
        ("3/4/1909", ["1909-04-03", "1909-03-04"]),  # either order
        ("1909-01-22T00:00:00Z", ["1909-01-22"]),
        ("22-Jan-1909", ["1909-01-22"]),
        ("the 60s", ["1960-01-01"]),
        ("the nineteen-sixties", ["1960-01-01"]),
        ("the 1900s", ["1900-01-01", "1901-01-01"]),  # the decade, the century
        ("44 BC", ["-0043-01-01"]),
        ("year 907", ["0907-01-01"]),
        ("Christmas Day 1954", ["1954-12-25"]),
        ("on New Year’s Eve, 1899", ["1899-12-31"]),
        ("nineteen seventy-nine", ["1979-01-01"]),
        ("eighteen ninety", ["1890-01-01"]),
        ("nineteen oh-five", ["1905-01-01"]),
        ("nineteen hundred", ["1900-01-01"]),
        ("nineteen hundred and fifteen", ["1915-01-01"]),
        ("two thousand and five", ["2005-01-01"]),
        ("two thousand sixteen", ["2016-01-01"]),
        ("nineteen people", []),
        ("the first decade of the 20th century", ["1900-01-01"]),
        ("the last decade of the nineteenth century", ["1890-01-01"]),
        ("in the nineties of the 19th century", ["1890-01-01"]),
        ("the 90s of the nineteenth-century", ["1890-01-01"]),
        ("the 1890s in the 19th century", ["1890-01-01", "1801-01-01"]),
        ("907 cows", []),
        ("1,834 people", []),
        ("31/2/1909", []),  # no such day
    ],
)
def test_dates_in_a_text(text: str, readings: list[str]) -> None:
    results = [value.text[: len("1909-01-22") + value.text.startswith("-")]
               for mention in find_dates(text) for value in mention.readings]  # fmt: skip
    assert results == readings


@given(st.text(st.sampled_from("0123456789/-.' sABCDcenturythmai")))
def test_dates_lie_in_the_text_and_do_not_overlap(text: str) -> None:
    last = 0
    for mention in find_dates(text):
        assert last <= mention.start < mention.end <= len(text)
        assert mention.readings
        last = mention.end


def test_a_small_word_is_no_state() -> None:
    london = truth(
        "Where did Ann Lee die?", "P20", ("place", "London", []), ("place", "England", [])
    )
    other = truth(
        "Where did Bo Ray die?", "P20", ("place", "London", ["London ON"]), ("place", "Ontario", [])
    )
    matcher = Matcher([london, other])
    assert matcher.judge("She died in London on 4 May 1936.", london).level == 1
    assert matcher.judge("She died in London ON.", london).level is None


def test_british_spellings_of_names() -> None:
    school = truth("Where did Ann Lee study?", "P69", ("item", "Elm Theatre Centre", []), USA)
    reply = "At the Elm Theater Center, for two years."
    assert Matcher([school, PORTLAND_MAINE]).judge(reply, school).level == 1


def test_a_subject_of_study_is_no_place() -> None:
    college = truth(
        "Where did Ann Lee study?",
        "P69",
        ("item", "Elm College, Oxford", []),
        ("item", "the University of Oxford", []),
        ("place", "Oxford", []),
        ("place", "England", [], "Q21", True),
        ("place", "the United Kingdom", [], "Q145", True),
    )
    others = [
        truth(f"Where did {n} study?", "P69", *[("item", "Elm College", []), USA]) for n in "AB"
    ]
    matcher = Matcher([college, PORTLAND_MAINE, *others])
    assert matcher.judge("She read English at Oxford, but dropped out.", college).level == 3
