"""Answer the same questions from the files of a store and from one DuckDB file beside it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import duckdb
import numpy as np

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.holders import property_holders
from kgbuild.datasets.biokalma.minimal import Minimality
from kgbuild.datasets.biokalma.pairs import Pairs
from kgbuild.datasets.syn_qa.usage import Usage
from kgbuild.english.normalize import fold
from kgbuild.graph import pairs as number_pairs
from kgbuild.graph.hierarchy import above
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store
from kgbuild.graph.pairs import Pairs as NumberPairs
from kgbuild.graph.pairs import positions
from kgbuild.store.arrays import Numbers, Positions, are_among
from kgbuild.store.columns import PROPERTY_BITS, PROPERTY_MASK
from kgbuild.store.counts import Counts

Rows: TypeAlias = Positions
"""The rows of an answer, an array of two dimensions."""
PERSON = "Q5"
_PEOPLE = "SELECT subject FROM by_value WHERE property = 31 AND value = 5"


class Arrays:
    """The answers of the files of a store; nothing is kept between two answers."""

    def __init__(self, known: Knowledge):
        self._known = known

    def values_of_relations(self) -> Rows:
        """Return (relation, item, number of values) for all relations of Syn-(QA)²."""
        known, parts = self._known, []
        for n, relation in enumerate(catalog().relations_of("syn_qa")):
            counts = Counts(Path("/proc/none"), "")
            usage = Usage(known.postings, known.statements, counts, relation)
            sizes = usage.values(usage.items)
            parts.append(np.stack([np.full(len(sizes), n), usage.items, sizes], 1))
        return np.concatenate(parts)

    def holders(self) -> Rows:
        """Return (property, number of people with a value)."""
        known = self._known._replace(counts=Counts(Path("/proc/none"), ""))
        sizes = property_holders(known, PERSON)
        return np.array([(wikidata.number(pid), size) for pid, size in sizes.items()])

    def histogram(self) -> Rows:
        """Return (property, n, number of people with n values that are items)."""
        rows = self._known.statements.rows(PERSON, "P31").astype(np.int64)
        at, keys = self._keys(rows)
        codes = rows[at] << PROPERTY_BITS | self._known.postings.properties[keys]
        codes, sizes = np.unique(codes, return_counts=True)
        codes, people = np.unique((codes & PROPERTY_MASK) << 32 | sizes, return_counts=True)
        return np.stack([codes >> 32, codes & 0xFFFFFFFF, people], 1)

    def _keys(self, rows: Positions) -> tuple[Positions, Numbers]:
        """Return the keys of rows, each after the position of its row among the rows."""
        index = self._known.postings
        sizes = index.row_ends[rows + 1] - index.row_ends[rows]
        keys = index.row_keys[positions(index.row_ends[rows], sizes)]
        return np.repeat(np.arange(len(rows)), sizes), keys

    def sharing_pairs(self) -> Rows:
        """Return (x, y, n): people whom statements join, and who share n > 1 values."""
        pairs = Pairs(self._known, Minimality(self._known), PERSON)
        both = number_pairs.distinct(map(pairs.pairs_of, pairs.relations.values()))
        are_people = (are_among(each, pairs.members) for each in both)
        both = both.where((both.subjects != both.values) & next(are_people) & next(are_people))
        index, codes = self._known.postings, []
        for items in both:
            at, keys = self._keys(index.row_of_each_number(items))
            codes.append(at << 32 | keys)
        merged = np.sort(np.concatenate(codes))
        shared = np.bincount(merged[1:][merged[1:] == merged[:-1]] >> 32, minlength=len(both[0]))
        (chosen,) = np.nonzero(shared > 1)
        return np.stack([*(each[chosen] for each in both), shared[chosen]], 1)

    def kinds(self) -> Rows:
        """Return (item, mask of its kinds) for all items of a kind."""
        known, index = self._known, self._known.postings
        bits = {name: 1 << n for n, name in enumerate(catalog().kinds)}
        (keys,) = np.nonzero(index.properties == wikidata.number("P31"))
        marks = {
            key: sum(bits[name] for name in known.kinds.of_class(f"Q{value}"))
            for key, value in zip(keys.tolist(), index.values[keys].tolist(), strict=True)
        }
        masks = known.marks.of(np.arange(len(index.items)), marks, {})
        (chosen,) = np.nonzero(masks)
        return np.stack([index.items[chosen], masks[chosen]], 1)

    def kinds_in_vectors(self) -> Rows:
        """Return the same as ``kinds``; the classes below those of kinds are found in vectors."""
        numbers = self._known.statements.numbers
        starts, bits = _classes_of_kinds()
        below = _reached(starts, numbers("P279").swapped())
        of_start = dict(zip(starts, bits, strict=True))
        classes, at = np.unique(np.append(below.values, starts), return_inverse=True)
        masks = np.zeros(len(classes), np.int64)
        of_each = [*map(of_start.__getitem__, below.subjects.tolist()), *bits]
        np.bitwise_or.at(masks, at, of_each)
        stated = numbers("P31")
        stated = stated.where(are_among(stated.values, classes))
        order = np.argsort(stated.subjects, kind="stable")
        items, firsts = np.unique(stated.subjects[order], return_index=True)
        of_items = masks[np.searchsorted(classes, stated.values[order])]
        return np.stack([items, np.bitwise_or.reduceat(of_items, firsts)], 1)

    def ancestors(self) -> Rows:
        """Return (place of birth, place around it), over any number of steps, in vectors."""
        numbers = self._known.statements.numbers
        steps = number_pairs.distinct([numbers("P131"), numbers("P17")])
        return np.stack(_reached(np.unique(numbers("P19").values), steps), 1)

    def ancestors_one_by_one(self) -> Rows:
        """Return the same as ``ancestors``, as ``Wholes`` reads it."""
        statements = self._known.statements
        rows = [
            (start, wikidata.number(place))
            for start in np.unique(statements.numbers("P19").values).tolist()
            for place in above(statements, f"Q{start}", ("P131", "P17"))
        ]
        return np.array(rows)


def _reached(starts: Numbers, steps: NumberPairs) -> NumberPairs:
    """Return each start with the items that one or more steps lead to."""
    found, last = NumberPairs(starts[:0], starts[:0]), NumberPairs(starts, starts)
    while True:
        last = number_pairs.joined(last, steps)
        grown = number_pairs.distinct([found, last])
        if len(grown.subjects) == len(found.subjects):
            return found
        found = grown


def _classes_of_kinds() -> tuple[Numbers, list[int]]:
    """Return the classes of all kinds, and the bits of the kinds of each, without repetitions."""
    masks: dict[int, int] = {}
    for n, kind in enumerate(catalog().kinds.values()):
        for qid in kind.classes:
            masks[wikidata.number(qid)] = masks.get(wikidata.number(qid), 0) | 1 << n
    return np.array([*masks], np.int32), [*masks.values()]


class Sql:
    """The same answers of a DuckDB file."""

    def __init__(self, path: Path):
        self._db = duckdb.connect(str(path), read_only=True, config={"threads": 2})

    def _rows(self, sql: str, *params: object) -> Rows:
        found = self._db.execute(sql, params).fetchnumpy()
        return np.stack([np.asarray(column) for column in found.values()], 1)

    def values_of_relations(self) -> Rows:
        """Return (relation, item, number of values) for all relations, in one query."""
        asked = [
            (n, wikidata.number(pid), is_backward)
            for n, relation in enumerate(catalog().relations_of("syn_qa"))
            for is_backward, pids in (
                (False, relation.forward_properties),
                (True, relation.backward_properties),
            )
            for pid in pids
        ]
        return self._rows(
            """
            WITH asked AS (
                SELECT unnest($1) AS relation, unnest($2) AS property, unnest($3) AS is_backward),
            single AS (SELECT relation FROM asked GROUP BY relation HAVING count(*) = 1),
            pairs AS (
                SELECT relation, if(is_backward, value, subject) AS item,
                    if(is_backward, subject, value) AS other
                FROM by_value JOIN asked USING (property) WHERE value > 0)
            SELECT relation, item, count(*) FROM pairs SEMI JOIN single USING (relation)
            GROUP BY relation, item
            UNION ALL
            SELECT relation, item, count(DISTINCT other)
            FROM pairs ANTI JOIN single USING (relation)
            GROUP BY relation, item""",
            *([*column] for column in zip(*asked, strict=True)),
        )

    def holders(self) -> Rows:
        """Return (property, number of people with a value)."""
        return self._rows(f"""
            SELECT property, count(*) FROM (
                SELECT subject, property FROM by_item SEMI JOIN ({_PEOPLE}) USING (subject)
                WHERE property IN (SELECT property FROM by_value WHERE value > 0)
                   OR property IN (SELECT property FROM texts WHERE kind = 3)
                GROUP BY subject, property)
            GROUP BY property""")

    def histogram(self) -> Rows:
        """Return (property, n, number of people with n values that are items)."""
        return self._rows(f"""
            SELECT property, n, count(*) FROM (
                SELECT subject, property, count(*) AS n
                FROM by_item SEMI JOIN ({_PEOPLE}) USING (subject)
                WHERE value > 0 GROUP BY subject, property)
            GROUP BY property, n""")

    def sharing_pairs(self) -> Rows:
        """Return (x, y, n): people whom statements join, and who share n > 1 values."""
        return self._rows(
            f"""
            WITH asked AS (SELECT unnest($1) AS first, unnest($2) AS last),
            joined AS (
                SELECT subject AS x, value AS y FROM by_value SEMI JOIN asked
                    ON property = last AND first = 0
                UNION
                SELECT a.subject, b.value FROM by_value a JOIN asked ON a.property = first
                    JOIN by_value b ON a.value = b.subject AND b.property = last),
            pairs AS MATERIALIZED (
                SELECT x, y FROM joined SEMI JOIN ({_PEOPLE}) p ON p.subject = x
                SEMI JOIN ({_PEOPLE}) q ON q.subject = y WHERE x <> y)
            SELECT x, y, count(*) FROM pairs
                JOIN by_item a ON a.subject = x
                JOIN by_item b ON b.subject = y AND b.property = a.property AND b.value = a.value
            WHERE a.value > 0 GROUP BY x, y HAVING count(*) > 1""",
            *(
                [wikidata.number(pid) if pid else 0 for pid in pids]
                for pids in zip(
                    *(
                        (each.connecting_property, each.pid)
                        for each in catalog().relations_of("biokalma")
                    ),
                    strict=True,
                )
            ),
        )

    def kinds(self) -> Rows:
        """Return (item, mask of its kinds) for all items of a kind."""
        starts, bits = _classes_of_kinds()
        return self._rows(
            """
            WITH RECURSIVE below AS (
                SELECT unnest($1) AS class, unnest($2) AS mask
                UNION
                SELECT subject, mask FROM below JOIN by_value ON value = class
                WHERE property = 279),
            masks AS (SELECT class, bit_or(mask) AS mask FROM below GROUP BY class)
            SELECT subject, bit_or(mask) FROM by_value JOIN masks ON value = class
            WHERE property = 31 GROUP BY subject""",
            *(starts.tolist(), bits),
        )

    def ancestors(self) -> Rows:
        """Return (place of birth, place around it), over any number of steps."""
        return self._rows("""
            WITH RECURSIVE steps AS (
                SELECT DISTINCT subject, value FROM by_value
                WHERE property IN (131, 17) AND value > 0),
            found AS (
                SELECT subject AS place, value AS around FROM steps SEMI JOIN by_value AS births
                    ON births.value = steps.subject AND births.property = 19
                UNION
                SELECT place, value FROM found JOIN steps ON subject = around)
            FROM found""")


QUESTIONS = [name for name in vars(Arrays) if not name.startswith("_")]


class LookUps(NamedTuple):
    """Functions that look up one item, by its number or a name."""

    statements: Callable[[Any], object]
    label: Callable[[Any], object]
    times: Callable[[Any], object]
    born_there: Callable[[Any], object]
    names: Callable[[Any], object]
    similar: Callable[[Any], object]


def in_files(store: Store) -> LookUps:
    """Return the look-ups of a store."""
    known, chosen = store.knowledge({}), catalog().kinds["person"].similarity
    return LookUps(
        lambda item: known.statements.by_property.__wrapped__(f"Q{item}"),  # without the cache
        known.columns.labels.text,
        lambda item: known.columns.times.of_item(f"Q{item}"),
        lambda item: known.statements.subject_numbers(f"Q{item}", "P19"),
        store.names.spellings,
        lambda item: known.similarity.most_similar(f"Q{item}", chosen, 10, 3),
    )


def in_sql(path: Path) -> LookUps:
    """Return the look-ups of a DuckDB file."""
    db = duckdb.connect(str(path), read_only=True, config={"threads": 2})
    chosen = [wikidata.number(pid) for pid in catalog().kinds["person"].similarity]

    def asking(sql: str, *others: object) -> Callable[[Any], object]:
        return lambda value: db.execute(sql, [value, *others]).fetchall()

    named = asking("SELECT name, language FROM names WHERE folded = $1 ORDER BY ALL")
    return LookUps(
        asking("SELECT property, value FROM by_item WHERE subject = $1 AND value > 0 ORDER BY ALL"),
        asking("SELECT text FROM texts WHERE kind = 0 AND item = $1"),
        asking("SELECT property, text FROM texts WHERE kind = 3 AND item = $1 ORDER BY ALL"),
        asking("SELECT subject FROM by_value WHERE property = 19 AND value = $1 ORDER BY ALL"),
        lambda name: named(fold(name)),
        asking(
            """
            WITH own AS (SELECT property, value FROM by_item WHERE subject = $1 AND value > 0),
            found AS (
                SELECT b.subject, count(*) AS overlap
                FROM by_value b JOIN own USING (property, value)
                WHERE property IN (SELECT unnest($2)) AND b.subject <> $1
                GROUP BY b.subject HAVING overlap > 2)
            FROM found WHERE subject IN (
                SELECT subject FROM by_value SEMI JOIN own USING (property, value)
                WHERE property = 31)
            ORDER BY overlap DESC, subject LIMIT 10""",
            chosen,
        ),
    )
