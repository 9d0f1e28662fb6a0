"""Read from a passage of an encyclopedia what its subject is: names, kind, traits, lifetime."""

import functools
import re
from collections.abc import Sequence

from kgbuild.datasets.syn_qa.hotpotqa.kinds import CLAUSE_END, kind_of_words, without_participles
from kgbuild.datasets.syn_qa.hotpotqa.relations import Relations, relations
from kgbuild.datasets.syn_qa.hotpotqa.text import WORD, SearchedText, stems, words
from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import WORKS

# Brackets at the end of a title: "(film)"
_ADDITION = re.compile(r"\s*\([^()]*\)\s*$")
_INNERMOST_BRACKETS = re.compile(r"\([^()]*\)")
_YEAR = re.compile(r"\b[12]\d{3}\b")
# The beginning of the name of an edition: "2010 ", "85th "
_EDITION = re.compile(r"(?:[12]\d{3}\S*|\d+(?:st|nd|rd|th)) ")
_OPENING = 600
"""Number of letters at the beginning of a passage that say what its subject is."""
# Titles of passages that are about many things
_NOT_THINGS = re.compile(
    r"^(List|Lists|Outline|Index|Timeline|Death|History) of |\b(discography|casualties)$"
)
_MIN_ALIKE = 0.5
"""Minimum share of the words for two people, places or teams that both have."""
_MAX_YEARS_APART = 20
_COPULA = re.compile(r"\b(?:is|was|are|were)\b\s+(?P<rest>.+)", re.S)


def without_addition(title: str) -> str:
    """Return a title without the addition in brackets that distinguishes it from namesakes.

    >>> without_addition("Ed Wood (film)")
    'Ed Wood'
    """
    return _ADDITION.sub("", title) or title


class Passage:
    """A title and a text, whose first sentence says what the subject is.

    ``name`` is the title without its addition, ``lead`` the stems of title and first sentence.
    """

    def __init__(self, title: str, sentences: Sequence[str]):
        self.title = title
        self.name = without_addition(title)
        self.text = SearchedText("".join(sentences))
        self.lead = stems(words(f"{title} {sentences[0]}" if sentences else title))
        self._opening = _without_brackets(self.text.text[:_OPENING])

    def refers_to(self, topic: "Passage") -> bool:
        """Return whether the text has the name of another subject."""
        return bool(self.text.spans(topic.name.partition(",")[0]))

    @functools.cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words of the text and the title except stop words."""
        return stems([*self.text.words, *words(self.title)])

    @functools.cached_property
    def _clause(self) -> str:
        """The clause that says what the subject is: 'an American actress and author'."""
        copula = _COPULA.search(self._opening)
        return CLAUSE_END.split(copula["rest"])[0] if copula else ""

    @functools.cached_property
    def traits(self) -> frozenset[str]:
        """The stems of the words for the subject in the first sentence: american, actress."""
        return stems(words(" ".join(without_participles(WORD.findall(self._clause)))))

    @functools.cached_property
    def _origins(self) -> frozenset[str]:
        """The stems of the names in ``traits``: american."""
        names = (word for word in WORD.findall(self._clause) if word[0].isupper())
        return stems(words(" ".join(names)))

    @functools.cached_property
    def relations(self) -> Relations:
        """The names and years to which the words of the text lead."""
        return relations(_without_brackets(self.text.text), self.kind)

    @functools.cached_property
    def year(self) -> int | None:
        """The first year of the opening: when a person was born, or a film released."""
        year = _YEAR.search(self.text.text[:_OPENING])
        return int(year[0]) if year else None

    @functools.cached_property
    def description(self) -> list[str]:
        """The noun phrase that describes the subject: ['American', 'film'].

        It is the first part of the clause whose noun has a known kind.
        """
        parts = (*self._clause.split(","), *re.split(r",|\band\b", self._clause))
        phrases = [without_participles(WORD.findall(part)) for part in parts]
        return next(filter(kind_of_words, phrases), phrases[0])

    @functools.cached_property
    def kind(self) -> str | None:
        """The kind of thing that the subject is, such as person or film; None if unclear."""
        if _NOT_THINGS.search(self.title):
            return None
        described = kind_of_words(self.description)
        # 'Lead programmer' is not a person: it is not capitalised and has no pronoun.
        if described == "person" and (self._pronoun or self.name.istitle()):
            return "person"
        head = kind_of_words(self._head)
        if head and _EDITION.match(self.name):  # '85th Academy Awards' is not an award
            return f"edition of {head}"
        return next((kind for kind in (described, head) if kind not in (None, "person")), None)

    @property
    def _head(self) -> list[str]:
        """The word of the name that may say its kind: the last one, or the one before 'of'."""
        return WORD.findall(self.name.partition(" of ")[0])[-1:]

    @functools.cached_property
    def _pronoun(self) -> str | None:
        """The more frequent pronoun of the text, he or she; None if both are equally frequent."""
        he = sum(word in ("he", "his", "him") for word in self.text.words)
        she = sum(word in ("she", "her", "hers") for word in self.text.words)
        return None if he == she else "he" if he > she else "she"

    def can_be_replaced_by(self, replacement: "Passage") -> bool:
        """Return whether two subjects agree in kind, time and origin, and people in sex.

        Works have the same noun. Of others, whose names tell more, half of the words are the same.
        """
        if self.kind is None or self.kind != replacement.kind:
            return False
        if self.year and replacement.year and abs(self.year - replacement.year) > _MAX_YEARS_APART:
            return False
        first, second = self._origins, replacement._origins
        if self.kind in WORKS:
            may_have_same_origin = not first or not second or not first.isdisjoint(second)
            return may_have_same_origin and self.description[-1:] == replacement.description[-1:]
        pronouns = {self._pronoun, replacement._pronoun}
        may_have_same_sex = self.kind != "person" or None in pronouns or len(pronouns) == 1
        shared, total = self.traits & replacement.traits, self.traits | replacement.traits
        return may_have_same_sex and first == second and len(shared) >= _MIN_ALIKE * len(total)


def _without_brackets(text: str) -> str:
    """Return a text without brackets and their content; brackets may be nested."""
    shorter = _INNERMOST_BRACKETS.sub("", text)
    return shorter if shorter == text else _without_brackets(shorter)
