"""Questions about the subjects of a relation: by their kinds, with articles, or none at all."""

from collections.abc import Callable, Sequence

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.questions.question_texts import SubjectQuestions
from kgbuild.graph.open import Store
from kgbuild.rows import Rejected
from tests.test_granola_profile import CITY, COMPANY, FILM, HUMAN, TIME, about, bearers, item

Ask = Callable[..., str]

SCHOOL, TEAM, BAND, OFFICE = "Q3918", "Q12973014", "Q215380", "Q294414"
STATION, ORGANISATION = "Q811979", "Q43229"
DISSOLVED = f"wdt:P576 {TIME.format('1990-01-01')}"
KNOWN = tuple(f"wdt:P106 wd:Q{n}" for n in range(7000, 7020))
"""Twenty statements: somebody is known by the name alone."""
WELL_KNOWN = tuple(f"wdt:P527 wd:Q{n}" for n in range(6000, 6030))
"""A single word names an item with many statements."""


@pytest.fixture
def ask(store_of: Callable[..., Store]) -> Ask:
    """Return a function that loads items and asks about one, ``Q1``, by a relation."""

    def asked(pid: str, *items: str, subject: str = "Q1") -> str:
        profiles = Profiles(store_of(*items).knowledge(catalog().kinds))
        return SubjectQuestions(catalog().relations[pid], profiles).question(subject)

    return asked


@pytest.mark.parametrize(
    ("pid", "label", "kind", "question"),
    [
        ("P159", "Yale University", SCHOOL, "Where is Yale University located?"),
        # A team with a plural name is many people.
        ("P159", "Phoenix Suns", TEAM, "Where are the Phoenix Suns based?"),
        ("P159", "Boeing Motors", COMPANY, "Where are the headquarters of Boeing Motors?"),
        ("P740", "Hollywood Vampires", BAND, "Where did the Hollywood Vampires form?"),
        ("P740", "Axis Foods", None, "Where was Axis Foods founded?"),
        ("P571", "New University of Axis", SCHOOL, "When was the New University of Axis founded?"),
        ("P131", "Lyon", CITY, "Where is Lyon located?"),
        # The words of an office are those of its kind, though it is an organisation, too.
        ("P571", "Yale University", SCHOOL, "When was Yale University founded?"),
        ("P571", "Boeing Motors", COMPANY, "When was Boeing Motors founded?"),
        # Names with their places after a comma.
        (
            "P571",
            "Embassy of Ukraine, Tallinn",
            ORGANISATION,
            "When was the Embassy of Ukraine in Tallinn established?",
        ),
        (
            "P571",
            "Department of Physics, University of Girona",
            SCHOOL,
            "When was the Department of Physics at the University of Girona founded?",
        ),
        (
            "P571",
            "embassy of France, Kiev",
            ORGANISATION,
            "When was the embassy of France in Kiev established?",
        ),
        # The comma of a list is not closed.
        (
            "P131",
            "Aalto School of Arts, Design and Architecture",
            SCHOOL,
            "Where is the Aalto School of Arts, Design and Architecture located?",
        ),
        (
            "P131",
            "City University of New York",
            SCHOOL,
            "Where is the City University of New York located?",
        ),
        ("P131", "Mittelland Canal", STATION, "Where is the Mittelland Canal located?"),
        # Studios are buildings by their classes, too.
        ("P127", "Axis Films", "Q375336", "Name a present or former owner of Axis Films."),
        ("P127", "Frick railway station", STATION, "Who owns Frick railway station?"),
        ("P127", "Axis Records", COMPANY, "Name a present or former owner of Axis Records."),
        ("P571", "Free Elmish University", SCHOOL, "When was the Free Elmish University founded?"),
        ("P571", "President of Fiji", OFFICE, "When was the office of President of Fiji created?"),
        # Names that describe, and a city whose name begins with a Spanish article.
        (
            "P571",
            "Los Angeles Police Department",
            ORGANISATION,
            "When was the Los Angeles Police Department established?",
        ),
        ("P131", "University of Georgia", CITY, "Where is the University of Georgia located?"),
        ("P159", "Pasadena Playhouse", SCHOOL, "Where is the Pasadena Playhouse located?"),
        ("P170", "Hulk", "Q95074", "Who created the Hulk?"),
        ("P131", "Tokara Islands", CITY, "Where are the Tokara Islands located?"),
        ("P131", "Isle of Man", CITY, "Where is the Isle of Man located?"),
        (
            "P571",
            "Centers for Disease Control",
            SCHOOL,
            "When were the Centers for Disease Control founded?",
        ),
        # A college is named after a person.
        (
            "P571",
            "Jake Jabs College of Business",
            SCHOOL,
            "When was the Jake Jabs College of Business founded?",
        ),
        ("P571", "Berklee College of Music", SCHOOL, "When was Berklee College of Music founded?"),
    ],
)
def test_questions_by_kind(ask: Ask, pid: str, label: str, kind: str | None, question: str) -> None:
    exists = ("wdt:P414 wd:Q13677", "wdt:P118 wd:Q155223")
    assert ask(pid, item("Q1", label, kind, *exists)) == question


def test_a_painting_is_that_of_its_painter(ask: Ask) -> None:
    painter = item("Q2", "Ann Lee", HUMAN)
    painting = item("Q1", "Flowers", "Q3305213", "wdt:P170 wd:Q2")
    assert ask("P276", painter, painting) == 'Where is "Flowers" by Ann Lee located?'


def test_a_kind_by_description(ask: Ask) -> None:
    bands = (item(BAND, "rock band", None), bearers(5000, 5, "P31", BAND))
    question = ask("P740", *bands, item("Q1", "Cheap Trick", None, about("American rock band")))
    assert question == "Where did Cheap Trick form?"


@pytest.mark.parametrize(
    ("facts", "question"),
    [
        (["wdt:P57 wd:Q2"], 'When was the Ann Lee film "Hamlet" first released?'),
        (
            ["wdt:P57 wd:Q2", "wdt:P57 wd:Q3"],
            'When was the film "Hamlet" by Ann Lee and Bo first released?',
        ),
        # Three are too many, so its class says what it is.
        (
            ["wdt:P57 wd:Q2", "wdt:P57 wd:Q3", "wdt:P57 wd:Q4"],
            'When was the film "Hamlet" first released?',
        ),
        ([about("1990 film by Cy Oh")], 'When was the Cy Oh film "Hamlet" first released?'),
    ],
)
def test_the_maker_of_a_film(ask: Ask, facts: list[str], question: str) -> None:
    people = (item("Q2", "Ann Lee", HUMAN), item("Q3", "Bo", HUMAN), item("Q4", "Di", HUMAN))
    films = (item(FILM, "film", None), bearers(5000, 5, "P31", FILM))
    assert ask("P577", *people, *films, item("Q1", "Hamlet", FILM, *facts)) == question


@pytest.mark.parametrize(
    ("classes", "question"),
    [
        ((FILM, FILM), "Name a film that Ann Lee is known for."),
        (("Q482994",), "Name an album that Ann Lee is known for."),
    ],
)
def test_the_kind_of_the_works_that_are_asked_for(
    ask: Ask, classes: Sequence[str], question: str
) -> None:
    works = [item(f"Q{n}", f"Work {n}", kind) for n, kind in enumerate(classes, 10)]
    known = [f"wdt:P800 wd:Q{n}" for n, _ in enumerate(classes, 10)]
    assert ask("P800", *works, item("Q1", "Ann Lee", HUMAN, *known, *KNOWN)) == question


@pytest.mark.parametrize("classes", [(FILM, "Q482994"), ("Q1",)])
def test_works_without_a_common_noun(ask: Ask, classes: Sequence[str]) -> None:
    works = [item(f"Q{n}", f"Work {n}", kind) for n, kind in enumerate(classes, 10)]
    known = [f"wdt:P800 wd:Q{n}" for n, _ in enumerate(classes, 10)]
    with pytest.raises(Rejected, match="no noun"):
        ask("P800", *works, item("Q1", "Ann Lee", HUMAN, *known))


@pytest.mark.parametrize(
    ("label", "classes", "description", "question"),
    [
        (
            "Hörzu",
            ["Q43229", "Q41298"],
            "German magazine",
            "Hörzu, the German magazine, first published?",
        ),
        ("Axis Regiment", ["Q43229", "Q176799"], "", "the Axis Regiment formed?"),
        ("Axis Records", ["Q43229", "Q18127"], "", "Axis Records founded?"),
        ("Axis Forest Agency", ["Q43229", "Q327333"], "", "the Axis Forest Agency established?"),
        ("Axis News Agency", ["Q41298", "Q43229", "Q192283"], "", "the Axis News Agency founded?"),
    ],
)
def test_what_is_founded_formed_or_published(
    ask: Ask, label: str, classes: list[str], description: str, question: str
) -> None:
    said = [f"wdt:P31 wd:{one}" for one in classes]
    about_it = [about(description)] if description else []
    assert ask("P571", item("Q1", label, None, *said, *about_it)) == f"When was {question}"


def test_a_place_has_its_usual_name(ask: Ask) -> None:
    kyiv = item("Q1899", "Kiev", CITY)
    assert ask("P131", kyiv, subject="Q1899") == "Where is Kyiv located?"


@pytest.mark.parametrize(
    ("pid", "label", "kind", "description"),
    [
        ("P40", "Miley CyrusCyrus", HUMAN, "singer"),  # a broken label
        ("P571", "game", COMPANY, "trade association"),  # reads like a noun
        ("P571", "11th Army", "Q37726", "field army"),  # of which country?
        ("P577", "Sherlock", FILM, "American series"),  # of films or of books?
    ],
)
def test_what_no_question_suits(
    ask: Ask, pid: str, label: str, kind: str | None, description: str
) -> None:
    with pytest.raises(Rejected):
        ask(pid, item("Q1", label, kind, about(description)))


def test_a_sentence_ends_with_one_period(ask: Ask) -> None:
    assert ask("P40", item("Q1", "Ben Lee, Jr.", HUMAN, *WELL_KNOWN)) == (
        "Name a child of Ben Lee, Jr."
    )


@pytest.mark.parametrize(
    ("pid", "kind", "fact", "question"),
    [
        ("P127", COMPANY, DISSOLVED, "Name a present or former owner of Axis."),
        ("P127", COMPANY, "wdt:P31 wd:Q6881511", "Name a present or former owner of Axis."),
        ("P40", HUMAN, DISSOLVED.replace("P576", "P570"), "Name a child of Axis."),
        ("P131", CITY, DISSOLVED, "Where is Axis located?"),  # the town is still there
        ("P131", "Q85482556", "wdt:P17 wd:Q183", "Where is the district of Axis located?"),
        ("P131", "Q23442", DISSOLVED, "Where was Axis located?"),
        # Another city is the capital now.
        ("P131", CITY, "wdt:P1366 wd:Q2", "Where is Axis located?"),
    ],
)
def test_the_tense_of_the_verb(ask: Ask, pid: str, kind: str, fact: str, question: str) -> None:
    assert ask(pid, item("Q1", "Axis", kind, fact, *WELL_KNOWN)) == question


def test_a_recurring_event_still_takes_place(ask: Ask) -> None:
    festival = "Q220505"  # film festival
    question = ask("P276", item("Q1", "Venice Film Festival", festival))
    assert question == "Where does the Venice Film Festival take place?"


MAN, WOMAN = "Q6581097", "Q6581072"


@pytest.mark.parametrize(
    ("sexes", "question"),
    [
        ((MAN,), "Who did Ann Lee marry?"),
        ((MAN, MAN), "Name one of the husbands of Ann Lee."),
        ((WOMAN, WOMAN), "Name one of the wives of Ann Lee."),
        ((MAN, WOMAN), "Name someone who was married to Ann Lee."),
        ((MAN, None), "Name someone who was married to Ann Lee."),
        ((None, None), "Name someone who was married to Ann Lee."),
    ],
)
def test_several_marriages(ask: Ask, sexes: tuple[str | None, ...], question: str) -> None:
    spouses = [
        item(f"Q{n}", f"Bo{n} Ray{n}", HUMAN, *([f"wdt:P21 wd:{sex}"] if sex else []))
        for n, sex in enumerate(sexes, 50)
    ]
    marriages = [f"wdt:P26 wd:Q{n}" for n, _ in enumerate(sexes, 50)]
    ann = item("Q1", "Ann Lee", HUMAN, *marriages)
    assert ask("P26", ann, *spouses, bearers(5000, 50, "P40", "Q1")) == question


def test_a_territory_is_not_located_in_what_it_belongs_to(ask: Ask) -> None:
    with pytest.raises(Rejected):
        ask("P131", item("Q1", "Axe Islands", CITY, "wdt:P31 wd:Q46395"))


# Names


@pytest.mark.parametrize(
    ("description", "others", "question"),
    [
        ("American politician (1871-1942)", [], "When was Ann Lee, the American politician, born?"),
        # Two nouns are said, of more the first.
        ("film director and editor", [], "When was Ann Lee, the film director and editor, born?"),
        ("film director, editor and model", [], "When was Ann Lee, the film director, born?"),
        ("film and television actor", [], "When was Ann Lee, the film and television actor, born?"),
        # An office is that of a country, and a name is none of the nouns.
        ("president of France", [], None),
        ("Yale professor", [], None),
        (None, [], None),
        # It tells nobody from a namesake of whom the same is said.
        ("painter", [item("Q2", "Ann Lee", HUMAN, about("singer"))], "Ann Lee, the painter, born?"),
        ("painter", [item("Q2", "Ann Lee", HUMAN, about("painter"))], None),
    ],
)
def test_what_a_description_says_of_somebody(
    ask: Ask, description: str | None, others: list[str], question: str | None
) -> None:
    facts = [about(description)] if description else []
    one = item("Q1", "Ann Lee", HUMAN, *facts)
    if question is None:
        with pytest.raises(Rejected, match="same name"):
            ask("P569", one, *others)
    else:
        assert ask("P569", one, *others).endswith(question)


def test_where_somebody_lived_is_no_part_of_the_question(ask: Ask) -> None:
    one = item("Q1", "Ann Lee", HUMAN, about("American politician"))
    assert ask("P19", one) == "Where was Ann Lee, the politician, born?"


def test_the_best_known_of_a_name_needs_nothing_beside_it(ask: Ask) -> None:
    known = item("Q1", "Ann Lee", HUMAN, about("American painter"), *KNOWN)
    assert ask("P569", known) == "When was Ann Lee born?"
    little_known = item("Q2", "Ann Lee", HUMAN)
    assert ask("P569", known, little_known) == "When was Ann Lee born?"
    known_too = item("Q2", "Ann Lee", HUMAN, *KNOWN[:3])
    assert ask("P569", known, known_too) == "When was Ann Lee, the American painter, born?"


def test_one_word_is_not_enough(ask: Ask) -> None:
    word = item("Q1", "Keskari", COMPANY)
    with pytest.raises(Rejected, match="same name"):
        ask("P127", word)
    described = item("Q1", "Keskari", COMPANY, about("German film company"))
    owners = "Name a present or former owner of Keskari"
    assert ask("P127", described) == f"{owners}, the German film company."
    assert ask("P127", item("Q1", "Keskari", COMPANY, *WELL_KNOWN)) == f"{owners}."


def test_places_of_one_name(ask: Ask) -> None:
    # What tells them apart is where they are.
    towns = [item(f"Q{n}", "Springfield", CITY, about("city in Ohio")) for n in (1, 2)]
    assert ask("P131", towns[0]) == "Where is Springfield located?"
    with pytest.raises(Rejected, match="same name"):
        ask("P131", *towns)


def test_a_text_that_is_little_known_has_no_question(ask: Ask) -> None:
    thesis = item("Q1", "Topics in Trade", "Q47461344", about("doctoral thesis by Ann Lee"))
    assert "Ann Lee" in ask("P577", thesis)  # its author says which one it is
    with pytest.raises(Rejected, match="other works"):
        ask("P577", item("Q1", "Topics in Trade", "Q47461344", about("doctoral thesis")))
