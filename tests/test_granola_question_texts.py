"""Questions about the subjects of a relation: by their kinds, with articles, or none at all."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.questions.question_texts import QuestionTexts
from kgbuild.graph.open import open_store
from kgbuild.rows import Rejected
from tests.conftest import triples
from tests.test_granola_profile import (
    CITY,
    COMPANY,
    COUNTRY,
    FILM,
    FRANCE,
    HUMAN,
    TIME,
    USA,
    about,
    alias,
    bearers,
    item,
)

Ask = Callable[..., str]
SCHOOL, TEAM, BAND, ROAD, OFFICE = "Q3918", "Q12973014", "Q215380", "Q34442", "Q294414"
STATION, ORGANISATION = "Q811979", "Q43229"
BORN = f"wdt:P569 {TIME}"
DISSOLVED = f"wdt:P576 {TIME.format('1990-01-01')}"
WELL_KNOWN = tuple(f"wdt:P527 wd:Q{n}" for n in range(6000, 6030))
"""A single word names an item with many statements."""


@pytest.fixture
def ask(make_store: Callable[..., Path]) -> Iterator[Ask]:
    """Return a function that loads items and asks about one, ``Q1``, by a relation."""
    with ExitStack() as stack:

        def asked(pid: str, *items: str, people: tuple[str, ...] = (), subject: str = "Q1") -> str:
            store = stack.enter_context(open_store(make_store(triples("".join(items)))))
            profiles = Profiles(store.knowledge(catalog().kinds))
            numbers = np.array([1, 2, 3, *(int(qid[1:]) for qid in people)])
            texts = QuestionTexts(catalog().relations[pid], profiles)
            return texts.question(subject)

        yield asked


@pytest.mark.parametrize(
    ("pid", "label", "kind", "question"),
    [
        ("P159", "Yale University", SCHOOL, "Where is Yale University located?"),
        # A team with a plural name is many people.
        ("P159", "Phoenix Suns", TEAM, "Where are the Phoenix Suns based?"),
        ("P159", "Boeing", COMPANY, "Where are the headquarters of Boeing?"),
        ("P740", "Hollywood Vampires", BAND, "Where did the Hollywood Vampires form?"),
        ("P740", "Axis Foods", None, "Where was Axis Foods founded?"),
        ("P571", "New University of Axis", SCHOOL, "When was the New University of Axis founded?"),
        (
            "P571",
            "Axis Ministry of education",
            ORGANISATION,
            "When was the Axis Ministry of Education established?",
        ),
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
    ],
)
def test_questions_by_kind(ask: Ask, pid: str, label: str, kind: str | None, question: str) -> None:
    exists = ("wdt:P414 wd:Q13677", "wdt:P118 wd:Q155223")
    assert ask(pid, item("Q1", label, kind, *exists)) == question


@pytest.mark.parametrize(
    ("label", "kind", "facts"),
    [
        ("Axis Records", COMPANY, ()),
        ("Axis Records", COMPANY, ("wdt:P118 wd:Q2",)),  # what shows that a team exists
        ("Axis Rovers", TEAM, ("wdt:P414 wd:Q2",)),
        ("Axis Records", None, (about("American record label"),)),
    ],
)
def test_what_may_no_longer_exist(
    ask: Ask, label: str, kind: str | None, facts: tuple[str, ...]
) -> None:
    labels = (item("Q18127", "record label", None), bearers(5000, 5, "P31", "Q18127"))
    with pytest.raises(Rejected, match="may no longer exist"):
        ask("P159", *labels, item("Q1", label, kind, *facts))


@pytest.mark.parametrize(
    ("pid", "label", "kind", "facts"),
    [
        ("P159", "Axis Records", COMPANY, (DISSOLVED,)),  # the question is in the past
        ("P159", "Axis Party", "Q7278", ("wd:Q7278 wdt:P279 wd:Q4830453",)),
        ("P740", "Axis Records", COMPANY, ()),  # it formed somewhere, though it may have ended
    ],
)
def test_what_exists_or_is_said_to_have_ended(
    ask: Ask, pid: str, label: str, kind: str, facts: tuple[str, ...]
) -> None:
    assert label in ask(pid, item("Q1", label, kind, *facts))


def test_the_end_of_what_is_well_known_would_be_stated(ask: Ask) -> None:
    links = (f"wd:Q{n} wdt:P264 wd:Q1\n" for n in range(6000, 6030))
    question = ask("P159", item("Q1", "Axis Records", COMPANY), *links)
    assert question == "Where are the headquarters of Axis Records?"


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
        # Three are too many, so the description says which one it is.
        (
            ["wdt:P57 wd:Q2", "wdt:P57 wd:Q3", "wdt:P57 wd:Q4", about("1990 American film")],
            'When was the American film "Hamlet" first released?',
        ),
        # Who wrote it is not who made it.
        (
            [about("1990 American film written by Cy Oh")],
            'When was the American film "Hamlet" first released?',
        ),
        ([about("1990 film by Cy Oh")], 'When was the Cy Oh film "Hamlet" first released?'),
    ],
)
def test_the_maker_of_a_film(ask: Ask, facts: list[str], question: str) -> None:
    people = (item("Q2", "Ann Lee", HUMAN), item("Q3", "Bo", HUMAN), item("Q4", "Di", HUMAN))
    assert ask("P577", *people, item("Q1", "Hamlet", FILM, *facts)) == question


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
    assert ask("P800", *works, item("Q1", "Ann Lee", HUMAN, *known)) == question


@pytest.mark.parametrize("classes", [(FILM, "Q482994"), ("Q1",)])
def test_works_without_a_common_noun(ask: Ask, classes: Sequence[str]) -> None:
    works = [item(f"Q{n}", f"Work {n}", kind) for n, kind in enumerate(classes, 10)]
    known = [f"wdt:P800 wd:Q{n}" for n, _ in enumerate(classes, 10)]
    with pytest.raises(Rejected, match="no noun"):
        ask("P800", *works, item("Q1", "Ann Lee", HUMAN, *known))


def test_a_film_is_no_work_of_its_composer(ask: Ask) -> None:
    film = item("Q10", "Hamlet", FILM, "wdt:P86 wd:Q1")
    with pytest.raises(Rejected, match="the music"):
        ask("P800", film, item("Q1", "Ann Lee", HUMAN, "wdt:P800 wd:Q10"))


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


@pytest.mark.parametrize(
    ("pid", "label", "kind", "facts", "question"),
    [
        (
            "P571",
            "Manticore",
            "Q18127",
            [alias("Manticore Records")],
            "When was Manticore Records founded?",
        ),
        ("P740", "Axis Bo", "Q18127", [alias("Axis Bo Records")], "Where was Axis Bo founded?"),
        (
            "P571",
            "Prime minister of India",
            OFFICE,
            [],
            "When was the office of Prime Minister of India created?",
        ),
        (
            "P571",
            "Georgia College & State University",
            SCHOOL,
            [],
            "When was Georgia College & State University founded?",
        ),
        (
            "P571",
            "Air Mobility Command",
            ORGANISATION,
            [],
            "When was Air Mobility Command established?",
        ),
        ("P571", "Institute of Physics, Polish Academy of Sciences", SCHOOL, [], None),
        ("P571", "Music Division, Library of Congress", ORGANISATION, [], None),
        # The name says nothing of the country.
        ("P571", "National Institute of Virology", ORGANISATION, [], None),
        ("P571", "Centre of French Culture and Francophone Studies", ORGANISATION, [], None),
        ("P571", "Institute of Slavic Studies", ORGANISATION, [], None),
        ("P571", "Ann-Lee-Institut", ORGANISATION, [], None),
        ("P571", "2nd Cavalry Regiment", ORGANISATION, [], None),
        ("P571", "V Corps", ORGANISATION, [], None),
        ("P571", "Institute for Rare Languages", ORGANISATION, [], None),
        ("P571", "Axis Faith", ORGANISATION, [about("division within Christianity")], None),
        ("P112", "Bank Al-Axis", ORGANISATION, WELL_KNOWN, "Who founded Bank Al-Axis?"),
        ("P571", "Landshuter Verkehrsverbund", ORGANISATION, [], None),
        ("P571", "Keskari", COMPANY, [about("German company")], None),
        (
            "P571",
            "Keskari",
            COMPANY,
            [about("German film company")],
            "When was Keskari, the German film company, founded?",
        ),
        ("P131", "Tübingen Government Region", CITY, [], None),
        ("P131", "Upper Palatinate", CITY, [], "Where is the Upper Palatinate located?"),
        (
            "P571",
            "G20",
            "Q245065",
            ["wdt:P31 wd:Q43229", *WELL_KNOWN],
            "When was the G20 established?",
        ),
        # Nobody in fiction is born, and no state is founded.
        ("P569", "Jay Gatsby", "Q15632617", [], None),
        ("P159", "Starfleet", "Q14897293", WELL_KNOWN, None),
        ("P112", "Lyon", CITY, [], None),
        ("P112", "United States Forest Service", "Q327333", ["wdt:P31 wd:Q43229"], None),
    ],
)
def test_names_of_institutions(
    ask: Ask, pid: str, label: str, kind: str, facts: Sequence[str], question: str | None
) -> None:
    one = item("Q1", label, kind, *facts)
    if question is not None:
        assert ask(pid, one) == question
        return
    with pytest.raises(Rejected):
        ask(pid, one)


def test_a_thesis_without_its_author(ask: Ask) -> None:
    with pytest.raises(Rejected, match="other works"):
        ask("P577", item("Q1", "The Common Ground", "Q7725634", about("doctoral thesis")))


def test_a_television_film_airs(ask: Ask) -> None:
    film = item("Q1", "Hamlet", "Q506240", about("1990 film by Cy Oh"))
    classes = "wd:Q506240 wdt:P279 wd:Q11424\n"
    assert ask("P577", classes, film) == 'When did the Cy Oh television film "Hamlet" first air?'
    film = item("Q1", "Hamlet", "Q506240", about("1990 American film"))
    question = 'When did the American television film "Hamlet" first air?'
    assert ask("P577", classes, film) == question
    # Only the description says what it is.
    film = item("Q1", "Hamlet", FILM, about("1990 television film by Cy Oh"))
    assert ask("P577", film) == 'When did the Cy Oh television film "Hamlet" first air?'
    film = item("Q1", "Hamlet", FILM, about("1990 television special directed by Cy Oh"))
    assert ask("P577", film) == 'When did the Cy Oh television special "Hamlet" first air?'


def test_a_character_that_readers_know(ask: Ask) -> None:
    character = item("Q1", "Axe Cop", "Q95074")
    with pytest.raises(Rejected, match="other characters"):
        ask("P571", character)
    links = bearers(6000, 10, "P674", "Q1")
    assert ask("P571", character, links) == "When did the character Axe Cop first appear?"


def test_a_club_without_a_word_for_it(ask: Ask) -> None:
    def question(label: str, *others: str) -> str:
        club = item("Q1", label, TEAM, about("Cypriot football club"), "wdt:P118 wd:Q2")
        return ask("P571", club, *others)

    assert question("Elpida") == "When was Elpida, the Cypriot football club, founded?"
    assert question("Elpida F.C.") == "When was Elpida F.C. founded?"
    known = bearers(6000, 10, "P54", "Q1")
    assert question("Elpida Elm", known) == "When was Elpida Elm founded?"


@pytest.mark.parametrize(
    ("occupation", "what"), [("actor", "recordings"), ("jazz guitarist", "music")]
)
def test_what_labels_release(ask: Ask, occupation: str, what: str) -> None:
    facts = ("wdt:P106 wd:Q800", "wdt:P264 wd:Q900", about(f"Irish {occupation}"))
    ann = item("Q1", "Ann Lee", HUMAN, *facts)
    question = ask("P264", ann, item("Q800", occupation, None))
    assert question.startswith(f"Name a record label that has released {what} by Ann Lee")


@pytest.mark.parametrize("fact", [about("American girl group"), "wdt:P264 wd:Q900"])
def test_musicians_without_a_class_form(ask: Ask, fact: str) -> None:
    assert ask("P740", item("Q1", "Elm Sisters", None, fact)) == "Where did the Elm Sisters form?"


def test_a_place_has_its_usual_name(ask: Ask) -> None:
    kyiv = item("Q1899", "Kiev", CITY)
    assert ask("P131", kyiv, subject="Q1899") == "Where is Kyiv located?"


def test_a_ruler_without_a_title(ask: Ask) -> None:
    country = item("Q851", "Saudi Arabia", COUNTRY)
    ruler = item("Q1", "Khalid of Saudi Arabia", HUMAN, about("King of Saudi Arabia (1913-1982)"))
    with pytest.raises(Rejected, match="Khalid of Saudi Arabia"):
        ask("P569", ruler, country)
    # The name of the ruler of what is no country now is the usual one.
    ruler = item("Q1", "Ada of Atlantis", HUMAN, about("Queen of Atlantis, British poet"))
    assert ask("P569", ruler) == "When was Ada of Atlantis born?"


def test_a_district_with_the_word_for_it(ask: Ask) -> None:
    assert ask("P131", item("Q1", "Vogtlandkreis", "Q106658")).startswith("Where is the Vogtland")


def test_a_title_alone_may_be_that_of_another_film(ask: Ask) -> None:
    with pytest.raises(Rejected, match="the name of others"):
        ask("P577", item("Q1", "Hamlet", FILM))


@pytest.mark.parametrize(
    ("pid", "items", "reason"),
    [
        ("P131", [item("Q1", "Route 5", ROAD)], "wrong kind"),  # it crosses several areas
        ("P131", [item("Q1", "Bundesstraße 75", None)], "wrong kind"),
        ("P571", [item("Q1", "Something", None)], "wrong kind"),
        ("P159", [item("Q1", "Category:Cars", None)], "no label"),
        ("P159", [item("Q9", "Another", COMPANY)], "no label"),
        ("P26", [item("Q1", "Ann Lee", HUMAN), item("Q2", "Ann Lee", HUMAN)], "same name"),
        ("P26", [item("Q1", "Tom lee", HUMAN)], "wrong kind"),
        # What tells a place from another one would be an answer.
        (
            "P131",
            [item("Q1", "Bo", CITY, about("city in Oslo")), item("Q2", "Bo", CITY)],
            "same name",
        ),
        ("P276", [item("Q1", "Seven Years' War", "Q198")], "wrong kind"),
        ("P571", [item("Q1", "Lyon", CITY)], "wrong kind"),
        # Many countries have one.
        ("P112", [item("Q1", "Department of Defense", COMPANY)], "same name"),
        # A town may have another college.
        ("P112", [item("Q1", "Bo College", SCHOOL), item("Q2", "Bo", CITY)], "same name"),
        ("P571", [item("Q1", "Laie", COMPANY)], "same name"),
        ("P569", [item("Q1", "Louis V", HUMAN)], "unusual name"),
        ("P569", [item("Q1", "İlham Aliyev", HUMAN)], "unusual name"),
        (
            "P26",
            [item("Q1", "Darryl Hannah", HUMAN, 'skos:altLabel "Daryl Hannah"@en')],
            "unusual name",
        ),
        ("P569", [item("Q1", "stillborn son von Bayern", HUMAN)], "unusual name"),
        ("P569", [item("Q1", "Louis, Jean, Martin Roux", HUMAN)], "unusual name"),
        ("P571", [item("Q1", "Toy Story", FILM)], "wrong kind"),
        ("P577", [item("Q1", "Israel : liaisons", FILM)], "wrong kind"),
        ("P577", [item("Q1", "Trauma among children.", FILM)], "wrong kind"),
        (
            "P577",
            [item("Q1", "Topics in foreign trade", "Q7725634", about("thesis by Ann Lee"))],
            "unusual name",
        ),
        ("P131", [item("Q1", "Aravalli Range", "Q46831")], "wrong kind"),
        ("P131", [item("Q1", "Ann Lee Trail", "Q628179")], "wrong kind"),
        ("P571", [item("Q1", "presidency of Ann Lee", "Q15284636")], "wrong kind"),
        # A company has headquarters; whose film it is, is said by other statements.
        ("P131", [item("Q1", "Axis Party", "Q43229")], "wrong kind"),
        ("P50", [item("Q1", "Axis", FILM)], "wrong kind"),
        ("P159", [item("Q1", "Club", TEAM, "wdt:P118 wd:Q2")], "same name"),
        ("P571", [item("Q1", "Gap, Inc.", COMPANY)], "unusual name"),
        ("P571", [item("Q1", "V Corps", "Q37726")], "wrong kind"),
        (
            "P577",
            [item("Q1", "Corfu Declaration", "Q2006324", "wd:Q2006324 wdt:P279 wd:Q47461344")],
            "wrong kind",
        ),
        (
            "P571",  # a department of a university is no office
            [item("Q1", "Institute of Art, University of Jena", OFFICE)],
            "wrong kind",
        ),
        ("P569", [item("Q1", "William Thomson, 1st Baron Kelvin", HUMAN)], "unusual name"),
        (
            "P569",
            [
                item(
                    "Q1",
                    "Rafael Correa Delgado",
                    HUMAN,
                    'skos:altLabel "Rafael Correa"@en',
                    about("Spanish poet"),
                )
            ],
            "unusual name",
        ),
        ("P571", [item("Q1", "Red Hill Committee Rooms", COMPANY)], "no article"),  # "the"?
        ("P571", [item("Q1", "Government of Elmland", ORGANISATION)], "wrong kind"),
        ("P571", [item("Q1", "Elm Tigers baseball", ORGANISATION)], "wrong kind"),
        ("P571", [item("Q1", "King of Elmland", OFFICE)], "wrong kind"),
        ("P740", [item("Q1", "Elmism", "Q9174")], "wrong kind"),
    ],
)
def test_no_question(ask: Ask, pid: str, items: list[str], reason: str) -> None:
    with pytest.raises(Rejected) as caught:
        ask(pid, *items)
    assert caught.value.reason == reason


def test_a_first_name_that_several_people_have(ask: Ask) -> None:
    born = BORN.format("1970-01-02")
    joseph = item("Q1", "Joseph", HUMAN, about("French merchant"), born)
    others = (item("Q7", "Joseph Kay", HUMAN), item("Q8", "Joseph Lee", HUMAN))
    with pytest.raises(Rejected, match="2 others"):
        ask("P40", joseph, *others, people=("Q7", "Q8"))
    assert (
        ask("P40", joseph, *others, people=("Q7",))
        == "Name a child of Joseph, the French merchant."
    )
    with pytest.raises(Rejected, match="the name of others"):
        ask("P40", item("Q1", "Joseph", HUMAN, born), *others, people=("Q7",))


@pytest.mark.parametrize(
    ("pid", "label", "kind", "description"),
    [
        ("P40", "Miley CyrusCyrus", HUMAN, "singer"),  # a broken label
        ("P276", "2008 NBA Draft", COMPANY, "draft"),  # no event is located anywhere
        ("P740", "ACE", None, "cable system"),
        ("P176", "Apollo 1", None, "failed mission"),
        ("P570", "Ann Lee", HUMAN, "fictional wizard"),
        ("P571", "North Trade Agreement", ORGANISATION, "trade bloc"),
        ("P571", "WikiProject Art/Frick Library", ORGANISATION, "project"),
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


@pytest.mark.parametrize(
    ("description", "phrase"),
    [
        ("Japanese video game developer", ", the video game developer,"),
        ("American television station specialising in news", ""),  # no noun at its end
        ("French association football club", ", the football club,"),
        ("Japanese TV network", ", the television network,"),
        ("american-dutch film company", ", the film company,"),
        ("company", ""),
        ("united states company", ""),
        ("aircraft manufacturer", ", the aircraft manufacturer,"),
        ("US video game developer", ", the video game developer,"),
        ("American video game developer and publisher", ", the video game developer,"),
        ("American developer and publisher of games", ""),  # of what?
        ("American international video game publisher", ", the video game publisher,"),
        ("American film and television production company", ", the television production company,"),
        ("Japanese hip hop band", ", the hip-hop band,"),
        # The last usual words before a noun are kept.
        ("American bold new pay television channel", ", the pay television channel,"),
        ("Japanese video game and electronics company", ", the electronics company,"),
    ],
)
def test_phrases_that_are_whole(ask: Ask, description: str, phrase: str) -> None:
    assert ask("P740", item("Q1", "Cessna", COMPANY, about(description))) == (
        f"Where was Cessna{phrase} founded?"
    )


@pytest.mark.parametrize(
    ("description", "question"),
    [
        ("American rock band", "Where did Journey, the rock band, form?"),
        # A long description is cut to its noun; a nationality would tell the place in question.
        ("Swiss jazz and folk dance band from Oslo", "Where did Journey, the band, form?"),
    ],
)
def test_a_name_that_is_a_common_word(ask: Ask, description: str, question: str) -> None:
    travel = item("Q2", "travel", None, 'skos:altLabel "Journey"@en')
    assert ask("P740", travel, item("Q1", "Journey", BAND, about(description))) == question


def test_a_sentence_ends_with_one_period(ask: Ask) -> None:
    assert ask("P40", item("Q1", "Ben Lee, Jr.", HUMAN, *WELL_KNOWN)) == (
        "Name a child of Ben Lee, Jr."
    )


def test_siblings_make_a_film(ask: Ask) -> None:
    film = item("Q1", "Fargo", FILM, about("1996 film by Coen brothers"))
    assert ask("P577", film) == 'When was the Coen brothers film "Fargo" first released?'


def test_people_of_one_name(ask: Ask) -> None:
    others = item("Q2", "Ann Lee", HUMAN, about("American rower"))
    question = ask("P26", others, item("Q1", "Ann Lee", HUMAN, about("Irish poet (1871-1933)")))
    assert question == "Who did Ann Lee, the Irish poet, marry?"
    with pytest.raises(Rejected, match="Ann Lee is also the name of Q2"):
        ask("P26", others, item("Q1", "Ann Lee", HUMAN, about("American rower")))


@pytest.mark.parametrize(
    ("label", "question"),
    [
        ("Tokara Islands", "Where are the Tokara Islands located?"),
        ("Isle of Man", "Where is the Isle of Man located?"),
    ],
)
def test_the_number_of_the_verb(ask: Ask, label: str, question: str) -> None:
    assert ask("P131", item("Q1", label, CITY)) == question


@pytest.mark.parametrize(
    ("label", "question"),
    [
        ("Centers for Disease Control", "When were the Centers for Disease Control founded?"),
        # A college is named after a person.
        ("Jake Jabs College of Business", "When was the Jake Jabs College of Business founded?"),
        ("Berklee College of Music", "When was Berklee College of Music founded?"),
    ],
)
def test_the_article_of_a_school(ask: Ask, label: str, question: str) -> None:
    assert ask("P571", item("Q1", label, SCHOOL)) == question


@pytest.mark.parametrize(
    ("pid", "kind", "fact", "question"),
    [
        ("P127", COMPANY, DISSOLVED, "Name a present or former owner of Axis."),
        ("P127", COMPANY, "wdt:P31 wd:Q6881511", "Name a present or former owner of Axis."),
        ("P40", HUMAN, DISSOLVED.replace("P576", "P570"), "Name a child of Axis."),
        ("P159", COMPANY, about("company, 1901-1970"), "Where were the headquarters of Axis?"),
        ("P131", CITY, DISSOLVED, "Where is Axis located?"),  # the town is still there
        ("P131", "Q85482556", "wdt:P17 wd:Q183", "Where is the district of Axis located?"),
        ("P131", "Q23442", DISSOLVED, "Where was Axis located?"),
        # Another city is the capital now.
        ("P131", CITY, "wdt:P1366 wd:Q2", "Where is Axis located?"),
    ],
)
def test_the_tense_of_the_verb(ask: Ask, pid: str, kind: str, fact: str, question: str) -> None:
    assert ask(pid, item("Q1", "Axis", kind, fact, *WELL_KNOWN)) == question


@pytest.mark.parametrize(
    ("description", "facts", "question"),
    [
        (
            "American lawyer and politician",
            (),
            "When was Jay Inslee, the American politician, born?",
        ),
        # Others link to him.
        ("American politician", ("wd:Q2 wdt:P26 wd:Q1",) * 40, "When was Jay Inslee born?"),
        ("23rd governor of Washington", (), "When was Jay Inslee born?"),
        ("professional footballer", (), "When was Jay Inslee, the footballer, born?"),
        ("Kenyan-American actor", (), "When was Jay Inslee, the Kenyan-American actor, born?"),
        ("South Korean actor", (), "When was Jay Inslee, the South Korean actor, born?"),
        ("Greek professor", (), "When was Jay Inslee born?"),
        (
            "American actor, singer and drag queen",
            (),
            "When was Jay Inslee, the American actor and singer, born?",
        ),
        (
            "German historian and art historian",
            (),
            "When was Jay Inslee, the German art historian, born?",
        ),
        ("philatelist", (), "When was Jay Inslee born?"),
        ("British and director", (), "When was Jay Inslee born?"),
        (
            "American lawyer, statesman, and writer",
            (),
            "When was Jay Inslee, the American statesman and writer",
        ),
        (
            "American actor and film director",
            (),
            "When was Jay Inslee, the American actor and film director, born?",
        ),
        ("American music composer", (), "When was Jay Inslee, the American composer, born?"),
        ("Slovak president", (), "When was Jay Inslee born?"),  # he may be a former one
        ("American stage and film actor", (), "When was Jay Inslee, the American actor, born?"),
        (
            "American film and television director",
            (),
            "When was Jay Inslee, the American film and television director",
        ),
        (
            "American novelist and short story writer",
            (),
            "When was Jay Inslee, the American novelist, born?",
        ),
        ("American chemistry professor", (), "When was Jay Inslee born?"),  # of what?
        ("American quantum physicist", (), "When was Jay Inslee, the American physicist, born?"),
        ("American layout artist", (), "When was Jay Inslee born?"),  # an artist is another one
        ("American actor of stage", (), "When was Jay Inslee, the American actor, born?"),
        (
            "English film, stage and television actor",
            (),
            "When was Jay Inslee, the English actor, born?",
        ),
    ],
)
def test_who_little_known_people_are(
    ask: Ask, description: str, facts: tuple[str, ...], question: str
) -> None:
    links = "".join(f"{fact.replace('Q2 ', f'Q{n} ')}\n" for n, fact in enumerate(facts, 7000))
    text = ask("P569", item("Q1", "Jay Inslee", HUMAN, about(description)), links)
    assert text.startswith(question)


FACTS = tuple(f"wdt:P{pid} wd:Q{pid}" for pid in range(6000, 6028))
"""Statements of so many properties that a person is well known."""


@pytest.mark.parametrize(
    ("description", "facts", "is_known"),
    [
        ("American actor", FACTS, True),
        # Many races are no fame.
        ("American cyclist", [f"wdt:P1344 wd:Q{n}" for n in range(6000, 6050)], False),
        ("American politician, 3rd president of France", FACTS[:14], True),
        ("American poet, prime minister of the Republic of France (1990)", FACTS[:14], True),
        # Nobody knows the presidents of all countries.
        ("American politician, 3rd president of France", FACTS[:12], False),
        ("American jurist, president of the Supreme Court of France", [], False),
        ("American actress, daughter of Bo Lee, president of France", [], False),
    ],
)
def test_who_needs_no_description(
    ask: Ask, description: str, facts: Sequence[str], is_known: bool
) -> None:
    ann = item("Q1", "Ann Lee", HUMAN, about(description), *facts)
    question = ask("P569", item(FRANCE, "France", COUNTRY), ann)
    assert (question == "When was Ann Lee born?") is is_known


@pytest.mark.parametrize(
    ("description", "question"),
    [
        ("3rd President of France", "When was Ann Lee, the French politician, born?"),
        (
            "Prime Minister of France from 1990 to 1991",
            "When was Ann Lee, the French politician, born?",
        ),
        ("French jurist, president of France", "When was Ann Lee, the French politician, born?"),
    ],
)
def test_leaders_of_countries_are_politicians(ask: Ask, description: str, question: str) -> None:
    ann = item("Q1", "Ann Lee", HUMAN, about(description))
    assert ask("P569", item(FRANCE, "France", COUNTRY), ann) == question


def test_a_saint_is_not_called_a_saint(ask: Ask) -> None:
    assert ask("P569", item("Q1", "Saint Lee", HUMAN, about("saint"))) == "When was Saint Lee born?"


def test_women_are_actresses(ask: Ask) -> None:
    woman = item("Q1", "Ann Lee", HUMAN, about("Irish actor and poet"), f"wdt:P21 wd:{WOMAN}")
    assert ask("P569", woman) == "When was Ann Lee, the Irish actress and poet, born?"


@pytest.mark.parametrize(
    ("description", "credited", "facts", "who"),
    [
        # An actor of eight films, who wrote one of them.
        ("actor, screenwriter and engineer", {"P161": 8, "P58": 1}, (), "actor"),
        ("actor and screenwriter", {"P161": 8, "P58": 2}, (), "actor and screenwriter"),
        ("actor and screenwriter", {"P161": 3}, (), "actor and screenwriter"),  # few films
        ("actor and comedian", {"P161": 8}, (), "actor and comedian"),  # no work says so
        ("actor and singer", {"P161": 8}, (), "actor"),
        ("actor and singer", {"P161": 8}, ("wdt:P264 wd:Q900",), "actor and singer"),
        ("novelist and screenwriter", {"P58": 8}, (), "novelist and screenwriter"),
        # No film has this director, and many were edited by this person.
        ("film director and editor", {"P1040": 5}, (), "film editor"),
        ("film and theatre director and writer", {}, (), "film and theatre director and writer"),
        ("singer and actor", {"P161": 8}, (), "singer and actor"),  # works seldom credit singers
        ("film director and editor", {"P1040": 3}, (), "film director and editor"),  # few films
        ("film director and editor", {"P1040": 5, "P57": 1}, (), "film director and editor"),
    ],
)
def test_occupations_that_works_show(
    ask: Ask, description: str, credited: dict[str, int], facts: Sequence[str], who: str
) -> None:
    ann = item("Q1", "Ann Lee", HUMAN, about(f"Irish {description}"), *facts)
    works = [bearers(6000 + 50 * int(pid[1:]), n, pid, "Q1") for pid, n in credited.items()]
    assert ask("P569", ann, *works) == f"When was Ann Lee, the Irish {who}, born?"


@pytest.mark.parametrize(
    ("schools", "question"),
    [
        (("University of Axis",), "Where did Ann Lee study?"),
        (("Axis High School",), "Where did Ann Lee go to school?"),
        (("Axis High School", "Axis Grammar School"), "Where did Ann Lee go to school?"),
        (("Axis High School", "University of Axis"), "Where was Ann Lee educated?"),
    ],
)
def test_schools_and_universities(ask: Ask, schools: Sequence[str], question: str) -> None:
    named = [item(f"Q{n}", name, None) for n, name in enumerate(schools, 70)]
    ann = item("Q1", "Ann Lee", HUMAN, *(f"wdt:P69 wd:Q{n}" for n, _ in enumerate(schools, 70)))
    assert ask("P69", ann, *named, bearers(5000, 50, "P40", "Q1")) == question


def test_a_boarding_school_by_its_class(ask: Ask) -> None:
    school = item("Q70", "Axis", "Q269770")
    ann = item("Q1", "Ann Lee", HUMAN, "wdt:P69 wd:Q70")
    question = ask("P69", ann, school, bearers(5000, 50, "P40", "Q1"))
    assert question == "Where did Ann Lee go to school?"


def test_a_namesake_of_somebody_well_known(ask: Ask) -> None:
    ann = item("Q1", "Ann Lee", HUMAN, about("American actress"), *FACTS)
    other = item("Q2", "Ann Lee", HUMAN, about("French cyclist"))
    # She has more than ten times the statements of the cyclist, of whom nobody thinks.
    assert ask("P569", ann, other) == "When was Ann Lee born?"
    known = item("Q2", "Ann Lee", HUMAN, about("French cyclist"), *FACTS[:9])
    assert ask("P569", ann, known) == "When was Ann Lee, the American actress, born?"
    # A nationality is no answer to the question about the place, unless nothing else tells them.
    assert ask("P19", ann, known) == "Where was Ann Lee, the actress, born?"
    other = item("Q2", "Ann Lee", HUMAN, about("French actress"), *FACTS[:9])
    assert ask("P19", ann, other) == "Where was Ann Lee, the American actress, born?"


JUNIOR = item("Q2", "Ann Lee Jr.", HUMAN)
CHARACTER = "Q95074"


def test_a_father_and_a_son_of_one_name(ask: Ask) -> None:
    with pytest.raises(Rejected, match="a parent or a child"):
        ask("P569", item("Q1", "Ann Lee", HUMAN), JUNIOR)
    with pytest.raises(Rejected, match="a parent or a child"):  # the label lacks it
        ask("P569", item("Q1", "Ann Lee", HUMAN, alias("Ann Lee, Sr.")))
    # A famous person is meant by the name alone.
    links = tuple(f"wdt:P527 wd:Q{n}" for n in range(6000, 6050))
    assert ask("P569", item("Q1", "Ann Lee", HUMAN, *links), JUNIOR) == "When was Ann Lee born?"


def test_a_work_with_the_name_of_a_character(ask: Ask) -> None:
    series = item("Q1", "Spider-Man", "Q5398426", about("American animated television series"))
    with pytest.raises(Rejected, match="the name of a character"):
        ask("P170", series, item("Q2", "Spider-Man", CHARACTER))
    assert ask("P170", series, item("Q2", "Spider", CHARACTER)) == (
        'Who created the American animated television series "Spider-Man"?'
    )


@pytest.mark.parametrize(
    ("links", "question"),
    [
        (20, "When was Netflix founded?"),
        (2, "When was Netflix, the American broadcaster, founded?"),
    ],
)
def test_a_company_known_by_one_word(ask: Ask, links: int, question: str) -> None:
    facts = (f"wdt:P527 wd:Q{n}" for n in range(6000, 6000 + links))
    company = item("Q1", "Netflix", COMPANY, about("American broadcaster"), *facts)
    assert ask("P571", company) == question


@pytest.mark.parametrize(
    ("description", "occupations", "question"),
    [
        ("American scientist", ["chemist"], "When was Jay Inslee, the American chemist, born?"),
        # Occupations of an actor that a store lacks may be the usual ones.
        ("Japanese actor", ["voice actor"], "When was Jay Inslee, the Japanese actor, born?"),
        (
            "American actor",
            ["voice actor", "film actor"],
            "When was Jay Inslee, the American actor, born?",
        ),
        (
            "American politician",
            ["diplomat", "poet"],
            "When was Jay Inslee, the American politician, born?",
        ),
        # The description says another thing than two occupations: no noun is sure.
        ("American politician", ["novelist", "poet"], "When was Jay Inslee born?"),
    ],
)
def test_occupations_beside_a_description(
    ask: Ask, description: str, occupations: list[str], question: str
) -> None:
    named = [item(f"Q{n}", name, None) for n, name in enumerate(occupations, 8000)]
    facts = [f"wdt:P106 wd:Q{n}" for n in range(8000, 8000 + len(occupations))]
    jay = item("Q1", "Jay Inslee", HUMAN, about(description), *facts)
    assert ask("P569", jay, *named) == question


def test_somebody_of_whom_nothing_is_known(ask: Ask) -> None:
    others = [item(f"Q{n}", f"Name{n} Person{n}", HUMAN) for n in range(7000, 7110)]
    people = tuple(f"Q{n}" for n in range(7000, 7110))
    child = item("Q1", "Winfield Van Buren", HUMAN, about("(1839-1840)"))
    with pytest.raises(Rejected, match="nothing tells"):
        ask("P569", child, *others, people=people)
    # Only the relation says that it is a person.
    with pytest.raises(Rejected, match="nothing tells"):
        ask("P69", item("Q1", "Winfield Van Buren", None), *others, people=people)
    poet = item("Q1", "Winfield Van Buren", HUMAN, about("poet (1839-1840)"))
    question = "When was Winfield Van Buren, the poet, born?"
    assert ask("P569", poet, *others, people=people) == question


def test_towns_that_share_their_names(ask: Ask) -> None:
    american, french = (item("Q1", "Beaufort", CITY, f"wdt:P17 wd:{qid}") for qid in (USA, FRANCE))
    with pytest.raises(Rejected, match="Beaufort"):
        ask("P131", american)
    assert ask("P131", french) == "Where is Beaufort located?"
    assert ask("P131", american, bearers(5000, 10, "P131", "Q1")) == "Where is Beaufort located?"


def test_a_recurring_event_still_takes_place(ask: Ask) -> None:
    festival = "Q220505"  # film festival
    question = ask("P276", item("Q1", "Venice Film Festival", festival))
    assert question == "Where does the Venice Film Festival take place?"
    # A single edition, whose name has a number, is over.
    edition = ask("P276", item("Q1", "2011 Venice Film Festival", festival, "wdt:P31 wd:Q27968055"))
    assert edition == "Where did the 2011 Venice Film Festival take place?"


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


def test_the_name_of_a_place_does_not_say_where_it_is(ask: Ask) -> None:
    with pytest.raises(Rejected, match="names its region"):
        ask("P131", item("Q1", "Arena, Calabria", CITY))


def test_a_territory_is_not_located_in_what_it_belongs_to(ask: Ask) -> None:
    with pytest.raises(Rejected):
        ask("P131", item("Q1", "Axe Islands", CITY, "wdt:P31 wd:Q46395"))


def test_the_maker_of_a_film_without_its_company(ask: Ask) -> None:
    film = item("Q1", "Omen", FILM, about("1979 film by Ann Lee for Axis Films"))
    assert ask("P577", film) == 'When was the Ann Lee film "Omen" first released?'


@pytest.mark.parametrize("label", ["Guardia de Asalto", "La Cubana", "Arxiu Municipal de Girona"])
def test_names_of_institutions_in_other_languages(ask: Ask, label: str) -> None:
    with pytest.raises(Rejected) as rejected:
        ask("P112", item("Q1", label, COMPANY))
    assert rejected.value.args[0] == "unusual name"


def test_a_known_institution_keeps_its_name(ask: Ask) -> None:
    known = item("Q1", "Banco de Chile", COMPANY), bearers(5000, 10, "P108", "Q1")
    assert ask("P112", *known) == "Who founded Banco de Chile?"
    english = item("Q1", "Rio de Janeiro Museum", COMPANY)
    assert ask("P112", english) == "Who founded the Rio de Janeiro Museum?"


@pytest.mark.parametrize(
    ("label", "named"),
    [
        ("The University of Axis", "the University of Axis"),
        ("Faculty of Law of University of Axis", "the Faculty of Law of the University of Axis"),
    ],
)
def test_universities_in_a_sentence(ask: Ask, label: str, named: str) -> None:
    school = item("Q1", label, "Q3918")
    assert ask("P571", school).startswith(f"When was {named} ")


def test_a_word_with_an_article_says_as_little_as_a_word(ask: Ask) -> None:
    with pytest.raises(Rejected, match="same name"):
        ask("P571", item("Q1", "The World", "Q43229", about("English news programme")))
    assert ask("P740", item("Q1", "The Axes", "Q215380")) == "Where did The Axes form?"
