"""Recognise the relation that a question or a column of a file names in words."""

import functools
import re
from collections.abc import Mapping, Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.english.normalize import fold
from kgbuild.errors import MalformedIdError
from kgbuild.relations import Relation
from kgbuild.store.labels import Labels
from kgbuild.store.word_index import WordIndex
from kgbuild.wikidata import number, parse_property

_WORD = re.compile(r"\w+")
_ANY_KIND = ("thing",)
_SUBJECT = "{subject}"


class RelationWords:
    """The names of relations: labels, aliases, templates, and the words of relation_words.toml.

    A relation that relations.toml lacks accepts subjects and objects of every kind.
    """

    def __init__(self, labels: Labels):
        self._labels = labels
        self._data = read_toml("granola", "files/relation_words")
        self._common = frozenset(self._data["common"])

    @functools.cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The relations that have words, by id, sorted by number."""
        pids = {*catalog().properties, *self._data["words"], *self._data["dates"]}
        return {pid: self._relation(pid) for pid in sorted(pids, key=number)}

    def is_asked(self, pid: str) -> bool:
        """Return whether questions ask for a property in words of ours, such as no class."""
        return pid in catalog().relations or pid in self._data["words"]

    def named(self, text: str) -> list[Relation]:
        """Return the relations with an id or a name, ignoring case: labels before aliases.

        The list has several relations if they share an alias; it is empty if none has the name.
        """
        try:
            pid = parse_property(text)
        except MalformedIdError:
            by_label, by_alias = self._by_name
            return by_label.get(fold(text)) or by_alias.get(fold(text)) or []
        return [self.relations.get(pid) or self._relation(pid)]

    def scores(self, words: Sequence[str]) -> dict[str, float]:
        """Return the score of each relation that shares some words, by id.

        The score is that of the relation's name that fits best.
        """
        return self._index.scores(words)

    def share(self, words: Sequence[str], pid: str) -> float:
        """Return the share of some words that names of a relation have, 0 without any.

        Words such as "in" count only if there are no others.
        """
        telling = [word for word in words if word not in self._data["no_names"]] or words
        return sum(self.has(pid, word) for word in telling) / max(1, len(telling))

    def has(self, pid: str, word: str) -> bool:
        """Return whether a name of a relation has a word, in any of its forms."""
        return pid in self._index.keys_with(word)

    def words(self, text: str) -> list[str]:
        """Return the words of a text in lower case, without those that name no relation."""
        return [word for word in words_of(text) if word not in self._common]

    def answer_kinds(self, text: str) -> frozenset[str]:
        """Return the kinds of answers that a question asks for; none if its words do not say."""
        kinds = self._data["answers"]
        return frozenset(kind for word in words_of(text) for kind in kinds.get(word, ()))

    def names_kind(self, word: str) -> bool:
        """Return whether a word says what kind of answer a question asks for."""
        return word in self._data["answers"]

    def _relation(self, pid: str) -> Relation:
        known = catalog().relations.get(pid)
        object_ = DATE if pid in self._data["dates"] else _ANY_KIND
        return known or Relation(pid, self._labels.label(pid) or pid, _ANY_KIND, object_)

    def _aliases(self, relation: Relation) -> list[str]:
        return [*self._labels.aliases(relation.pid), *self._data["words"].get(relation.pid, ())]

    @functools.cached_property
    def _by_name(self) -> tuple[dict[str, list[Relation]], dict[str, list[Relation]]]:
        """The relations with each folded label, and with each folded alias."""
        by_label: dict[str, list[Relation]] = {}
        by_alias: dict[str, list[Relation]] = {}
        for relation in self.relations.values():
            stored = self._labels.label(relation.pid) or relation.label
            for label in {fold(relation.label), fold(stored)}:
                by_label.setdefault(label, []).append(relation)
            for alias in dict.fromkeys(map(fold, self._aliases(relation))):
                by_alias.setdefault(alias, []).append(relation)
        return by_label, by_alias

    @functools.cached_property
    def _index(self) -> WordIndex:
        """The index of all names."""
        return WordIndex(
            (pid, " ".join(words))
            for pid, relation in self.relations.items()
            for name in dict.fromkeys((relation.label, *self._aliases(relation), *_bare(relation)))
            if (words := self.words(name))
        )


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(fold(text))


def _bare(relation: Relation) -> list[str]:
    """Return the templates of a relation without the subject."""
    return [template.replace(_SUBJECT, " ") for template in relation.granola]
