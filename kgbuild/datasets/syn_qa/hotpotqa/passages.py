"""What a passage of an encyclopedia says about its subject: names, kind, sex, life."""

import functools
import re
from collections.abc import Sequence

from kgbuild.datasets.syn_qa.hotpotqa.kinds import (
    CLAUSE_END,
    kind_of,
    kind_of_words,
    without_participles,
)
from kgbuild.datasets.syn_qa.hotpotqa.text import WORD, Text, plain, stems, words
from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import ARTICLES, SPORTS, TRADES

_BRACKET = re.compile(r"\s*\([^()]*\)\s*$")
_INNERMOST = re.compile(r"\([^()]*\)")
_YEAR = re.compile(r"\b[12]\d{3}\b")
_EDITION = re.compile(r"(?:[12]\d{3}\S*|\d+(?:st|nd|rd|th)) ")
_OPENING = 600
"""Letters within which a passage has said what its subject is."""
_GENERATION = 50
"""Years that two subjects may be apart."""
_AGENT = ("er", "or", "ist", "ian", "man", "woman", "ess", "eer", "ant", "star", "ee")
_NOT_THINGS = re.compile(
    r"^(List|Lists|Outline|Index|Timeline|Death|History) of |\b(discography|casualties)$"
)
_COPULA = re.compile(
    r"\b(?:is|was|are|were)\b\s+(?:also\s+)?(?:one of\s+)?(?:the name of\s+)?"
    r"(?:an?\s+(?:[\w-]+\s+){0,4}(?:line|kind|type|form|series)\s+of\s+)?(?P<rest>.+)",
    re.S,
)


def short(title: str) -> str:
    """Return a title without the addition in brackets that tells it from its namesakes.

    >>> short("Ed Wood (film)")
    'Ed Wood'
    """
    return _BRACKET.sub("", title) or title


class Passage:
    """A title and its text, of which the first sentence says what the subject is."""

    def __init__(self, title: str, sentences: Sequence[str]):
        self.title = title
        self.name = short(title)
        self.text = Text("".join(sentences))
        self.lead = stems(words(f"{title} {sentences[0]}" if sentences else title))
        self._opening = _without_brackets(self.text.text[:_OPENING])

    @property
    def names(self) -> list[str]:
        """The names of the subject, the longest first."""
        names = [self.title, self.name]
        first, _, rest = self.name.partition(" ")
        if first.lower() in ARTICLES and rest:
            names.append(rest)
        return list(dict.fromkeys(names))

    def refers_to(self, other: "Passage") -> bool:
        """Tell whether the text names another subject, by the family name if it is a person."""
        names = [other.name.partition(",")[0], *other.family[-1:]]
        return any(self.text.spans(name) for name in names)

    @functools.cached_property
    def family(self) -> list[str]:
        """The names of a person but the first one, without Jr. and the like; none of a thing."""
        names = WORD.findall(self.name.partition(",")[0])[1:]
        return [name for name in names if len(name) > 2] if self.kind == "person" else []

    @functools.cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words of the text and the title that carry meaning."""
        return stems([*self.text.words, *words(self.title)])

    @functools.cached_property
    def _clause(self) -> str:
        """The clause that says what the subject is: 'an American actress and author'."""
        copula = _COPULA.search(self._opening)
        return CLAUSE_END.split(copula["rest"])[0] if copula else ""

    @functools.cached_property
    def traits(self) -> frozenset[str]:
        """The stems of what the first sentence says that the subject is: american, actress."""
        return stems(words(" ".join(without_participles(WORD.findall(self._clause)))))

    @functools.cached_property
    def trades(self) -> frozenset[str]:
        """The trades that the first sentence says a person has: screen, letters."""
        said = {*words(self._clause)}
        sport = {"sport"} if SPORTS & said else set()
        return frozenset(trade for trade, nouns in TRADES.items() if nouns & said) | sport

    @functools.cached_property
    def year(self) -> int | None:
        """The first year of the opening: when a person was born, or a film released."""
        year = _YEAR.search(self.text.text[:_OPENING])
        return int(year[0]) if year else None

    @property
    def decade(self) -> int | None:
        """The decade of the year."""
        return self.year and self.year // 10 * 10

    @functools.cached_property
    def categories(self) -> frozenset[str]:
        """The categories that the first sentence puts the subject in: kind, traits, decade."""
        decade = {f"{self.decade}s"} if self.decade else set()
        return self.traits | stems([self.kind or ""]) | decade

    @functools.cached_property
    def description(self) -> list[str]:
        """The words that say what the subject is: of 'is an American film by X', American film."""
        parts = (*self._clause.split(","), *re.split(r",|\band\b", self._clause))
        phrases = [without_participles(WORD.findall(part)) for part in parts]
        return next(filter(kind_of_words, phrases), phrases[0])

    @functools.cached_property
    def kind(self) -> str | None:
        """The kind of thing that the subject is, such as person or film; None if not plain."""
        if _NOT_THINGS.search(self.title):
            return None
        described = kind_of_words(self.description)
        is_agent = bool(self.description) and plain(self.description[-1]).endswith(_AGENT)
        has_life = bool(self._pronoun or self._dates)
        # A 'lead programmer' is nobody: no name, neither he nor she, without dates. An office
        # that is held by somebody is no person: 'The Lord Chancellor is an official'.
        is_office = not self._dates and bool(
            re.match(r"(The|An?) ", self._opening)
            or {"person", "position"} & set(map(kind_of, self.name.split()))
        )
        is_somebody = described == "person" and (has_life or self.name.istitle())
        if not is_office and (is_somebody or (described is None and is_agent and has_life)):
            return "person"
        head = kind_of_words(self._head)
        if head and _EDITION.match(self.name):  # '85th Academy Awards' is no award
            return f"edition of {head}"
        kinds = (described, kind_of_words(self._word_after_name), head)
        return next((kind for kind in kinds if kind not in (None, "person")), None)

    @property
    def _word_after_name(self) -> list[str]:
        """The word after the name where the text begins: 'Kaiser Ventures corporation was'."""
        opening = WORD.findall(self._opening)
        first = opening[:1] != [] and opening[0].lower() == "the"
        count = first + len(words(self.name))
        begins = words(" ".join(opening[first:count])) == words(self.name)
        return opening[count : count + 1] if begins else []

    @property
    def _head(self) -> list[str]:
        """The word of the name that may say what the subject is: the last, or that before 'of'."""
        return WORD.findall(self.name.partition(" of ")[0])[-1:]

    @property
    def _dates(self) -> str:
        """The content of the first brackets, if it has a year."""
        brackets = _INNERMOST.search(self.text.text[:_OPENING])
        content = plain(brackets[0]) if brackets else ""
        return content if re.search(r"\d{4}\b", content) else ""

    @functools.cached_property
    def _pronoun(self) -> str | None:
        """The pronoun that the text has more often: he or she; None if it has neither."""
        he = sum(word in ("he", "his", "him") for word in self.text.words)
        she = sum(word in ("she", "her", "hers") for word in self.text.words)
        return None if he == she else "he" if he > she else "she"

    @functools.cached_property
    def is_dead(self) -> bool | None:
        """Whether a person is dead; None if the text does not say."""
        if re.search(r"\d{4}\b.*(-|died).*\d{4}|\bdied\b|\bd\. ", self._dates):
            return True
        if re.search(r"\bborn\b", self._dates) or re.match(r"[^,;]*\bis an?\b", self._opening):
            return False
        return True if re.match(r"[^,;]*\bwas an?\b", self._opening) else None

    def lives_in(self, years: Sequence[int]) -> bool:
        """Tell whether a subject is neither younger than some years, nor dead before them."""
        died = _YEAR.findall(self._dates)[-1:] if self.is_dead else []
        is_born = self.year is None or self.year <= min(years)
        return is_born and (not died or max(years) <= int(died[0]))

    @property
    def takes_the(self) -> bool:
        """Whether the text begins with the article and the name: 'The Robins Center is'."""
        return self.text.words[:2] == ["the", *words(self.name)[:1]]

    def is_like(self, other: "Passage") -> bool:
        """Tell whether two subjects are of one kind, time and sport; people of one sex and trade.

        What the first sentence of one does not say does not tell them apart.
        """
        if self.kind is None or self.kind != other.kind:
            return False
        if self.year and other.year and abs(self.year - other.year) > _GENERATION:
            return False
        if self.kind != "person":
            sports = [SPORTS & {*words(one._clause)} for one in (self, other)]
            return not all(sports) or not sports[0].isdisjoint(sports[1])
        pronouns = {self._pronoun, other._pronoun}
        is_of_sex = None in pronouns or len(pronouns) == 1
        return is_of_sex and (not self.trades or not self.trades.isdisjoint(other.trades))


def _without_brackets(text: str) -> str:
    """Return a text without brackets and their content, nested ones too."""
    bare = _INNERMOST.sub("", text)
    return bare if bare == text else _without_brackets(bare)
