"""Choose the names in a question that are written like names."""

from collections.abc import Callable, Iterator, Sequence

from kgbuild.datasets.biokalma.retrieval.names import Name, without_overlaps
from kgbuild.datasets.biokalma.retrieval.words import Question, Word, vocabulary
from kgbuild.english.normalize import fold

_OF = ("of", "the", "von", "van", "de", "bin")
_SON = ("bin", "bint", "ibn")
_ARTICLES = ("a", "an", "the")
_INDEFINITE = ("a", "an", "which", "what", "any", "every")
_AUXILIARIES = ("was", "is", "were", "had", "has", "did", "does", "could", "would", "will")


class Entities:
    """The names in a question that are written like names, without overlaps.

    ``is_person`` returns whether a name can be that of a person.
    """

    def __init__(self, question: Question, is_person: Callable[[Name], bool]):
        self._question = question
        self._words = question.words
        self._is_person = is_person
        self._following: dict[int, list[Name]] = {}

    def choose(self, names: Sequence[Name]) -> list[Name]:
        """Return the entities among names, in the order of the question.

        Among names that overlap, the longest is chosen, then the first. A work that begins with its
        author's name, such as "Frank Herbert's Dune", is two names.
        """
        self._following = {
            first: [name for name in names if name.first == first and name.length > 1]
            for first in {name.first for name in names}
        }
        entities = [name for name in names if self._is_entity(name)]
        people = {name for name in entities if name.length > 1 and self._is_person(name)}
        return without_overlaps(
            name for name in entities if not self._begins_with_author(name, people)
        )

    def _begins_with_author(self, name: Name, people: set[Name]) -> bool:
        return any(
            person.first == name.first
            and person.last < name.last
            and self._words[person.last + 1].is_clitic
            for person in people
        )

    def _is_entity(self, name: Name) -> bool:
        words = self._words[name.first : name.last + 1]
        if not self._question.is_cased:
            return self._is_uncased_entity(name, words)
        if name.length == 1:
            return self._is_single_entity(name, words[0])
        if self._is_office(name, words) or all(len(word.text) == 1 for word in words):
            return False
        if any(map(self._has_capital, words)):
            is_whole = not self._has_small_edge(name, words) and (
                not self._continues(name.last) or self._precedes_person(name)
            )
            if words[-1].is_number and self._has_addition(name.last):
                is_whole = False  # "Albert II" in "Albert II of Monaco"
            return is_whole and any(_has_case_of(words, spelling) for spelling in _texts(name))
        if name.text in _texts(name) and all(word.gap == "." for word in words[1:]):
            return True  # such as "will.i.am"
        # A person's name in small letters, among others that have capitals.
        is_plain = not any(word.is_function_word for word in (words[0], words[-1]))
        return is_plain and any(map(_is_name, _texts(name))) and self._is_person(name)

    def _is_office(self, name: Name, words: Sequence[Word]) -> bool:
        """Return whether words are a title rather than a name: "a King of England", "The Queen".

        An article with a capital inside of a sentence begins the title of a work.
        """
        first, second = words[:2]
        if first.folded == "the":
            is_work = first.is_capital and not first.begins_sentence and len(words) == 2
            return is_work and second.folded in vocabulary().titles
        before = self._words[name.first - 1].folded if name.first else ""
        is_any = before in _INDEFINITE
        return is_any and first.folded in vocabulary().titles and second.folded == "of"

    def _precedes_person(self, name: Name) -> bool:
        """Return whether two people stand side by side: "Mia Farrow Woody Allen's wife"."""
        return any(
            map(self._is_person, self._following.get(name.last + 1, ()))
        ) and self._is_person(name)

    def _is_uncased_entity(self, name: Name, words: Sequence[Word]) -> bool:
        """Return whether a name is one in a question that does not show which words are names.

        Ordinary words, such as "prince", have a spelling in small letters.
        """
        if name.length > 1 and self._is_office(name, words):
            return False
        if name.length == 1:
            is_name = all(map(_is_name, _texts(name))) and not words[0].is_number
            is_plain = not (words[0].is_common or self._is_given_name(name))
            is_plain = is_plain and (is_name or self._is_person(name))
            return is_plain or (self._is_subject(name.first) and not words[0].is_function_word)
        if self._has_function_edge(words):
            # Such as "moon jae in".
            return words[0].folded not in _ARTICLES and self._is_person(name)
        return any(map(_is_name, _texts(name)))

    def _is_single_entity(self, name: Name, word: Word) -> bool:
        """Return whether a single word of a question with capitals is a name by itself."""
        if not any(map(_is_name, _texts(name))) or not word.is_capital or word.is_number:
            return False
        if word.is_function_word and word.begins_sentence:
            return False
        if self._is_date(name.first) or self._is_part(name.first):
            return False
        is_ordinary = any(text.islower() for text in _texts(name))
        return not (word.begins_sentence and is_ordinary) or self._is_subject(name.first)

    def _is_given_name(self, name: Name) -> bool:
        """Return whether a name in small letters goes on in a word that the store does not have."""
        following = self._words[name.last + 1 : name.last + 2]
        return name.last + 1 not in self._following and any(
            word.gap == " " and word.text.isalpha() and not word.is_common for word in following
        )

    def _is_subject(self, index: int) -> bool:
        """Return whether a verb or a possessive follows a capital that begins a sentence."""
        following = self._words[index + 1 : index + 2]
        return self._words[index].is_capital and any(
            word.is_clitic or word.folded in _AUXILIARIES for word in following
        )

    def _is_date(self, index: int) -> bool:
        """Return whether a word is a month beside a number."""
        near = [*self._words[max(index - 1, 0) : index], *self._words[index + 1 : index + 2]]
        is_month = self._words[index].folded in vocabulary().months
        return is_month and any(word.text[0].isdigit() for word in near)

    def _is_part(self, index: int) -> bool:
        """Return whether a word is beside another one with a capital: "Bill" in "Kill Bill"."""
        word = self._words[index]
        if index > 1 and self._words[index - 1].folded in _SON:
            return self._words[index - 2].is_capital
        if index and not word.begins_sentence and word.gap == " ":
            before = self._words[index - 1]
            if self._has_capital(before) and before.folded not in vocabulary().titles:
                return not before.is_clitic
        return self._continues(index) or self._has_addition(index)

    def _has_addition(self, index: int) -> bool:
        """Return whether an addition follows: "Catherine of Aragon", "Peter the Great"."""
        following = self._words[index + 1 : index + 3]
        return (
            [word.gap for word in following] == [" ", " "]
            and following[0].folded in _OF
            and following[1].is_capital
        )

    def _continues(self, index: int) -> bool:
        """Return whether a name goes on after a word: "George Washington" in "… Carver"."""
        if index + 1 == len(self._words):
            return False
        after = self._words[index + 1]
        is_apart = after.begins_sentence or after.gap.strip() or after.is_clitic
        if is_apart or not self._has_capital(after):
            return False
        if after.is_function_word:  # such as "The Man" in "The Man Who Killed Don Quixote"
            return len(after.text) > 1 and self._continues(index + 1)
        return not vocabulary().adjective.search(after.folded)

    def _has_capital(self, word: Word) -> bool:
        """Return whether a word has a capital that is not just that of a sentence."""
        is_function_word = word.is_function_word or word.folded in vocabulary().titles
        return word.is_capital and not (word.begins_sentence and is_function_word)

    def _has_small_edge(self, name: Name, words: Sequence[Word]) -> bool:
        """Return whether a name would begin or end with a function word in small letters."""
        first, last = words[0], words[-1]
        is_first = first.is_function_word and (first.text.islower() or first.begins_sentence)
        if is_first and first.folded != "the" and len(first.text) > 1:
            # Such as "Will Ferrell".
            return not (first.is_capital and words[1].is_capital and self._is_person(name))
        is_last = last.is_function_word and last.text.islower()
        return is_last and not last.follows_hyphen

    def _has_function_edge(self, words: Sequence[Word]) -> bool:
        first, last = words[0], words[-1]
        return (first.is_function_word and len(first.text) > 1) or (
            last.is_function_word and not last.follows_hyphen
        )


def _texts(name: Name) -> Iterator[str]:
    return (spelling for spelling, _ in name.spellings)


def _is_name(spelling: str) -> bool:
    """Return whether a spelling has a capital, as names have."""
    return not spelling.islower()


def _has_case_of(words: Sequence[Word], spelling: str) -> bool:
    """Return whether no word is in small letters where the spelling of the name has a capital.

    Particles such as "van" may have either.
    """
    if not _is_name(spelling):
        return False
    capitals = {fold(word) for word in spelling.replace("-", " ").split() if word[0].isupper()}
    return not any(
        word.text[0].islower() and word.folded in capitals and not _is_particle(word)
        for word in words
    )


def _is_particle(word: Word) -> bool:
    return word.folded in vocabulary().particles
