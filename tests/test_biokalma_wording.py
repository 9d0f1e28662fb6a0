"""How knowledge is said and asked for in English, and how subjects are spoken of."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kgbuild.datasets.biokalma.sentences import (
    Predicate,
    Subject,
    write_general_question,
    write_paragraph,
    write_specific_question,
)

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.lexicon import JointWording, Wording, fallback, lexicon
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.datasets.biokalma.subjects import Subjects, short_name
from kgbuild.dump.filter import Filter
from kgbuild.graph.open import open_store
from kgbuild.store.load import load
from tests.conftest import triples
from tests.test_granola_profile import FILM, HUMAN, TIME, about, item

BORN = Wording("origins", "{he} was born in {value}", "where was {he} born")
DIED = Wording("death", "{he} died in {value}", "where did {he} die")
DAY = Wording("death", "{he} died {value}", "when did {he} die")
LIVED = Wording(
    "homes",
    "{he} [lived|has lived] in {value}",
    "<where|in which {what}> [did|has] {he} live[|d]",
    noun=("place", "places"),
)
PLAYED = Wording(
    "music",
    "{his} <instrument|instruments> [<was|were>|<is|are>] {value}",
    "which {what} [did|does] {he} play",
    noun=("instrument", "instruments"),
)
CHILD = Wording(
    "family",
    "{he} [was|is] the (father|mother|parent) of {value}",
    "who [<was|were>|<is|are>] {his} {what}",
    noun=("child", "children"),
)
LED = Wording("career", "{value} led {him}", "who led {him}")
WORDS = lexicon()._replace(
    properties={},
    together=(
        JointWording(
            ("P570", "P20"), "when and where did {he} die", "{he} died {value} in {second}"
        ),
        JointWording(("P19", "P20"), "what were the places of {his} birth and death"),
    ),
)

ANN = Subject("Ann Lee", "she", is_past=True, short_name="Lee")
TOM = Subject("Tom Hill", "he", is_past=False)
KIM = Subject("Kim Park", is_past=True, short_name="Park")
ALIEN = Subject('"Alien"', "it")


def born(*values: str) -> Predicate:
    return Predicate("P19", BORN, values or ("Lund",))


def died(*values: str) -> Predicate:
    return Predicate("P20", DIED, values or ("Rome",))


def day(*values: str) -> Predicate:
    return Predicate("P570", DAY, values or ("in 1900",))


def lived(*values: str) -> Predicate:
    return Predicate("P551", LIVED, values or ("Graz",))


def played(*values: str) -> Predicate:
    return Predicate("P1303", PLAYED, values or ("the piano",))


def child(*values: str) -> Predicate:
    return Predicate("P40", CHILD, values or ("Bo Ek",))


def led(*values: str) -> Predicate:
    return Predicate("P1", LED, values or ("Bo Ek",))


def sentences(subject: Subject, *told: Predicate) -> str:
    return write_paragraph(WORDS, [(subject, told)])


def question(subject: Subject, *told: Predicate) -> str:
    return write_specific_question(WORDS, "", [(subject, told), (TOM, [])]).strip()


# Pronouns, tense, sex, numbers


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        (ANN, "Ann Lee was born in Lund. Her instrument was the piano. Bo Ek led her."),
        (TOM, "Tom Hill was born in Lund. His instrument is the piano. Bo Ek led him."),
        (ALIEN, '"Alien" was born in Lund. Its instrument is the piano. Bo Ek led it.'),
        # Nobody knows the pronoun: the short_name name stands for it.
        (KIM, "Kim Park was born in Lund. Park's instrument was the piano. Bo Ek led Park."),
        (Subject("Io"), "Io was born in Lund. Io's instrument is the piano. Bo Ek led Io."),
    ],
)
def test_the_name_comes_first_and_then_the_pronoun(subject: Subject, said: str) -> None:
    assert sentences(subject, born(), played(), led()) == said


def test_questions_say_the_name_once_as_well() -> None:
    asked = question(ANN, born(), played(), led())
    assert asked == "Where was Ann Lee born, which instrument did she play, and who led her?"
    asked = question(KIM, played(), lived())
    assert asked == "Which instrument did Kim Park play and where did Park live?"


def test_after_other_people_the_name_is_said_again() -> None:
    # Whose instrument, if "he" might be the son?
    son = child()._replace(of_people=True)
    said = sentences(ANN, son, played(), born())
    assert said == (
        "Ann Lee was the mother of Bo Ek. Lee's instrument was the piano. She was born in Lund."
    )
    assert question(ANN, son, played(), born()) == (
        "Who was Ann Lee's child, which instrument did Lee play, and where was she born?"
    )
    # Within a sentence it is the same subject.
    assert sentences(ANN, son, born(), played()) == (
        "Ann Lee was the mother of Bo Ek and was born in Lund. Lee's instrument was the piano."
    )


@pytest.mark.parametrize(
    ("subject", "values", "said", "asked"),
    [
        (ANN, 1, "Ann Lee was the mother of A.", "Who was Ann Lee's child?"),
        (TOM, 2, "Tom Hill is the father of A and B.", "Who are Tom Hill's two children?"),
        (KIM, 3, "Kim Park was the parent of A, B, and C.", "Who were Kim Park's three children?"),
        # What is no person has no sex.
        (ALIEN, 1, '"Alien" is the parent of A.', 'Who is "Alien"\'s child?'),
    ],
)
def test_sex_tense_and_number(subject: Subject, values: int, said: str, asked: str) -> None:
    told = child(*"ABC"[:values])
    assert sentences(subject, told) == said
    assert question(subject, told) == asked


@pytest.mark.parametrize(
    ("subject", "values", "asked"),
    [
        (ANN, ("Graz",), "Where did Ann Lee live?"),
        (TOM, ("Graz",), "Where has Tom Hill lived?"),
        (TOM, ("Graz", "Rome"), "In which two places has Tom Hill lived?"),
    ],
)
def test_choices_within_words(subject: Subject, values: tuple[str, ...], asked: str) -> None:
    assert question(subject, lived(*values)) == asked


# Sentences and clauses


def test_two_sentences_that_begin_with_the_subject_become_one() -> None:
    three = sentences(ANN, born(), lived(), child())
    assert three == "Ann Lee was born in Lund and lived in Graz. She was the mother of Bo Ek."


def test_sentences_that_begin_otherwise_do_not() -> None:
    said = sentences(ANN, played(), born(), led(), lived())
    assert said == (
        "Ann Lee's instrument was the piano. She was born in Lund. Bo Ek led her. "
        "She lived in Graz."
    )


def test_no_sentence_goes_on_after_an_addition() -> None:
    # "Was born in Dublin, Ohio and lived" would be misread; the second may end in one.
    said = sentences(ANN, born("Dublin, Ohio"), lived())
    assert said == "Ann Lee was born in Dublin, Ohio. She lived in Graz."
    said = sentences(ANN, born(), lived("Dublin, Ohio"))
    assert said == "Ann Lee was born in Lund and lived in Dublin, Ohio."


def test_what_belongs_together_is_one_sentence_and_one_question() -> None:
    told = (day(), lived(), died())
    # Its place is that of the first of the two.
    assert sentences(ANN, *told) == "Ann Lee died in 1900 in Rome and lived in Graz."
    assert question(ANN, *told) == "When and where did Ann Lee die and where did she live?"
    # The pair has a question, but no sentence.
    assert sentences(ANN, born(), died()) == "Ann Lee was born in Lund and died in Rome."
    assert question(ANN, born(), died()) == "What were the places of Ann Lee's birth and death?"


def test_of_several_pairs_the_first_of_the_file_holds() -> None:
    asked = question(ANN, born(), day(), died())
    assert asked == "Where was Ann Lee born and when and where did she die?"


def test_only_single_values_belong_together() -> None:
    told = (day("in 1900", "in 1901"), died())
    assert sentences(ANN, *told) == "Ann Lee died in 1900 and in 1901 and died in Rome."
    assert question(ANN, *told) == "When did Ann Lee die and where did she die?"


def test_after_four_clauses_another_question_begins() -> None:
    four = (born(), lived(), played(), child())
    assert question(ANN, *four).count("?") == 1
    five = write_specific_question(WORDS, "Why?", [(ANN, (*four, led())), (TOM, ())])
    # It names the subject anew, and is the last.
    assert five == (
        "Why? Where was Ann Lee born, where did she live, which instrument did she play, and who "
        "was her child? And who led Ann Lee?"
    )


def test_subjects_without_predicates_have_no_question() -> None:
    assert write_specific_question(WORDS, "Why?", [(ANN, ()), (TOM, (born(),))]) == (
        "Why? Where was Tom Hill born?"
    )
    assert write_paragraph(WORDS, [(ANN, ()), (TOM, ())]) == ""


# Names with additions, quotes and full stops


def test_an_addition_is_closed_where_the_sentence_goes_on() -> None:
    davis = Subject("Sammy Davis, Jr.", "he", is_past=True)
    said = sentences(davis, born(), played())
    assert said == "Sammy Davis, Jr., was born in Lund. His instrument was the piano."
    assert question(davis, born()) == "Where was Sammy Davis, Jr., born?"
    assert question(davis, led()) == "Who led Sammy Davis, Jr.?"
    # An owner is not.
    assert sentences(davis, played()) == "Sammy Davis, Jr.'s instrument was the piano."


def test_no_full_stop_comes_after_another() -> None:
    assert sentences(ANN, led("Bo"), child("Bo Ek Jr.")).endswith("the mother of Bo Ek Jr.")


def test_a_value_with_an_addition_is_closed_but_a_list_is_not() -> None:
    assert sentences(TOM, led("Rome, Inc")) == "Rome, Inc, led Tom Hill."
    assert sentences(TOM, led("A", "B", "C")) == "A, B, and C led Tom Hill."
    # In quotes it is one thing.
    assert sentences(TOM, led('"Rome, I Love You"')) == '"Rome, I Love You" led Tom Hill.'


# Words that are made from a label


@pytest.mark.parametrize(
    ("label", "said", "asked"),
    [
        ("blood type", "Ann Lee's blood type was X.", "What was Ann Lee's blood type?"),
        ("influenced by", "Ann Lee was influenced by X.", "What was Ann Lee influenced by?"),
        ("part of", "Ann Lee was part of X.", "What was Ann Lee part of?"),
        ("shares border with", "Ann Lee shares border with X.",
         "What did Ann Lee share border with?"),
        ("has goal", "Ann Lee has goal X.", "What did Ann Lee have goal?"),
        ("bus", "Ann Lee's bus was X.", "What was Ann Lee's bus?"),
        ("P9999", "Ann Lee's P9999 was X.", "What was Ann Lee's P9999?"),
        # Marks of templates in a label are none.
        ("[a|b] {value} <c>", "Ann Lee's ab value c was X.", "What was Ann Lee's ab value c?"),
    ],
)  # fmt: skip
def test_fallback(label: str, said: str, asked: str) -> None:
    told = Predicate("P9999", fallback(label), ("X",))
    assert (sentences(ANN, told), question(ANN, told)) == (said, asked)


HOSTILE = [
    "{value}",
    "{he}",
    "[a|b]",
    "<a|b>",
    "(a|b|c)",
    "{topics}, {second}",
    r"\1",
    "%s",
    "[NA]",
]
NAMES = st.one_of(
    st.sampled_from(HOSTILE),
    st.text("Aa1 ,.{}[]<>|()'\"?\\", min_size=1).filter(lambda text: text == text.strip() != ""),
)


@given(name=NAMES, value=NAMES, other=NAMES)
def test_whatever_labels_hold_stands_as_it_is(name: str, value: str, other: str) -> None:
    # The first letter of a sentence apart, which is a capital.
    subject = Subject(name, "she", is_past=True)
    told = (born(value), lived(value, other))
    said, asked = sentences(subject, *told), question(subject, *told)
    listed = f"{value} and {other}"
    first = f"{name[0].upper()}{name[1:]}{',' * (', ' in name and not name.endswith(chr(34)))}"
    assert said.startswith(f"{first} was born in {value}")
    assert listed in said
    assert f"was {name}" in asked
    names = {"{subject}": subject, "{object}": TOM}
    whole = write_general_question(WORDS, "Who are {subject} and {object}, and {topics}?", [
        (names["{subject}"], told), (names["{object}"], [born()]),
    ])  # fmt: skip
    assert f"Who are {name}" in whole and f"{name}'s origins and homes, and" in whole


# General questions


def test_general_questions_name_topics_once() -> None:
    asked = write_general_question(
        WORDS,
        "Who [were|are] {subject} and {object}, and what of {topics}?",
        [(TOM, [born(), lived(), Predicate("P2", BORN, ("X",))]), (ANN, [died()])],
    )
    # One of the two is dead, so both are spoken of in the past.
    assert asked == (
        "Who were Tom Hill and Ann Lee, and what of Tom Hill's origins and homes, and Ann Lee's "
        "death?"
    )


def test_general_questions_of_the_living_and_of_one_topic_each() -> None:
    about_them = [(TOM, [born()]), (ALIEN, [lived()])]
    asked = write_general_question(
        WORDS, "What [did|do] {subject} and {object} share: {topics}?", about_them
    )
    assert asked == 'What do Tom Hill and "Alien" share: Tom Hill\'s origins and "Alien"\'s homes?'


def test_general_questions_close_additions() -> None:
    davis = Subject("Sammy Davis, Jr.", "he", is_past=True)
    about_them = [(davis, [born()]), (davis, [])]
    asked = write_general_question(
        WORDS, "Who are {subject} and {object}, and {topics}?", about_them
    )
    assert asked == (
        "Who are Sammy Davis, Jr., and Sammy Davis, Jr., and Sammy Davis, Jr.'s origins?"
    )


# Brief names


@pytest.mark.parametrize(
    ("name", "other", "said"),
    [
        ("Jean-Jacques Rousseau", "Plato", "Rousseau"),
        ("Plato", "Socrates", "Plato"),  # no surname
        ("Kylie Jenner", "Brody Jenner", "Kylie"),  # which Jenner?
        ("Philip II of Spain", "Mary Tudor", "Philip II"),
        ("Sammy Davis, Jr.", "Plato", "Sammy Davis"),
        ("Turki bin Abdulaziz", "Ibn Saud", "Turki"),
        ("Mary of Teck", "Mary Tudor", "Mary of Teck"),  # which Mary?
        ("Pieter Bruegel the Elder", "Plato", "Pieter Bruegel the Elder"),
        ("Louis XIV", "Plato", "Louis XIV"),
        ("Otto von Bismarck", "Plato", "Bismarck"),
        ("Simone de Beauvoir", "Plato", "Beauvoir"),
        ("John Smith Jr", "Plato", "John Smith Jr"),
    ],
)
def test_brief_names(name: str, other: str, said: str) -> None:
    assert short_name(name, other) == said


# How subjects are spoken of

MALE, FEMALE, INTERSEX, TRANS_WOMAN = "Q6581097", "Q6581072", "Q1097630", "Q1052281"


def sex(qid: str) -> str:
    return f"wdt:P21 wd:{qid}"


def dated(pid: str, year: int) -> str:
    return f"wdt:{pid} {TIME.format(f'{year}-05-05')}"


PRONOUNS = [
    (item("Q101", "A A", HUMAN, sex(MALE)), "he"),
    (item("Q102", "A A", HUMAN, sex(FEMALE)), "she"),
    (item("Q103", "A A", HUMAN, sex(TRANS_WOMAN)), "she"),
    # Of whom the store says something else, or two things, nobody guesses.
    (item("Q104", "Ann A", HUMAN, sex(INTERSEX), about("actress")), ""),
    (item("Q105", "Ann A", HUMAN, sex(MALE), sex(FEMALE)), ""),
    # Somebody's father or mother.
    (item("Q106", "A A", HUMAN) + item("Q201", "B", HUMAN, "wdt:P22 wd:Q106"), "he"),
    (item("Q107", "A A", HUMAN) + item("Q202", "B", HUMAN, "wdt:P25 wd:Q107"), "she"),
    # What the store says of the sex comes first, the description before the name.
    (item("Q108", "A A", HUMAN, sex(FEMALE), about("king")), "she"),
    (item("Q109", "Ann A", HUMAN, about("Swedish Duke of Scania")), "he"),
    (item("Q110", "A A", HUMAN, about("kingfisher")), ""),
    # Three other women are called Ann; of one Eve, and of Kims of both sexes, nothing is known.
    (item("Q111", "Ann A", HUMAN), "she"),
    (item("Q112", "Eve A", HUMAN), ""),
    (item("Q113", "Kim A", HUMAN), ""),
    (item("Q114", "Ann", HUMAN), ""),  # the only name may be a surname
    # What is no person, or of which nobody knows what it is.
    (item("Q115", "Alien", FILM), "it"),
    (item("Q116", "Ann A", None), "it"),
]
OTHERS = (
    item("Q121", "A A", HUMAN, about("American actress, model and singer")),
    item("Q122", "A A", HUMAN, about("son of Queen Victoria")),
    item("Q301", "Ann X", HUMAN, sex(FEMALE)),
    item("Q302", "Ann Y", HUMAN, sex(FEMALE)),
    item("Q308", "Ann Z", HUMAN, sex(FEMALE)),
    item("Q303", "Eve X", HUMAN, sex(FEMALE)),
    item("Q304", "Kim X", HUMAN, sex(FEMALE)),
    item("Q305", "Kim Y", HUMAN, sex(FEMALE)),
    item("Q306", "Kim Z", HUMAN, sex(MALE)),
    item("Q307", "Eve Z", "Q7432", sex(FEMALE)),  # no person: a goat, say
)
BAKER, PILOT, NUN = "Q501", "Q502", "Q503"


def works(*occupations: str) -> list[str]:
    return [f"wdt:P106 wd:{one}" for one in occupations]


COLLEAGUES = [
    *(item(f"Q{600 + n}", "B B", HUMAN, dated("P569", 1800), *works(BAKER)) for n in range(5)),
    *(item(f"Q{610 + n}", "B B", HUMAN, dated("P569", 1980), *works(PILOT)) for n in range(6)),
    *(item(f"Q{620 + n}", "B B", HUMAN, dated("P569", 1800), *works(NUN)) for n in range(4)),
]
"""Five bakers of the past, six pilots of today, and four nuns, who are too few to tell."""
TIMES: list[tuple[tuple[str, int] | None, bool | None]] = [
    (("P569", 1970), False),
    (("P569", 1929), True),  # nobody is so old
    (("P570", 2001), True),
    (("P1317", 1850), True),
    (("P2031", 1990), False),
    (None, None),
]
HINTS = [
    ([about("Swedish baker (1800-1870)")], True),
    ([about("Swedish baker (1950–2001)")], True),
    ([about("Swedish baker (born 1970)")], False),
    ([about("Swedish baker (1910)")], True),
    ([about("Swedish baker (born 1970)"), dated("P569", 1800)], True),  # a date is surer
    (works(BAKER), True),
    (works(PILOT), False),
    (works(NUN), None),
    (works(BAKER, PILOT), True),  # if half of the colleagues are
    ([about("Swedish baker (born 1970)"), *works(BAKER)], False),
]
"""What tells of people without dates whether they are of the past."""
PAST = [*([dated(*fact)] if fact else [] for fact, _ in TIMES), *(facts for facts, _ in HINTS)]
IS_PAST = [past for _, past in (*TIMES, *HINTS)]
BURIED = item("Q490", "A A", HUMAN, dated("P569", 1970), "wdt:P119 wd:Q491", sex(MALE)) + item(
    "Q491", "Highgate", None
)


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subjects]:
    folder = tmp_path_factory.mktemp("subjects")
    people = [item(f"Q{401 + n}", "A A", HUMAN, *facts) for n, facts in enumerate(PAST)]
    world = [*(text for text, _ in PRONOUNS), *people, *COLLEAGUES, *OTHERS, BURIED]
    (folder / "all.nt").write_text(triples("".join(world)), encoding="utf-8")
    load([str(folder / "all.nt")], folder / "kg", Filter())
    with open_store(folder / "kg") as held:
        known = held.knowledge(catalog().kinds)
        yield Subjects(known, Pools(known))


@pytest.mark.parametrize("number", range(len(PRONOUNS)))
def test_pronouns(subjects: Subjects, number: int) -> None:
    assert subjects.subject(f"Q{101 + number}").pronoun == PRONOUNS[number][1]


@pytest.mark.parametrize("number", range(len(PAST)))
def test_past_and_present(subjects: Subjects, number: int) -> None:
    assert subjects.subject(f"Q{401 + number}").is_past is IS_PAST[number]


def test_buried_people_are_dead(subjects: Subjects) -> None:
    assert subjects.subject("Q490").is_past is True


def test_things_are_named_as_their_kind_is(subjects: Subjects) -> None:
    assert subjects.subject("Q115") == Subject('"Alien"', "it", is_past=False)


def test_words_of_descriptions(subjects: Subjects) -> None:
    assert subjects.subject("Q121").pronoun == "she"  # though a comma stands after "actress"
    assert (
        subjects.subject("Q122").pronoun == "he"
    )  # the first word that tells is about the subject
