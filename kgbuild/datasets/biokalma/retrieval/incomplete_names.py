"""Find people whose names a question shortens, or misspells by a letter."""

import difflib
from collections.abc import Iterable, Iterator, Sequence

from kgbuild.datasets.biokalma.retrieval.candidates import Candidates
from kgbuild.datasets.biokalma.retrieval.names import Name
from kgbuild.datasets.biokalma.retrieval.words import Question, vocabulary
from kgbuild.english.normalize import fold
from kgbuild.store.labels import Spellings

_OF = ("of", "the", "von", "van", "de", "bin")
_SIBLING = "P3373"
_MAX_WORDS = 2
"""Maximum number of words of a shortened name: a first and a last name."""
_MAX_SIBLINGS = 2
"""Maximum number of people of a surname who count as siblings without a statement."""
_MORE_POPULAR = 3
"""How many times as popular a person is as the next one of the surname, to be meant by it."""
_MIN_SIMILARITY = 0.91
"""Minimum similarity of a name and a misspelt one, from 0 to 1: one letter of twelve may differ."""
_MIN_LETTERS = 3
"""Minimum number of letters of a surname."""


class IncompleteNames:
    """Completes the names in a question; ``names`` are those that the store has as they are."""

    def __init__(
        self, question: Question, names: Iterable[Name], table: Spellings, candidates: Candidates
    ):
        self._question = question
        self._known = {(name.first, name.last) for name in names}
        self._words = question.words
        self._table = table
        self._candidates = candidates

    def people(self, chosen: Sequence[Name]) -> Iterator[tuple[Name, list[str]]]:
        """Yield names in a question with the people they mean; ``chosen`` are other names."""
        taken = {index for name in chosen for index in range(name.first, name.last + 1)}
        for first, last in self._capital_runs():
            if taken.isdisjoint(range(first, last + 1)) and (first, last) not in self._known:
                name = Name(first, last, self._question.span_text(first, last), ())
                if people := self._people(name):
                    yield name, people

    def siblings(self) -> Iterator[tuple[Name, list[str]]]:
        """Yield names such as "the Gershwin brothers" with the people they mean."""
        for index, word in enumerate(self._words[1:], 1):
            before = self._words[index - 1]
            if word.folded in vocabulary().siblings and word.gap == " " and before.is_capital:
                people = self._with_surname(before.text)
                if len(people) > _MAX_SIBLINGS:
                    people = self._candidates.connected(people, _SIBLING)
                if len(people) > 1:
                    text = self._question.span_text(index - 1, index)
                    yield Name(index - 1, index, text, ()), people

    def _capital_runs(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last words of the sequences of words with capitals."""
        first = None
        for index, word in enumerate(self._words):
            is_name = (
                self._question.is_cased
                and word.is_capital
                and not (word.is_function_word or word.is_clitic)
                and word.folded not in vocabulary().titles
                and not vocabulary().adjective.search(word.folded)
            )
            if first is not None and not (is_name and word.gap == " "):
                if not (word.folded in _OF and self._next_is_capital(index)):
                    yield first, index - 1
                first = None
            if is_name and first is None and not (word.begins_sentence or self._is_rest(index)):
                first = index
        if first is not None:
            yield first, len(self._words) - 1

    def _is_rest(self, index: int) -> bool:
        """Return whether a word is the rest of a name: "Émilie du Châtelet", "Brian Ribeiro"."""
        before = self._words[max(index - 2, 0) : index]
        if before and before[-1].is_capital and self._words[index].gap == " ":
            is_function_word = before[-1].is_function_word and before[-1].begins_sentence
            return not (is_function_word or before[-1].folded in vocabulary().titles)
        if len(before) < _MAX_WORDS or not before[0].is_capital:
            return False
        return before[1].folded in vocabulary().particles and not before[1].is_function_word

    def _next_is_capital(self, index: int) -> bool:
        return any(word.is_capital for word in self._words[index + 1 : index + 2])

    def _people(self, name: Name) -> list[str]:
        """Return the person that a surname, or a first and a last name, mean, or nobody."""
        words = self._words[name.first : name.last + 1]
        if name.length > _MAX_WORDS or any(word.is_number for word in words):
            return []
        surname = self._words[name.last].text
        people = self._with_surname(surname)
        if name.length > 1:
            given = f"{fold(self._words[name.first].text)} "
            people = [qid for qid in people if fold(self._candidates.label(qid)).startswith(given)]
            return people if len(people) == 1 else self._misspelt(name)
        popularity = [*map(self._candidates.popularity, people), 0]
        return people[:1] if people and popularity[0] >= _MORE_POPULAR * popularity[1] else []

    def _misspelt(self, name: Name) -> list[str]:
        """Return the person whose name is nearly that of a question, such as "Rachmaninov"."""
        text = fold(name.text)
        for spelling in self._table.similar_names(name.text) or ():
            folded = fold(spelling)
            is_near = difflib.SequenceMatcher(None, text, folded).ratio() >= _MIN_SIMILARITY
            if is_near and len(folded.split()) == name.length and folded[0] == text[0]:
                similar = name._replace(spellings=tuple(self._table.spellings(spelling)))
                people = [*filter(self._candidates.is_person, self._candidates.items(similar))]
                if people:
                    return people[:1]
        return []

    def _with_surname(self, surname: str) -> list[str]:
        """Return the people whose labels end with a word, the most popular first."""
        if len(surname) < _MIN_LETTERS:
            return []
        name = Name(0, 0, surname, tuple(self._table.ending_with(surname)))
        end = f" {fold(surname)}"
        people = [
            qid
            for qid in self._candidates.items(name)
            if self._candidates.is_person(qid) and fold(self._candidates.label(qid)).endswith(end)
        ]
        return sorted(people, key=lambda qid: -self._candidates.popularity(qid))
