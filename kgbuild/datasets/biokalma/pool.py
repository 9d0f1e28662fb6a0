"""The knowledge pool: what the store says of a subject, without what tells nothing."""

import functools
from collections.abc import Iterable
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.catalog import clean
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.english import aliases
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence
from kgbuild.wikidata import Value

_REMEMBERED = 1 << 16
_CITABLE = ("item", "time")
"""What a value may be: a number without its unit, a point or a link says nothing to a reader."""
_WORDS = ("text", "string")
"""What a value may be of properties with words of their own: of others, these are names and ids."""


class Fact(NamedTuple):
    """A statement about a subject; ``shown`` is the value as a citation is to have it."""

    qid: str
    pid: str
    value: Value
    shown: str

    @property
    def value_qid(self) -> str | None:
        """The item that is the value, if it is one."""
        return self.value.text if self.value.kind == "item" else None

    @property
    def triple(self) -> tuple[str, str, str]:
        """The statement as ids and texts."""
        return self.qid, self.pid, self.value.text

    @property
    def evidence(self) -> Evidence:
        """The triple that proves it."""
        return Evidence(*self.triple)


class Pools:
    """The knowledge pools of subjects: their one-hop subgraphs, as far as they can be cited.

    Left out are properties that tell nothing (``silent`` in words.toml), unknown values, and
    items without a label.

    Source: appendix A.2 of the paper.
    """

    def __init__(self, knowledge: Knowledge, lexicon: Lexicon):
        self._knowledge = knowledge
        self._lexicon = lexicon
        self.of = functools.lru_cache(_REMEMBERED)(self._read)

    def property_label(self, pid: str) -> str:
        """Return the label of a property; its id if nobody knows one."""
        return clean(self._knowledge.labels.label(pid) or self._lexicon.of(pid, "").label or pid)

    def label(self, qid: str) -> str:
        """Return the label of an item without what is not seen; empty if it has none."""
        return clean(self._knowledge.labels.label(qid) or "")

    def spellings(self, fact: Fact) -> tuple[str, ...]:
        """Return other names of the item that a fact has as its value."""
        if fact.value_qid is None:
            return ()
        return aliases.names(fact.shown, self._knowledge.labels.aliases(fact.value_qid))

    def _read(self, qid: str) -> tuple[Fact, ...]:
        """Return what is known of a subject, by property and value."""
        found = {
            (pid, value): Fact(qid, pid, value, shown)
            for pid, value in self._said(qid)
            if self._tells(pid, value) and (shown := self._shown(value))
        }
        return tuple(_once(found[key] for key in sorted(found, key=_order)))

    def _said(self, qid: str) -> Iterable[tuple[str, Value]]:
        precisions = {
            (pid, time): int(precision)
            for pid, told in self._knowledge.graph.select("precisions", item=qid)
            for time, _, precision in [told.rpartition("/")]
        }
        for pid, value in self._knowledge.graph.select("item_statements", item=qid):
            yield pid, value._replace(precision=precisions.get((pid, value.text)))

    def _tells(self, pid: str, value: Value) -> bool:
        if pid in self._lexicon.silent:
            return False
        return value.kind in _CITABLE or (value.kind in _WORDS and pid in self._lexicon.properties)

    def _shown(self, value: Value) -> str:
        if value.kind == "item":
            return self.label(value.text)
        return clean(wikidata.show(value))


def _once(facts: Iterable[Fact]) -> Iterable[Fact]:
    """Return facts without those that a citation could not tell from one before."""
    seen = set()
    for fact in facts:
        if (fact.pid, fact.shown) not in seen:
            seen.add((fact.pid, fact.shown))
            yield fact


def _order(statement: tuple[str, Value]) -> tuple[int, int, str]:
    pid, value = statement
    place = wikidata.number(value.text) if value.kind == "item" else 0
    return wikidata.number(pid), place, value.text
