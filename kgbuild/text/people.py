"""Find the people whose names a text has in part, shares or misspells."""

from collections.abc import Iterator, Sequence

from kgbuild.english.normalize import fold
from kgbuild.text.index import NameIndex
from kgbuild.text.names import LEAST_NEAR, parts
from kgbuild.text.spans import ItemName, completed, is_subject
from kgbuild.text.words import Text, Word, vocabulary

_MOST = 3
"""The greatest number of given names or initials before a surname."""
_MORE_FAMOUS = 2.5
"""How many times as famous a person is as the next one of the name, to be meant by it."""
_WELL_KNOWN = 20
"""The least fame of a person who is meant by a misspelt surname alone."""
_JOINTS = ("'", "’", "-")
"""What stands between the parts of a surname."""
_DOTS = (". ", ".")
"""What stands between an initial and the next word."""
_FAR_MORE_FAMOUS = 10
"""How many times as famous somebody is whom a name means whatever else a text names."""


class People:
    """Finds people in texts; ``index`` has the items of a store by their names."""

    def __init__(self, index: NameIndex):
        self.index = index

    def completed(self, text: Text, names: Sequence[ItemName]) -> list[ItemName]:
        """Return the people whose names a text has in part, shares or misspells.

        ``names`` are those that the store has as they are.
        """
        known = {(name.first, name.last) for name in names if name.length > 1}
        found: list[ItemName] = []
        for first, last in _runs(text):
            spans = _parts_of_run(text, first, last)
            free = [span for span in spans if span not in known]
            found += filter(None, (self._person(text, *span, names) for span in free))
        return found

    def _person(
        self, text: Text, first: int, last: int, names: Sequence[ItemName]
    ) -> ItemName | None:
        """Return the person whom given names and a surname, or a surname alone, mean, or None."""
        start = _surname_start(text, last)
        words = parts(text.span_text(first, last))
        if start < first or last - first > _MOST or text.words[last].is_number or not words:
            return None
        surname = fold(text.span_text(start, last))
        is_alone = start == first
        if is_alone and (
            self._follows_stranger(text, first, names) or self.index.is_given(surname)
        ):
            return None
        found = self.index.like(words, surname)
        if not found and not text.is_cased and surname.endswith("s"):
            found = self.index.like([*words[:-1], words[-1][:-1]], surname[:-1])
        if is_alone and found and found[0].unlike:  # and misspelt
            is_named = any((name.first, name.last) == (first, last) for name in names)
            is_unsure = is_named or len(words[-1]) < LEAST_NEAR + found[0].unlike
            found = [f for f in found if not is_unsure and self.index.fame(f.qid) >= _WELL_KNOWN]
        best = [one.qid for one in found if one.unlike == found[0].unlike]
        person = self._meant(best, names)
        return completed(text, first, last, person) if person else None

    def _follows_stranger(self, text: Text, index: int, names: Sequence[ItemName]) -> bool:
        """Return whether the given name of somebody unknown stands before a surname."""
        before = text.words[index - 1]
        if text.is_cased or not index or text.words[index].gap != " " or before.is_common:
            return False
        is_named = any(name.first <= index - 1 <= name.last for name in names)
        return not is_named and self.index.is_given(before.folded)

    def _meant(self, people: Sequence[str], names: Sequence[ItemName]) -> str | None:
        """Return the only one of some people, the one joined to names, or the best known by far."""
        if len(people) <= 1:
            return next(iter(people), None)
        best, second, *_ = sorted(people, key=self.index.fame, reverse=True)
        lead = self.index.fame(best) / self.index.fame(second)
        between = self.index.knowledge.statements.between
        others = {qid for name in names for qid in name.items} - {*people}
        joined = [qid for qid in people if any(between(qid, other) for other in others)]
        if len(joined) == 1 and lead < _FAR_MORE_FAMOUS:
            return joined[0]
        return best if lead >= _MORE_FAMOUS else None

    def coordinated(self, text: Text) -> Iterator[ItemName]:
        """Yield people who share a name with the one after "and": "Bill and Hillary Clinton".

        Rulers share it with the one before: "Leopold I and II of Belgium".
        """
        ends = dict(_runs(text))
        starts = {last: first for first, last in ends.items()}
        for index, word in enumerate(text.words):
            is_joined = index and text.words[index - 1].folded in vocabulary().conjunctions
            before = index - 2 if is_joined else index - 1
            if index not in ends or before not in starts:
                continue
            if not is_joined and "&" not in word.gap and "/" not in word.gap:
                continue
            right = index, ends[index]
            while before in starts:
                left = starts[before], before
                yield from self._sharing(text, left, right)
                before = left[0] - 1 if "," in text.words[left[0]].gap else -1

    def _sharing(
        self, text: Text, left: tuple[int, int], right: tuple[int, int]
    ) -> Iterator[ItemName]:
        """Yield the person of the left words with the last ones of the right, and the reverse."""
        given, other = text.span_text(*left), text.span_text(*right)
        if left[1] > left[0] and any(map(self.index.is_person, self.index.items(given))):
            return
        if text.words[right[0]].is_number:
            yield from self._called(text, right, f"{text.words[left[0]].text} {other}")
        firsts = [right[1]] if text.is_cased else range(right[1], right[0], -1)
        ends = [end for end in firsts if end > right[0]]
        for end in ends:
            for start in range(right[0] + 1, end + 1):
                if person := [*self._called(text, left, f"{given} {text.span_text(start, end)}")]:
                    yield from person
                    return
        for end in ends:
            surname = fold(text.span_text(_surname_start(text, end), end))
            found = self.index.like([*parts(given), *parts(surname)], surname)
            if person_id := self._meant([one.qid for one in found if not one.unlike], ()):
                yield completed(text, *left, person_id)
                return

    def _called(self, text: Text, span: tuple[int, int], name: str) -> Iterator[ItemName]:
        items = self.index.items(name)
        if person := next(filter(self.index.is_person, items), None):
            yield completed(text, *span, person)


def _surname_start(text: Text, index: int) -> int:
    """Return the first word of a surname, such as "D'Alema", that ends at ``index``."""
    while index and text.words[index].gap in _JOINTS:
        index -= 1
    return index


def _runs(text: Text) -> Iterator[tuple[int, int]]:
    """Yield the first and last words of the sequences of words that may be parts of one name.

    They have capitals, or are no common words in a text without capitals. Particles such as "von"
    may stand between them.
    """
    run: list[int] = []
    for index, word in enumerate(text.words):
        is_initial = bool(index) and len(text.words[index - 1].text) == 1
        is_joined = word.gap in (" ", *_JOINTS) or (word.gap in _DOTS and is_initial)
        if run and not is_joined:
            yield run[0], run[-1]
            run = []
        if _may_be_part(text, index, is_first=not run):
            run.append(index)
        elif run and not _may_be_inside(text, word):
            yield run[0], run[-1]
            run = []
    if run:
        yield run[0], run[-1]


def _may_be_part(text: Text, index: int, *, is_first: bool) -> bool:
    """Return whether a word may be a part of the name of a person."""
    word = text.words[index]
    if word.is_clitic or (is_first and word.folded in vocabulary().titles):
        return False
    following = text.words[index + 1 : index + 2]
    is_joined = any(one.follows_apostrophe and not one.is_clitic for one in following)
    if not text.is_cased:
        return is_joined or (not word.is_function_word and word.text.isalpha())
    if word.follows_apostrophe and not is_first:
        return True
    if not word.is_capital:
        return False
    if len(word.text) == 1 and any(one.gap in _DOTS for one in following):
        return True
    if is_first:
        is_apart = is_subject(text, index) or any(
            "," in one.gap or one.folded in vocabulary().conjunctions for one in following
        )
        is_plain = word.begins_sentence and word.is_common and not is_apart
        return is_joined or not (is_plain or (word.is_function_word and word.begins_sentence))
    return True


def _parts_of_run(text: Text, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a run that may be names.

    With capitals, they are the run, and the run without an adjective of origin at its end ("Was
    Plato Greek?"). In small letters, they are all but common words alone.
    """
    if text.is_cased:
        yield first, last
        if last > first and vocabulary().adjective.search(text.words[last].folded):
            yield first, last - 1
        return
    for start in range(first, last + 1):
        for end in range(start, min(last, start + _MOST) + 1):
            if not all(word.is_common for word in text.words[start : end + 1]):
                yield start, end


def _may_be_inside(text: Text, word: Word) -> bool:
    """Return whether a word may stand between parts of a name, such as "von"."""
    if not text.is_cased:
        return False
    return word.folded in vocabulary().particles and (
        word.folded in ("of", "the") or not word.is_function_word
    )
