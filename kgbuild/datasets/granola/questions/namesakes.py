"""Tell items from others with the same name: "Journey, the American rock band"."""

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Sequence

from kgbuild.datasets.granola.noun_phrases import NounPhrases
from kgbuild.datasets.granola.usual_nouns import TITLES, has_other_calling, with_occupations
from kgbuild.datasets.granola.work_kinds import plain_kind
from kgbuild.graph.exact_names import ExactNames
from kgbuild.rows import Rejected
from kgbuild.store.labels import Labels

PERSON = "person"
WORKS = ("screen", "music", "writing", "artwork")
"""The kinds of works, whose titles stand in quotation marks."""

_PLAIN_WORDS = (
    r"(?:,? (?!of|former|retired|university|estate|prince|teacher|researcher|series)[a-z-]+)+"
)
_PLAIN = re.compile(rf"the [A-Z][\w-]+(?: [A-Z][\w-]+)?{_PLAIN_WORDS}")
"""A phrase without names, numbers and offices."""
_NOUNS_ONLY = re.compile(rf"the{_PLAIN_WORDS}")
_SAYS_LITTLE = TITLES | {
    *("academic", "politician", "professor", "statesman", "stateswoman", "teacher")
}
"""Nouns that say little without a country."""
_SAYS_LITTLE_OF_PEOPLE = _SAYS_LITTLE - {"politician", "statesman", "stateswoman"}
"""Nouns that say little even with a country: "the Greek professor"."""
_CACHE_SIZE = 1 << 15
"""Maximum number of descriptions whose phrases are kept in memory: many have the same one."""


class Namesakes:
    """The names that items share, and the phrases that tell these items apart.

    ``is_people`` returns whether a word names a people, such as Irish, which has a capital;
    ``people_of`` returns the people of the only country of an item; ``occupations`` returns the
    names of somebody's occupations by statement; ``with_credits`` returns what somebody is without
    the occupations that works do not show.
    """

    def __init__(
        self,
        names: ExactNames,
        labels: Labels,
        kinds: Callable[[str], Sequence[str]],
        is_people: Callable[[str], object],
        people_of: Callable[[str], str | None],
        occupations: Callable[[str], Sequence[str]],
        with_credits: Callable[[str, str], str],
    ):
        self._names = names
        self._is_people = is_people
        self._labels = labels
        self._kinds = kinds
        self._people_of = people_of
        self._occupations = occupations
        self._with_credits = with_credits
        noun_phrases = NounPhrases(is_people)
        self._phrase_of = functools.lru_cache(_CACHE_SIZE)(noun_phrases.phrase)
        self._is_ordinal_office = noun_phrases.is_ordinal_office

    def apposition(
        self,
        qid: str,
        name: str,
        is_common: bool,
        gives_place: bool,
        is_outshone: Callable[[str], bool] = lambda item: False,
    ) -> str:
        """Return the phrase that tells an item from its namesakes; empty if it has none.

        A namesake has the same label and is of the same kind; a single word may also be an alias of
        any item. ``is_common`` is whether an item without namesakes needs a phrase, too;
        ``gives_place`` is whether a place in the phrase would be an answer: then its nationality is
        left out if the rest suffices. ``is_outshone`` returns whether a namesake is so little known
        that nobody thinks of it.

        Raises:
            Rejected: nothing tells the item from a namesake; of a place, that would be an answer.
        """
        items = self._names.items(name)  # there may be thousands, so they are read one by one
        namesakes = (
            item
            for item in items
            if item != qid and self._is_namesake(qid, item, name) and not is_outshone(item)
        )
        namesake = next(namesakes, None)
        if not namesake and not is_common:
            return ""
        phrase = self._phrase(qid, qid)
        others = itertools.chain([namesake] if namesake else [], namesakes)
        phrases = [self._phrase(item, qid) for item in others]
        kinds = {*self._kinds(qid)}
        if gives_place and phrase not in phrases:
            phrase = self._for_place(phrase, phrases, PERSON in kinds)
        says_name = phrase.removeprefix("the ") in name.casefold()  # also if there is no phrase
        is_alike = says_name or (gives_place and "place" in kinds) or phrase in phrases
        is_unclear = not kinds or bool(kinds & {PERSON, *WORKS}) or name.isupper()
        if is_alike and (namesake or is_unclear):
            raise Rejected("same name", f"{name} is also the name of {namesake or 'others'}")
        return phrase

    def is_name(self, text: str) -> bool:
        """Return whether an item has a text as its label."""
        return any(self._labels.label(item) == text for item in self._names.items(text))

    def has_fictional(self, title: str, kinds: Iterable[str]) -> bool:
        """Return whether an item of one of some ``kinds`` has a title as its label."""
        named = {*kinds}
        return any(
            self._labels.label(item) == title and not named.isdisjoint(self._kinds(item))
            for item in self._names.items(title)
        )

    def people_called(self, name: str, endings: Sequence[str]) -> set[str]:
        """Return the people who have a name with one of some endings as their label or an alias."""
        items = self._names.items_with_endings(name, endings)
        return {item for item in items if PERSON in self._kinds(item)}

    def is_shared(self, place: str) -> bool:
        """Return whether another place has the label of a place."""
        label = self._labels.label(place) or ""
        return any(
            item != place and self._labels.label(item) == label and "place" in self._kinds(item)
            for item in self._names.items(label)
        )

    def plain_phrase(self, qid: str, has_people: bool) -> str:
        """Return a nationality and nouns that describe a person: "the American actor"; else "".

        Without ``has_people`` it is the nouns only: the nationality tells where somebody lived.
        """
        phrase = self._phrase_of_person(qid)
        if _NOUNS_ONLY.fullmatch(phrase):
            return "" if phrase.removeprefix("the ") in _SAYS_LITTLE else phrase
        plain = self._without_people(phrase)
        if not _PLAIN.fullmatch(phrase) or plain.removeprefix("the ") in _SAYS_LITTLE_OF_PEOPLE:
            return ""
        return phrase if has_people else plain

    def _without_people(self, phrase: str) -> str:
        """Return a phrase without nationalities: "the actor"; empty if nothing else remains."""
        words = [word for word in phrase.split() if not word[0].isupper()]
        is_said = words[1:2] != ["and"] and TITLES.isdisjoint(words)
        return " ".join(words) if is_said else ""

    def _for_place(self, phrase: str, others: Sequence[str], is_person: bool) -> str:
        """Return a phrase without its nationality, as the answer to the question is a place.

        Somebody keeps it if it alone tells somebody from the ``others`` of the name.
        """
        _, nationality, *_ = [*phrase.split(), "", ""]
        if not self._is_people(nationality.split("-")[0]):
            return phrase
        plain = self._without_people(phrase)
        is_alike = plain in map(self._without_people, others)
        return phrase if is_person and (is_alike or not plain) else plain

    def _is_namesake(self, qid: str, other: str, name: str) -> bool:
        """Return whether another item with a name may be meant by it."""
        kinds, other_kinds = {*self._kinds(qid)}, {*self._kinds(other)}
        if " " not in name and "place" not in kinds:
            is_named = not name.isupper() or self._labels.label(other) == name
            return is_named and other_kinds.isdisjoint(WORKS)
        return self._labels.label(other) == name and not kinds.isdisjoint(other_kinds)

    def _phrase(self, item: str, qid: str) -> str:
        """Return the phrase that describes an item, if it tells others from the item ``qid``."""
        is_person = PERSON in self._kinds(item)
        description = self._labels.description(item) or ""
        phrase = self._phrase_of_person(item) if is_person else self._phrase_of(description, False)
        if not is_person:
            phrase = phrase.replace("TV ", "television ")
            phrase = phrase.replace("association football", "football")
        if phrase and not {*WORKS}.isdisjoint(self._kinds(item)):
            phrase = plain_kind(phrase, self._labels.label(item) or "")
        if is_person and not phrase and self._is_ordinal_office(description):
            people = self._people_of(item)
            return f"the {people} politician" if people else ""
        first = phrase.split()[1:2]
        if not phrase or is_person or any(self._is_people(word) for word in first):
            return phrase
        people = self._people_of(item)
        return f"the {people} {phrase.removeprefix('the ')}" if people else phrase

    def _phrase_of_person(self, person: str) -> str:
        """Return the phrase that describes a person; empty if the occupations contradict it."""
        description = self._labels.description(person) or ""
        phrase, occupations = self._phrase_of(description, True), self._occupations(person)
        if not phrase or has_other_calling(phrase, occupations):
            return ""
        phrase = with_occupations(phrase, occupations, description)
        return self._with_credits(person, phrase)
