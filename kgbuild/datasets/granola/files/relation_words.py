"""Recognise the relation that a question or a column of a file names in words."""

import functools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.english.normalize import fold
from kgbuild.english.stems import stem
from kgbuild.errors import MalformedIdError
from kgbuild.relations import Relation
from kgbuild.store.labels import Labels
from kgbuild.wikidata import number, parse_property

_WORD = re.compile(r"\w+")
_ANY_KIND = ("thing",)
_SUBJECT = "{subject}"
_K1, _B = 1.2, 0.75
"""The usual constants of BM25."""


class RelationWords:
    """The names of relations: labels, aliases, templates, and the words of relation_words.toml.

    A relation that relations.toml lacks accepts subjects and objects of every kind.
    """

    def __init__(self, labels: Labels):
        self._labels = labels
        self._data = read_toml("datasets/granola/files/relation_words.toml")
        self._common = frozenset(self._data["common"])
        self._asking = {kind: {*words.split()} for kind, words in self._data["answers"].items()}

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
        by_name: Counter[tuple[str, int]] = Counter()
        for one in dict.fromkeys(map(stem, words)):
            by_name.update(self._index.get(one, {}))
        scores: dict[str, float] = {}
        for (pid, _), score in by_name.items():
            scores[pid] = max(score, scores.get(pid, 0.0))
        return scores

    def telling(self, words: Sequence[str]) -> list[str]:
        """Return the words that may name something by themselves: not "in"."""
        return [word for word in words if word not in self._data["no_names"]]

    def names_role(self, pid: str) -> bool:
        """Return whether questions about a relation name a role: "Who plays Hannibal in …?"."""
        return pid in self._data["roles"]

    def has(self, pid: str, word: str) -> bool:
        """Return whether a name of a relation has a word, in any of its forms."""
        return any(named == pid for named, _ in self._index.get(stem(word), ()))

    def words(self, text: str) -> list[str]:
        """Return the words of a text in lower case, without those that name no relation."""
        return [word for word in words_of(text) if word not in self._common]

    def answer_kinds(self, text: str) -> frozenset[str]:
        """Return the kinds of answers that a question asks for; none if its words do not say."""
        words = {*words_of(text)}
        return frozenset(kind for kind, asking in self._asking.items() if words & asking)

    def names_kind(self, word: str) -> bool:
        """Return whether a word says what kind of answer a question asks for."""
        return any(word in asking for asking in self._asking.values())

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
    def _index(self) -> dict[str, dict[tuple[str, int], float]]:
        """For each stem, its BM25 in each name that has it; a name is a relation and a number.

        Source: S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond
        (2009).
        """
        stems = {
            (pid, place): [*map(stem, words)]
            for pid, relation in self.relations.items()
            for place, name in enumerate(
                dict.fromkeys((relation.label, *self._aliases(relation), *_bare(relation)))
            )
            if (words := self.words(name))
        }
        mean_length = sum(map(len, stems.values())) / len(stems)
        having = Counter(one for _, one in {(pid, s) for (pid, _), n in stems.items() for s in n})
        index: dict[str, dict[tuple[str, int], float]] = {}
        for key, name in stems.items():
            saturation = _K1 * (1 - _B + _B * len(name) / mean_length)
            for one, times in Counter(name).items():
                rarity = math.log((len(self.relations) - having[one] + 0.5) / (having[one] + 0.5))
                weight = rarity * times * (_K1 + 1) / (times + saturation)
                index.setdefault(one, {})[key] = weight
        return index


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(fold(text))


def _bare(relation: Relation) -> list[str]:
    """Return the templates of a relation without the subject."""
    return [template.replace(_SUBJECT, " ") for template in relation.granola]
