"""Complete names of people that share a part with another name in the question.

"Michael and Brian Laudrup" are Michael Laudrup and Brian Laudrup; "Leopold I and II of Belgium" are
two kings of Belgium; "Eleanor" in a question about Franklin Roosevelt may be Eleanor Roosevelt.
"""

from collections.abc import Iterable, Iterator, Sequence

from kgbuild.datasets.biokalma.retrieval.candidates import Candidates
from kgbuild.datasets.biokalma.retrieval.names import Name, existing_names
from kgbuild.datasets.biokalma.retrieval.surnames import Surnames
from kgbuild.datasets.biokalma.retrieval.words import Question, Word, vocabulary
from kgbuild.english.normalize import fold
from kgbuild.store.labels import Spellings

_MAX_WORDS = 6
"""Maximum number of words of a name that another one shares."""
_MAX_GIVEN_WORDS = 3
"""Maximum number of words of the name that is to be completed."""


class SharedNames:
    """Completes names in a question."""

    def __init__(
        self, question: Question, table: Spellings, surnames: Surnames, candidates: Candidates
    ):
        self._question = question
        self._words = question.words
        self._table = table
        self._surnames = surnames
        self._candidates = candidates

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
            is_next = self._may_be_name(following) or particle
            if not following.follows_apostrophe and (not is_next or following.gap.strip(" .-")):
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
        """Return the longest name that ends at ``end`` and is completed by the right conjunct.

        If the store has none, the name is that of the person with a middle name beside them, as in
        "Herman and Joseph Mankiewicz".
        """
        return self._person(self._completions(end, first, last)) or self._person(
            (end, end, self._candidates.label(qid))
            for qid in self._surnames.named([self._words[end].text], self._words[last].text)
            if last > first and self._may_be_name(self._words[end])
        )

    def _completions(self, end: int, first: int, last: int) -> Iterator[tuple[int, int, str]]:
        for start in range(max(end - _MAX_GIVEN_WORDS + 1, 0), end + 1):
            given = self._words[start : end + 1]
            conjunct = self._words[first : first + len(given)]
            repeats = [word.folded for word in given] == [word.folded for word in conjunct]
            if repeats or not all(map(self._may_be_name, given)):
                continue  # such as "John F. Kennedy and John F. Kennedy Jr."
            text = self._question.span_text(start, end)
            for shared in range(first + 1, last + 1):
                for shared_last in range(last, shared - 1, -1):
                    rest = self._question.span_text(shared, shared_last)
                    yield start, end, f"{text} {rest}"

    def rulers(self) -> Iterator[Name]:
        """Yield "Leopold II of Belgium" for "II of Belgium" after "Leopold I and"."""
        words, romans = self._words, vocabulary().romans
        for index in range(3, len(words)):
            ruler, number, conjunction, word = words[index - 3 : index + 1]
            is_joined = conjunction.folded in vocabulary().conjunctions and number.folded in romans
            if is_joined and word.is_number and self._may_be_name(ruler):
                lasts = range(min(index + _MAX_WORDS, len(words)) - 1, index - 1, -1)
                name = self._person(
                    (index, last, f"{ruler.text} {self._question.span_text(index, last)}")
                    for last in lasts
                )
                if name:
                    yield name

    def given_names(self, people: Sequence[tuple[Name, str]]) -> Iterator[tuple[Name, str, str]]:
        """Yield single words that are the given names of relatives of people in the question.

        ``people`` are names with the ids of their items. With each word, the ids of the relative
        and of the person are yielded.
        """
        words = [
            (index, word)
            for index, word in enumerate(self._words)
            if self._may_be_name(word)
            and not (word.begins_sentence if self._question.is_cased else word.is_common)
            and not any(name.first <= index <= name.last for name, _ in people)
        ]
        for name, qid in people if words else ():
            for index, relative in (*self._family(qid, words), *self._namesakes(name, qid, words)):
                if self._candidates.is_person(relative):
                    yield Name(index, index, self._words[index].text, ()), relative, qid

    def _family(self, qid: str, words: Sequence[tuple[int, Word]]) -> Iterator[tuple[int, str]]:
        """Yield the words that are given names in a person's family, and the relatives."""
        for relative in self._candidates.family(qid):
            given = fold(self._candidates.label(relative)).split()[:-1]
            yield from ((index, relative) for index, word in words if word.folded in given[:1])

    def _namesakes(
        self, name: Name, qid: str, words: Sequence[tuple[int, Word]]
    ) -> Iterator[tuple[int, str]]:
        """Yield the words that, with a person's surname, name somebody connected, and these."""
        labels = (name.text, self._candidates.label(qid))
        surnames = dict.fromkeys(label.split()[-1] for label in labels)
        meanings = [
            (index, index, f"{word.text} {surname}")
            for index, word in words
            for surname in surnames
        ]
        for other in existing_names(self._question, meanings, self._table):
            for relative in self._candidates.neighbours_of(qid, self._candidates.items(other)):
                yield other.first, relative

    def _person(self, meanings: Iterable[tuple[int, int, str]]) -> Name | None:
        """Return the first of some meanings that is the name of a person."""
        names = existing_names(self._question, meanings, self._table)
        return next(filter(self._candidates.names_person, names), None)

    def _may_be_name(self, word: Word) -> bool:
        is_function_word = word.is_function_word and (word.begins_sentence or word.text.islower())
        is_title = word.folded in vocabulary().titles
        is_capital = word.is_capital or not self._question.is_cased
        return is_capital and not (is_function_word or is_title or word.is_clitic)
