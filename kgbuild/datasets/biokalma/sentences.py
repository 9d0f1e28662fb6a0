"""Fill the templates of the lexicon: sentences, paragraphs and the two questions."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from kgbuild.datasets.biokalma.lexicon import Lexicon, Wording
from kgbuild.english.templates import closed, fill

# The choices in a template by number, tense and sex: <one|several>, [past|present], (m|f|other).
_NUMBER = re.compile(r"<([^<>|]*)\|([^<>|]*)>")
_TENSE = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")
_SEX = re.compile(r"\(([^()|]*)\|([^()|]*)\|([^()|]*)\)")
_PLACEHOLDER = re.compile(r"\{\w+\}")
_NUMBER_WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_SUBJECT = "{he} "
_MAX_CLAUSES = 4
"""Maximum number of clauses in a sentence: longer sentences are hard to read."""
_PRONOUNS = {
    "he": {"{he}": "he", "{him}": "him", "{his}": "his"},
    "she": {"{he}": "she", "{him}": "her", "{his}": "her"},
    "it": {"{he}": "it", "{him}": "it", "{his}": "its"},
}
_SEXES = ("he", "she")


def _by_name(name: str) -> Mapping[str, str]:
    return {"{he}": name, "{him}": name, "{his}": f"{name}'s"}


class Subject(NamedTuple):
    """How sentences refer to a subject.

    ``name`` is the label in a sentence, ``pronoun`` is he, she, it or, if unknown, empty.
    ``short_name`` is the name in later mentions without a pronoun. ``is_past`` is whether the
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
        return (is_clear and _PRONOUNS.get(self.pronoun)) or _by_name(self.short_name or self.name)


class Predicate(NamedTuple):
    """A property and its values in the form that a sentence needs.

    ``of_people`` is whether a value is a person, to whom a later pronoun might refer.
    """

    pid: str
    wording: Wording
    values: tuple[str, ...]
    of_people: bool = False


Description: TypeAlias = tuple[Subject, Sequence[Predicate]]
"""A subject with predicates about it."""


class _Part(NamedTuple):
    """A clause: its template and the one or two predicates that fill it."""

    template: str
    predicates: tuple[Predicate, ...]

    @property
    def is_clear(self) -> bool:
        """Whether a pronoun after the clause can only refer to the subject."""
        return not any(predicate.of_people for predicate in self.predicates)

    @property
    def can_continue(self) -> bool:
        """Whether "and" can join another sentence: not after "Dublin, Ohio"."""
        values = (value for predicate in self.predicates for value in predicate.values)
        return self.template.startswith(_SUBJECT) and not any(", " in value for value in values)


def paragraph(lexicon: Lexicon, about: Sequence[Description]) -> str:
    """Return a paragraph that states the predicates of each subject in turn.

    A subject is first mentioned by name, later by its pronoun if that is known. Two sentences
    with the same subject are joined by "and".
    """
    return " ".join(
        text for subject, predicates in about for text in _sentences(lexicon, subject, predicates)
    )


def _sentences(
    lexicon: Lexicon, subject: Subject, predicates: Sequence[Predicate]
) -> Iterator[str]:
    parts = _parts(lexicon, predicates, "says")
    places: Mapping[str, str] = _by_name(subject.name)
    while parts:
        first = parts.pop(0)
        text = _render(first, subject, places)
        last = first
        if parts and first.can_continue and parts[0].template.startswith(_SUBJECT):
            last = parts.pop(0)
            second = last._replace(template=last.template.removeprefix(_SUBJECT))
            text = f"{text} and {_render(second, subject, subject.later_mention(first.is_clear))}"
        places = subject.later_mention(first.is_clear and last.is_clear)
        yield _capitalise(text) + ("" if text.endswith(".") else ".")


def specific_question(lexicon: Lexicon, opening: str, about: Sequence[Description]) -> str:
    """Return the question that asks for each predicate.

    ``opening`` is the template of its first sentence, which names the two subjects.
    """
    questions = [_name_both(opening, about, {})]
    for subject, predicates in about:
        parts = _parts(lexicon, predicates, "asks")
        for start in range(0, len(parts), _MAX_CLAUSES):
            group = parts[start : start + _MAX_CLAUSES]
            later = (subject.later_mention(part.is_clear) for part in group)
            pairs = zip(group, (_by_name(subject.name), *later), strict=False)
            texts = [_render(part, subject, places) for part, places in pairs]
            questions.append(_capitalise(_join(texts)) + "?")
    if len(questions) > 2:  # as English begins the last of several questions
        questions[-1] = f"And {questions[-1][0].lower()}{questions[-1][1:]}"
    return " ".join(questions)


def clause(subject: Subject, predicate: Predicate, naming: Mapping[str, str] | None = None) -> str:
    """Return a predicate as a clause, without capital letter and full stop.

    ``naming`` has the values of the subject's placeholders, as ``Subject.later_mention`` returns
    them; by default the name.
    """
    part = _Part(predicate.wording.says, (predicate,))
    return _render(part, subject, naming or _by_name(subject.name))


def _parts(
    lexicon: Lexicon, predicates: Sequence[Predicate], form: Literal["says", "asks"]
) -> list[_Part]:
    """Return the clauses of predicates; a joint template makes one clause of two predicates."""
    waiting = {predicate.pid: predicate for predicate in predicates}
    clauses = {pid: _Part(getattr(each.wording, form), (each,)) for pid, each in waiting.items()}
    for joint in lexicon.together:
        pair = [waiting.get(pid) for pid in joint.properties]
        first, second = joint.properties
        text = getattr(joint, form)
        if text and all(predicate and len(predicate.values) == 1 for predicate in pair):
            clauses[first] = _Part(text, (waiting.pop(first), waiting.pop(second)))
            del clauses[second]
    return list(clauses.values())


def general_question(lexicon: Lexicon, template: str, about: Sequence[Description]) -> str:
    """Return the question that names the topics of predicates only."""
    topics = [
        f"{subject.name}'s {_join(names)}"
        for subject, predicates in about
        if (names := [*dict.fromkeys(lexicon.topics[item.wording.topic] for item in predicates)])
    ]
    joined = (", and " if any(" and " in text for text in topics) else " and ").join(topics)
    return _name_both(template, about, {"{topics}": joined})


def _name_both(template: str, about: Sequence[Description], texts: Mapping[str, str]) -> str:
    """Fill a template that names both subjects, in the past tense if either is past."""
    (first, _), (second, _) = about
    is_past = first.is_past or second.is_past
    text = _TENSE.sub(lambda match: match[1 if is_past else 2], template)
    return filled(text, {"{subject}": first.name, "{object}": second.name, **texts}, texts)


def filled(template: str, texts: Mapping[str, str], open_: Collection[str] = ()) -> str:
    """Fill the placeholders that a template has.

    A comma closes a name with an addition ("Dublin, Ohio,"), except in the placeholders
    ``open_``: possessives and lists.
    """
    return fill(
        template,
        {
            place: text if place in open_ else closed(text, template, place)
            for place, text in texts.items()
            if place in template
        },
    )


def _render(part: _Part, subject: Subject, naming: Mapping[str, str]) -> str:
    """Resolve the choices of a template (number, tense, sex) and fill its placeholders.

    ``naming`` has the values of the subject's placeholders.
    """
    first, second = part.predicates[0], part.predicates[-1]
    several = len(first.values) > 1
    text = _NUMBER.sub(lambda match: match[2 if several else 1], part.template)
    text = _TENSE.sub(lambda match: match[1 if subject.is_past else 2], text)
    sex = _SEXES.index(subject.pronoun) if subject.pronoun in _SEXES else 2
    text = _SEX.sub(lambda match: match[1 + sex], text)
    places = dict(naming)
    if first.wording.what:
        singular, plural = first.wording.what
        places["{what}"] = f"{_NUMBER_WORDS[len(first.values)]} {plural}" if several else singular
    places |= {"{value}": _join(first.values), "{second}": _join(second.values)}
    lists = {"{value}": first, "{second}": second}
    open_ = {"{his}", *(place for place, predicate in lists.items() if len(predicate.values) > 1)}
    return filled(text, {place: places[place] for place in _PLACEHOLDER.findall(text)}, open_)


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
