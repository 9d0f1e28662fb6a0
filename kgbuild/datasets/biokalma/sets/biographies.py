"""Read sentences about two subjects from a file, and find the subjects in the store.

Source: appendix A.1 and A.2 of the BioKaLMA paper.
"""

import itertools
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from kgbuild.datasets.biokalma.rows import PEOPLE
from kgbuild.datasets.biokalma.sets.minimal import Triple, joined_items
from kgbuild.datasets.biokalma.sets.pairs import SubjectPairs
from kgbuild.english.normalize import fold
from kgbuild.rows import Rejected, Rejection
from kgbuild.store.labels import Spellings, items_named


class BiographySentence(NamedTuple):
    """A sentence about two subjects, by name: ``head`` has the ``relation`` to ``tail``.

    ``relation`` is the id or the label of a property; ``line`` is the line in the file, from 1.
    """

    line: int
    sentence: str
    head: str
    relation: str
    tail: str

    @property
    def candidate(self) -> str:
        """The text that names the sentence in the table of rejections."""
        return f"line {self.line}: {self.head} {self.relation} {self.tail}"


def read(lines: Iterable[str]) -> tuple[list[BiographySentence], list[Rejection]]:
    """Read JSON Lines with a sentence, a head, a relation and a tail; reject invalid lines."""
    biographies: list[BiographySentence] = []
    rejections: list[Rejection] = []
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                biographies.append(_biography(number, line))
        except Rejected as rejected:
            rejections.append(rejected.rejection(f"line {number}"))
    return biographies, rejections


def _biography(number: int, line: str) -> BiographySentence:
    try:
        record = json.loads(line)
        json.dumps(record, ensure_ascii=False).encode()  # fails at a lone surrogate
    except (ValueError, RecursionError) as error:
        raise Rejected("wrong JSON", str(error)) from error
    if not isinstance(record, dict):
        raise Rejected("wrong JSON", "no object")
    _, *names = BiographySentence._fields  # all but the line
    texts: dict[str, Any] = {name: record.get(name) for name in names}
    missing = [name for name in texts if not (isinstance(texts[name], str) and texts[name].strip())]
    if missing:
        raise Rejected("incomplete", ", ".join(missing))
    return BiographySentence(number, *(" ".join(text.split()) for text in texts.values()))


class SubjectResolver:
    """Finds the two subjects of a sentence: items of a class that the relation connects."""

    def __init__(self, names: Spellings, pairs: SubjectPairs):
        self._names = names
        self._pairs = pairs
        self._pids_by_name = {
            fold(name): relation.pid
            for relation in pairs.relations.values()
            if not relation.connecting_property  # files name single properties, no paths
            for name in (relation.pid, relation.label)
        }

    def statement(self, biography: BiographySentence) -> Triple:
        """Return the statement of the store that joins the two subjects of a sentence.

        Raises:
            Rejected: no statement joins them, several pairs of items fit equally well, or the two
                items are not distinct by name.
        """
        pid = self._pids_by_name.get(fold(biography.relation))
        if pid is None:
            raise Rejected("unknown relation", biography.relation)
        heads, tails = self._items_named(biography.head), self._items_named(biography.tail)
        distances = {
            statement: max(heads[head], tails[tail])
            for head, tail in itertools.product(heads, tails)
            for statement in self._implying_statements((head, pid, tail))
        }
        if not distances:
            raise Rejected("not joined", f"{len(heads)} and {len(tails)} items of these names")
        smallest = min(distances.values())
        best = [statement for statement, distance in distances.items() if distance == smallest]
        if len(best) > 1:
            raise Rejected("ambiguous", "; ".join(" ".join(statement) for statement in best))
        self._pairs.check_distinct_names(*joined_items(best[0]))
        return best[0]

    def _items_named(self, name: str) -> dict[str, tuple[bool, bool]]:
        """Return the items of the class with a name, each with the distance of its spelling.

        The smaller the distance, the closer is the spelling of a label or alias to the name.

        Raises:
            Rejected: no item has the name, or it is the incomplete name of a person.
        """
        if self._pairs.of_class == PEOPLE and " " not in name:
            raise Rejected("incomplete name", name)
        matches = items_named(self._pairs.knowledge.graph, self._names, name)
        members = {qid: distance for qid, distance in matches.items() if self._pairs.is_member(qid)}
        if not members:
            raise Rejected("unknown name", name)
        return members

    def _implying_statements(self, target: Triple) -> list[Triple]:
        """Return the target if the store has it, else the first statement that implies it."""
        head, _, tail = target
        statements = self._pairs.knowledge.statements.between(head, tail)
        if target in statements:
            return [target]
        joining = [statement for statement in statements if statement[1] in self._pairs.relations]
        follows = self._pairs.minimality.follows
        return [statement for statement in joining if follows(target, [statement])][:1]
