"""The names by which replies call the true answers to a question."""

from collections.abc import Iterable, Iterator
from itertools import filterfalse

from kgbuild.datasets.granola.gazetteer import Gazetteer
from kgbuild.datasets.granola.kind_words import in_asked_kind
from kgbuild.datasets.granola.name_forms import (
    TYPES,
    forms_of_coarser,
    forms_of_person,
    forms_of_thing,
    nicknames,
    spellings_of,
)
from kgbuild.datasets.granola.regions import bare_name
from kgbuild.datasets.granola.reply_words import with_and, without_variants
from kgbuild.datasets.granola.school_parts import name_of_high_school, person_of_school
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from kgbuild.datasets.granola.wider_aliases import wider_aliases
from kgbuild.evaluate.text_metrics import normalise

_SCHOOL = "P69"


def names_by_level(answers: Iterable[TrueAnswer]) -> dict[str, TrueAnswer]:
    """Return the answers by their normalised names; the finest answer with a name wins.

    The text of an answer takes precedence over an alias of another answer.
    """
    ordered = sorted(answers, key=lambda answer: answer.level)
    by_name: dict[str, TrueAnswer] = {}
    for answer in ordered:
        by_name.setdefault(normalise(answer.text), answer)
    for answer in ordered:
        for alias in answer.aliases:
            by_name.setdefault(normalise(alias), answer)
    return by_name


def true_names(truth: Truth, gazetteer: Gazetteer) -> dict[str, TrueAnswer]:
    """Return the true answers by their normalised names, with shorter names that people use.

    A shorter name that is another answer to the relation is left out.
    """
    names = {
        without_variants(name): answer
        for name, answer in names_by_level(truth.answers).items()
        if name and without_variants(name) not in TYPES  # "The U" is "university"
    }
    question, is_person = set(normalise(truth.question).split()), truth.is_person
    subject = {normalise(word) for word in truth.question.split()[1:] if word[0].isupper()}
    types = TYPES | {
        word
        for answer in truth.answers
        if "class" in answer.kind
        for text in answer.names
        for word in normalise(text).split()
    }
    for answer in truth.answers:
        for name in answer.names:
            if answer.level > 1:
                others = [*forms_of_coarser(name), *nicknames(name)]
            elif is_person:
                others = [*forms_of_person(name, answer, truth.relation, question)]
            else:
                others = [*forms_of_thing(name, types, truth.relation), *nicknames(name)]
                others += _names_of_school(name, truth.relation, gazetteer)
                usual = (normalise(with_and(name)), *in_asked_kind(name, truth.relation))
                for form in filterfalse(TYPES.__contains__, map(without_variants, usual)):
                    names.setdefault(form, answer)
            for short in (*others, *spellings_of(name)):
                form = without_variants(short)
                is_subject = {*short.split()} == subject or form in TYPES
                if not is_subject and not gazetteer.is_answer(short, truth.relation):
                    names.setdefault(form, answer)
    return _without_wider(names, truth) | _of_namesakes(truth)


def _without_wider(names: dict[str, TrueAnswer], truth: Truth) -> dict[str, TrueAnswer]:
    """Return names where those of areas around the finest answer are of the next coarser one."""
    wider = {name for answer in truth.answers for name in wider_aliases(answer)}
    if not wider:
        return names
    coarser = [answer for answer in truth.answers if answer.level > 1 and answer.kind == "place"]
    around = min(coarser, key=lambda answer: answer.level, default=None)
    kept = {name: answer for name, answer in names.items() if name not in wider or answer.level > 1}
    return kept | dict.fromkeys(wider - kept.keys(), around) if around else kept


def _names_of_school(name: str, relation: str, gazetteer: Gazetteer) -> Iterator[str]:
    """Yield "stella adler" for her studio of acting, if it is no place, and "new trier"."""
    if relation != _SCHOOL:
        return
    person = person_of_school(name)
    last = person.rpartition(" ")[2]
    is_people = last in gazetteer.people
    if person and not (is_people or gazetteer.is_place(last) or gazetteer.is_place(person)):
        yield person
    town = name_of_high_school(name)
    if town and not gazetteer.is_place(town):
        yield town


def _of_namesakes(truth: Truth) -> dict[str, TrueAnswer]:
    """Return the names that a town has in other languages, as the area that is called by it has.

    If Berne is a name of the Canton of Bern, it is also one of Bern.
    """
    golds = {normalise(answer.text): answer for answer in truth.answers if answer.level == 1}
    return {
        name: golds[bare_name(area.text)]
        for area in truth.answers
        if area.level > 1 and area.kind == "place" and bare_name(area.text) in golds
        for name in map(normalise, area.aliases)
        if " " not in name and name == bare_name(name)
    }
