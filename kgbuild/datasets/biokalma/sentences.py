"""Fill the templates of the lexicon: sentences, paragraphs and the two questions."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from kgbuild.datasets.biokalma.lexicon import Lexicon, Wording
from kgbuild.english.templates import closed, fill

# Choices in a template.
# By number: <one|several>. By tense: [past|present]. By sex: (man|woman|other).
_NUMBER = re.compile(r"<([^<>|]*)\|([^<>|]*)>")
_TENSE = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")
_SEX = re.compile(r"\(([^()|]*)\|([^()|]*)\|([^()|]*)\)")
_PLACEHOLDER = re.compile(r"\{\w+\}")
_NUMBER_WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_SUBJECT_START = "{he} "
"""The beginning of a template whose subject can be left out after "and"."""
_MAX_CLAUSES = 4
"""Maximum number of clauses in a sentence: longer sentences are hard to read."""
_PRONOUNS = {
    "he": {"{he}": "he", "{him}": "him", "{his}": "his"},
    "she": {"{he}": "she", "{him}": "her", "{his}": "her"},
    "it": {"{he}": "it", "{him}": "it", "{his}": "its"},
}
_PRONOUNS_OF_SEXES = ("he", "she")
"""The pronouns in the order of a choice by sex; all other subjects get its third text."""


def _by_name(name: str) -> Mapping[str, str]:
    """Return the values of a subject's placeholders if it is referred to by name."""
    return {"{he}": name, "{him}": name, "{his}": f"{name}'s"}


class Subject(NamedTuple):
    """How sentences refer to a subject.

    ``name`` is the label as sentences write it. ``pronoun`` is he, she or it, and empty if unknown.
    ``short_name`` is the name in later mentions that have no pronoun. ``is_past`` is whether the
    subject is dead or has ended; None if unknown.
    """

    name: str
    pronoun: str = ""
    is_past: bool | None = False
    short_name: str = ""

    def later_mention(self, is_clear: bool) -> Mapping[str, str]:
        """Return the values of the subject's placeholders after its first mention.

        ``is_clear`` is whether a pronoun can only refer to this subject.
        """
        if is_clear and self.pronoun in _PRONOUNS:
            return _PRONOUNS[self.pronoun]
        return _by_name(self.short_name or self.name)


class Predicate(NamedTuple):
    """A property and its values, as sentences write them.

    ``of_people`` is whether a value is a person: then a later pronoun might refer to this person.
    """

    pid: str
    wording: Wording
    values: tuple[str, ...]
    of_people: bool = False


Description: TypeAlias = tuple[Subject, Sequence[Predicate]]
"""A subject with predicates about it."""


class _Clause(NamedTuple):
    """A template and the one or two predicates that fill it."""

    template: str
    predicates: tuple[Predicate, ...]

    @property
    def is_clear(self) -> bool:
        """Whether a pronoun after the clause can only refer to the subject."""
        return not any(predicate.of_people for predicate in self.predicates)

    @property
    def can_continue(self) -> bool:
        """Whether "and" and another clause can follow: not after "Dublin, Ohio"."""
        values = (value for predicate in self.predicates for value in predicate.values)
        return self.template.startswith(_SUBJECT_START) and not any(
            ", " in value for value in values
        )


def write_paragraph(lexicon: Lexicon, descriptions: Sequence[Description]) -> str:
    """Return a paragraph that states the predicates of each subject in turn.

    A subject is first mentioned by name, later by its pronoun if that is known. Two sentences
    with the same subject are joined by "and".
    """
    return " ".join(
        text
        for subject, predicates in descriptions
        for text in _sentences(lexicon, subject, predicates)
    )


def _sentences(
    lexicon: Lexicon, subject: Subject, predicates: Sequence[Predicate]
) -> Iterator[str]:
    """Yield the sentences about a subject, of one or two clauses each."""
    clauses = _clauses(lexicon, predicates, "says")
    naming: Mapping[str, str] = _by_name(subject.name)
    while clauses:
        first = clauses.pop(0)
        text = _render(first, subject, naming)
        last = first
        if clauses and first.can_continue and clauses[0].template.startswith(_SUBJECT_START):
            last = clauses.pop(0)
            second = last._replace(template=last.template.removeprefix(_SUBJECT_START))
            text = f"{text} and {_render(second, subject, subject.later_mention(first.is_clear))}"
        naming = subject.later_mention(first.is_clear and last.is_clear)
        yield _capitalise(text) + ("" if text.endswith(".") else ".")


def write_specific_question(
    lexicon: Lexicon, opening: str, descriptions: Sequence[Description]
) -> str:
    """Return the question that asks for each predicate.

    ``opening`` is the template of its first sentence, which names the two subjects.
    """
    questions = [_name_both(opening, descriptions, {})]
    for subject, predicates in descriptions:
        clauses = _clauses(lexicon, predicates, "asks")
        for start in range(0, len(clauses), _MAX_CLAUSES):
            group = clauses[start : start + _MAX_CLAUSES]
            # A clause has a pronoun if it is clear after the clause before.
            later = [subject.later_mention(clause.is_clear) for clause in group[:-1]]
            namings = [_by_name(subject.name), *later]
            texts = [
                _render(clause, subject, naming)
                for clause, naming in zip(group, namings, strict=True)
            ]
            questions.append(_capitalise(_join(texts)) + "?")
    if len(questions) > 2:
        questions[-1] = f"And {questions[-1][0].lower()}{questions[-1][1:]}"
    return " ".join(questions)


def write_clause(
    subject: Subject, predicate: Predicate, naming: Mapping[str, str] | None = None
) -> str:
    """Return a predicate as a clause, without capital letter and full stop.

    ``naming`` has the values of the subject's placeholders, as ``Subject.later_mention`` returns
    them; by default the name.
    """
    clause = _Clause(predicate.wording.says, (predicate,))
    return _render(clause, subject, naming or _by_name(subject.name))


def _clauses(
    lexicon: Lexicon, predicates: Sequence[Predicate], form: Literal["says", "asks"]
) -> list[_Clause]:
    """Return the clauses of predicates, in their order.

    A joint template makes one clause of two predicates, in the place of the first one.
    """
    single = {predicate.pid: predicate for predicate in predicates}
    clauses = {
        pid: _Clause(getattr(predicate.wording, form), (predicate,))
        for pid, predicate in single.items()
    }
    for joint in lexicon.together:
        template = getattr(joint, form)
        pair = [single.get(pid) for pid in joint.properties]
        if template and all(predicate and len(predicate.values) == 1 for predicate in pair):
            first, second = joint.properties
            clauses[first] = _Clause(template, (single.pop(first), single.pop(second)))
            del clauses[second]
    return list(clauses.values())


def write_general_question(
    lexicon: Lexicon, template: str, descriptions: Sequence[Description]
) -> str:
    """Return the question that names only the topics of predicates: "A's origins and career"."""
    texts = []
    for subject, predicates in descriptions:
        if predicates:
            topics = (lexicon.topics[predicate.wording.topic] for predicate in predicates)
            texts.append(f"{subject.name}'s {_join([*dict.fromkeys(topics)])}")
    conjunction = ", and " if any(" and " in text for text in texts) else " and "
    return _name_both(template, descriptions, {"{topics}": conjunction.join(texts)})


def _name_both(template: str, descriptions: Sequence[Description], texts: Mapping[str, str]) -> str:
    """Fill a template that names both subjects, in the past tense if either is past.

    ``texts`` has the values of further placeholders.
    """
    (first, _), (second, _) = descriptions
    is_past = first.is_past or second.is_past
    text = _TENSE.sub(lambda match: match[1 if is_past else 2], template)
    return fill_names(text, {"{subject}": first.name, "{object}": second.name, **texts}, texts)


def fill_names(template: str, texts: Mapping[str, str], without_comma: Collection[str] = ()) -> str:
    """Fill the placeholders of a template; ``texts`` may have values for others too.

    A name with an addition gets a second comma ("Dublin, Ohio,"), except in the placeholders
    ``without_comma``: possessives and lists.
    """
    return fill(
        template,
        {
            placeholder: text
            if placeholder in without_comma
            else closed(text, template, placeholder)
            for placeholder, text in texts.items()
            if placeholder in template
        },
    )


def _render(clause: _Clause, subject: Subject, naming: Mapping[str, str]) -> str:
    """Resolve the choices of a template (number, tense, sex) and fill its placeholders.

    ``naming`` has the values of the subject's placeholders.
    """
    first, second = clause.predicates[0], clause.predicates[-1]
    is_plural = len(first.values) > 1
    text = _NUMBER.sub(lambda match: match[2 if is_plural else 1], clause.template)
    text = _TENSE.sub(lambda match: match[1 if subject.is_past else 2], text)
    pronouns = _PRONOUNS_OF_SEXES
    choice = pronouns.index(subject.pronoun) if subject.pronoun in pronouns else len(pronouns)
    text = _SEX.sub(lambda match: match[1 + choice], text)
    values = dict(naming)  # by placeholder
    if first.wording.noun:
        singular, plural = first.wording.noun
        values["{what}"] = f"{_NUMBER_WORDS[len(first.values)]} {plural}" if is_plural else singular
    without_comma = {"{his}"}  # and lists of values
    for placeholder, predicate in (("{value}", first), ("{second}", second)):
        values[placeholder] = _join(predicate.values)
        if len(predicate.values) > 1:
            without_comma.add(placeholder)
    used = {placeholder: values[placeholder] for placeholder in _PLACEHOLDER.findall(text)}
    return fill_names(text, used, without_comma)


def _join(texts: Sequence[str]) -> str:
    """Join texts by commas and "and".

    >>> _join(["a"]), _join(["a", "b"]), _join(["a", "b", "c"])
    ('a', 'a and b', 'a, b, and c')
    """
    if len(texts) < 3:
        return " and ".join(texts)
    return f"{', '.join(texts[:-1])}, and {texts[-1]}"


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
