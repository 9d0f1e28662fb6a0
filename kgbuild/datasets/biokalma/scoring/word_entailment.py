"""Decide by words whether a sentence states a piece of knowledge, and whether it states anything.

A piece of knowledge is about a pair: its subject and its value. A sentence states it if it has the
words of both and of the relation between them.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from kgbuild.data_files import read_toml
from kgbuild.datasets.biokalma.scoring.citations import Triple
from kgbuild.english.normalize import fold
from kgbuild.english.stems import stem
from kgbuild.evaluate.stems import stems
from kgbuild.text import replies
from kgbuild.text.sentences import MONTHS


class SentenceClaim(NamedTuple):
    """A sentence, and a piece of knowledge that it may state.

    ``subject`` is the name of the item that the piece is about, ``others`` are the names of the
    other items of the question; they are empty if unknown.
    """

    sentence: str
    triple: Triple
    subject: str = ""
    others: tuple[str, ...] = ()


_TOLD_BY = read_toml("datasets/biokalma/told_by.toml")
_WORDS_OF_RELATIONS = _TOLD_BY["words"] | dict.fromkeys(_TOLD_BY["by_value"], "")
"""The words that tell a relation, by the label of its property; empty if the value tells it."""
# "1815-12" or "1815-12-10"
_DATE = re.compile(r"(\d{3,})-(0[1-9]|1[0-2])(?:-(\d\d))?")
_ORDINALS = ("", "st", "nd", "rd", "th")
_SMALL_WORDS = frozenset(("the", "a", "an", "of", "and", "in", "at", "on", "for", "to", "de", "la"))
_PRONOUNS = frozenset(
    ("he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "both", "who", "whose")
)
"""Words that stand for a subject that another sentence, or an earlier clause, names."""
_NEGATION = re.compile(
    r"\b(?:no|none|not|never|nothing|neither|nor|cannot|without|unknown|lacks?)\b|n['’]t\b",
    re.IGNORECASE,
)
# Words by which answers refer to the pool
_SOURCE = re.compile(
    r"\b(?:knowledge|information|pieces?|context|provided|mention\w*)\b", re.IGNORECASE
)
_TALK = re.compile(
    r"^\W*(?:sure|certainly|of course|hello|hi|thanks?|thank you|i hope|i['’]d be|i would be|let me"
    r"|feel free|here (?:is|are)|here['’]s|in (?:summary|conclusion|short)|to (?:sum|conclude)"
    r"|overall|as an ai|please)\b",
    re.IGNORECASE,
)
"""The beginning of greetings and fillers: "Sure! Here is what the knowledge says"."""


def refuses(sentence: str) -> bool:
    """Return whether a sentence says that the knowledge does not tell something.

    >>> refuses("The knowledge does not state when they met."), refuses("He had no children.")
    (True, False)
    """
    return bool(_NEGATION.search(sentence) and _SOURCE.search(sentence)) or replies.refuses(
        sentence
    )


def is_talk(sentence: str) -> bool:
    """Return whether a sentence greets, refuses, begins like a filler, or is about the knowledge.

    >>> is_talk("I hope this helps!"), is_talk("She sang.")
    (True, False)
    """
    return bool(_TALK.search(sentence) or _SOURCE.search(sentence)) or refuses(sentence)


def entails_by_words(claims: Sequence[SentenceClaim]) -> list[bool]:
    """Return for each claim whether its sentence states the piece.

    The sentence needs all words of the value, a word of the relation, the name of the subject or a
    pronoun, and no negation. Words are compared after ``fold``, with and without their endings;
    small words like "of" and "the" may be missing. The sentence must have each part of a date, the
    month as its name, short or long: "born on December 10th, 1815" has ``1815-12-10``, "born in
    1815" does not. Of the subject, one word that the other names of the question lack is enough; of
    a value that is one of them, the last word that the subject lacks, unless the value itself tells
    the relation.

    Games it (raises the score of a bad answer): naming many things in one sentence. Known
    weaknesses: who did what to whom is not read ("Ann taught Bo" for "Bo taught Ann"), nor which of
    two values belongs to which of two subjects; other words are missed ("American", "nineteenth
    century").
    """
    words_of = cache(lambda text: _words(fold(text)))
    forms_of = cache(lambda value: _forms_of_words(fold(value)))
    stems_of = cache(lambda text: frozenset(stems(text)))
    relation_of = cache(lambda label: frozenset(stems(_WORDS_OF_RELATIONS.get(label, label))))

    def entails(claim: SentenceClaim) -> bool:
        words, value = words_of(claim.sentence), claim.triple.value
        forms, told_by = forms_of(value), relation_of(claim.triple.property)
        if told_by and value in claim.others:
            own = [form for form in forms if form.isdisjoint(words_of(claim.subject))]
            forms = own[-1:] or forms
        if not forms or any(map(words.isdisjoint, forms)) or _NEGATION.search(claim.sentence):
            return False
        if told_by and told_by.isdisjoint(stems_of(claim.sentence)):
            return False
        name = words_of(claim.subject) - _SMALL_WORDS
        distinct = name.difference(*map(words_of, claim.others)) or name
        return not name or not words.isdisjoint(distinct | _PRONOUNS)

    return [entails(claim) for claim in claims]


def _words(folded: str) -> frozenset[str]:
    """Return the words of a normalised text, with and without their endings."""
    words = re.findall(r"\w+", folded)
    return frozenset((*words, *map(stem, words)))


def _forms_of_words(folded: str) -> list[set[str]]:
    """Return the forms of each significant word of a value, or of each part of a date."""
    if date := _DATE.fullmatch(folded):
        year, month, day = date.groups()
        name = MONTHS[int(month) - 1]
        forms = [{year, str(int(year))}, {month, name, name[:3], name[:4]}]
        return [*forms, {day, *(f"{int(day)}{end}" for end in _ORDINALS)}] if day else forms
    words = re.findall(r"\w+", folded)
    significant = [word for word in words if word not in _SMALL_WORDS] or words
    return [{"bce", "bc"} if word == "bce" else {stem(word)} for word in significant]
