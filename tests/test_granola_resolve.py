"""Resolve names to items: by evidence, and by number only in the end."""

import random
from collections import Counter
from pathlib import Path

import pytest

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.files.records import FileAnswer, FileRecord, records
from kgbuild.datasets.granola.files.resolve import RESOLUTIONS, FileResolver, Resolved
from kgbuild.datasets.granola.files.templates import Templates
from kgbuild.graph.open import open_store
from kgbuild.rows import Rejection
from kgbuild.store.labels import items_named
from kgbuild.tables.files import read_file
from tests.conftest import data
from tests.test_granola_profile import CITY, FILM, HUMAN, TIME, alias
from tests.test_granola_profile import item as item_of

_REASONS = read_toml("datasets/granola/reasons.toml")

TEMPLATES = Templates(catalog().relations_of("granola"))
SCHOOL, BOOK = "Q3918", "Q571"


def item(number: int, label: str, kind: str | None = None, *facts: str) -> str:
    return item_of(f"Q{number}", label, kind, *facts)


@pytest.fixture
def resolver(store_of):
    """Return a function that loads items into a store and gives what resolves names by it."""

    def made(*items: str, score=None) -> FileResolver:
        store = store_of(*items)
        return FileResolver(store.knowledge(catalog().kinds), store.names, score)

    return made


def ask(
    resolver: FileResolver,
    question: str,
    *answers: str,
    subject: str | None = None,
    ids: tuple[str | None, ...] = (),
    relation: str | None = None,
) -> Resolved | Rejection:
    given = tuple(FileAnswer(text, ids[n] if ids else None) for n, text in enumerate(answers))
    record = FileRecord("r1", question, given, subject_qid=subject, relation=relation)
    return resolver.resolve(record)


def told(resolved: Resolved | Rejection) -> tuple[str, str | None, list[str | None], str]:
    """Return the relation, the subject, the answers' items and the rule."""
    assert isinstance(resolved, Resolved) and resolved.resolution in RESOLUTIONS
    answers = [answer.qid for answer in resolved.answers]
    return resolved.relation.pid, resolved.subject, answers, resolved.resolution


def reason(resolved: Resolved | Rejection) -> str:
    assert isinstance(resolved, Rejection) and resolved.reason in _REASONS["name"]
    assert resolved.candidate == "r1"
    return resolved.reason


BORN = "Where was Ann Lee born?"
PLACES = item(100, "Ulm", CITY) + item(101, "Bonn", CITY)

# Each rule, with a candidate of a smaller number that the rule passes over


@pytest.mark.parametrize(
    ("namesake", "meant", "rule"),
    [
        # Both were born somewhere: the one where the answer says.
        ([HUMAN, "wdt:P19 wd:Q101"], [HUMAN, "wdt:P19 wd:Q100"], "answer"),
        # Neither there: the one of whom the store says anything.
        ([HUMAN], [HUMAN, "wdt:P19 wd:Q101"], "relation"),
        # Of neither: the person, not what is no person, or nobody knows what.
        ([FILM], [HUMAN], "class"),
        ([None], [HUMAN], "class"),
        # What has the relation counts for more than the class.
        ([HUMAN], [None, "wdt:P19 wd:Q101"], "relation"),
    ],
)
def test_the_subject(resolver, namesake, meant, rule):
    store = resolver(PLACES, item(1, "Ann Lee", *namesake), item(2, "Ann Lee", *meant))
    assert told(ask(store, BORN, "Ulm")) == ("P19", "Q2", ["Q100"], rule)


def test_without_answers_the_store_has_them(resolver):
    store = resolver(
        PLACES,
        item(1, "Ann Lee", HUMAN),
        item(2, "Ann Lee", HUMAN, "wdt:P19 wd:Q101", "wdt:P19 wd:Q100", "wdt:P19 wd:Q999"),
    )
    results = ask(store, BORN)
    assert told(results) == ("P19", "Q2", ["Q100", "Q101"], "relation")
    assert [answer.text for answer in results.answers] == ["Ulm", "Bonn"]  # Q999 has no name


def test_the_name_that_is_nearest(resolver):
    store = resolver(
        item(1, "Bo", HUMAN, alias("Ann Lee")),  # an alias
        item(2, "ANN LEE", HUMAN),  # a label, but spelled otherwise
        item(3, "Ann Lee", HUMAN),
        item(100, "Ulm", CITY),
    )
    assert told(ask(store, BORN, "Ulm"))[1::2] == ("Q3", "name")
    # Two labels are spelled otherwise, and both come nearer than an alias.
    assert ask(store, "Where was ann lee born?", "Ulm") == (
        "r1",
        "several readings",
        "P19 (place of birth) of Q2 (ANN LEE) or P19 (place of birth) of Q3 (Ann Lee)",
    )


def test_of_fifty_namesakes_none_is_guessed(resolver):
    numbers = random.Random(0).sample(range(200, 999), 50)
    store = resolver(PLACES, *(item(n, "Ann Lee", HUMAN) for n in numbers))
    assert reason(ask(store, BORN, "Ulm")) == "several readings"
    assert reason(ask(store, BORN)) == "several readings"


def test_one_of_fifty_namesakes_by_the_answer(resolver):
    facts = {777: "wdt:P19 wd:Q100"}
    store = resolver(
        PLACES,
        *(item(n, "Ann Lee", HUMAN, facts.get(n, "wdt:P19 wd:Q101")) for n in range(750, 800)),
    )
    assert reason(ask(store, BORN, "Bonn", "ULM")) == "several readings"
    assert told(ask(store, BORN, "ULM")) == ("P19", "Q777", ["Q100"], "answer")


def test_descriptions_are_compared_last(resolver):
    compared = []

    def score(question, descriptions):
        compared.append((question, list(descriptions)))
        return [float("singer" in text) for text in descriptions]

    people = [
        item(1, "Ann Lee", HUMAN, 'schema:description "a painter"@en'),
        item(2, "Ann Lee", HUMAN),
        item(3, "Ann Lee", HUMAN, 'schema:description "a singer"@en'),
        item(4, "Ann Lee", FILM, 'schema:description "a singer on film"@en'),
    ]
    store = resolver(PLACES, *people, item(5, "Bo", HUMAN), score=score)
    assert told(ask(store, BORN, "Ulm"))[1::2] == ("Q3", "description")
    # The film is out of the question; of Bo, and of Ulm, there is only one.
    assert compared == [(BORN, ["a painter", "", "a singer"])]
    assert told(ask(store, "Where was Bo born?", "Ulm"))[1::2] == ("Q5", "class")
    assert len(compared) == 1


def test_of_equal_descriptions_none_is_guessed(resolver):
    store = resolver(
        item(8, "Ann Lee", HUMAN),
        item(7, "Ann Lee", HUMAN),
        item(100, "Ulm", CITY),
        score=lambda question, descriptions: [0.5] * len(descriptions),
    )
    assert reason(ask(store, BORN, "Ulm")) == "several readings"


def test_items_of_another_kind_without_the_relation_are_impossible(resolver):
    store = resolver(PLACES, item(1, "Two", "Q12136"), item(2, "Three"), item(3, "Bath", HUMAN))
    assert reason(ask(store, "Where was Two born?", "Ulm")) == "only the answer"
    # Nor is an item without any statement.
    assert reason(ask(store, "Where was Three born?", "Ulm")) == "only the answer"
    # So with answers: a person is no place of birth.
    assert reason(ask(store, "Where was Eva born?", "Bath")) == "unknown names"


# Relations


def test_the_class_of_the_subject_chooses_the_relation(resolver):
    question = "Where is Ulm located?"
    assert told(ask(resolver(item(100, "Ulm", CITY), PLACES), question, "Bonn"))[0] == "P131"
    # "location" is asked of anything, so the class tells nothing; "located in …" of places only.
    store = resolver(item(1, "Ulm", FILM), item(101, "Bonn", CITY))
    assert reason(ask(store, question, "Bonn")) == "only the answer"


def test_statements_choose_the_relation(resolver):
    town = item(1, "Ulm", CITY, "wdt:P131 wd:Q101")
    store = resolver(town, item(2, "Ulm", CITY, "wdt:P276 wd:Q100"), PLACES)
    question = "Where is ulm located?"
    assert told(ask(store, question, "Bonn")) == ("P131", "Q1", ["Q101"], "answer")
    assert told(ask(store, question, relation="P276")) == ("P276", "Q2", ["Q100"], "relation")


@pytest.mark.parametrize(
    ("fact", "of"), [("wdt:P40 wd:Q2", 1), ("wdt:P22 wd:Q1", 2), ("wdt:P25 wd:Q1", 2)]
)
def test_the_inverse_is_the_relation_too(resolver, fact, of):
    facts = {of: [fact]}
    people = [item(n, name, HUMAN, *facts.get(n, ())) for n, name in ((1, "Ann"), (2, "Bo"))]
    store = resolver(*people, item(3, "Bo", HUMAN))
    assert told(ask(store, "Who is Ann's child?", "Bo")) == ("P40", "Q1", ["Q2"], "answer")
    assert told(ask(store, "Who is Ann's child?")) == ("P40", "Q1", ["Q2"], "relation")


def test_implied_statements_are_no_values(resolver):
    # That a film was directed by somebody implies that she created it; but she is not said to
    # have, and an answer would have no evidence.
    store = resolver(item(1, "Dust", FILM, "wdt:P57 wd:Q2"), item(2, "Ann", HUMAN))
    assert reason(ask(store, "Who was Dust created by?")) == "no value"


@pytest.mark.parametrize(
    "text", ["22 March 1958", "march 22, 1958", "1958-03-22", "1958", "March 1958"]
)
def test_times(resolver, text):
    store = resolver(
        item(1, "Ann Lee", HUMAN, f"wdt:P569 {TIME.format('1961-05-05')}"),
        item(2, "Ann Lee", HUMAN, f"wdt:P569 {TIME.format('1958-03-22')}"),
        item(3, text),  # an item that is called so is no time
    )
    results = ask(store, "When was Ann Lee born?", text)
    assert told(results) == ("P569", "Q2", [None], "answer")
    assert results.answers == (FileAnswer(text, None),)


def test_times_that_the_store_has(resolver):
    store = resolver(item(1, "Ann Lee", HUMAN, f"wdt:P569 {TIME.format('1958-03-22')}"))
    results = ask(store, "When was Ann Lee born?")
    assert told(results) == ("P569", "Q1", [None], "relation")
    assert results.answers == (FileAnswer("22 March 1958", None),)
    assert reason(ask(store, "When did Ann Lee die?")) == "no value"
    # A date can be made coarser whoever was born then; other texts cannot.
    results = ask(store, "When was Bo born?", "22 March 1958")
    assert told(results) == ("P569", None, [None], "answer only")
    assert reason(ask(store, "When was Bo born?", "at noon")) == "unknown names"


# Answers


def test_answers_are_values_of_the_subject(resolver):
    # Q50 has the smaller number, and is somebody else's place of birth.
    store = resolver(
        item(50, "Ulm", CITY),
        PLACES,
        item(1, "Ann Lee", HUMAN, "wdt:P19 wd:Q100"),
        item(2, "Bo", HUMAN, "wdt:P19 wd:Q50"),
    )
    assert told(ask(store, BORN, "Ulm"))[2] == ["Q100"]


@pytest.mark.parametrize(
    ("other", "meant"),
    [
        ([CITY], [None]),  # Q60 is somebody's place of birth
        ([None], [CITY]),  # or the only place of that name
        ([HUMAN], [CITY]),
    ],
)
def test_the_item_of_an_answer_alone(resolver, other, meant):
    born = item(1, "Bo", HUMAN, "wdt:P19 wd:Q60") if meant == [None] else ""
    store = resolver(item(50, "Ulm", *other), item(60, "Ulm", *meant), born)
    assert store.item("Ulm", catalog().relations["P19"]) == "Q60"
    assert store.item("Atlantis", catalog().relations["P19"]) is None


ZOE = "Where was Zoë born?"


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("In which city was Zoë born?", ["Ulm"]),  # its class is called city
        ("In which Swabian town was Zoë born?", ["Ulm"]),  # its description has a word
    ],
)
def test_an_answer_without_a_subject_that_the_record_confirms(resolver, question, answers):
    ulm = [alias("Ulm on the Danube"), 'schema:description "swabian minster town"@en']
    store = resolver(item(100, "Ulm", CITY, *ulm), item(515, "city"))
    assert reason(ask(store, ZOE, "Ulm")) == "only the answer"
    results = ask(store, question, *answers, relation="P19")
    assert told(results) == ("P19", None, ["Q100"] * len(answers), "answer only")


def test_the_subject_is_no_answer_to_itself(resolver):
    store = resolver(item(1, "John Moore", HUMAN))
    assert told(ask(store, "Who is John Moore's child?", "John Moore"))[1:3] == ("Q1", [None])


def test_an_answer_that_is_not_there_stays_as_a_text(resolver):
    store = resolver(PLACES, item(1, "Ann Lee", HUMAN))
    results = ask(store, BORN, "Ulm", "Nowhere")
    assert results.answers == (FileAnswer("Ulm", "Q100"), FileAnswer("Nowhere", None))
    assert told(ask(store, BORN, "Nowhere")) == ("P19", "Q1", [None], "class")


def test_aliases_and_spellings(resolver):
    store = resolver(
        item(1, "Ann Lee", HUMAN, alias("A. Lee"), "wdt:P19 wd:Q100"),
        item(100, "Xi'an", CITY, alias("Chang'an")),
        item(2, '\\"Heroes\\"', BOOK, "wdt:P50 wd:Q1"),
    )
    assert told(ask(store, "where was  a. LEE born", "Xi’an")) == ("P19", "Q1", ["Q100"], "answer")
    assert told(ask(store, BORN, " CHANG’AN"))[2] == ["Q100"]
    assert told(ask(store, "Where was “Ann Lee” born?", "Xi’an"))[1::2] == ("Q1", "answer")
    # The quotes belong to the title, or are taken for quotes around it.
    for title in ("Heroes", '"Heroes"', "“Heroes”"):
        assert told(ask(store, f"Who wrote {title}?", "Ann Lee"))[1::2] == ("Q2", "answer")


# Names of one answer


def test_the_names_of_an_answer_are_linked_together(resolver):
    # "Pol" alone is an alias of Poland; but two other names are those of the stated occupation.
    store = resolver(
        item(1, "Ann Lee", HUMAN, "wdt:P106 wd:Q82"),
        item(82, "politician", None, alias("political leader")),
        item(36, "Poland", None, alias("pol")),
        item(2, "Bo", HUMAN, "wdt:P106 wd:Q36"),
    )
    question = "What kind of work does Ann Lee do?"
    results = ask(store, question, "politician", "political leader", "pol")
    # The third is no name of it in the store, so it stays a text.
    assert told(results) == ("P106", "Q1", ["Q82", "Q82", None], "answer")
    # Without a second name, a further text is an answer by itself, but no alias of an item.
    assert told(ask(store, question, "politician", "pol"))[2] == ["Q82", None]
    assert told(ask(store, question, "politician", "Poland"))[2] == ["Q82", "Q36"]


def test_names_of_several_answers(resolver):
    store = resolver(
        item(1, "Ann Lee", HUMAN, "wdt:P19 wd:Q10", "wdt:P19 wd:Q11"),
        item(10, "Ulm", CITY, alias("Ulm on the Danube")),
        item(11, "Bonn", CITY),
    )
    texts = ("Ulm", "Ulm on the Danube", "the old minster town", "Bonn", "Beethoven's town")
    assert told(ask(store, BORN, *texts))[2] == ["Q10", "Q10", None, "Q11", None]


# Questions in free wordings


FACTS = (
    item(1, "Ann Lee", HUMAN, "wdt:P19 wd:Q100", "wdt:P20 wd:Q100", "wdt:P69 wd:Q3"),
    item(3, "Swabian School of Arts", SCHOOL),
)


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Ann Lee's birthplace?", "Ulm", ("P19", "Q1", ["Q100"], "answer")),
        ("In which city did Ann Lee pass away?", "Ulm", ("P20", "Q1", ["Q100"], "answer")),
        (
            "Name the alma mater of Ann Lee.",
            "Swabian School of Arts",
            ("P69", "Q1", ["Q3"], "answer"),
        ),
    ],
)
def test_a_name_that_the_store_joins_to_an_answer(resolver, question, answer, expected):
    store = resolver(PLACES, *FACTS)
    assert told(ask(store, question, answer)) == expected
    relation, subject, qids, _ = expected
    assert told(ask(store, question)) == (relation, subject, qids, "relation")  # without answers


def test_a_longer_name_outweighs_a_name_in_it(resolver):
    film = item(4, "Ann Lee of Ulm", FILM, "wdt:P57 wd:Q5000")
    store = resolver(PLACES, *FACTS, film, item(5000, "Bo", HUMAN))
    results = ask(store, "Who was the director of Ann Lee of Ulm?", "Bo")
    assert told(results)[:2] == ("P57", "Q4")


@pytest.mark.parametrize(
    ("question", "answer", "why", "detail"),
    [
        ("What do Ann Lee and Ulm share?", "Ulm", "other relation", None),
        ("Which award did Ann Lee win?", "an Oscar", "not joined", None),
        ("Which award did Ann Lee win?", None, "no relation", None),  # she won none
    ],
)
def test_what_the_words_do_not_decide(resolver, question, answer, why, detail):
    results = ask(resolver(PLACES, *FACTS), question, *([answer] if answer else []))
    assert (reason(results), results.detail) == (why, detail or question)


@pytest.mark.parametrize(
    ("question", "answer", "relation"),
    [
        ("Who dreamed Ann Lee up?", "Bo", "P22"),  # Bo has no other relation to her
        ("Why Ann Lee?", "1990", "other relation"),  # many have the same year
        ("Who is the old captain of Ann Lee?", "Bo", "other relation"),  # two words too many
        ("When was the poet Ann Lee born?", None, "P569"),  # a word that says who she is
    ],
)
def test_words_that_do_not_name_the_relation(resolver, question, answer, relation):
    ann = item(
        1,
        "Ann Lee",
        HUMAN,
        "wdt:P22 wd:Q2",
        f"wdt:P569 {TIME.format('1990-05-03')}",
        'schema:description "German poet"@en',
    )
    result = ask(resolver(PLACES, ann, item(2, "Bo", HUMAN)), question, *filter(None, [answer]))
    if relation == "other relation":
        assert reason(result) == relation
    else:
        assert told(result)[:2] == (relation, "Q1")


def test_an_unknown_name_of_a_relation_does_no_harm_if_there_are_answers(resolver):
    store = resolver(PLACES, *FACTS)
    record = FileRecord(
        "r1", "Where was Ann Lee born?", (FileAnswer("Ulm", None),), relation="cradle town"
    )
    assert told(store.resolve(record))[:2] == ("P19", "Q1")
    assert reason(store.resolve(record._replace(answers=()))) == "unknown relation"


@pytest.mark.parametrize(
    ("subject", "relation", "expected"),
    [
        ("Ann Lee", "place of birth", ("P19", "Q1", ["Q100"], "relation")),
        ("ann lee", "P20", ("P20", "Q1", ["Q100"], "relation")),
        ("Ann Lee", None, ("P69", "Q1", ["Q3"], "relation")),  # by the words of the question
    ],
)
def test_columns_name_the_subject_and_the_relation(resolver, subject, relation, expected):
    store = resolver(PLACES, *FACTS)
    record = FileRecord("r1", "Her alma mater?", subject=subject, relation=relation)
    assert told(store.resolve(record)) == expected


@pytest.mark.parametrize(
    "question", ["which film did ann lee direct", "Which film was directed by Ann Lee?"]
)
def test_backward_questions(resolver, question):
    # The answer has the relation to what the question names.
    store = resolver(item(1, "Ann Lee", HUMAN), item(2, "Dust", FILM, "wdt:P57 wd:Q1"))
    result = ask(store, question, "Dust")
    assert (told(result), result.is_backward) == (("P57", "Q1", ["Q2"], "answer"), True)


def test_a_common_word_is_a_subject_if_it_is_joined(resolver):
    facts = ["wdt:P57 wd:Q2", "wdt:P495 wd:Q3"]
    store = resolver(
        item(1, "Crash", FILM, *facts),
        item(2, "Ann Lee", HUMAN),
        item(3, "Peru", "Q6256"),
        item(4, "country", None, "wdt:P495 wd:Q3"),
    )
    assert told(ask(store, "who directed crash", "Ann Lee"))[:3] == ("P57", "Q1", ["Q2"])
    # A word that asks for something is no subject.
    assert reason(ask(store, "what country did the film come from", "Peru")) == "unknown names"


def test_a_misspelt_subject_that_is_joined_to_the_answer(resolver):
    store = resolver(
        item(1, "Slumdog Millionaire", FILM, "wdt:P57 wd:Q2"), item(2, "Ann Lee", HUMAN)
    )
    assert told(ask(store, "who directed slumdog millionare", "Ann Lee"))[:2] == ("P57", "Q1")


# Ids


def test_ids_win_over_everything(resolver):
    store = resolver(
        PLACES, item(1, "Ann Lee", HUMAN, "wdt:P19 wd:Q100"), item(2, "Somebody", FILM)
    )
    assert told(ask(store, BORN, "Ulm", subject="Q2")) == ("P19", "Q2", ["Q100"], "given")
    assert told(ask(store, BORN, "Ulm", ids=("Q2",))) == ("P19", "Q1", ["Q2"], "relation")
    assert told(ask(store, BORN, subject="Q1")) == ("P19", "Q1", ["Q100"], "given")
    # An answer without a text takes the item's label.
    assert ask(store, BORN, "", ids=("Q101",)).answers == (FileAnswer("Bonn", "Q101"),)


def test_ids_that_are_not_in_the_store(resolver):
    store = resolver(PLACES, item(1, "Ann Lee", HUMAN, "wdt:P19 wd:Q100"))
    # The name is not looked up instead: the file says whom it means.
    assert reason(ask(store, BORN, "Ulm", subject="Q7")) == "only the answer"
    assert reason(ask(store, BORN, "Nowhere", subject="Q7")) == "unknown id"
    assert reason(ask(store, BORN, subject="Q7")) == "unknown id"
    assert told(ask(store, BORN, "Ulm", ids=("Q7",))) == ("P19", "Q1", [None], "relation")
    assert reason(ask(store, BORN, "", ids=("Q7",))) == "unknown id"
    # Q5 has no label here, but something is said of it.
    assert told(ask(store, BORN, "Ulm", subject="Q5"))[1] == "Q5"


# What cannot be resolved


@pytest.mark.parametrize(
    ("question", "relation", "why"),
    [
        ("Where was {subject} born?", None, "unknown names"),
        ("Where was born?", None, "unknown names"),
        ("", None, "unknown names"),
        ("Why is Ann Lee?", None, "not joined"),
        ("Why is Ann Lee?", "whyness", "not joined"),
        ("Why is Ann Lee?", "P19", "unknown names"),
        ("Where was \"}' OR 1=1 -- born?", None, "unknown names"),
        ("Where was a\x00b\x1b[31m born?", None, "unknown names"),
        ("Where was \udcff born?", None, "unknown names"),
        ("Where was %s_*?[x] born?", None, "unknown names"),
    ],
)
def test_a_question_that_cannot_be_resolved(resolver, question, relation, why):
    store = resolver(item(1, "Ann Lee", HUMAN))
    results = ask(store, question, "Nowhere", relation=relation)
    assert reason(results) == why
    assert results.detail == (relation if why == "unknown relation" else question)


@pytest.mark.parametrize("name", ['A "B" {C}', "a\\tb", "a\\\\b", "O'Neil’s", "{subject}", "%_*"])
def test_odd_names_are_resolved(resolver, name):
    store = resolver(PLACES, item(1, name.replace('"', '\\"'), HUMAN))
    read = name.replace("\\t", "\t").replace("\\\\", "\\")
    assert told(ask(store, f"Where was {read} born?", "Ulm"))[1] == "Q1"


def test_names_and_how_near_they_come(store_of):
    held = store_of(
        item(1, "Édith Piaf"),
        item(2, "edith  piaf", None, alias("Édith Piaf")),
        item(3, "Piaf", None, alias("EDITH PIAF")),
        'wd:P4 rdfs:label "Édith Piaf"@en',  # a property is no item
    )
    assert items_named(held.graph, held.names, " Édith Piaf ") == {
        "Q1": (False, False),
        "Q2": (False, True),  # nearer than its label
        "Q3": (True, True),
    }
    assert items_named(held.graph, held.names, "Edith") == {}


# The real slice


def test_entity_questions(real_store):
    """Hold the shares of EntityQuestions' development split, of each 18th record."""
    folder: Path = data("questions/entityquestions")
    with open_store(real_store) as store:
        knowledge = store.knowledge(catalog().kinds)
        resolver = FileResolver(knowledge, store.names)
        seen = Counter[str]()
        for file in sorted(folder.glob("*.json")):
            made = read_file(file)
            _, results, left, _ = records(file, made.columns, made.rows, {})
            seen["records"] += len(results)
            seen["asked before"] += len(left)
            for record in results[::18]:
                seen["read"] += 1
                of_file = catalog().relations[TEMPLATES.of_file(file.name)]
                fits = TEMPLATES.matches(record.question, [of_file])
                seen["recognised"] += len(fits) == 1
                resolved = resolver.resolve(record, file.name)
                is_resolved = isinstance(resolved, Resolved)
                seen["answers"] += is_resolved and any(a.qid for a in resolved.answers)
                golds = {answer.text for answer in record.answers}

                def agrees(qid, relation=fits[0].relation, golds=golds):
                    values = {*knowledge.statements.values(qid, relation.pid)}
                    for pid in catalog().mirrors(relation):
                        values.update(knowledge.statements.subjects(qid, pid))
                    return any(knowledge.labels.label(value) in golds for value in values)

                namesakes = items_named(store.graph, store.names, fits[0].mention or "")
                if any(
                    knowledge.labels.label(qid) == fits[0].mention and agrees(qid)
                    for qid in namesakes
                ):
                    hidden = resolver.resolve(record._replace(answers=()), file.name)
                    seen["together"] += 1
                    seen["resolved"] += bool(is_resolved and agrees(resolved.subject))
                    seen["hidden"] += isinstance(hidden, Resolved) and agrees(hidden.subject)
    assert seen["records"] + seen["asked before"] == 22_068
    assert seen["recognised"] == seen["read"]
    assert seen["together"] > 15
    assert seen["resolved"] >= 0.98 * seen["together"]
    assert seen["hidden"] >= 0.95 * seen["together"]
    # Most of the others know an answer only by name.
    assert seen["answers"] >= 285


@pytest.mark.parametrize(
    ("answer", "linked"),
    [
        ("Elmdale, Elmland", ["Q10"]),
        ("Elmdale, Oakland", [None]),  # it does not lie there
    ],
)
def test_an_answer_with_its_place(resolver, answer, linked):
    made = resolver(
        item(1, "Ann Lee", HUMAN, "wdt:P19 wd:Q10"),
        item(10, "Elmdale", "Q515", "wdt:P131 wd:Q11"),
        item(11, "Elmshire", "Q515", "wdt:P17 wd:Q12"),
        item(12, "Elmland", "Q6256"),
        item(13, "Oakland", "Q6256"),
    )
    result = ask(made, "What of Ann Lee?", answer, subject="Q1", relation="P19")
    assert isinstance(result, Resolved)
    assert [one.qid for one in result.answers] == linked
