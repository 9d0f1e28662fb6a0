"""Complete names of people that share a part with another name in the question.

"Michael and Brian Laudrup" are Michael Laudrup and Brian Laudrup; "Leopold I and II of Belgium" are
two kings of Belgium; "Eleanor" in a question about Franklin Roosevelt may be Eleanor Roosevelt.
"""

from collections.abc import Callable, Iterator, Sequence

from kgbuild.datasets.biokalma.retrieval.names import Name, named
from kgbuild.datasets.biokalma.retrieval.words import Question, Word, vocabulary
from kgbuild.store.labels import Spellings

_MAX_WORDS = 6
"""Maximum number of words of a name that another one shares."""
_MAX_GIVEN_WORDS = 3
"""Maximum number of words of the name that is to be completed."""


class SharedNames:
    """Completes names in a question; ``is_person`` returns whether a name is that of a person."""

    def __init__(self, question: Question, table: Spellings, is_person: Callable[[Name], bool]):
        self._question = question
        self._words = question.words
        self._table = table
        self._is_person = is_person

    def coordinated(self) -> list[Name]:
        """Return the names that end before a conjunction or a comma, completed by what follows.

        Those after it are completed by what precedes, if they are numbers of rulers.
        """
        names: list[Name] = []
        for index in range(len(self._words) - 1, 0, -1):
            if right := self._right_conjunct(index, names):
                names += self._left_conjuncts(right)
        return names

    def _right_conjunct(self, index: int, names: Sequence[Name]) -> tuple[int, int] | None:
        """Return the first and the last word of a name at ``index`` that follows a conjunction."""
        word = self._words[index]
        before = self._words[index - 1]
        is_joined = "&" in word.gap or "/" in word.gap or before.folded in vocabulary().conjunctions
        if not is_joined or not self._may_be_name(word):
            return None
        last = index
        while last + 1 < len(self._words) and last - index < _MAX_WORDS - 1:
            following = self._words[last + 1]
            particle = following.folded in vocabulary().particles and following.gap == " "
            if following.begins_sentence or following.is_clitic:
                break
            if not (self._may_be_name(following) or particle) or following.gap.strip(" .-"):
                break
            last += 1
        return index, last

    def _left_conjuncts(self, right: tuple[int, int]) -> Iterator[Name]:
        """Yield the completed names before a conjunction, from right to left."""
        first, last = right
        end = first - (1 if self._words[first - 1].folded in vocabulary().conjunctions else 0) - 1
        while end >= 0:
            completed = self._complete(end, first, last)
            if not completed:
                return
            yield completed
            start = completed.first
            if "," not in self._words[start].gap:
                return
            end = start - 1

    def _complete(self, end: int, first: int, last: int) -> Name | None:
        """Return the longest name that ends at ``end`` and is completed by the right conjunct."""
        for start in range(max(end - _MAX_GIVEN_WORDS + 1, 0), end + 1):
            given = self._words[start : end + 1]
            if not all(map(self._may_be_name, given)):
                continue
            text = self._question.span_text(start, end)
            for shared in range(first + 1, last + 1):
                for shared_last in range(last, shared - 1, -1):
                    rest = self._question.span_text(shared, shared_last)
                    name = named(self._question, start, end, f"{text} {rest}", self._table)
                    if name and self._is_person(name):
                        return name
        return None

    def rulers(self) -> Iterator[Name]:
        """Yield "Leopold II of Belgium" for "II of Belgium" after "Leopold I and"."""
        words = self._words
        for index in range(2, len(words)):
            is_number = words[index].folded in vocabulary().romans and words[index].text.isupper()
            joined = words[index - 1].folded in vocabulary().conjunctions
            if not (is_number and joined and words[index - 2].folded in vocabulary().romans):
                continue
            start = index - 3
            if start < 0 or not self._may_be_name(words[start]):
                continue
            ruler = words[start].text
            for last in range(min(index + _MAX_WORDS, len(words)) - 1, index - 1, -1):
                text = f"{ruler} {self._question.span_text(index, last)}"
                name = named(self._question, index, last, text, self._table)
                if name and self._is_person(name):
                    yield name
                    break

    def given_names(
        self, people: Sequence[tuple[Name, str, str]]
    ) -> Iterator[tuple[Name, str]]:
        """Yield single words completed by the surname of a person, and the person's id.

        ``people`` are names with the labels and ids of their items.
        """
        if not self._question.is_cased:
            return
        for index, word in enumerate(self._words):
            is_taken = any(name.first <= index <= name.last for name, _, _ in people)
            if is_taken or word.begins_sentence or not self._may_be_name(word):
                continue
            for name, label, qid in people:
                for surname in dict.fromkeys((name.text.split()[-1], label.split()[-1])):
                    text = f"{word.text} {surname}"
                    relative = named(self._question, index, index, text, self._table)
                    if relative and self._is_person(relative):
                        yield relative, qid

    def _may_be_name(self, word: Word) -> bool:
        is_function_word = word.is_function_word and (word.begins_sentence or word.text.islower())
        is_title = word.folded in vocabulary().titles
        is_capital = word.is_capital or not self._question.is_cased
        return is_capital and not (is_function_word or is_title or word.is_clitic)
