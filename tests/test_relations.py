"""relations.toml and its reader."""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from itertools import chain, product
from pathlib import Path

import pytest

from kgbuild import catalog
from kgbuild.data_files import read_toml
from kgbuild.errors import RelationsFileError, WrongCallError
from kgbuild.relations import Relation
from kgbuild.tables.database import Database
from tests.conftest import ROOT, invoke, triples

KINDS = '[kinds.person]\nclasses = ["Q5"]\nsimilarity = ["P106"]\n'
RELATION = '[relations.P26]\nlabel = "spouse"\nsubject = ["person"]\nobject = ["person"]\n'
ASKED_FOR = [
    *("P26", "P40", "P22", "P25", "P3373", "P69", "P19", "P20"),
    *("P50", "P57", "P108", "P166", "P102", "P800", "P264", "P175"),
]


def syn_qa_templates(relation: Relation) -> list[str]:
    wordings = (wording.templates for wording in relation.wordings)
    return [*relation.syn_qa, *chain.from_iterable(wordings)]


def test_the_relations_that_were_promised_are_there() -> None:
    known = catalog.catalog().relations
    assert set(ASKED_FOR) <= set(known)
    assert len(known) >= 40
    assert all(len(relation.syn_qa) >= 3 for relation in catalog.catalog().relations_of("syn_qa"))


def test_people_are_alike_by_the_eight_properties_of_the_paper() -> None:
    # Appendix A: occupation, sex, place of birth, educated at, notable work, field, party, award.
    assert catalog.catalog().kinds["person"].similarity == (
        *("P106", "P21", "P19", "P69", "P800", "P101", "P102", "P166"),
    )


def test_properties_have_labels_whether_they_are_relations_or_not() -> None:
    known = catalog.catalog()
    assert (known.properties["P26"], known.properties["P569"]) == ("spouse", "date of birth")
    written = read_toml("relations.toml")
    assert not {*written["properties"]} & {*written["relations"]}  # each is said once


def test_nothing_is_wrong_with_the_file() -> None:
    assert catalog.catalog().faults == {}


@pytest.mark.parametrize("pid", catalog.catalog().relations)
def test_questions_ask_for_something_and_end_as_questions(pid: str) -> None:
    asking = re.compile(
        r"((At|By|For|From|In|On|With) )?([Ww]h(at|en|ere|ich|o|om|y)|[Hh]ow)\b.*\?$"
        r"|Name a .*\.$"
    )
    relation = catalog.catalog().relations[pid]
    for template in (*syn_qa_templates(relation), *relation.granola):
        assert asking.match(template), template


@pytest.mark.parametrize("pid", [one.pid for one in catalog.catalog().relations_of("syn_qa")])
def test_questions_suit_every_item_of_their_kinds(pid: str) -> None:
    relation = catalog.catalog().relations[pid]
    for template in syn_qa_templates(relation):
        # "they" is both items, never a person whose sex may be known; "he" is a father.
        before, *_ = re.split(r"\b(they|them|their)\b", template)
        assert before == template or ("{subject}" in before and "{object}" in before), template
        pronouns = {*re.findall(r"\b(he|she|his|her)\b", template)}
        assert pronouns <= {"P22": {"he"}, "P25": {"she"}}.get(pid, set()), template
        # Over two hops the subject is 'the director of "Alien"', which takes no 's.
        assert "}'" not in template and "siblings {" not in template, template
        # What has ended is asked about, too.
        assert not re.search(r"\b(has|have) been\b|^Since", template), template


def test_wordings_replace_at_least_three_questions_or_leave_items_out() -> None:
    for relation in catalog.catalog().relations.values():
        for wording in relation.wordings:
            assert len(wording.templates) >= 3 or not wording.templates
            assert len({*wording.templates}) == len(wording.templates)


def test_the_subject_decides_the_wording_before_the_object() -> None:
    capital = catalog.catalog().relations["P36"]
    assert capital.wording(["place", "county"], ["place", "city"]).name == "county"
    assert capital.wording(["place", "county"], ["place"]).templates[0] == (
        "When did {object} become the county seat of {subject}?"
    )
    assert capital.wording(["place", "shire"], ["place"]).templates == ()  # a county town
    assert capital.wording(["place", "country"], ["place"]).templates == ()  # far cities
    assert capital.wording(["place", "state"], ["place"]) == ("", capital.syn_qa)
    joined = catalog.catalog().relations["P463"]
    assert joined.wording(["person"], ["ensemble"]).name == "ensemble"


@pytest.mark.parametrize(
    ("kind", "label", "is_fit"),
    [
        ("instrument", "plucked string instrument", False),  # a class: which did she learn?
        ("instrument", "singing", False),
        ("instrument", "keyboard instrument", True),  # keyboards
        ("instrument", "guitar", True),
        ("language", "portuguese", False),
        ("language", "Portuguese", True),
        ("award", "Cannes Film Festival", False),
        ("award", "Palme d'Or", True),
    ],
)
def test_labels_that_name_no_single_thing(kind: str, label: str, is_fit: bool) -> None:
    assert catalog.catalog().kinds[kind].fits(label) == is_fit


def test_questions_of_a_relation_differ() -> None:
    for relation in catalog.catalog().relations.values():
        assert len(set(relation.syn_qa)) == len(relation.syn_qa)
        assert len(set(relation.granola)) == len(relation.granola)


def test_inverses_agree_with_each_other() -> None:
    known = catalog.catalog().relations
    for one, other in product(("P22", "P25"), ("P40",)):
        assert other in known[one].inverse and one in known[other].inverse


def test_what_says_the_same_as_a_relation() -> None:
    known = catalog.catalog().relations
    assert known["P26"].backward_properties == ("P26",)  # symmetric
    assert known["P40"].backward_properties == ("P22", "P25")  # inverse
    assert known["P108"].forward_properties == ("P108", "P1416")  # narrower


PHRASES = tomllib.loads((ROOT / "tests/cases/phrases.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", PHRASES)
def test_labels_stand_in_a_sentence_with_their_article(kind: str) -> None:
    shown = [[label, catalog.catalog().kinds[kind].phrase(label)] for label, _ in PHRASES[kind]]
    assert shown == PHRASES[kind]


def test_a_label_cannot_act_as_a_template() -> None:
    label = r"{label} \1 {subject}"
    assert catalog.catalog().kinds["screen"].phrase(label) == f'"{label}"'


def test_a_relation_or_a_path_is_found_by_label() -> None:
    known = catalog.catalog()
    assert known.relation(" Place of  Birth", "granola").pid == "P19"
    assert known.path("spouse/educated at").name == "P26/P69"
    assert (
        known.custom_relation("Spouse", lambda _: None, ["Does {subject} love {object}?"]).pid
        == "P26"
    )


def test_an_ambiguous_label_names_all() -> None:
    known = catalog.catalog()
    spouse = known.relations["P26"]
    relations = {**known.relations, "P451": replace(spouse, pid="P451")}
    with pytest.raises(WrongCallError, match="Several relations are called") as caught:
        replace(known, relations=relations).relation("spouse", "syn_qa")
    assert "called 'spouse': P26, P451." in str(caught.value)


@pytest.mark.parametrize(
    ("text", "where", "detail"),
    [
        ("[kinds.person", "the file", "Expected"),
        (KINDS + RELATION + 'inverse = ["Q5"]\n', "[relations.P26]", "'Q5'"),
        (
            KINDS + RELATION + 'syn_qa = ["When did {subject} marry?"]',
            "[relations.P26]",
            "{object}",
        ),
        (
            KINDS + RELATION + 'wordings = {person = ["Does {subject} exist?"]}',
            "[relations.P26]",
            "{object}",
        ),
        (KINDS + RELATION + "wordings = {people = []}", "[relations.P26]", "'people'"),
        (KINDS + RELATION + "wordings = {person = 3}", "[relations.P26]", "not a table"),
        (KINDS.replace("P106", "106"), "[kinds.person]", "'106'"),
        (KINDS + RELATION + 'biokalma_like = "P22"', "[relations.P26]", "'P22'"),
        (KINDS + "phrases = [['(', '{label}']]", "[kinds.person]", "pattern '('"),
        (KINDS + "phrases = [['a', 'b']]", "[kinds.person]", "{label}"),
        (
            '[kinds.a]\nsimilarity = ["P1","P2","P3","P4","P5","P6","P7","P8","P9"]',
            "[kinds.a]",
            "8",
        ),
        ('[properties]\nP1x = "a"', "[properties]", "'P1x'"),
    ],
)
def test_broken_files_are_told_where_and_why(text: str, where: str, detail: str) -> None:
    with pytest.raises(RelationsFileError) as caught:
        catalog.parse(text).relation("P26", "syn_qa")
    assert f": {where}: " in str(caught.value) and detail in str(caught.value)


OWN = """
[kinds.medicine]
classes = ["Q12140"]

[relations.P2175]
label = "medical condition treated"
subject = ["medicine"]
object = ["thing"]

[relations.P26]
granola = ["Whom did {subject} marry?"]
"""


def test_a_file_of_a_user_adds_and_overrides() -> None:
    base = catalog.catalog()
    text = (Path(catalog.__file__).parent / "relations.toml").read_text(encoding="utf-8")
    known = catalog.parse(text, OWN, "own.toml")
    # Its kinds are tried first: the last of the others fits all items.
    assert [*known.kinds] == ["medicine", *base.kinds]
    assert [*known.relations] == [*base.relations, "P2175"]
    spouse = replace(base.relations["P26"], granola=("Whom did {subject} marry?",))
    assert known.relations["P26"] == spouse
    assert known.properties["P2175"] == "medical condition treated"


def test_openings_of_another_relation() -> None:
    relations = catalog.catalog().relations
    assert relations["P451"].biokalma == relations["P26"].biokalma != ()
    own = '[relations.P451]\nbiokalma = ["How do {subject} and {object} get on?"]'
    text = (Path(catalog.__file__).parent / "relations.toml").read_text(encoding="utf-8")
    known = catalog.parse(text, own, "own.toml")
    assert known.relations["P451"].biokalma == ("How do {subject} and {object} get on?",)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ("[relation.P26]", "own.toml: [relation]: is unknown; is it [relations]?"),
        ("[relations.P26]\nlabel = 5", "own.toml: [relations.P26]: the key 'label' needs a text, "),
        (
            "[relations.P26]\ngranola = 'Who?'",
            "the key 'granola' needs a list of texts, not 'Who?'",
        ),
        ("[relations.P26]\nlater = ['1', 2]", "the key 'later' needs a list of numbers, not"),
        ("[relations.P26]\nsymmetric = 'no'", "the key 'symmetric' needs true or false, not 'no'"),
        (
            "[relations.P26]\nlable = 'a'",
            "own.toml: [relations.P26]: the key 'lable' is unknown; is ",
        ),
        ("[relations]\nP26 = 3", "own.toml: [relations.P26]: is not a table"),
        (
            "[relations.P9]\nlabel = 'a'",
            "own.toml: [relations.P9]: needs subject, object (subject and object are kinds: ",
        ),
        ("[relations.spouse]\nlabel = 'a'", "[relations.spouse]: 'spouse' is not the id of a prop"),
        ("[relations.P26]\nobject = ['plase']", "the kind 'plase' is unknown; is it 'place'?"),
        ("[relations.P26]\nshared = ['P9']", "own.toml: [relations.P26]: names 'P9', which is not"),
        ("[kinds.person]\nunfit = ['(']", "own.toml: [kinds.person]: the pattern '('"),
        ("[properties]\nx = 'a'", "own.toml: [properties]: 'x' is not the id of a property"),
        (
            "[kinds.element]\nclasses = ['11344']",
            "own.toml: [kinds.element]: the key 'classes': '11344' is not the id of an item",
        ),
        (
            "[relations.P26]\nevident = ['P27/37']",
            "own.toml: [relations.P26]: the key 'evident': 'P27/37' is not a path of properties",
        ),
        ("[", "own.toml: the file: "),
    ],
)
def test_an_error_in_the_file_of_a_user_names_it(own: str, message: str) -> None:
    text = (Path(catalog.__file__).parent / "relations.toml").read_text(encoding="utf-8")
    with pytest.raises(RelationsFileError) as caught:
        catalog.parse(text, own, "own.toml")
    assert message in str(caught.value)


LAW = """
[kinds.law]
classes = ["Q7748", "Q7755"]
phrases = [['^(Constitution|Basic Law)\\b', "the {label}"]]

[relations.P1001]
label = "applies to jurisdiction"
subject = ["law"]
object = ["place"]
granola = ["In which jurisdiction does {subject} apply?"]
"""
LAWS = """
wd:Q11698 rdfs:label "Constitution of the United States"@en
wd:Q11698 wdt:P31 wd:Q7755
wd:Q11698 wdt:P1001 wd:Q60
wd:Q56045 rdfs:label "Basic Law for the Federal Republic of Germany"@en
wd:Q56045 wdt:P31 wd:Q7755
wd:Q56045 wdt:P1001 wd:Q64
wd:Q12519 rdfs:label "Magna Carta"@en
wd:Q12519 wdt:P31 wd:Q7748
wd:Q12519 wdt:P1001 wd:Q84
wd:Q60 rdfs:label "New York City"@en
wd:Q60 wdt:P31 wd:Q515
wd:Q60 wdt:P17 wd:Q30
wd:Q64 rdfs:label "Berlin"@en
wd:Q64 wdt:P31 wd:Q515
wd:Q64 wdt:P17 wd:Q183
wd:Q84 rdfs:label "London"@en
wd:Q84 wdt:P31 wd:Q515
wd:Q84 wdt:P17 wd:Q145
wd:Q1297 rdfs:label "Chicago"@en
wd:Q1297 wdt:P31 wd:Q515
wd:Q1297 wdt:P17 wd:Q30
wd:Q901 wdt:P31 wd:Q7755
wd:Q901 wdt:P1001 wd:Q1297
wd:Q1726 rdfs:label "Munich"@en
wd:Q1726 wdt:P31 wd:Q515
wd:Q1726 wdt:P17 wd:Q183
wd:Q902 wdt:P31 wd:Q7755
wd:Q902 wdt:P1001 wd:Q1726
wd:Q18125 rdfs:label "Manchester"@en
wd:Q18125 wdt:P31 wd:Q515
wd:Q18125 wdt:P17 wd:Q145
wd:Q903 wdt:P31 wd:Q7755
wd:Q903 wdt:P1001 wd:Q18125
wd:Q30 rdfs:label "United States of America"@en
wd:Q30 wdt:P31 wd:Q6256
wd:Q30 wdt:P17 wd:Q30
wd:Q183 rdfs:label "Germany"@en
wd:Q183 wdt:P31 wd:Q6256
wd:Q183 wdt:P17 wd:Q183
wd:Q145 rdfs:label "United Kingdom"@en
wd:Q145 wdt:P31 wd:Q6256
wd:Q145 wdt:P17 wd:Q145
wd:Q515 rdfs:label "city"@en
wd:Q6256 rdfs:label "country"@en
wd:Q1 rdfs:label "Union of Cities"@en
wd:Q1 wdt:P31 wd:Q43229
wd:Q1 wdt:P1001 wd:Q64
wd:Q2 rdfs:label "Disc of Laws"@en
wd:Q2 wdt:P31 wd:Q3
wd:Q2 wdt:P1001 wd:Q64
wd:Q4 rdfs:label "Statutes of the Union"@en
wd:Q4 wdt:P31 wd:Q7748
wd:Q4 wdt:P1001 wd:Q1
wd:Q5613 rdfs:label "edict of tolerance"@en
wd:Q5613 wdt:P31 wd:Q7748
wd:Q5613 wdt:P1001 wd:Q84
wd:Q7748 rdfs:label "law"@en
wd:Q7755 rdfs:label "constitution"@en
"""


def test_a_relation_of_a_user_is_about_its_kinds(
    make_store: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "law.toml").write_text(LAW)
    store, db = make_store(triples(LAWS)), tmp_path / "law.duckdb"
    options = ("--store", str(store), "--db", str(db), "--relations", "P1001")
    done = invoke(tmp_path, "--relations-file", "law.toml", "granola", *options)
    assert done.returncode == 0, done.stderr
    made = Database(db)
    asked = {row["question"] for row in made.rows("granola_questions")}
    assert asked == {
        f"In which jurisdiction does {name} apply?"
        for name in (
            "Magna Carta",
            "the Constitution of the United States",
            "the Basic Law for the Federal Republic of Germany",
            "edict of tolerance",
        )
    }
    reasons = {row["candidate"]: row["reason"] for row in made.rows("rejections")}
    # An organisation, an item of no kind, and a law whose place is an organisation.
    assert [reasons[f"{qid} P1001"] for qid in ("Q1", "Q2", "Q4")] == ["wrong kind"] * 3
    (build,) = made.rows("builds")
    digest = hashlib.sha256(LAW.encode()).hexdigest()
    assert json.loads(build["options"])["relations_file"] == {"name": "law.toml", "sha256": digest}
    # The next command knows no such relation.
    assert invoke(tmp_path, "granola", *options).returncode == 2


def test_what_is_wrong_with_one_relation_spoils_no_other() -> None:
    good = RELATION.replace("P26", "P40")
    refers = RELATION.replace("P26", "P22") + "shared = ['P26']\n"
    again = RELATION.replace("P26", "P25") + "broader = ['P22']\n"
    known = catalog.parse(KINDS + RELATION + "inverse = ['Q5']\n" + good + refers + again)
    assert list(known.relations) == ["P40"]
    # Who refers to it, and who refers to that one, would be half a relation.
    assert {pid: str(error).split(": ")[1] for pid, error in known.faults.items()} == {
        "P26": "[relations.P26]",
        "P22": "[relations.P22]",
        "P25": "[relations.P25]",
    }
    assert "'P26'" in str(known.faults["P22"]) and "'P22'" in str(known.faults["P25"])
