"""Find the names in a text, and the people whose names it shortens, shares or misspells.

A name must be whole: "Washington" is no name in "George Washington Carver" if the store does not
know him, and "Casino" is no name in "riviera casino".
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kgbuild.english.normalize import fold
from kgbuild.text.index import Items, NameIndex, Nearness
from kgbuild.text.names import forms, is_near, parts
from kgbuild.text.words import Text, Word, split, vocabulary

_MAX_WORDS = 16
"""Maximum number of words of a name."""
_MAX_SMALL_WORDS = 4
"""Maximum number of words of a name that does not begin and end with a capital."""
_MAX_UNCASED_WORDS = 8
"""Maximum number of words of a name in a text without capitals."""
_MOST = 3
"""The greatest number of given names or initials before a surname."""
_MORE_FAMOUS = 2.5
"""How many times as famous a person is as the next one of the name, to be meant by it."""
_LEAST_NEAR = 4
"""The least number of letters of a misspelt surname, apart from how unlike it is."""
_WELL_KNOWN = 20
"""The least fame of a person who is meant by a misspelt surname alone."""
_JOINTS = ("'", "’", "-")
"""What stands between the parts of a surname."""
_SIGNS = ("/", " & ", ": ")
"""What stands between the parts of the title of a work or the name of a firm."""
_DOTS = (". ", ".")
"""What stands between an initial and the next word."""
_AND = "and"
_OF_BEFORE = re.compile(r"(?<=\S )[A-Z]\w* (?:of|for) (?:the )?$")
_OF_AFTER = re.compile(r" (?:of|for) (?:the )?[A-Z]")
"""What may make a name a part of another one: "Duke of X", "X of Y"."""
_QUOTES = str.maketrans("“”‟", '"""')
_OF = ("of", "the", "von", "van", "de", "bin")
_SIBLING = "P3373"
_FAR_MORE_FAMOUS = 10
"""How many times as famous somebody is whom a name means whatever else a text names."""
_COUPLE = 2
"""Number of people of a surname who count as siblings without a statement."""
_AUXILIARIES = ("was", "is", "were", "had", "has", "did", "does", "could", "would", "will")
_LIKE = Nearness(is_alias=True, is_spelled_otherwise=True)
"""How a shortened or misspelt name differs from a label."""


class Name(NamedTuple):
    """A name from the word ``first`` to the word ``last``, both included, and its items.

    ``is_completed`` if the text has the name in part, or spelled otherwise.
    """

    first: int
    last: int
    text: str
    items: Items
    is_completed: bool = False

    @property
    def length(self) -> int:
        """The number of words."""
        return self.last - self.first + 1

    def overlaps(self, other: "Name") -> bool:
        """Return whether two names share a word."""
        return self.first <= other.last and other.first <= self.last

    def contains(self, other: "Name") -> bool:
        """Return whether another, shorter name is a part of this one."""
        is_inside = self.first <= other.first and other.last <= self.last
        return is_inside and self.length > other.length


def without_overlaps(names: Iterable[Name]) -> list[Name]:
    """Return the longest of overlapping names, or the first of equal length."""
    chosen: list[Name] = []
    for name in sorted(names, key=lambda name: (-name.length, name.is_completed, name.first)):
        if not any(map(name.overlaps, chosen)):
            chosen.append(name)
    return sorted(chosen, key=lambda name: name.first)


def places(text: Text, name: str) -> Iterator[tuple[int, int]]:
    """Yield where a text has a name that is whole: the first and the last word of each place.

    In quotes, a name is whole. A name of one word must have the same capital: "poison" is not
    Poison. "&" is "and".
    """
    told = split(name).words
    own = [word.folded for word in told if word.folded != _AND]
    words = [(index, word) for index, word in enumerate(text.words) if word.folded != _AND]
    for start in range(len(words) - len(own) + 1 if own else 0):
        window = words[start : start + len(own)]
        if [word.folded for _, word in window] != own:
            continue
        (first, word), (last, _) = window[0], window[-1]
        one = Name(first, last, text.span_text(first, last), {})
        if _is_quoted(text, first, last) or not (
            (len(own) == 1 and word.is_capital != told[0].is_capital)
            or all(word.is_function_word for _, word in window)
            or text.text[: word.start].translate(_QUOTES).count('"') % 2
            or _OF_BEFORE.search(text.text[: word.start])
            or _OF_AFTER.match(text.text[text.words[last].end :])
            or not _is_unbroken(text, one, ())
        ):
            yield first, last


class Linker:
    """Finds names in texts; ``index`` has the items of a store by their names."""

    def __init__(self, index: NameIndex):
        self.index = index

    def names(self, text: Text) -> list[Name]:
        """Return all names in a text, also those that overlap, in the order of their words."""
        spans = [*_spans(text)]
        all_forms = [
            forms(text.span_text(*s), text.words[s[0] : s[1] + 1], text.is_cased) for s in spans
        ]
        found = self.index.read(all_forms)
        names = [
            Name(first, last, text.span_text(first, last), items)
            for (first, last), items in zip(spans, found, strict=True)
            if items
        ]
        if text.is_cased:
            return names
        named = {name.last for name in names}
        return [*names, *self._possessives(text, named)]

    def _possessives(self, text: Text, named: set[int]) -> Iterator[Name]:
        """Yield names of people with a possessive without an apostrophe: "ray allens team"."""
        for last, word in enumerate(text.words):
            if last in named or not word.text.endswith("s") or word.is_common:
                continue
            for first in range(max(last - _MOST, 0), last + 1):
                items = self.index.items(text.span_text(first, last)[:-1])
                people = {qid: near for qid, near in items.items() if self.index.is_person(qid)}
                if people and not text.words[first].is_function_word:
                    yield Name(first, last, text.span_text(first, last), people)
                    break

    def whole(self, text: Text, names: Sequence[Name]) -> list[Name]:
        """Return the names that are written like names, and are no parts of unknown longer ones."""
        return [n for n in self.unbroken(text, names) if self._is_written_so(text, n)]

    def unbroken(self, text: Text, names: Sequence[Name]) -> list[Name]:
        """Return the names that are no parts of unknown longer ones, also common words."""
        multiple = [name for name in names if name.length > 1]
        return [name for name in names if _is_unbroken(text, name, multiple)]

    def _is_written_so(self, text: Text, name: Name) -> bool:
        """Return whether a name is written like one: not "the Queen", "Farmer" at the beginning."""
        words = text.words[name.first : name.last + 1]
        first, last = words[0], words[-1]
        has_person = any(map(self.index.is_person, name.items))
        if name.length == 1:
            if not text.is_cased:
                is_plain = not first.is_common and (has_person or first.text.isalpha())
                return is_plain or _is_subject(text, name.first)
            if not first.is_capital or first.is_number:
                return False
            is_plain = not (first.begins_sentence and first.is_common)
            return is_plain or _is_subject(text, name.first)
        if _is_office(text, name):
            return False
        has_edge = _is_small(first) or (_is_small(last) and not last.follows_hyphen)
        if not text.is_cased:
            return not has_edge or (has_person and first.folded not in ("a", "an", "the"))
        if any(map(_has_capital, words)):
            is_article = first.folded == "the"
            return is_article or not _is_small(first) or (first.is_capital and words[1].is_capital)
        return has_person and not has_edge

    def near(self, text: Text, qid: str) -> Name | None:
        """Return the label of an item as a text has it, with a typing error in a word, or None."""
        label = parts(self.index.label(qid))
        words = [parts(word.text) or [""] for word in text.words if not word.is_clitic]
        places = [index for index, word in enumerate(text.words) if not word.is_clitic]
        for start in range(len(words) - len(label) + 1 if label else 0):
            window = [word[0] for word in words[start : start + len(label)]]
            pairs = [(one, own) for one, own in zip(window, label, strict=True) if one != own]
            if len(pairs) <= 1 and all(
                is_near(one.removesuffix("s"), own.removesuffix("s")) for one, own in pairs
            ):
                is_telling = len(label) > 1 or len(label[0]) > _LEAST_NEAR
                first, last = places[start], places[start + len(label) - 1]
                if is_telling and not all(text.words[i].is_common for i in range(first, last + 1)):
                    return _completed(text, first, last, qid)
        return None

    def people(self, text: Text, names: Sequence[Name]) -> list[Name]:
        """Return the people whose names a text has in part, shares or misspells.

        ``names`` are those that the store has as they are.
        """
        known = {(name.first, name.last) for name in names if name.length > 1}
        found: list[Name] = []
        for first, last in _runs(text):
            spans = _parts_of_run(text, first, last)
            free = [span for span in spans if span not in known]
            found += filter(None, (self._person(text, *span, names) for span in free))
        return found

    def _person(self, text: Text, first: int, last: int, names: Sequence[Name]) -> Name | None:
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
            is_unsure = is_named or len(words[-1]) < _LEAST_NEAR + found[0].unlike
            found = [f for f in found if not is_unsure and self.index.fame(f.qid) >= _WELL_KNOWN]
        best = [one.qid for one in found if one.unlike == found[0].unlike]
        person = self._meant(best, names)
        return _completed(text, first, last, person) if person else None

    def _follows_stranger(self, text: Text, index: int, names: Sequence[Name]) -> bool:
        """Return whether the given name of somebody unknown stands before a surname."""
        before = text.words[index - 1]
        if text.is_cased or not index or text.words[index].gap != " " or before.is_common:
            return False
        is_named = any(name.first <= index - 1 <= name.last for name in names)
        return not is_named and self.index.is_given(before.folded)

    def _meant(self, people: Sequence[str], names: Sequence[Name]) -> str | None:
        """Return the only one of some people, the one joined to names, or the best known by far."""
        if len(people) < _COUPLE:
            return next(iter(people), None)
        best, second, *_ = sorted(people, key=self.index.fame, reverse=True)
        lead = self.index.fame(best) / self.index.fame(second)
        between = self.index.knowledge.statements.between
        others = {qid for name in names for qid in name.items} - {*people}
        joined = [qid for qid in people if any(between(qid, other) for other in others)]
        if len(joined) == 1 and lead < _FAR_MORE_FAMOUS:
            return joined[0]
        return best if lead >= _MORE_FAMOUS else None

    def coordinated(self, text: Text) -> Iterator[Name]:
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

    def _sharing(self, text: Text, left: tuple[int, int], right: tuple[int, int]) -> Iterator[Name]:
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
                yield _completed(text, *left, person_id)
                return

    def _called(self, text: Text, span: tuple[int, int], name: str) -> Iterator[Name]:
        items = self.index.items(name)
        if person := next(filter(self.index.is_person, items), None):
            yield _completed(text, *span, person)

    def siblings(self, text: Text) -> Iterator[tuple[Name, Sequence[str]]]:
        """Yield names such as "the Gershwin brothers" with the people they mean."""
        values = self.index.knowledge.statements.values
        for index, word in enumerate(text.words[1:], 1):
            before = text.words[index - 1]
            if word.folded in vocabulary().siblings and word.gap == " " and not before.is_common:
                people = self.index.people(before.folded)
                joined = ([q, *(o for o in people if o in values(q, _SIBLING))] for q in people)
                several = (group for group in joined if len(group) > 1)
                if group := next(several, people if len(people) == _COUPLE else None):
                    yield _completed(text, index - 1, index, group[0]), group


def _completed(text: Text, first: int, last: int, person: str) -> Name:
    return Name(first, last, text.span_text(first, last), {person: _LIKE}, is_completed=True)


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
    first = last = None
    for index, word in enumerate(text.words):
        is_initial = bool(index) and len(text.words[index - 1].text) == 1
        is_joined = word.gap in (" ", *_JOINTS) or (word.gap in _DOTS and is_initial)
        if last is not None and not is_joined:
            yield first, last  # type: ignore[misc]
            first = last = None
        if _may_be_part(text, index, is_first=last is None):
            first, last = index if first is None else first, index
        elif last is not None and not _may_be_inside(text, word):
            yield first, last  # type: ignore[misc]
            first = last = None
    if last is not None:
        yield first, last  # type: ignore[misc]


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
        is_apart = _is_subject(text, index) or any("," in one.gap for one in following)
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


def _is_quoted(text: Text, first: int, last: int) -> bool:
    """Return whether quotes are directly around some words."""
    before = text.text[: text.words[first].start].translate(_QUOTES)
    after = text.text[text.words[last].end :].translate(_QUOTES)
    return before[-1:] == '"' and after.lstrip(".,;?!")[:1] == '"'


def _is_unbroken(text: Text, name: Name, others: Iterable[Name]) -> bool:
    """Return whether other names explain the words that are joined to a name."""
    if not text.is_cased and name.length > 1:
        return True
    beside = [
        index
        for index in (name.first - 1, name.last + 1)
        if 0 <= index < len(text.words) and _is_joined(text, name, index)
    ]
    return all(
        any(o.first <= index <= o.last and not o.overlaps(name) for o in others) for index in beside
    )


def _is_joined(text: Text, name: Name, index: int) -> bool:
    """Return whether a word beside a name belongs to the same name, by how it is written."""
    word, is_before = text.words[index], index < name.first
    later = text.words[name.first] if is_before else word
    if word.is_clitic or later.begins_sentence:
        return False
    if later.follows_hyphen or later.gap in _SIGNS:
        return word.is_capital or (is_before and not text.is_cased)
    if later.gap != " ":
        return False
    if not text.is_cased:
        return word.text.isalpha() and not word.is_common and len(word.text) > 1
    if word.folded in vocabulary().titles or vocabulary().adjective.search(word.folded):
        return False
    if word.folded in _OF and name.length == 1 and not is_before:
        following = text.words[index + 1 : index + 2]
        return any(one.is_capital and one.gap == " " for one in following)
    is_plain = word.is_function_word and (word.begins_sentence or not is_before)
    return word.is_capital and not is_plain and not (word.begins_sentence and word.is_common)


def _has_capital(word: Word) -> bool:
    """Return whether a word has a capital that is not just that of a sentence."""
    is_plain = word.is_function_word or word.folded in vocabulary().titles
    return word.is_capital and not (word.begins_sentence and is_plain)


def _is_small(word: Word) -> bool:
    """Return whether a word belongs to the grammar, and not to a name."""
    is_word = word.is_function_word and len(word.text) > 1
    return is_word and (word.text.islower() or word.begins_sentence)


def _is_subject(text: Text, index: int) -> bool:
    """Return whether a verb or a possessive follows a capital that begins a sentence."""
    following = text.words[index + 1 : index + 2]
    return text.words[index].is_capital and any(
        word.is_clitic or word.folded in _AUXILIARIES for word in following
    )


def _is_office(text: Text, name: Name) -> bool:
    """Return whether words are a title rather than a name: "a King of England", "The Queen"."""
    first, second = text.words[name.first : name.first + 2]
    if first.folded == "the":
        return name.length == 2 and second.folded in vocabulary().titles
    before = text.words[name.first - 1].folded if name.first else ""
    is_any = before in ("a", "an", "which", "what", "any", "every")
    return is_any and first.folded in vocabulary().titles and second.folded == "of"


def _spans(text: Text) -> Iterator[tuple[int, int]]:
    """Yield the first and last words of each sequence that may be a name."""
    words, is_cased = text.words, text.is_cased
    may_end = [_may_end(words, index, is_cased) for index in range(len(words))]
    content = [*map(_has_content, words)]
    for first, word in enumerate(words):
        if not _may_begin(words, first, is_cased):
            continue
        has_content = False
        for last in range(first, min(first + _MAX_WORDS, len(words))):
            has_content |= content[last] or (last > first and words[last].gap == ".")
            if not (has_content and may_end[last]):
                continue
            if last - first < _MAX_SMALL_WORDS or last - first < _max_words(
                word, words[last], is_cased
            ):
                yield first, last


def _max_words(first: Word, last: Word, is_cased: bool) -> int:
    if not is_cased:
        return _MAX_UNCASED_WORDS
    return _MAX_WORDS if first.is_capital and last.is_capital else _MAX_SMALL_WORDS


def _may_begin(words: Sequence[Word], index: int, is_cased: bool) -> bool:
    """Return whether a name may begin with a word: not in "O'Connor" or "Jean-Luc".

    A word in small letters that belongs to the grammar begins no name but "the Bard".
    """
    word = words[index]
    is_small = is_cased and word.is_function_word and word.text.islower() and len(word.text) > 1
    is_dotted = any(following.gap == "." for following in words[index + 1 : index + 2])
    if word.follows_apostrophe or (is_small and word.folded != "the" and not is_dotted):
        return False
    return not word.follows_hyphen or (is_cased and words[index - 1].text.islower())


def _may_end(words: Sequence[Word], index: int, is_cased: bool) -> bool:
    """Return whether a name may end with a word: not in "Ada's", but in "Gandhi-led"."""
    word = words[index]
    is_small = is_cased and word.is_function_word and word.text.islower()
    if word.is_clitic or (is_small and len(word.text) > 1 and word.gap == " "):
        return False
    if index + 1 == len(words):
        return True
    following = words[index + 1]
    if following.follows_apostrophe:
        return following.is_clitic
    return not following.follows_hyphen or (is_cased and following.text.islower())


def _has_content(word: Word) -> bool:
    """Return whether a word may be part of a name that has no other such word.

    A function word with a capital inside a sentence may be a name, such as "May" or "Who".
    """
    is_capital = word.is_capital and not word.begins_sentence
    is_word = len(word.text) > 1 and any(map(str.isalpha, word.text))
    is_initial = len(word.text) == 1 and word.text.isupper()
    return (
        not word.is_clitic and (is_initial or is_word) and (is_capital or not word.is_function_word)
    )
