"""Find people whose names a question shortens, or misspells by a letter."""

import difflib
from collections.abc import Container, Iterable, Iterator, Sequence

from kgbuild.datasets.biokalma.retrieval.candidates import Candidates
from kgbuild.datasets.biokalma.retrieval.names import Name
from kgbuild.datasets.biokalma.retrieval.surnames import Surnames
from kgbuild.datasets.biokalma.retrieval.words import Question, Word, vocabulary
from kgbuild.english.normalize import fold
from kgbuild.store.labels import Spellings

_OF = ("of", "the", "von", "van", "de", "bin")
_DOTS = (". ", ".")
"""What stands between an initial and the next word."""
_JOINTS = ("'", "’", "-")
"""What stands between the parts of a surname."""
_ENDS = ("' ", "’ ")
"""What stands after a possessive of a word that ends in a sibilant, or after "Makin'"."""
_SIBILANTS = "sxz"
_SIBLING = "P3373"
_MAX_WORDS = 4
"""Maximum number of words of a shortened name: given names or initials, and a surname."""
_MAX_SIBLINGS = 2
"""Maximum number of people of a surname who count as siblings without a statement."""
_MIN_SIMILARITY = 0.91
"""Minimum similarity of a name and a misspelt one, from 0 to 1: one letter of twelve may differ."""


class IncompleteNames:
    """Completes the names in a question; ``names`` are those that the store has as they are."""

    def __init__(
        self,
        question: Question,
        names: Iterable[Name],
        table: Spellings,
        surnames: Surnames,
        candidates: Candidates,
    ):
        self._question = question
        self._known = {(name.first, name.last) for name in names}
        self._words = question.words
        self._table = table
        self._surnames = surnames
        self._candidates = candidates

    def people(self, chosen: Sequence[Name]) -> Iterator[tuple[Name, Sequence[str]]]:
        """Yield names in a question with the people they mean; ``chosen`` are other names."""
        taken = {index for name in chosen for index in range(name.first, name.last + 1)}
        runs = self._capital_runs() if self._question.is_cased else self._small_runs(taken)
        for first, last in runs:
            if taken.isdisjoint(range(first, last + 1)) and (
                (first, last) not in self._known or (first == last and not self._question.is_cased)
            ):
                name = Name(first, last, self._question.span_text(first, last), ())
                if people := self._people(name, chosen):
                    yield name, people

    def siblings(self) -> Iterator[tuple[Name, Sequence[str]]]:
        """Yield names such as "the Gershwin brothers" with the people they mean."""
        for index, word in enumerate(self._words[1:], 1):
            before = self._words[index - 1]
            if word.folded in vocabulary().siblings and word.gap == " " and before.is_capital:
                people = self._surnames.people(before.text)
                if len(people) > _MAX_SIBLINGS:
                    people = self._candidates.connected(people, _SIBLING)
                if len(people) > 1:
                    text = self._question.span_text(index - 1, index)
                    yield Name(index - 1, index, text, ()), people

    def of_surname(self, name: Name, others: Iterable[Name]) -> Sequence[str]:
        """Return the person whose surname a name is, or nobody."""
        if self._is_thing(name):
            return []
        before = self._words[name.first - 1].folded if name.first else ""
        title = before if before in vocabulary().titles else ""
        return self._surnames.meant(self._question.span_text(name.first, name.last), title, others)

    def _is_thing(self, name: Name) -> bool:
        """Return whether the words beside a name say that it is no surname.

        Such are "the Danes", "two Finns", "Bond films", "Makin' Whoopee" and "raft of the Medusa".
        """
        word = self._words[name.last]
        before = self._words[name.first - 1].folded if name.first else ""
        is_plural = word.folded.endswith("s") and before in vocabulary().quantifiers
        following = self._words[name.last + 1 : name.last + 2]
        if not following:
            return is_plural
        after = following[0]
        return (
            (is_plural and not after.is_clitic)
            or (word.is_common and after.folded in vocabulary().works)
            or (after.gap in _ENDS and word.folded[-1] not in _SIBILANTS)
            or (after.folded == "of" and not self._question.is_cased)
        )

    def _capital_runs(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last words of the sequences of words with capitals."""
        first = None
        for index, word in enumerate(self._words):
            is_name = self._may_be_part(index, is_first=first is None)
            is_joined = word.gap in (" ", *_JOINTS) or (
                word.gap in _DOTS and self._is_initial(index - 1)
            )
            if first is not None and not (is_name and is_joined):
                if not (word.folded in _OF and self._next_is_capital(index)):
                    yield first, index - 1
                first = None
            begins_plainly = word.begins_sentence and word.is_common and not self._is_initial(index)
            if is_name and first is None and not (begins_plainly or self._is_rest(index)):
                first = index
        if first is not None:
            yield first, len(self._words) - 1

    def _may_be_part(self, index: int, is_first: bool) -> bool:
        """Return whether a word has a capital as a part of a name.

        An adjective of origin is none; but "Lean" and "Bach" look like one, too.
        """
        word = self._words[index]
        if not word.is_capital or word.is_clitic or word.folded in vocabulary().titles:
            return False
        if self._is_initial(index):
            return True
        is_apart = is_first or self._is_initial(index - 1)
        is_adjective = vocabulary().adjective.search(word.folded) and (
            not is_apart or (index, index) in self._known
        )
        return not (is_adjective or (word.is_function_word and not self._is_joined(index)))

    def _is_joined(self, index: int) -> bool:
        """Return whether an apostrophe joins the next word with a word, as in "D'Alema"."""
        following = self._words[index + 1 : index + 2]
        return any(word.follows_apostrophe and not word.is_clitic for word in following)

    def _is_initial(self, index: int) -> bool:
        """Return whether a word is a single capital letter before a full stop."""
        if index < 0:
            return False
        following = self._words[index + 1 : index + 2]
        is_letter = len(self._words[index].text) == 1 and self._words[index].is_capital
        return is_letter and any(word.gap in _DOTS for word in following)

    def _is_rest(self, index: int) -> bool:
        """Return whether a word is the rest of a name: "Émilie du Châtelet", "Brian Ribeiro"."""
        before = self._words[max(index - 2, 0) : index]
        if before and before[-1].is_capital and self._words[index].gap == " ":
            is_function_word = before[-1].is_function_word and before[-1].begins_sentence
            return not (is_function_word or before[-1].folded in vocabulary().titles)
        if len(before) < 2 or not before[0].is_capital:
            return False
        return before[1].folded in vocabulary().particles and not before[1].is_function_word

    def _next_is_capital(self, index: int) -> bool:
        return any(word.is_capital for word in self._words[index + 1 : index + 2])

    def _small_runs(self, taken: Container[int]) -> Iterator[tuple[int, int]]:
        """Yield the first and last words of names in a question without capitals.

        A word that is not common may be a surname, if what precedes it are its given names or
        initials, or no name.
        """
        for last, word in enumerate(self._words):
            if not self._may_be_surname(word):
                continue
            first = surname = self._start(last)
            while first and last - first < _MAX_WORDS - 1 and first - 1 not in taken:
                before = self._words[first - 1]
                is_joined = self._words[first].gap in (" ", *_DOTS)
                is_given = len(before.text) == 1 or self._may_be_surname(before)
                if before.is_clitic or not (is_joined and is_given):
                    break
                first -= 1
            for start in range(first, surname):
                yield start, last
            if first == surname or self._surnames.people(self._words[surname - 1].text):
                yield surname, last

    def _may_be_surname(self, word: Word) -> bool:
        is_name = not (word.is_common or word.is_clitic or word.folded in vocabulary().titles)
        return is_name and word.text.isalpha()

    def _people(self, name: Name, others: Sequence[Name]) -> Sequence[str]:
        """Return the person that a surname, or given names and a surname, mean, or nobody."""
        words = self._words[name.first : name.last + 1]
        if name.length > _MAX_WORDS or words[-1].is_number:
            return []
        start = self._start(name.last)
        if start <= name.first:
            return self.of_surname(name, others)
        given = [word.text for word in self._words[name.first : start]]
        surname = self._question.span_text(start, name.last)
        people = self._surnames.named(given, surname, others)
        if people or not (self._question.is_cased or self._surnames.is_unknown(surname)):
            return people
        return self._misspelt(name, f"{' '.join(given)} {surname[0]}")

    def _start(self, index: int) -> int:
        """Return the first word of a surname, such as "D'Alema", that ends at ``index``."""
        while index and self._words[index].gap in _JOINTS:
            index -= 1
        return index

    def _misspelt(self, name: Name, prefix: str) -> list[str]:
        """Return the person whose name is nearly that of a question, such as "Rachmaninov".

        The name begins with ``prefix``, the given names and the first letter of the surname.
        """
        spellings: dict[str, list[tuple[str, str]]] = {}
        for pair in self._table.beginning_with(prefix):
            spellings.setdefault(fold(pair[0]), []).append(pair)
        similar = difflib.get_close_matches(fold(name.text), spellings, cutoff=_MIN_SIMILARITY)
        for folded in similar:
            named = name._replace(spellings=tuple(spellings[folded]))
            if people := [*filter(self._candidates.is_person, self._candidates.items(named))]:
                return people[:1]
        return []
