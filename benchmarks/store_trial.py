"""Compare the files beside the graph of a store with one DuckDB file of the same content.

Each slice is loaded, and the statements and texts of its store are written to a DuckDB file. Then
both answer the same questions about many items, and look up single items, twice each.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import duckdb
import numpy as np

from benchmarks import measure
from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pairs import SubjectPairs
from kgbuild.datasets.syn_qa.falsity.usage import Usage
from kgbuild.dump.filter import Filter
from kgbuild.graph import pairs as number_pairs
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store, open_store
from kgbuild.graph.pairs import Pairs as NumberPairs
from kgbuild.graph.pairs import positions
from kgbuild.store.arrays import Numbers, Positions, are_among
from kgbuild.store.columns import PROPERTY_BITS, PROPERTY_MASK
from kgbuild.store.counts import Counts
from kgbuild.store.load import load

Rows: TypeAlias = Positions
"""The rows of an answer, an array of two dimensions."""
PERSON = "Q5"
_PEOPLE = "SELECT subject FROM by_value WHERE property = 31 AND value = 5"
_EVERY = 100
"""Of how many items one is looked up."""
_SORT = """
CREATE TABLE by_value AS SELECT DISTINCT property, value, subject FROM statements ORDER BY ALL;
CREATE TABLE by_item AS SELECT subject, property, value FROM by_value ORDER BY ALL;
CREATE TABLE texts AS SELECT kind, item, property, text FROM entries ORDER BY ALL;
CHECKPOINT
"""


def fill(store: Store, path: Path) -> None:
    """Write the statements and texts of a store to a DuckDB file.

    A value of 0 is no item, but a time or unknown; the kind of a text is the number of its column.
    """
    known = store.knowledge({})
    index, columns = known.postings, known.columns
    others = [columns.times.keys, columns.unknown_values.keys]
    keys = index.row_keys
    statements = {
        "subject": [
            np.repeat(index.items, np.diff(index.row_ends)),
            *(each >> PROPERTY_BITS for each in others),
        ],
        "property": [index.properties[keys], *(each & PROPERTY_MASK for each in others)],
        "value": [index.values[keys], *(np.zeros(len(each), np.int32) for each in others)],
    }
    texts = [
        (
            np.full(len(column.keys), kind),
            column.keys if kind < 3 else column.keys >> PROPERTY_BITS,
            column.keys & PROPERTY_MASK if kind >= 3 else np.zeros(len(column.keys), np.int64),
            np.array([column.text_at(row) for row in range(len(column.keys))], object),
        )
        for kind, column in enumerate(columns)
    ]
    entries = dict(zip(("kind", "item", "property", "text"), zip(*texts, strict=True), strict=True))
    with duckdb.connect(str(path), config={"threads": 2}) as db:
        for name, arrays in (("statements", statements), ("entries", entries)):
            part = {field: np.concatenate(each) for field, each in arrays.items()}  # noqa: F841
            db.execute(f"CREATE TEMP TABLE {name} AS FROM part")
        db.execute(_SORT)


class Arrays:
    """The answers of the files of a store; nothing is kept between two answers."""

    def __init__(self, known: Knowledge):
        self._known = known

    def values_of_relations(self) -> Rows:
        """Return (relation, item, number of values) for all relations of Syn-(QA)²."""
        known, parts = self._known, []
        for n, relation in enumerate(catalog().relations_of("syn_qa")):
            counts = Counts(Path("/proc/none"), "")
            usage = Usage(known.statements, counts, relation)
            sizes = usage.values(usage.items)
            parts.append(np.stack([np.full(len(sizes), n), usage.items, sizes], 1))
        return np.concatenate(parts)

    def holders(self) -> Rows:
        """Return (property, number of people with a value)."""
        known = self._known
        cited = np.flatnonzero(known.columns.times.property_sizes() > 0)
        numbers = np.union1d(known.postings.properties, cited).tolist()
        pairs = SubjectPairs(known, Minimality(known), PERSON)
        sizes = [(number, pairs.holders(f"P{number}")) for number in numbers]
        return np.array([row for row in sizes if row[1]])

    def _keys(self, rows: Positions) -> tuple[Positions, Numbers]:
        """Return the keys of rows, each after the position of its row among the rows."""
        index = self._known.postings
        sizes = index.row_ends[rows + 1] - index.row_ends[rows]
        keys = index.row_keys[positions(index.row_ends[rows], sizes)]
        return np.repeat(np.arange(len(rows)), sizes), keys

    def sharing_pairs(self) -> Rows:
        """Return (x, y, n): people whom statements join, and who share n > 1 values."""
        pairs = SubjectPairs(self._known, Minimality(self._known), PERSON)
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
        bits = {name: 1 << n for n, name in enumerate(catalog().kinds)}
        stated = self._known.statements.numbers("P31")
        classes, of_each = np.unique(stated.values, return_inverse=True)
        kinds = map(self._known.kinds.of_class, (f"Q{number}" for number in classes.tolist()))
        masks = np.array([sum(bits[name] for name in names) for names in kinds], np.int64)
        items, places = np.unique(stated.subjects, return_inverse=True)
        result = np.zeros(len(items), np.int64)
        np.bitwise_or.at(result, places, masks[of_each])
        (chosen,) = np.nonzero(result)
        return np.stack([items[chosen], result[chosen]], 1)

    def ancestors(self) -> Rows:
        """Return (place of birth, place around it), over any number of steps, in vectors."""
        numbers = self._known.statements.numbers
        steps = number_pairs.distinct([numbers("P131"), numbers("P17")])
        return np.stack(_reached(np.unique(numbers("P19").values), steps), 1)


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


def looks_up_in_arrays(known: Knowledge) -> list[Callable[[int], object]]:
    """Return functions that look up the statements and the label of an item."""
    return [
        lambda item: known.statements.by_property.__wrapped__(f"Q{item}"),  # without the cache
        known.columns.labels.text,
    ]


def looks_up_in_sql(path: Path) -> list[Callable[[int], object]]:
    """Return the same functions of a DuckDB file."""
    db = duckdb.connect(str(path), read_only=True, config={"threads": 2})
    asked = (
        "SELECT property, value FROM by_item WHERE subject = $1 AND value > 0 ORDER BY ALL",
        "SELECT text FROM texts WHERE kind = 0 AND item = $1",
    )
    return [partial(_rows_of, db, sql) for sql in asked]


def _rows_of(db: duckdb.DuckDBPyConnection, sql: str, item: int) -> object:
    return db.execute(sql, [item]).fetchall()


def compared(dump: Path, folder: Path) -> Iterator[str]:
    """Load a slice into a folder; yield a row of a table for each question."""
    load([str(dump)], folder / "kg", Filter())
    tables = folder / "tables.duckdb"
    with open_store(folder / "kg") as store:
        fill(store, tables)
        known = store.knowledge(catalog().kinds)
        arrays, sql = Arrays(known), Sql(tables)
        for name in QUESTIONS:
            yield _row(name, getattr(arrays, name), getattr(sql, name))
        chosen = known.postings.items[::_EVERY].tolist()
        pairs = zip(looks_up_in_arrays(known), looks_up_in_sql(tables), strict=True)
        for name, sides in zip(("statements", "label"), pairs, strict=True):
            each = (partial(_each, side, chosen) for side in sides)
            yield _row(f"{name} of {len(chosen)} items", *each)


def _each(look_up: Callable[[int], object], items: Sequence[int]) -> None:
    for item in items:
        look_up(item)


def _row(name: str, *sides: Callable[[], object]) -> str:
    """Return the better CPU time of two calls of each side, and their ratio."""
    arrays, sql = (min(_seconds(side) for _ in range(2)) for side in sides)
    times = f"{measure.seconds(arrays)} | {measure.seconds(sql)} | {measure.times(sql / arrays)}"
    return f"| {name.replace('_', ' ')} | {times} |"


def _seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each slice."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store_trial", description=__doc__)
    parser.add_argument("slices", nargs="+", type=Path, help="slices to load")
    print(measure.machine())
    for dump in parser.parse_args(arguments).slices:
        print(f"\n| {dump.name} | arrays | SQL | |\n| --- | --: | --: | --: |")
        with tempfile.TemporaryDirectory() as folder:
            for row in compared(dump, Path(folder)):
                print(row, flush=True)


if __name__ == "__main__":
    main()
