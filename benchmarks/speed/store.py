"""Compare the speed of kgbuild with that of a plain way; print tables in Markdown.

If both ways return results, the results are compared first.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import pyoxigraph as ox

from benchmarks import generate, measure
from benchmarks.measure import (
    KGBUILD,
    LOADER,
    Cost,
    Row,
    both,
    compared,
    interleaved,
    megabytes,
    put,
    sampled,
    seconds,
    tell,
    times,
)
from kgbuild.catalog import catalog
from kgbuild.datasets.syn_qa.falsity.assessment import Assessment, assess
from kgbuild.graph.open import Store, open_store
from kgbuild.store import manifest
from kgbuild.store.labels import lookup

_BULK_LOAD = """
import gzip, sys, pyoxigraph as ox
opened = gzip.open if sys.argv[2].endswith(".gz") else open
with opened(sys.argv[2], "rb") as file:
    ox.Store(sys.argv[1]).bulk_load(file, format=ox.RdfFormat.N_TRIPLES, lenient=True)
"""
_COUNT = "import sys, pyoxigraph as ox; print(len(ox.Store.read_only(sys.argv[1])))"
_QUERY = """
import sys, pyoxigraph as ox
for row in ox.Store.read_only(sys.argv[1]).query(sys.argv[2]):
    print(*row)
"""
_PREFIXES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
"""
_SCAN = (
    _PREFIXES
    + """SELECT DISTINCT ?item WHERE {
  ?item rdfs:label|skos:altLabel ?name .
  FILTER(LCASE(STR(?name)) = %s)
}"""
)
_EXACT = _PREFIXES + "SELECT DISTINCT ?item WHERE { ?item rdfs:label|skos:altLabel %s }"
_ONE_HOP = (
    _PREFIXES
    + """SELECT ?direction ?property ?value (COALESCE(?en, ?mul, ?other) AS ?label) WHERE {
  { wd:%(qid)s ?property ?value . BIND("out" AS ?direction) }
  UNION
  { ?value ?property wd:%(qid)s . BIND("in" AS ?direction) }
  FILTER(STRSTARTS(STR(?property), STR(wdt:)))
  OPTIONAL { ?value rdfs:label ?en . FILTER(LANG(?en) = "en") }
  OPTIONAL { ?value rdfs:label ?mul . FILTER(LANG(?mul) = "mul") }
  OPTIONAL { ?value rdfs:label ?other . FILTER(LANGMATCHES(LANG(?other), "en")) }
}"""
)
_LABELS = (
    _PREFIXES
    + 'SELECT ?name WHERE { ?item wdt:P31 wd:Q5 ; rdfs:label ?name FILTER(LANG(?name) = "en") }'
)
_INSTANCES = _PREFIXES + "SELECT DISTINCT ?item WHERE { ?item wdt:P31 ?class }"
_PEOPLE = _PREFIXES + "SELECT ?item WHERE { ?item wdt:P31 wd:Q5 ; wdt:P106 [] }"

T = TypeVar("T")


class Effort(NamedTuple):
    """Number of runs of each command, of items per measurement, and of items for slow ways."""

    repeat: int
    items: int
    slow: int


def plain_loader() -> str:
    """Return a description of the plain way of loading."""
    if LOADER:
        return "`oxigraph load --lenient`"
    return "`bulk_load` of pyoxigraph, since the command `oxigraph` is absent"


def loading(dump: Path, name: str, store: Path, effort: Effort, *options: str) -> list[Row]:
    """Load a dump both ways; the store of kgbuild is left in ``store``.

    Raises:
        RuntimeError: kgbuild dropped nothing, but the stores differ in size.
    """
    plain_store = store.with_name("plain")

    def ours() -> Cost:
        shutil.rmtree(store, ignore_errors=True)
        return measure.command(*KGBUILD, "load", "--store", store, *options, dump)

    def plain() -> Cost:
        shutil.rmtree(plain_store, ignore_errors=True)
        if LOADER:
            return measure.command(LOADER, "load", "--lenient", "-l", plain_store, "-f", dump)
        return measure.command(sys.executable, "-c", _BULK_LOAD, plain_store, dump)

    tell(f"loading {name}")
    costs = interleaved(effort.repeat, ours, plain)
    made = manifest.read(store)
    triples = (made.triples, int(_output(sys.executable, "-c", _COUNT, plain_store)))
    if triples[0] != triples[1] and not made.dropped and not made.bad:
        raise RuntimeError(f"of {name}, {triples[0]} and {triples[1]} triples are in the stores")
    sizes = tuple(map(measure.size_of, (store, plain_store)))
    shutil.rmtree(plain_store)
    time = compared(f"{name}: time", *([cost.seconds for cost in way] for way in costs))
    rates = [
        f" ({made.lines / statistics.median(cost.seconds for cost in way) / 1e6:.2f} M lines/s)"
        for way in costs
    ]
    memory = [statistics.median(cost.memory for cost in way) for way in costs]
    disk = [f"{megabytes(s)} ({s / n:.0f} B a triple)" for s, n in zip(sizes, triples, strict=True)]
    shown = [megabytes(size) for size in memory]
    return [
        time._replace(kgbuild=time.kgbuild + rates[0], plain=time.plain + rates[1]),
        Row(f"{name}: peak memory", shown[0], shown[1], times(memory[1] / memory[0])),
        Row(f"{name}: on disk", disk[0], disk[1], times(sizes[1] / sizes[0])),
    ]


def looking_up(held: Store, graph: ox.Store, effort: Effort) -> Iterator[Row]:
    """Time the lookup of people by name, in lower case and in the exact spelling."""
    tell("lookup")
    names = sampled(_names(graph), effort.items)

    def ours(name: str) -> set[str]:
        return {match.qid for match in lookup(held.graph, held.names, name)}

    def scan(name: str) -> set[str]:
        return _qids(graph, _SCAN % ox.Literal(name.lower()))

    def exact(name: str) -> set[str]:
        return _qids(graph, _EXACT % ox.Literal(name, language="en"))

    found = both(names, effort.slow, lambda name: ours(name.lower()), scan, set.issuperset)
    yield compared("lookup, any case", *found)
    yield compared("lookup, exact literal", *both(names, effort.items, ours, exact, set.issuperset))


def one_hop(held: Store, graph: ox.Store, effort: Effort) -> Iterator[Row]:
    """Time the queries for the statements around items, with labels."""
    tell("one hop")
    items = sampled(sorted(_qids(graph, _INSTANCES)), effort.items)

    def ours(qid: str) -> list[Any]:
        return held.graph.select("one_hop", item=qid, language="en")

    def plain(qid: str) -> list[Any]:
        return _rows(graph, _ONE_HOP % {"qid": qid})

    def same(one: list[Any], other: list[Any]) -> bool:
        return len(one) == len({(str(row[0]), str(row[1]), str(row[2])) for row in other})

    found = both(items, effort.items, ours, plain, same)
    yield compared("one hop, median", *found)
    tail = [measure.percentile95(way) for way in found]
    shown = [seconds(value) for value in tail]
    yield Row("one hop, 95th percentile", shown[0], shown[1], times(tail[1] / tail[0]))


_ALL = 10**9
_ASSESSED = ("P26", "P161")
"""A small relation, and one with many statements."""


def similarity(held: Store, graph: ox.Store, effort: Effort) -> Iterator[Row]:
    """Time the search for people who share at least three values with a person."""
    tell("similarity")
    people = sampled(sorted(_qids(graph, _PEOPLE)), effort.items)
    properties = catalog().kinds["person"].similarity
    places = {f"p{n}": pid for n, pid in enumerate(properties, 1)}

    similarity = held.knowledge({}).similarity
    similarity.most_similar(people[0], properties, 1)  # which compiles the search once for all
    first = [
        measure.timed(partial(similarity.most_similar, qid, properties, 10, 3))[0] for qid in people
    ]
    every, plain = both(
        people,
        effort.slow,
        lambda qid: [tuple(found) for found in similarity.most_similar(qid, properties, _ALL, 3)],
        lambda qid: held.graph.select("property_overlap", item=qid, min_overlap=3, **places),
        lambda found, expected: found == expected,
    )
    yield compared("similar items, the first ten", first, plain)
    yield compared("similar items, all", every, plain)


def assumptions(held: Store, store: Path, effort: Effort) -> Iterator[Row]:
    """Time the assessment of triples, of which the plain way counts the relation each time."""
    tell("assumptions")
    statements = held.knowledge({}).statements
    with open_store(store) as fresh:

        def counting(triple: str) -> Assessment:
            fresh.kept.clear()
            return assess(fresh, *triple.split())

        for pid in _ASSESSED:
            numbers = (part.tolist() for part in statements.numbers(pid))
            pairs = sampled([*zip(*numbers, strict=True)], 2 * effort.items)
            ends = zip(pairs[::2], pairs[1::2], strict=False)
            triples = [f"Q{x} {pid} Q{y}" for (x, _), (_, y) in ends]
            if not triples:
                continue
            assess(held, *triples[0].split())  # which counts the relation
            ours, plain = both(
                *(triples, effort.slow, lambda triple: assess(held, *triple.split()), counting),
                Assessment.__eq__,
            )
            yield compared(f"risk of a triple of {pid}", ours, plain)


def processes(held: Store, graph: ox.Store, store: Path, effort: Effort) -> Iterator[Row]:
    """Time whole commands, each in its own process."""
    tell("whole processes")
    name = sampled(_names(graph), 1)[0].lower()
    person = sampled(sorted(_qids(graph, _PEOPLE)), 1)[0]
    script = [sys.executable, "-c", _QUERY, str(store / held.manifest.generation / manifest.GRAPH)]
    at = ["--store", str(store)]
    cases: list[tuple[str, list[str], list[str]]] = [
        ("--help", [], [sys.executable, "-c", "pass"]),
        ("lookup", [name, *at], [*script, _SCAN % ox.Literal(name)]),
        ("subgraph", [person, *at], [*script, _ONE_HOP % {"qid": person}]),
    ]
    for what, ours, plain in cases:
        costs = interleaved(
            effort.repeat,
            partial(measure.command, *KGBUILD, what, *ours),
            partial(measure.command, *plain),
        )
        yield compared(f"kgbuild {what}", *([cost.seconds for cost in way] for way in costs))
    with tempfile.TemporaryDirectory() as folder:
        for asked in (["--relations", "P26,P40"], []):
            building = ["syn-qa", *asked, "--limit", "200"]
            taken = [
                measure.command(
                    *KGBUILD, *building, *at, "--db", Path(folder) / f"{len(asked)}-{n}.duckdb"
                ).seconds
                for n in range(effort.repeat)
            ]
            what = " ".join(building) if asked else "syn-qa --limit 200 (all relations)"
            yield compared(f"kgbuild {what}", taken, [])


def asking(store: Path, effort: Effort) -> list[Row]:
    """Return the rows of all measurements on a loaded store."""
    with open_store(store) as held:
        graph = ox.Store.read_only(str(store / held.manifest.generation / manifest.GRAPH))
        return [
            *looking_up(held, graph, effort),
            *one_hop(held, graph, effort),
            *similarity(held, graph, effort),
            *assumptions(held, store, effort),
            *processes(held, graph, store, effort),
        ]


def _output(*command: str | Path) -> str:
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


def _rows(graph: ox.Store, query: str) -> list[ox.QuerySolution]:
    return list(cast(ox.QuerySolutions, graph.query(query)))


def _names(graph: ox.Store) -> list[str]:
    return sorted({row[0].value for row in _rows(graph, _LABELS)})


def _qids(graph: ox.Store, query: str) -> set[str]:
    """Return the items that a query returns."""
    found = {row[0].value.rpartition("/")[2] for row in _rows(graph, query)}
    return {entity for entity in found if entity.startswith("Q")}


def measured(people: int, real: Path | None, effort: Effort) -> str:
    """Measure everything and return the tables in Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tell(f"writing a dump of {people:,} people")
        generate.write(work / "made.nt", people)
        made = generate.write(work / "made.nt.gz", people)
        rows = [
            *loading(work / "made.nt", "raw dump, .nt", work / "made", effort),
            *loading(work / "made.nt.gz", "raw dump, .nt.gz", work / "made", effort),
            *(loading(real, "clean slice, .nt.gz", work / "real", effort) if real else ()),
        ]
        size = f"{made.lines:,} lines about {made.items:,} items"
        title = f"Loading (raw dump: {size}; plain way: {plain_loader()})"
        parts = [measure.machine(), measure.table(title, rows)]
        for name, title in (("made", "the generated dump"), ("real", "the real slice")):
            if (store := work / name).exists():
                triples = manifest.read(store).triples
                heading = f"Queries on the store of {title} ({triples:,} triples)"
                parts.append(measure.table(heading, asking(store, effort)))
    return "\n\n".join(parts)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.store", description=__doc__)
    parser.add_argument("--people", type=int, default=20_000, help="number of generated people")
    parser.add_argument("--real", type=Path, help="real slice to measure as well")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each command")
    parser.add_argument("--items", type=int, default=200, help="items per measurement")
    parser.add_argument("--slow", type=int, default=20, help="items for slow ways")
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    asked = parser.parse_args()
    if min(asked.people, asked.repeat, asked.items, asked.slow) < 1:
        parser.error("--people, --repeat, --items and --slow are at least 1")
    if asked.real and not asked.real.is_file():
        parser.error(f"there is no file {asked.real}")
    tables = measured(asked.people, asked.real, Effort(asked.repeat, asked.items, asked.slow))
    print(tables)
    if asked.output:
        put(asked.output, tables)


if __name__ == "__main__":
    main()
