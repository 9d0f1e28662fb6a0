"""How knowledge is said and asked for in English, and how subjects are spoken of."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.questions.clauses import Predicate, Subject
from kgbuild.datasets.biokalma.questions.lexicon import PropertyWording, lexicon
from kgbuild.datasets.biokalma.questions.mentions import joint_name, short_name
from kgbuild.datasets.biokalma.questions.paragraphs import write_paragraph
from kgbuild.datasets.biokalma.questions.subjects import Subjects
from kgbuild.datasets.biokalma.questions.wording import (
    is_parallel,
    write_general_question,
    write_specific_question,
)
from kgbuild.datasets.biokalma.sets.pool import Pools
from kgbuild.graph.open import Store
from tests.test_granola_profile import FILM, HUMAN, TIME, about, item

BORN = PropertyWording("origins", "{he} was born in {value}", "where was {he} born")
DIED = PropertyWording("death", "{he} died in {value}", "where did {he} die")
DAY = PropertyWording("death", "{he} died {value}", "when did {he} die")
LIVED = PropertyWording(
    "homes",
    "{he} [lived|has lived] in {value}",
    "<where|in which {what}> [did|has] {he} live[|d]",
    noun=("place", "places"),
)
PLAYED = PropertyWording(
    "music",
    "{his} <instrument|instruments> [<was|were>|<is|are>] {value}",
    "which {what} [did|does] {he} play",
    noun=("instrument", "instruments"),
)
CHILD = PropertyWording(
    "family",
    "{he} [was|is] the (father|mother|parent) of {value}",
    "who [<was|were>|<is|are>] {his} {what}",
    noun=("child", "children"),
)
LED = PropertyWording("career", "{value} led {him}", "who led {him}")
ANN = Subject("Ann Lee", "she", is_past=True, short_name="Lee")
TOM = Subject("Tom Hill", "he", is_past=False)
KIM = Subject("Kim Park", is_past=True, short_name="Park")
ALIEN = Subject('"Alien"', "it")


def of(pid: str, wording: PropertyWording, value: str) -> Callable[..., Predicate]:
    """Return a function that makes a predicate of values, or of this one."""
    return lambda *values: Predicate(pid, wording, values or (value,))


born = of("P19", BORN, "Lund")
died = of("P20", DIED, "Rome")
day = of("P570", DAY, "in 1900")
lived = of("P551", LIVED, "Graz")
played = of("P1303", PLAYED, "the piano")
child = of("P40", CHILD, "Bo Ek")
led = of("P1", LED, "Bo Ek")


def sentences(subject: Subject, *told: Predicate) -> str:
    return write_paragraph([(subject, told)])


def question(subject: Subject, *told: Predicate) -> str:
    return write_specific_question("", [(subject, told), (TOM, [])])


def of_both(first: tuple[Predicate, ...], second: tuple[Predicate, ...], one: Subject = ANN) -> str:
    opening = "What [joined|joins] {subject} and {object}?"
    return write_specific_question(opening, [(one, first), (TOM, second)])


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
    assert asked == "Which instrument did Kim Park play, and where did Park live?"


def test_after_other_people_the_name_is_said_again() -> None:
    # Whose instrument, if "he" might be the son?
    son = child()._replace(of_people=True)
    said = sentences(ANN, son, played(), born())
    assert said == (
        "Ann Lee was the mother of Bo Ek. Lee's instrument was the piano. She was born in Lund."
    )
    # A question does not name him.
    assert question(ANN, son, played(), born()) == (
        "Who was Ann Lee's child, which instrument did she play, and where was she born?"
    )
    # Within a sentence it is the same subject.
    assert sentences(ANN, son, born(), played()) == (
        "Ann Lee was the mother of Bo Ek and was born in Lund. Lee's instrument was the piano."
    )


@pytest.mark.parametrize(
    ("subject", "values", "said", "asked"),
    [
        (ANN, 1, "Ann Lee was the mother of A.", "Who was Ann Lee's child?"),
        (TOM, 2, "Tom Hill is the father of A and B.", "Who are Tom Hill's children?"),
        (KIM, 3, "Kim Park was the parent of A, B, and C.", "Who were Kim Park's children?"),
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
        (TOM, ("Graz", "Rome"), "In which places has Tom Hill lived?"),
        (TOM, ("Graz", "Rome", "Lund"), "In which places has Tom Hill lived?"),
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


def test_what_belongs_together_is_one_sentence() -> None:
    # Its place is that of the first of the two.
    told = (day(), lived(), died())
    assert sentences(ANN, *told) == "Ann Lee died in 1900 in Rome and lived in Graz."
    # Only single values belong together.
    twice = (day("in 1900", "in 1901"), died())
    assert sentences(ANN, *twice) == "Ann Lee died in 1900 and in 1901 and died in Rome."


def test_a_subject_without_predicates_has_no_sentence() -> None:
    assert write_paragraph([(ANN, ()), (TOM, ())]) == ""


def test_a_subject_that_comes_again_has_its_short_name() -> None:
    about_them = [(ANN, [led()]), (ANN, [born(), played()]), (TOM, [born()])]
    assert write_paragraph(about_them) == (
        "Bo Ek led Ann Lee. Lee was born in Lund. Her instrument was the piano. "
        "Tom Hill was born in Lund."
    )


# Aggregation

SANG = PropertyWording("music", "{he} sang as {value}", "what [was|is] {his} voice")
PRAYED = PropertyWording(
    "faith",
    "{his} faith was {value}",
    "what [was|is] {his} religion",
    "what [<was|were>|<is|are>] {his} <religion|religions>",
)
JOINED = PropertyWording(
    "career", "{he} joined {value}", "which {what} did {he} join", noun=("group", "groups")
)
sang = of("P412", SANG, "a tenor")
prayed = of("P140", PRAYED, "Islam")


def joined(noun: str, *values: str) -> Predicate:
    return Predicate("P463", JOINED, values or ("Genesis",), noun=(noun, f"{noun}s"))


def test_clauses_with_one_predicate_share_it() -> None:
    # The time and the place come first, whatever the order.
    killed = Predicate("P509", PropertyWording("death", "", "of what did {he} die"), ("flu",))
    asked = question(ANN, killed, day(), born(), died())
    assert asked == "When, where, and of what did Ann Lee die, and where was she born?"


def test_clauses_with_different_verbs_do_not_share_an_adverb() -> None:
    # "Where did Ann Lee study and die" sounds like one event.
    studied = Predicate("P69", PropertyWording("learning", "", "where did {he} study"), ("Yale",))
    assert question(ANN, studied, day(), died()) == (
        "Where did Ann Lee study, and when and where did she die?"
    )


def test_what_both_have_is_asked_of_both() -> None:
    # "What were their voices" needs a template of its own, which SANG lacks.
    past = TOM._replace(is_past=True)
    assert of_both((born("Lund"), sang("a tenor")), (born("Rome"), sang("a bass")), ANN) == (
        "What joined Ann Lee and Tom Hill? Where were they born, what was Lee's voice, and what "
        "is Tom Hill's voice?"
    )
    opening = "Who were {subject} and {object}?"
    first, second = ((born(town), prayed(faith)) for town, faith in (("Lund", "A"), ("Rome", "B")))
    question = write_specific_question(opening, [(KIM, first), (past, second)])
    assert question == (
        "Who were Kim Park and Tom Hill? Where were they born, and what were their religions?"
    )


def test_an_opening_with_a_comma_is_a_sentence() -> None:
    opening = "[Were|Are] {subject} and {object} related, and if so, how?"
    question = write_specific_question(opening, [(ANN, (born(),)), (TOM, (born(),))])
    assert question == "Were Ann Lee and Tom Hill related, and if so, how? Where were they born?"


def test_after_every_opening_the_two_are_they() -> None:
    opening = "Which film starring {subject} did {object} direct?"
    question = write_specific_question(
        opening, [(ANN, (born(), died("Lund"))), (TOM, (born(), died()))]
    )
    assert question == (
        "Which film starring Ann Lee did Tom Hill direct? Where were they born, and where did they "
        "die?"
    )


@pytest.mark.parametrize(
    ("first", "second", "can_share", "words"),
    [
        (born("Lund"), born("Rome"), True, "where were they born"),
        (joined("band"), joined("band", "Yes"), True, "which bands did they join"),
        (joined("band", "A", "B"), joined("band", "B", "A"), True, "which bands did they join"),
        # The noun of the wording fits the values of both.
        (joined("band"), joined("club", "Lions"), True, "which groups did they join"),
        (sang("a tenor"), sang("a bass", "a tenor"), False, ""),
    ],
)  # fmt: skip
def test_parallel_questions(
    first: Predicate, second: Predicate, can_share: bool, words: str
) -> None:
    assert is_parallel(first, second) == can_share
    assert (f", and {words}?" in of_both((first,), (second,))) == bool(words) or not can_share


def test_the_opening_is_a_sentence() -> None:
    assert of_both((born(),), (day(),)) == (
        "What joined Ann Lee and Tom Hill? Where was Lee born, and when did Tom Hill die?"
    )
    assert of_both((born(), played()), (born(), day(), lived())) == (
        "What joined Ann Lee and Tom Hill? Where were they born, which instrument did Lee play, "
        "when did Tom Hill die, and where has he lived?"
    )


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


# Properties without words of their own


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("blood type", "Ann Lee's blood type was X."),
        # Marks of templates in a label are none.
        ("[a|b] {value} <c>", "Ann Lee's ab value c was X."),
    ],
)
def test_a_property_without_words_is_stated_by_its_label(label: str, said: str) -> None:
    told = Predicate("P9999", lexicon().wording("P9999", label), ("X",))
    assert sentences(ANN, told) == said


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


# General questions


MET = "How [were|are] {subject} and {object} related?"


@pytest.mark.parametrize(
    ("asks", "question"),
    [
        ("where did {he} come from", ", and where did they come from?"),
        ("where [did|do] {he} live and work", "? Where did they live and work?"),
        ("how did {his} lives end", ", and how did their lives end?"),
    ],
)
def test_a_general_question_names_a_theme(asks: str, question: str) -> None:
    # One of the two is dead, so both are spoken of in the past.
    asked = write_general_question(MET, (ANN, TOM), asks)
    assert asked == f"How were Ann Lee and Tom Hill related{question}"


# Brief names


@pytest.mark.parametrize(
    ("name", "other", "said"),
    [
        ("Jean-Jacques Rousseau", "Plato", "Rousseau"),
        ("Plato", "Socrates", "Plato"),  # no surname
        ("Kylie Jenner", "Brody Jenner", "Kylie"),  # which Jenner?
        # Names of more than two words stay whole.
        ("Philip II of Spain", "Mary Tudor", "Philip II of Spain"),
        ("Sammy Davis, Jr.", "Plato", "Sammy Davis, Jr."),
        ("Otto von Bismarck", "Plato", "Otto von Bismarck"),
        ("Mary Hill", "Mary Tudor", "Mary Hill"),  # which Mary?
        ("Pieter Bruegel the Elder", "Plato", "Pieter Bruegel the Elder"),
        ("Louis XIV", "Plato", "Louis XIV"),
        ("Louis XIV of France", "Philip XIV", "Louis XIV of France"),
        ("David McCullough", "Plato", "McCullough"),
    ],
)
def test_brief_names(name: str, other: str, said: str) -> None:
    assert short_name(name, other) == said


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("Robin Gibb", "Maurice Gibb", "Robin and Maurice Gibb"),
        ("Michael I of Romania", "Carol II of Romania", "Michael I and Carol II of Romania"),
        ("Ann Lee", "Tom Hill", ""),
        ("John Adams", "John Quincy Adams", ""),  # two Johns
        ("Thomas Alva Edison", "Charles Edison", ""),  # "Thomas Alva and Charles Edison"
        ("Charles Edison", "Thomas Alva Edison", ""),
        ("George H. W. Bush", "Jeb Bush", ""),  # "George H. W. and Jeb Bush"
        ('"Planet of the Apes"', '"Rise of the Planet of the Apes"', ""),
        ("Plato", "Plato", ""),
        ("Henri, Duke of Lund", "Jean, Duke of Lund", ""),
        ("Gibb", "Robin Gibb", ""),
        ("Louis XIV", "Peter XIV", ""),
        ("George I of Britain", "George II of Britain", "George I and George II of Britain"),
    ],
)
def test_joint_names(first: str, second: str, both: str) -> None:
    assert joint_name(first, second) == both


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
    # A name tells nothing, and a description that is about two people no more.
    (item("Q111", "Ann A", HUMAN), ""),
    (item("Q112", "Eve A", HUMAN, about("son of Queen Victoria")), ""),
    (item("Q113", "Sir A", HUMAN), "he"),
    (item("Q114", "Ann", HUMAN, "wdt:P412 wd:Q308"), ""),
    # What is no person, or of which nobody knows what it is.
    (item("Q115", "Alien", FILM), "it"),
    (item("Q116", "Ann A", None), "it"),
]
OTHERS = (
    item("Q121", "A A", HUMAN, about("American actress, model and singer")),
    item("Q301", "Ann X", HUMAN, sex(FEMALE)),
    item("Q302", "Ann Y", HUMAN, sex(FEMALE)),
    item("Q303", "Ann Z", HUMAN, sex(FEMALE)),
    item("Q308", "soprano", None),
)
PAST: list[tuple[list[str], bool | None]] = [
    ([dated("P569", 1970)], None),  # who lives is stated nowhere
    ([dated("P570", 2001)], True),
    (["wdt:P509 wd:Q492"], True),
    ([dated("P2031", 1990)], None),
    ([], None),
    ([about("Swedish baker (born 1970)")], None),
]
"""What tells whether people are dead."""
BURIED = (
    item("Q490", "A A", HUMAN, dated("P569", 1970), "wdt:P119 wd:Q491", sex(MALE))
    + item("Q491", "Highgate", None)
    + item("Q492", "flu", None)
)


@pytest.fixture(scope="module")
def subjects(shared_store_of: Callable[..., Store]) -> Subjects:
    people = [item(f"Q{401 + n}", "A A", HUMAN, *facts) for n, (facts, _) in enumerate(PAST)]
    world = [*(text for text, _ in PRONOUNS), *people, *OTHERS, BURIED]
    known = shared_store_of(*world).knowledge(catalog().kinds)
    return Subjects(known, Pools(known))


@pytest.mark.parametrize("number", range(len(PRONOUNS)))
def test_pronouns(subjects: Subjects, number: int) -> None:
    assert subjects.subject(f"Q{101 + number}").pronoun == PRONOUNS[number][1]


@pytest.mark.parametrize("number", range(len(PAST)))
def test_past_and_present(subjects: Subjects, number: int) -> None:
    assert subjects.subject(f"Q{401 + number}").is_past is PAST[number][1]


def test_buried_people_are_dead(subjects: Subjects) -> None:
    assert subjects.subject("Q490").is_past is True


def test_things_are_named_as_their_kind_is(subjects: Subjects) -> None:
    assert subjects.subject("Q115") == Subject('"Alien"', "it", is_past=False)


def test_words_of_descriptions(subjects: Subjects) -> None:
    assert subjects.subject("Q121").pronoun == "she"  # though a comma stands after "actress"
