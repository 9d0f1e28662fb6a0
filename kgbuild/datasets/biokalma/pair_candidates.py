"""Find all pairs of a class that questions can be about, in arrays.

``Pairs.check`` defines them. It decides itself about the few pairs that the arrays leave open:
those with equal names nearby, or with several works between them.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.datasets.biokalma.pairs import Pairs
from kgbuild.english.normalize import fold
from kgbuild.graph.key_hashes import hash_keys
from kgbuild.graph.pairs import Pairs as NumberPairs
from kgbuild.graph.pairs import links
from kgbuild.relations import clean_label
from kgbuild.rows import Rejected
from kgbuild.store.arrays import Array, Flags, Numbers, Positions, are_among, distinct
from kgbuild.store.columns import Column
from kgbuild.store.text_hashes import Hashes, hash_folded, hash_text

_LOW = 0xFFFFFFFF
"""The bits of the second of two numbers in one."""
_NO_NAME = hash_text("")
"""The hash of a label without visible characters, and of no label."""
MAX_RELATIONS = 31
"""Maximum number of relations: a number of 64 bits has a bit for each direction of each."""


class Statements(NamedTuple):
    """Statements that join items; ``relations`` are positions among the relations of ``Pairs``."""

    relations: Array
    subjects: Numbers
    values: Numbers

    @property
    def items(self) -> Numbers:
        """The items that they join, sorted."""
        return distinct(np.concatenate([self.subjects, self.values]))

    def where(self, chosen: Flags | Positions) -> "Statements":
        """Return the chosen statements, in the order of ``chosen`` if it has positions."""
        return Statements(self.relations[chosen], self.subjects[chosen], self.values[chosen])

    def among(self, items: Numbers) -> "Statements":
        """Return the statements that join two of these items, which are sorted."""
        return self.where(are_among(self.subjects, items) & are_among(self.values, items))


def find_candidates(pairs: Pairs, are_rich: Callable[[Numbers], Flags], seed: int) -> Statements:
    """Return the statements that questions can be about, those of small relations first.

    ``are_rich`` returns whether enough is known about each of many items. The statements of a
    relation are in the order of ``rows.shuffled``.
    """
    statements = _list(pairs)
    statements = statements.where(_are_openings(pairs, statements))
    items = statements.items
    statements = statements.among(items[are_rich(items)])
    chosen, are_open = _compare_names(pairs, statements)
    at_open = np.flatnonzero(chosen & (are_open | _have_several_works(pairs, statements)))
    paths = [*pairs.relations]
    chosen[at_open] = [
        _passes(pairs, (f"Q{x}", paths[n], f"Q{y}"))
        for n, x, y in zip(*(array[at_open].tolist() for array in statements), strict=True)
    ]
    return _in_order(statements.where(chosen), paths, seed)


def _passes(pairs: Pairs, statement: tuple[str, str, str]) -> bool:
    try:
        pairs.check(statement)
    except Rejected:
        return False
    return True


def _list(pairs: Pairs) -> Statements:
    """Return all statements that join two different items of the class."""
    parts = [NumberPairs(*np.empty((2, 0), np.int32))]
    for relation in pairs.relations.values():
        listed = pairs.pairs_of(relation)
        listed = listed.where(listed.subjects != listed.values)
        both = are_among(listed.subjects, pairs.members) & are_among(listed.values, pairs.members)
        parts.append(listed.where(both))
    sizes = [len(part.subjects) for part in parts[1:]]
    return Statements(
        np.repeat(np.arange(len(sizes), dtype=np.uint8), sizes),
        np.concatenate([part.subjects for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def _have_several_works(pairs: Pairs, statements: Statements) -> Flags:
    """Return whether several works are between the items of each statement."""
    numbers = pairs.knowledge.statements.numbers
    have_several = np.zeros(len(statements.subjects), bool)
    for n, relation in enumerate(pairs.relations.values()):
        if relation.connecting_property:
            codes = np.sort(
                _codes(*links(numbers(relation.connecting_property), numbers(relation.pid)))
            )
            at = np.flatnonzero(statements.relations == n)
            codes_of_pairs = _codes(statements.subjects[at], statements.values[at])
            have_several[at] = are_among(codes_of_pairs, codes[1:][codes[1:] == codes[:-1]])
    return have_several


def _codes(first: Numbers, second: Numbers | Positions) -> Positions:
    """Return one number for each two numbers; their order is that of the pairs."""
    codes: Positions = first.astype(np.int64) << 32 | second
    return codes


def _compare_names(pairs: Pairs, statements: Statements) -> tuple[Flags, Flags]:
    """Return whether both items of each statement have names, and whether names may be equal.

    These are the names of both, or of one and another item that is joined to the other.
    """
    partners = statements.items
    direct = [
        pairs.knowledge.statements.numbers(relation.pid)
        for relation in pairs.relations.values()
        if not relation.connecting_property
    ]
    ends = (ends for part in direct for ends in (part, part.swapped()))
    codes = [_codes(*part.where(are_among(part.subjects, partners))) for part in ends]
    edges = distinct(np.concatenate(codes))  # each partner with each of its neighbours
    neighbours = (edges & _LOW).astype(np.int32)
    items = distinct(np.concatenate([partners, neighbours]))
    names, are_odd = _fold(pairs.knowledge.columns.labels, items)
    short_names = (names & np.uint64(_LOW)).astype(np.int64)
    named = edges >> 32 << 32 | short_names[np.searchsorted(items, neighbours)]
    named.sort()
    repeated = distinct(named[1:][named[1:] == named[:-1]])
    at_subjects = np.searchsorted(items, statements.subjects)
    at_values = np.searchsorted(items, statements.values)
    are_equal = names[at_subjects] == names[at_values]
    is_direct = np.array([not path.count("/") for path in pairs.relations], bool)
    are_paths = ~is_direct[statements.relations]
    for at, partner in ((at_subjects, statements.values), (at_values, statements.subjects)):
        looked_up = _codes(partner, short_names[at])
        are_equal |= are_among(looked_up, repeated)
        # The item of a path may be no neighbour itself.
        are_equal[are_paths] |= are_among(looked_up[are_paths], named)
        are_equal |= are_odd[at]
    is_odd = are_odd[at_subjects] | are_odd[at_values]
    have_names = (names[at_subjects] != _NO_NAME) & (names[at_values] != _NO_NAME)
    return have_names | is_odd, are_equal


def _fold(labels: Column, items: Numbers) -> tuple[Hashes, Flags]:
    """Return the hashes of the folded labels of items, and whether each needs a closer look.

    This is so if the label has invisible characters.
    """
    hashes, are_odd = np.full(len(items), _NO_NAME), np.zeros(len(items), bool)
    rows = labels.rows(items.astype(np.int64))
    at = np.searchsorted(items, labels.keys[rows].astype(items.dtype))
    hashes[at], unusual = hash_folded(labels, rows, fold)
    texts = map(labels.text_at, rows[unusual].tolist())
    are_odd[at[unusual]] = [fold(clean_label(text)) != fold(text) for text in texts]
    return hashes, are_odd


def _are_openings(pairs: Pairs, statements: Statements) -> Flags:
    """Return whether each statement is the one that opens the question about its two items.

    This depends only on which relations join the two in which direction, so ``Pairs.opening`` finds
    it once for each such set of relations.
    """
    low = np.minimum(statements.subjects, statements.values)
    high = np.maximum(statements.subjects, statements.values)
    pairs_of_items, groups = np.unique(_codes(low, high), return_inverse=True)
    bits = 2 * statements.relations.astype(np.int64) + (statements.subjects == low)
    flags = np.zeros(len(pairs_of_items), np.int64)
    np.bitwise_or.at(flags, groups, np.left_shift(np.int64(1), bits))
    patterns, firsts, kinds = np.unique(flags, return_index=True, return_inverse=True)
    winners = np.zeros(len(patterns), np.int64)
    paths = [*pairs.relations]
    for n, code in enumerate(pairs_of_items[firsts].tolist()):
        subject, path, _ = pairs.opening(f"Q{code >> 32}", f"Q{code & _LOW}")
        winners[n] = 2 * paths.index(path) + (wikidata.number(subject) == code >> 32)
    are_openings: Flags = winners[kinds[groups]] == bits
    return are_openings


def _in_order(statements: Statements, paths: list[str], seed: int) -> Statements:
    """Return statements with those of small relations first, each relation in a seeded order."""
    sizes = np.bincount(statements.relations, minlength=len(paths))
    order = []
    for n in np.argsort(sizes, kind="stable").tolist():
        at = np.flatnonzero(statements.relations == n)
        keys = (str(seed), statements.subjects[at], paths[n], statements.values[at])
        order.append(at[np.argsort(hash_keys(keys), kind="stable")])
    return statements.where(np.concatenate(order))
