"""Find people by their surnames, alone or with a part of their given names."""

import difflib
import functools
from collections.abc import Callable, Iterable, Sequence

from kgbuild.datasets.biokalma.retrieval.candidates import Candidates
from kgbuild.datasets.biokalma.retrieval.names import Name
from kgbuild.datasets.biokalma.retrieval.spellings import without_umlauts
from kgbuild.datasets.biokalma.retrieval.words import vocabulary
from kgbuild.english.normalize import fold
from kgbuild.store.labels import Spellings

_MIN_LETTERS = 3
"""Minimum number of letters of a surname."""
_MORE_FAMOUS = 2.5
"""How many times as famous a person is as the next one of the surname, to be meant by it."""
_MORE_ALIASES = 2
"""How many times as many aliases, where no statement points to either of them."""
_MORE_NAMES = 4
"""How many times as many names begin with a given name as end with it."""
_MAX_RELATED = 20
"""Number of the most popular people of a surname who are compared with other names."""
_MIN_SIMILARITY = 0.85
"""Minimum similarity of a given name and a misspelt one, from 0 to 1: "Daryl" and "Darryl"."""
_CACHE_SIZE = 1 << 14
"""Maximum number of surnames whose people are cached."""


class Surnames:
    """The people of a store by their surnames."""

    def __init__(self, table: Spellings, candidates: Candidates):
        self._table = table
        self._candidates = candidates
        self.people = functools.lru_cache(_CACHE_SIZE)(self._read_people)
        self._names = functools.lru_cache(_CACHE_SIZE)(self._read_names)

    def _read_names(self, surname: str) -> Sequence[tuple[str, str]]:
        """Return each (spelling, language) of the names that end with a surname."""
        if len(surname) < _MIN_LETTERS:
            return ()
        spellings = [surname, without_umlauts(surname)]
        if surname.endswith("s"):
            spellings.append(surname[:-1])  # a possessive without an apostrophe
        names = map(self._table.ending_with, dict.fromkeys(spellings))
        return next(filter(None, names), ())

    def _read_people(self, surname: str, initial: str = "") -> Sequence[str]:
        """Return the people whose labels end with a surname, the most popular first.

        Those of their names that end with it must begin with a letter, if it is ``initial``. The
        country in "Christian IX of Denmark" is no surname.
        """
        names = [
            pair
            for pair in self._names(surname)
            if fold(pair[0]).startswith(initial) and fold(pair[0]).split()[-2:-1] != ["of"]
        ]
        name = Name(0, 0, surname, tuple(names))
        people = [
            qid
            for qid in self._candidates.items(name)
            if self._candidates.is_label(name, qid) and self._candidates.is_person(qid)
        ]
        people.sort(key=self._candidates.popularity, reverse=True)
        best = sorted(people[:_MAX_RELATED], key=self._candidates.renown, reverse=True)
        return [*best, *people[_MAX_RELATED:]]

    def is_unknown(self, surname: str) -> bool:
        """Return whether no name ends with a surname."""
        return not self._names(surname)

    def _is_given_name(self, word: str) -> bool:
        """Return whether more names begin with a word than end with it."""
        names = self._table.beginning_with(f"{word} ")
        return len(names) > _MORE_NAMES * len(self._names(word))

    def meant(self, surname: str, title: str = "", others: Iterable[Name] = ()) -> Sequence[str]:
        """Return the person whom a surname means, or nobody.

        That is its only bearer, or the one who is much better known than the next. Else it is the
        only one whose description has the ``title`` before the surname, or who is connected with
        one of the ``others``, the other names in the question. Without a title, a given name means
        nobody, though somebody may have it as a surname.
        """
        if not title and self._is_given_name(surname):
            return []
        return self._only(self.people(surname), title, others)

    def _only(self, people: Sequence[str], title: str, others: Iterable[Name]) -> Sequence[str]:
        if len(people) < 2:
            return people
        if title:
            titled = [qid for qid in people if title in self._candidates.description(qid).split()]
            if len(titled) == 1:
                return titled
        if title in vocabulary().female_titles:
            people = [qid for qid in people if self._candidates.is_female(qid)]
            if len(people) < 2:
                return people
        if mentions := [*others]:
            counts = {
                qid: self._candidates.count_between(qid, mentions) for qid in people[:_MAX_RELATED]
            }
            most = max(counts.values())
            related = [qid for qid, count in counts.items() if count == most]
            if most and len(related) == 1:
                return related
        return people[:1] if self._is_best_known(people) else []

    def _is_best_known(self, people: Sequence[str]) -> bool:
        """Return whether the first person is known much better than the second."""
        first, second = map(self._candidates.renown, people[:2])
        return first.fame >= _MORE_FAMOUS * second.fame or first.aliases >= _MORE_ALIASES * max(
            second.aliases, 1
        )

    def named(
        self, given: Sequence[str], surname: str, others: Iterable[Name] = ()
    ) -> Sequence[str]:
        """Return the person with given names and a surname, or nobody.

        The given names are the first ones of the person, in that order, or their initials; the
        question may leave out others, as in "Samuel Jackson". If no given name is equal, it may
        differ by a letter. ``others`` are the other names in the question.
        """
        words = [*map(fold, given)]
        people = self.people(surname, words[0][0])
        self._candidates.read_labels(people)
        named = [qid for qid in people if self._begins(qid, words, _is_part)] or [
            qid for qid in people if self._begins(qid, words, _is_similar)
        ]
        return self._only(named, "", others)

    def _begins(self, qid: str, words: Sequence[str], is_alike: Callable[[str, str], bool]) -> bool:
        own = fold(self._candidates.label(qid)).replace("-", " ").split()[:-1]
        if all(len(word) == 1 for word in words):
            words = words[: max(len(own), 1)]  # initials of names that the label leaves out
        return len(own) >= len(words) and all(map(is_alike, words, own))


def _is_part(word: str, own: str) -> bool:
    """Return whether a word is a given name, or its initial."""
    return own == word or (len(word) == 1 and own.startswith(word))


def _is_similar(word: str, own: str) -> bool:
    """Return whether a word is nearly a given name."""
    ratio = difflib.SequenceMatcher(None, word, own).ratio
    return word[0] == own[0] and len(word) > 1 and ratio() >= _MIN_SIMILARITY
