"""Find the items that a text names."""

from collections.abc import Iterable, Iterator, Sequence

from kgbuild.text.index import NameIndex
from kgbuild.text.names import LEAST_NEAR, forms, is_near, parts
from kgbuild.text.spans import ItemName, completed, is_subject, is_unbroken, possible
from kgbuild.text.words import Text, Word, vocabulary


class NameLinker:
    """Finds names in texts; ``index`` has the items of a store by their names."""

    def __init__(self, index: NameIndex):
        self.index = index

    def names(self, text: Text) -> list[ItemName]:
        """Return all names in a text, also those that overlap, in the order of their words."""
        spans = [*possible(text)]
        all_forms = [
            forms(text.span_text(*s), text.words[s[0] : s[1] + 1], text.is_cased) for s in spans
        ]
        found = self.index.read(all_forms)
        return [
            ItemName(first, last, text.span_text(first, last), items)
            for (first, last), items in zip(spans, found, strict=True)
            if items
        ]

    def whole(self, text: Text, names: Sequence[ItemName]) -> list[ItemName]:
        """Return the names that are written like names, and are no parts of unknown longer ones."""
        return [n for n in self.unbroken(text, names) if self._is_written_so(text, n)]

    def unbroken(self, text: Text, names: Sequence[ItemName]) -> list[ItemName]:
        """Return the names that are no parts of unknown longer ones, also common words."""
        multiple = [name for name in names if name.length > 1]
        return [name for name in names if is_unbroken(text, name, multiple)]

    def _is_written_so(self, text: Text, name: ItemName) -> bool:
        """Return whether a name is written like one: not "the Queen", "Farmer" at the beginning."""
        words = text.words[name.first : name.last + 1]
        first, last = words[0], words[-1]
        has_person = any(map(self.index.is_person, name.items))
        if name.length == 1:
            if not text.is_cased:
                is_plain = not first.is_common and (has_person or first.text.isalpha())
                return is_plain or is_subject(text, name.first)
            if not first.is_capital or first.is_number:
                return False
            is_plain = not (first.begins_sentence and first.is_common)
            return is_plain or is_subject(text, name.first)
        if _is_office(text, name):
            return False
        has_edge = _is_small(first) or (_is_small(last) and not last.follows_hyphen)
        if not text.is_cased:
            return not has_edge or (has_person and first.folded not in ("a", "an", "the"))
        if any(map(_has_capital, words)):
            is_article = first.folded == "the"
            return is_article or not _is_small(first) or (first.is_capital and words[1].is_capital)
        return has_person and not has_edge

    def nearly(self, text: Text, qids: Iterable[str]) -> Iterator[ItemName]:
        """Yield the labels of some items that a text has with a typing error in a word."""
        told = [
            (at, "".join(parts(word.text)[:1]))
            for at, word in enumerate(text.words)
            if not word.is_clitic
        ]
        words = {word for _, word in told}
        for qid in dict.fromkeys(qids):
            label = parts(self.index.label(qid))
            if not label or (len(label) > 1 and words.isdisjoint(label)):
                continue
            for start in range(len(told) - len(label) + 1):
                window = told[start : start + len(label)]
                wrong = [(w, own) for (_, w), own in zip(window, label, strict=True) if w != own]
                places = [at for at, _ in window]
                if (
                    len(wrong) <= 1
                    and all(is_near(w.removesuffix("s"), own.removesuffix("s")) for w, own in wrong)
                    and (len(label) > 1 or len(label[0]) > LEAST_NEAR)
                    and not all(text.words[at].is_common for at in places)
                ):
                    yield completed(text, places[0], places[-1], qid)
                    break


def _has_capital(word: Word) -> bool:
    """Return whether a word has a capital that is not just that of a sentence."""
    is_plain = word.is_function_word or word.folded in vocabulary().titles
    return word.is_capital and not (word.begins_sentence and is_plain)


def _is_small(word: Word) -> bool:
    """Return whether a word belongs to the grammar, and not to a name."""
    is_word = word.is_function_word and len(word.text) > 1
    return is_word and (word.text.islower() or word.begins_sentence)


def _is_office(text: Text, name: ItemName) -> bool:
    """Return whether words are a title rather than a name: "a King of England", "The Queen"."""
    first, second = text.words[name.first : name.first + 2]
    if first.folded == "the":
        return name.length == 2 and second.folded in vocabulary().titles
    before = text.words[name.first - 1].folded if name.first else ""
    is_any = before in ("a", "an", "which", "what", "any", "every")
    return is_any and first.folded in vocabulary().titles and second.folded == "of"
