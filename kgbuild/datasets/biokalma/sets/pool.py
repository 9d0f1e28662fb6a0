"""The knowledge pool of a subject: its statements that an answer may cite."""

import functools
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.english import aliases
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean_label
from kgbuild.rows import Evidence
from kgbuild.wikidata import Value

_CACHE_SIZE = 1 << 16
"""Maximum number of subjects whose pools are cached."""


class Piece(NamedTuple):
    """A statement about a subject; ``value_text`` is the text by which citations name the value."""

    qid: str
    pid: str
    value: Value
    value_text: str

    @property
    def value_qid(self) -> str | None:
        """The id of the value if it is an item, else None."""
        return self.value.text if self.value.kind == "item" else None

    @property
    def triple(self) -> tuple[str, str, str]:
        """The statement as ids and texts."""
        return self.qid, self.pid, self.value.text

    @property
    def evidence(self) -> Evidence:
        """The triple of the store that states the piece."""
        return Evidence(*self.triple)


class Pools:
    """The knowledge pools of subjects: their statements that can be cited.

    Pools have items with a label and dates, not of uninformative properties (``silent`` in
    words.toml). ``pieces`` returns the pool of an item id, ordered by property and value, and
    caches it.

    Source: appendix A.2 of the BioKaLMA paper.
    """

    def __init__(self, knowledge: Knowledge):
        self._knowledge = knowledge
        self._lexicon = lexicon()
        self.pieces = functools.lru_cache(_CACHE_SIZE)(self._read)

    def property_label(self, pid: str) -> str:
        """Return the label of a property; its id if it has none."""
        return clean_label(self._knowledge.labels.label(pid) or self._lexicon.labels.get(pid, pid))

    def label(self, qid: str) -> str:
        """Return the label of an item without invisible characters; empty if it has none."""
        return clean_label(self._knowledge.labels.label(qid) or "")

    def spellings(self, piece: Piece) -> tuple[str, ...]:
        """Return the aliases of the item that is the value of a piece."""
        if piece.value_qid is None:
            return ()
        return aliases.names(piece.value_text, self._knowledge.labels.aliases(piece.value_qid))

    def _read(self, qid: str) -> tuple[Piece, ...]:
        """Return the pool of a subject, ordered by property and value."""
        values = {
            (pid, text): Value("item", text)
            for pid, texts in self._knowledge.statements.by_property(qid).items()
            for text in texts
        }
        for pid, times in self._knowledge.times.of_item(qid).items():
            values |= {(pid, time.text): time for time in times}  # the finest precision comes last
        silent = self._lexicon.silent
        pieces: dict[tuple[str, str], Piece] = {}  # one piece for values with the same text
        citable = [(pid, value) for (pid, _), value in values.items() if pid not in silent]
        for pid, value in sorted(citable, key=_sort_key):
            is_item = value.kind == "item"
            text = self.label(value.text) if is_item else clean_label(wikidata.show(value))
            if text:
                pieces.setdefault((pid, text), Piece(qid, pid, value, text))
        return tuple(pieces.values())


def _sort_key(statement: tuple[str, Value]) -> tuple[int, int, str]:
    """Return the sort key of a statement: the numbers of property and item, then the text."""
    pid, value = statement
    item_number = wikidata.number(value.text) if value.kind == "item" else 0
    return wikidata.number(pid), item_number, value.text
