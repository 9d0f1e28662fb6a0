"""Fill the templates of the lexicon: one clause about one subject, or about both.

A clause is a sentence without capital letter and full stop, or a question without question mark.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.biokalma.questions.lexicon import PropertyWording
from kgbuild.english.templates import closed, fill, in_tense

# Choices in a template.
# By number: <one|several>. By sex: (man|woman|other). By tense: see ``in_tense``.
_NUMBER = re.compile(r"<([^<>|]*)\|([^<>|]*)>")
_SEX = re.compile(r"\(([^()|]*)\|([^()|]*)\|([^()|]*)\)")
_PLACEHOLDER = re.compile(r"\{\w+\}")
_PRONOUNS = {
    "he": {"{he}": "he", "{him}": "him", "{his}": "his"},
    "she": {"{he}": "she", "{him}": "her", "{his}": "her"},
    "it": {"{he}": "it", "{him}": "it", "{his}": "its"},
}
_CHOICES_BY_SEX = {"he": 1, "she": 2}
"""The number of the text in a choice by sex; subjects with another pronoun get the third one."""

Mention: TypeAlias = Mapping[str, str]
"""The words for a subject by placeholder: {he}, {him} and {his}."""


def by_name(name: str) -> Mention:
    """Return the mention of a subject by its name."""
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

    @property
    def by_short_name(self) -> Mention:
        """The mention by the short name."""
        return by_name(self.short_name or self.name)

    def later_mention(self, is_clear: bool) -> Mention:
        """Return the mention of the subject after its first one.

        ``is_clear`` is whether a pronoun can only refer to this subject.
        """
        return (_PRONOUNS.get(self.pronoun) if is_clear else None) or self.by_short_name


class Predicate(NamedTuple):
    """A property and its values, as sentences write them.

    ``noun`` is the noun for the values, singular and plural. ``of_people`` is whether a value is a
    person: then a later pronoun might refer to this person.
    """

    pid: str
    wording: PropertyWording
    values: tuple[str, ...]
    of_people: bool = False
    noun: tuple[str, ...] = ()


Description: TypeAlias = tuple[Subject, Sequence[Predicate]]
"""A subject with predicates about it."""


def needs_tense(template: str) -> bool:
    """Return whether a template can only be filled for a subject that is known to be past or not.

    >>> needs_tense("where [was|is] {he} situated"), needs_tense("where was {he} born")
    (True, False)
    """
    return "[" in template


def resolve(template: str, subject: Subject, predicate: Predicate) -> str:
    """Return a template without choices (number, tense, sex); its placeholders remain.

    The noun replaces ``{what}``: it comes from words.toml, not from labels.
    """
    count = len(predicate.values)
    text = _NUMBER.sub(lambda match: match[2 if count > 1 else 1], template)
    text = in_tense(text, bool(subject.is_past))
    text = _SEX.sub(lambda match: match[_CHOICES_BY_SEX.get(subject.pronoun, 3)], text)
    if noun := predicate.noun or predicate.wording.noun:
        text = text.replace("{what}", noun[1] if count > 1 else noun[0])
    return text


def write_clause(
    subject: Subject,
    predicates: Sequence[Predicate],
    mention: Mention | None = None,
    template: str | None = None,
) -> str:
    """Return one or two predicates as a clause, without capital letter and full stop.

    ``mention`` is by name by default; ``template`` is the sentence of the first predicate.
    """
    first, second = predicates[0], predicates[-1]
    text = resolve(first.wording.says if template is None else template, subject, first)
    words = dict(mention or by_name(subject.name))
    without_comma = {"{his}"}  # and lists of values
    for placeholder, predicate in (("{value}", first), ("{second}", second)):
        words[placeholder] = join(predicate.values)
        if len(predicate.values) > 1:
            without_comma.add(placeholder)
    used = {placeholder: words[placeholder] for placeholder in _PLACEHOLDER.findall(text)}
    return fill_names(text, used, without_comma)


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


def join(texts: Sequence[str]) -> str:
    """Join texts by commas and "and".

    >>> join(["a"]), join(["a", "b"]), join(["a", "b", "c"])
    ('a', 'a and b', 'a, b, and c')
    """
    if len(texts) < 3:
        return " and ".join(texts)
    return f"{', '.join(texts[:-1])}, and {texts[-1]}"


def capitalise(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]
