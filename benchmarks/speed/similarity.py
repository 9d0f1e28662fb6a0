"""Measure the search for similar items, and its index, with millions of generated people.

People are generated in the shape of real ones and go as N-Triples through kgbuild's scanner into
its index. Oxigraph is left out: neither the index nor the search needs it, and it would take most
of the time. With a real slice, the search is also compared with the query that defines similarity.
"""

import argparse
import math
import multiprocessing
import random
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks import measure
from benchmarks.generate import FIRST, GROUPS, TRADES
from benchmarks.measure import both, put, sampled, tell
from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.dump.filter import Filter, sift
from kgbuild.dump.reader import Block
from kgbuild.graph.open import Store, open_store
from kgbuild.graph.similarity import Similarity
from kgbuild.store import postings
from kgbuild.store.postings import PostingsWriter

START, END = "<!-- measured: similarity -->", "<!-- end: similarity -->"
"""Marks in the document; ``-o`` replaces the text between them."""
VALUES = (
    # Property, share of people with it, mean number of their values, group of the values, and
    # whether most values come from the person's country or trade. Shares and means are those of
    # the people of a real slice with any of these values; sex and citizenship are more frequent,
    # as in the whole of Wikidata.
    ("P21", 0.95, 1.0, "gender", ""),
    ("P27", 0.95, 1.15, "country", "land"),
    ("P106", 0.8, 3.8, "occupation", "trade"),
    ("P19", 0.55, 1.0, "city", "land"),
    ("P20", 0.4, 1.0, "city", "land"),
    ("P69", 0.43, 1.45, "university", "land"),
    ("P101", 0.07, 1.35, "field", "trade"),
    ("P102", 0.12, 1.1, "party", "land"),
    ("P166", 0.31, 2.6, "award", "trade"),
    ("P1412", 0.5, 1.2, "language", "land"),
)
PROPERTIES = (*catalog().kinds["person"].similarity, "P27")
"""Properties that are compared. Citizenship is added because its values are very common."""
_MOST, _THRESHOLDS, _ROUNDS = 10, (3, 1), 5
_BLOCK = 20_000
"""Number of people generated at a time."""
_LINE = f"<{wikidata.ENTITY}Q%d> <{wikidata.DIRECT}P%d> <{wikidata.ENTITY}Q%d> .\n"

Numbers: TypeAlias = npt.NDArray[np.int64]


class Built(NamedTuple):
    """An index: number of statements, seconds to build, bytes of memory and of the file."""

    statements: int
    seconds: float
    memory: int
    size: int


class Asked(NamedTuple):
    """Seconds of each search, and items per second one by one and at once."""

    each: list[float]
    alone: float
    together: float


class World:
    """Generated people, who depend only on their number and the seed."""

    def __init__(self, people: int, seed: int = 0):
        self.people = people
        self._seed = seed
        self._sizes = {group: int(size(people)) for group, (_, size) in GROUPS.items()}
        ends = np.cumsum([FIRST, *self._sizes.values()]).tolist()
        self._starts = dict(zip(self._sizes, ends, strict=False))

    def person(self, n: int) -> str:
        """Return the id of the n-th person."""
        return f"Q{self._starts['person'] + n}"

    def texts(self) -> Iterator[bytes]:
        """Yield the lines of all people in blocks."""
        for first in range(0, self.people, _BLOCK):
            rows = self._block(first, min(_BLOCK, self.people - first)).tolist()
            yield "".join([_LINE % (subject, pid, value) for subject, pid, value in rows]).encode()

    def _block(self, first: int, count: int) -> Numbers:
        """Return an array with a row for each statement: subject, property, value; by subject."""
        rng = np.random.default_rng((self._seed, first))
        parts = {
            part: (_zipf(rng, np.full(count, size)), size)
            for part, size in (("land", self._sizes["country"]), ("trade", TRADES))
        }
        parts[""] = (np.zeros(count, np.int64), 1)
        statements = [np.arange(count) << 44 | 31 << 30 | 5]
        for pid, share, mean, group, part in VALUES:
            who = np.flatnonzero(rng.random(count) < share)
            who = np.repeat(who, rng.geometric(1 / mean, len(who)))
            mine, many = parts[part]
            values = _drawn(rng, mine[who], many, self._sizes[group])
            statements.append(who << 44 | wikidata.number(pid) << 30 | self._starts[group] + values)
        codes = np.unique(np.concatenate(statements))
        subjects = self._starts["person"] + first + (codes >> 44)
        return np.stack((subjects, codes >> 30 & 0x3FFF, codes & 0x3FFFFFFF), axis=1)


def _zipf(rng: np.random.Generator, sizes: Numbers) -> Numbers:
    """Draw a number below each size; number k comes about as often as 1/(k+1)."""
    return np.minimum((sizes + 1) ** rng.random(len(sizes)), sizes).astype(np.int64) - 1


def _drawn(rng: np.random.Generator, mine: Numbers, many: int, size: int) -> Numbers:
    """Draw from a group of that size by Zipf's law, mostly from the person's own part of it."""
    near = mine + many * _zipf(rng, np.full(len(mine), max(size // many, 1)))
    far = _zipf(rng, np.full(len(mine), size))
    return np.where(rng.random(len(mine)) < 0.15, far, near) % size


def build(people: int, path: Path) -> Built:
    """Build the index of a number of people. Needs its own process, to measure peak memory."""
    rules, writer = Filter().rules(), PostingsWriter(path, path.parent)
    seconds, before = 0.0, 0
    for text in World(people).texts():
        scanned = sift(Block(1, text, frozenset()), rules)
        before = before or _peak()  # everything is loaded and compiled, nothing is added yet
        seconds += measure.timed(partial(writer.add, scanned))[0]
    seconds += measure.timed(partial(writer.write, _FINGERPRINT))[0]
    memory = _peak() - before
    statements = len(postings.open_postings(path, _FINGERPRINT).row_keys)
    return Built(statements, seconds, memory, path.stat().st_size)


_FINGERPRINT = "made up"


def _peak() -> int:
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def alone(people: int, path: Path) -> Built:
    """Build the index in its own process."""
    tell(f"the index of {people:,} people")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(build, people, path).result()


def ask(
    similarity: Similarity, qids: Sequence[str], properties: Sequence[str], least: int
) -> Asked:
    """Search for the neighbours of items, one by one and all at once.

    Raises:
        RuntimeError: the results differ.
    """
    each, alone, together = [], [], []
    for _ in range(_ROUNDS):  # in turn: other work on the machine affects both equally
        found = []
        for qid in qids:
            seconds, neighbours = measure.timed(
                partial(similarity.most_similar, qid, properties, _MOST, least)
            )
            each.append(seconds)
            found.append(neighbours)
        alone.append(sum(each[-len(qids) :]))
        seconds, again = measure.timed(
            partial(similarity.most_similar_to_each, qids, properties, _MOST, least)
        )
        together.append(seconds)
        if again != found:
            raise RuntimeError("neighbours of many items at once differ from those of each")
    return Asked(
        each, len(qids) / statistics.median(alone), len(qids) / statistics.median(together)
    )


def made_up(sizes: Sequence[int], items: int, folder: Path) -> list[str]:
    """Return the tables about generated people, for each size."""
    paths = [folder / f"{people}.postings" for people in sizes]
    # All are built before any is mapped, because a new process inherits the peak of its parent.
    builds = [alone(people, path) for people, path in zip(sizes, paths, strict=True)]
    heads = [f"{people:,} people" for people in sizes]
    asked = [_of_size(people, items, path) for people, path in zip(sizes, paths, strict=True)]
    return [
        _table("The index", heads, _of_builds(sizes, builds)),
        _table(f"The {_MOST} most similar of {items:,} people", heads, _of_searches(sizes, asked)),
    ]


def _of_size(people: int, items: int, path: Path) -> list[Asked]:
    """Search an index with each of the thresholds."""
    tell(f"the neighbours of {items:,} of {people:,} people")
    similarity = Similarity(postings.open_postings(path, _FINGERPRINT))
    world, rng = World(people), random.Random(0)
    warm, asked = ([world.person(rng.randrange(people)) for _ in range(items)] for _ in range(2))
    similarity.most_similar_to_each(
        warm, PROPERTIES, _MOST
    )  # compiles, maps the file, makes bitmaps
    return [ask(similarity, asked, PROPERTIES, least) for least in _THRESHOLDS]


def _of_builds(sizes: Sequence[int], builds: Sequence[Built]) -> Iterator[list[str]]:
    def row(what: str, form: str, value: Callable[[Built], float]) -> list[str]:
        return [what, *(form.format(value(built)) for built in builds)]

    yield row("statements in it", "{:,}", lambda built: built.statements)
    yield row("time", "{:.2f} s", lambda built: built.seconds)
    paces = [built.seconds / people * 1e6 for people, built in zip(sizes, builds, strict=True)]
    yield ["time per million people", *(f"{pace:.2f} s" for pace in paces)]
    yield row(
        "peak memory per statement", "{:.1f} B", lambda built: built.memory / built.statements
    )
    yield row("on disk per statement", "{:.1f} B", lambda built: built.size / built.statements)


def _of_searches(sizes: Sequence[int], asked: Sequence[Sequence[Asked]]) -> Iterator[list[str]]:
    for n, least in enumerate(_THRESHOLDS):
        what = f"{least} or more shared"
        found = [of_size[n] for of_size in asked]
        medians = [statistics.median(one.each) for one in found]
        yield [f"{what}: median", *map(measure.seconds, medians)]
        yield [f"{what}: growth of the median", *_growths(sizes, medians)]
        worst = [measure.percentile95(one.each) for one in found]
        yield [f"{what}: 95th percentile", *map(measure.seconds, worst)]
        yield [f"{what}: one by one", *(f"{one.alone:,.0f} items/s" for one in found)]
        yield [f"{what}: at once", *(f"{one.together:,.0f} items/s" for one in found)]


def _growths(sizes: Sequence[int], medians: Sequence[float]) -> Iterator[str]:
    """Yield the exponents of the growth from size to size; 1 means proportional to the size."""
    yield "—"
    for n in range(1, len(sizes)):
        exponent = math.log(medians[n] / medians[n - 1]) / math.log(sizes[n] / sizes[n - 1])
        yield f"people^{exponent:.2f}"


def of_real(held: Store, items: int, slow: int) -> str:
    """Return the table about the people of a loaded store with any comparable value."""
    tell("the real slice")
    properties = catalog().kinds["person"].similarity
    people = {qid for (qid,) in held.graph.select("subjects", property="P31", object="Q5")}
    known = {
        subject
        for pid in properties
        for subject, _ in held.graph.select("relation_pairs", property=pid)
    }
    asked = sampled(sorted(people & known), items)
    similarity = held.knowledge({}).similarity
    similarity.most_similar_to_each(asked, properties, _MOST)  # as above
    rows = []
    for least in _THRESHOLDS:
        search = partial(similarity.most_similar, properties=properties, k=_MOST, min_overlap=least)
        query = partial(_by_query, held, properties, least)
        times = both(asked, slow, search, query, _agree)
        rows.append(measure.compared(f"{least} or more shared", *times))
    title = f"The {_MOST} most similar of {len(asked):,} people of a real slice"
    return measure.table(f"{title} (plain way: `property_overlap.rq`)", rows)


def _by_query(
    held: Store, properties: Sequence[str], least: int, qid: str
) -> list[tuple[object, ...]]:
    places = {f"p{n}": pid for n, pid in enumerate(properties, 1)}
    return list(held.graph.select("property_overlap", item=qid, min_overlap=least, **places))


def _agree(found: Sequence[tuple[object, ...]], expected: Sequence[tuple[object, ...]]) -> bool:
    return [tuple(one) for one in found] == list(expected[:_MOST])


def _table(title: str, heads: Sequence[str], rows: Iterator[list[str]]) -> str:
    lines = [f"### {title}", "", "| " + " | ".join(("what", *heads)) + " |"]
    lines.append("| --- |" + " --: |" * len(heads))
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.similarity", description=__doc__
    )
    parser.add_argument(
        "--people", type=int, nargs="+", default=[150_000, 1_000_000, 4_000_000], help="sizes"
    )
    parser.add_argument("--real", type=Path, help="folder of a loaded store")
    parser.add_argument("--items", type=int, default=1000, help="people to search for")
    parser.add_argument("--slow", type=int, default=20, help="people to search for by the query")
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    asked = parser.parse_args(arguments)
    if min(*asked.people, asked.items, asked.slow) < 1:
        parser.error("--people, --items and --slow are at least 1")
    if asked.real and not asked.real.is_dir():
        parser.error(f"there is no folder {asked.real}")
    with tempfile.TemporaryDirectory() as folder:
        parts = [measure.machine(), *made_up(asked.people, asked.items, Path(folder))]
    if asked.real:
        with open_store(asked.real) as held:
            parts.append(of_real(held, asked.items, asked.slow))
    text = "\n\n".join(parts)
    print(text)
    if asked.output:
        put(asked.output, text, START, END)


if __name__ == "__main__":
    main(sys.argv[1:])
