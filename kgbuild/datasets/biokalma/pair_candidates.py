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
from kgbuild.graph.pairs import Pairs as NumberPairs
from kgbuild.graph.pairs import links
from kgbuild.relations import clean_label
from kgbuild.rows import Rejected, digest
from kgbuild.store.arrays import Array, Flags, Numbers, Positions
from kgbuild.store.columns import Column
from kgbuild.store.text_hashes import Hashes, hash_folded, hash_text

_LOW = 0xFFFFFFFF
_NO_NAME = hash_text("")


class Statements(NamedTuple):
    """Statements that join items; ``relations`` are positions among the relations of ``Pairs``."""

    relations: Positions
    subjects: Numbers
    values: Numbers

    def where(self, chosen: Flags | Positions) -> "Statements":
        """Return the chosen statements, in the order of ``chosen`` if it has positions."""
        return Statements(self.relations[chosen], self.subjects[chosen], self.values[chosen])


def find_candidates(pairs: Pairs, are_rich: Callable[[Numbers], Flags], seed: int) -> Statements:
    """Return the statements that questions can be about, those of small relations first.

    ``are_rich`` returns whether enough is known about each of many items. The statements of a
    relation are in the order of ``rows.shuffled``.
    """
    statements, have_several_works = _list(pairs)
    members = pairs.knowledge.postings.items[pairs.knowledge.statements.rows(pairs.of_class, "P31")]
    among = np.isin(statements.subjects, members) & np.isin(statements.values, members)
    among &= statements.subjects != statements.values
    statements, are_open = statements.where(among), have_several_works[among]
    have_names, have_equal_names = _compare_names(pairs, statements)
    open_statements = are_open | have_equal_names
    chosen = have_names & _are_openings(pairs, statements)
    statements, open_statements = statements.where(chosen), open_statements[chosen]
    items = np.unique(np.concatenate([statements.subjects, statements.values]))
    rich = items[are_rich(items)]
    chosen = np.isin(statements.subjects, rich) & np.isin(statements.values, rich)
    at_open = np.flatnonzero(chosen & open_statements)
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


def _list(pairs: Pairs) -> tuple[Statements, Flags]:
    """Return all joining statements, and whether several works are between their items."""
    numbers = pairs.knowledge.statements.numbers
    parts: list[NumberPairs] = []
    several: list[Array] = []
    for relation in pairs.relations.values():
        listed = numbers(relation.pid)
        if relation.connecting_property:
            listed = links(numbers(relation.connecting_property), listed)
            codes = listed.subjects.astype(np.int64) << 32 | listed.values
            codes, counts = np.unique(codes, return_counts=True)
            listed = NumberPairs((codes >> 32).astype(np.int32), (codes & _LOW).astype(np.int32))
            several.append(counts > 1)
        else:
            several.append(np.zeros(len(listed.subjects), bool))
        parts.append(listed)
    sizes = [len(part.subjects) for part in parts]
    statements = Statements(
        np.repeat(np.arange(len(parts)), sizes),
        np.concatenate([part.subjects for part in parts]),
        np.concatenate([part.values for part in parts]),
    )
    return statements, np.concatenate(several)


def _compare_names(pairs: Pairs, statements: Statements) -> tuple[Flags, Flags]:
    """Return whether both items of each statement have names, and whether names may be equal.

    These are the names of both, or of one and another item that is joined to the other.
    """
    partners = np.unique(np.concatenate([statements.subjects, statements.values]))
    direct = [
        pairs.knowledge.statements.numbers(relation.pid)
        for relation in pairs.relations.values()
        if not relation.connecting_property
    ]
    codes = [np.empty(0, np.int64)]
    for x, y in (ends for part in direct for ends in (part, part.swapped())):
        chosen = np.isin(x, partners)
        codes.append(x[chosen].astype(np.int64) << 32 | y[chosen])
    edges = np.unique(np.concatenate(codes))  # each partner with each of its neighbours
    neighbours = (edges & _LOW).astype(np.int32)
    items = np.union1d(partners, neighbours)
    names, are_odd = _fold(pairs.knowledge.columns.labels, items)
    short_names = (names & np.uint64(_LOW)).astype(np.int64)
    named = edges >> 32 << 32 | short_names[np.searchsorted(items, neighbours)]
    named.sort()
    repeated = np.unique(named[1:][named[1:] == named[:-1]])
    at_subjects = np.searchsorted(items, statements.subjects)
    at_values = np.searchsorted(items, statements.values)
    are_equal = names[at_subjects] == names[at_values]
    is_direct = np.array([not path.count("/") for path in pairs.relations], bool)
    are_paths = ~is_direct[statements.relations]
    for at, partner in ((at_subjects, statements.values), (at_values, statements.subjects)):
        looked_up = partner.astype(np.int64) << 32 | short_names[at]
        are_equal |= np.isin(looked_up, repeated)
        # The item of a path may be no neighbour itself.
        are_equal[are_paths] |= np.isin(looked_up[are_paths], named)
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
    low = np.minimum(statements.subjects, statements.values).astype(np.int64)
    high = np.maximum(statements.subjects, statements.values).astype(np.int64)
    pairs_of_items, groups = np.unique(low << 32 | high, return_inverse=True)
    bits = 2 * statements.relations + (statements.subjects < statements.values)
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
    ranks = np.empty(len(paths), np.int64)
    ranks[np.argsort(sizes, kind="stable")] = np.arange(len(paths))
    hashes = b"".join(
        digest(str(seed), f"Q{x}", paths[n], f"Q{y}")
        for n, x, y in zip(*(array.tolist() for array in statements), strict=True)
    )
    first, second = np.frombuffer(hashes, ">u8").reshape(-1, 2).T
    return statements.where(np.lexsort((second, first, ranks[statements.relations])))
