"""words.toml of BioKaLMA: how properties are said and asked."""

import itertools
import re
import tomllib
from collections import Counter
from typing import Any

import pytest

from kgbuild.data_files import read_text
from kgbuild.datasets.biokalma.questions.clauses import Predicate, Subject, needs_tense
from kgbuild.datasets.biokalma.questions.lexicon import OTHER, PropertyWording, lexicon
from kgbuild.datasets.biokalma.questions.paragraphs import write_paragraph
from kgbuild.datasets.biokalma.questions.wording import write_specific_question
from kgbuild.english.templates import in_tense
from kgbuild.wikidata import parse_property

TEXT = read_text("datasets/biokalma/words.toml")
FILE: dict[str, Any] = tomllib.loads(TEXT)
WORDINGS = lexicon().properties
SAID = {pid: wording for pid, wording in WORDINGS.items() if wording.says}
ASKED = {pid: wording for pid, wording in WORDINGS.items() if wording.asks}
SUBJECT = re.compile(r"\{(?:he|him|his)\}")
OPENING = "What [joined|joins] {subject} and {object}?"
BESIDE = Subject("Ann Other")
SUBJECTS = [
    Subject("Ann Lee", "she", is_past=True),
    Subject("Tom Hill", "he"),
    Subject("Kim Park"),
    Subject('"Alien"', "it"),
]


def test_the_usual_properties_have_words_or_are_silent() -> None:
    assert len(ASKED) >= 168
    assert not {*WORDINGS} - {*ASKED} - lexicon().unasked
    assert {*("P19", "P20", "P106", "P166", "P57", "P127", "P190")} <= {*WORDINGS}
    assert {*("P31", "P21", "P735", "P734", "P1343", "P910")} <= lexicon().silent


def test_ids_are_those_of_properties_and_each_is_said_once() -> None:
    silent = FILE["silent"]
    named = [pid for table in FILE["properties"].values() for pid in table.get("implied_by", ())]
    together = [pid for *pids, _ in FILE["together"] for pid in pids]
    for pid in [*silent, *FILE["properties"], *named, *together]:
        assert parse_property(pid) == pid
    assert len({*silent}) == len(silent)
    assert not {*silent} & {*FILE["properties"]}
    assert {*together} <= {*FILE["properties"]}


def test_every_name_has_a_theme_and_is_used() -> None:
    names = lexicon().names
    topics = {wording.topic for wording in WORDINGS.values()}
    themes = {name.theme for name in names.values()}
    # What has no words of its own has the topic OTHER.
    assert topics | {OTHER} <= {*names} <= topics | themes | {OTHER}
    assert names["birthdate"].theme == "origins" and names["health"].theme == "health"


def test_questions_of_names_are_about_both_subjects() -> None:
    for key, name in lexicon().names.items():
        assert bool(name.asks) == (name.theme == key), key
        for asks, is_past in itertools.product(name.asks, (True, False)):
            assert len(SUBJECT.findall(in_tense(asks, is_past))) == 1, key


def test_a_question_about_both_needs_a_tense_only_if_that_about_one_does() -> None:
    # Candidates without a tense are judged by the question about one subject.
    for pid, wording in WORDINGS.items():
        assert not needs_tense(wording.asks_both) or needs_tense(wording.asks), pid


def test_a_question_without_tense_has_an_answer_without_tense() -> None:
    # For people of whom no death is stated, the sentence may not guess what the question leaves.
    # Kinship has no time: a dead man is still a brother.
    for pid, wording in ASKED.items():
        is_of_people = lexicon().theme(pid, width=2) == "person"
        if is_of_people and not needs_tense(wording.asks) and pid != "P3373":
            assert not needs_tense(wording.says), pid


def test_nothing_is_asked_in_part() -> None:
    for pid, wording in WORDINGS.items():
        nouns = [*wording.noun, *(noun for kind in wording.kinds for noun in kind[1:])]
        assert not any(noun.endswith(" of") or noun == "of" for noun in nouns), pid
        assert "one of" not in wording.asks, pid
        assert not wording.any_number or not wording.noun, pid
        assert not wording.kinds or wording.noun, pid


def test_every_group_has_several_properties() -> None:
    # A slip of the pen would make a group of its own, and two pieces would say the same.
    groups = Counter(name for one in WORDINGS.values() for name in {one.group, one.implies_group})
    assert min(groups.values()) > 1


def test_a_question_names_the_subject_once_and_never_the_value() -> None:
    for pid, wording in ASKED.items():
        asks = wording.asks
        assert len(SUBJECT.findall(asks)) == 1, pid
        assert "{value}" not in asks, pid
        assert asks[0].islower() or asks[0] == "<", pid
        assert not asks.endswith("?"), pid


def test_a_sentence_names_the_subject_and_the_value_once() -> None:
    for pid, wording in SAID.items():
        says = wording.says
        assert len(SUBJECT.findall(says)) == 1, pid
        assert says.count("{value}") == 1, pid
        assert "{what}" not in says, pid
        assert not says.endswith("."), pid


def test_questions_name_the_kind_of_values_where_needed() -> None:
    for pid, wording in ASKED.items():
        assert bool(wording.noun) == ("{what}" in wording.asks), pid
        assert len(wording.noun) in (0, 2), pid  # one, and several
        assert wording.value_form in ("", "a", "the"), pid


@pytest.mark.parametrize("values", [("X",), ("X", "Y")])
@pytest.mark.parametrize("subject", SUBJECTS)
def test_nothing_of_a_template_is_left_in_a_text(subject: Subject, values: tuple[str, ...]) -> None:
    for pid, wording in ASKED.items():
        if len(values) > 1 and not (wording.noun or wording.any_number):
            continue  # it is asked where it has one value only
        said = Predicate(pid, wording, values)
        asked = write_specific_question(OPENING, [(subject, [said]), (BESIDE, [])])
        for text in (write_paragraph([(subject, [said])]), asked):
            assert subject.name in text, pid
            assert not {*"{}<>[]()|"} & {*text}, text
            assert "  " not in text, text
            assert " ." not in text, text
            assert " ?" not in text, text


def test_no_two_properties_have_one_question() -> None:
    # A reader must know which property is meant.
    asked: dict[str, str] = {}
    for pid, wording in ASKED.items():
        asks = _asked(wording)
        assert asks not in asked, f"{pid} and {asked[asks]}: {asks}"
        asked[asks] = pid


def _asked(wording: PropertyWording) -> str:
    about = [(SUBJECTS[1], [Predicate("P1", wording, ("X",))]), (BESIDE, [])]
    return write_specific_question(OPENING, about)


@pytest.mark.parametrize("together", lexicon().together)
def test_two_properties_together_have_a_sentence(together: tuple[str, str, str]) -> None:
    *pids, says = together
    for place in (SUBJECT.pattern, r"\{value\}", r"\{second\}"):
        assert len(re.findall(place, says)) == 1
    both = [Predicate(pid, WORDINGS[pid], ("X",)) for pid in pids]
    for subject in SUBJECTS:
        assert not {*"{}<>[]()|"} & {*write_paragraph([(subject, both)])}
