"""Compare queries on a store with the same queries on an endpoint on the same machine.

``oxigraph serve-read-only`` serves the triples of a loaded store. Both run the same queries in
turn, and the results are compared.
"""

import argparse
import operator
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks import measure
from benchmarks.measure import KGBUILD, LOADER, Row, both, compared, interleaved, put, sampled, tell
from kgbuild.catalog import catalog
from kgbuild.graph.open import Store, open_endpoint, open_store
from kgbuild.graph.similarity import Neighbour
from kgbuild.graph.source import AnyKnowledge, Source
from kgbuild.graph.subgraph import Subgraph, subgraph
from kgbuild.net.http import Client
from kgbuild.store.labels import Match, QueriedLabels, lookup

START, END = "<!-- measured: endpoint -->", "<!-- end: endpoint -->"
"""Marks in the document; ``-o`` replaces the text between them."""
HEADS = ("store", "endpoint", "endpoint ÷ store")
_VALUES, _MOST = 50, 10


@contextmanager
def serving(held: Store, folder: Path) -> Iterator[str]:
    """Serve the triples of a store and yield the URL of the endpoint.

    Raises:
        RuntimeError: the command ``oxigraph`` is missing or does not serve.
    """
    if not LOADER:
        raise RuntimeError("needs the command oxigraph: pip install oxigraph")
    tell("a database to serve")
    with (folder / "all.nt").open("wb") as file:
        held.graph.lines(lambda lines: file.writelines(line + b"\n" for line in lines))
    database = folder / "database"
    measure.command(LOADER, "load", "-l", database, "-f", folder / "all.nt")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = free.getsockname()
    address = f"{place[0]}:{place[1]}"
    serve = [LOADER, "serve-read-only", "-l", str(database), "-b", address]
    with subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait(place)
            yield f"http://{address}/query"
        finally:
            server.terminate()


def _wait(place: tuple[str, int]) -> None:
    for _ in range(500):
        with socket.socket() as tried:
            if tried.connect_ex(place) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError("oxigraph does not serve")


def calls(held: Store, far: Source, items: int, slow: int) -> Iterator[Row]:
    """Time lookups, subgraphs and searches for similar people."""

    def looked_up(source: Source, name: str) -> list[Match]:
        return lookup(source.graph, source.names, name)

    def around(source: Source, qid: str) -> Subgraph:
        return subgraph(source.graph, QueriedLabels(source.graph), qid, _VALUES)

    properties = catalog().kinds["person"].similarity

    def alike(knowledge: AnyKnowledge, qid: str) -> list[Neighbour]:
        return knowledge.similarity.most_similar_to_each([qid], properties, _MOST)[0]

    people = sampled(_people(held), items)
    names = [name for qid in people if (name := held.labels.label(qid))]
    overlaps = [source.knowledge(catalog().kinds) for source in (held, far)]
    alike(overlaps[0], people[0])  # which compiles the search
    for what, asked, same, ways in (
        ("lookup", names, _are_among, [partial(looked_up, source) for source in (held, far)]),
        ("subgraph", people, operator.eq, [partial(around, source) for source in (held, far)]),
        ("similar", people[:slow], operator.eq, [partial(alike, one) for one in overlaps]),
    ):
        tell(what)
        yield compared(what, *both(asked, len(asked), ways[0], ways[1], same))


def _are_among(found: Sequence[object], expected: Sequence[object]) -> bool:
    """Return whether an endpoint returns a part of the matches of the store, in their order."""
    return bool(expected) and list(expected) == [match for match in found if match in expected]


def _people(held: Store) -> list[str]:
    """Return the people of whom an occupation is known: of the others there may be but a name."""
    statements = held.knowledge({}).statements
    known = {f"Q{subject}" for subject in statements.numbers("P106").subjects.tolist()}
    return [qid for qid in statements.subjects("Q5", "P31") if qid in known]


def processes(held: Store, store: Path, url: str, repeat: int) -> Iterator[Row]:
    """Time whole commands, each in its own process."""
    tell("whole processes")
    person = sampled(_people(held), 1)[0]
    name = held.labels.label(person) or person
    for command, asked in (("lookup", name), ("subgraph", person)):
        costs = interleaved(
            repeat,
            partial(measure.command, *KGBUILD, command, asked, "--store", store),
            partial(measure.command, *KGBUILD, command, asked, "--endpoint", url),
        )
        yield compared(f"kgbuild {command}", *([cost.seconds for cost in way] for way in costs))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.endpoint", description=__doc__
    )
    parser.add_argument(
        "--store", type=Path, default=Path("data/kg"), help="folder of a loaded store"
    )
    parser.add_argument("--items", type=int, default=200, help="items per measurement")
    parser.add_argument("--slow", type=int, default=5, help="items to find similar items for")
    parser.add_argument("--repeat", type=int, default=7, help="runs of each command")
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    asked = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(asked.store) as held,
        serving(held, Path(folder)) as url,
        open_endpoint(Client(), url) as far,
    ):
        rows = [
            *calls(held, far, asked.items, asked.slow),
            *processes(held, asked.store, url, asked.repeat),
        ]
    title = f"A store and an endpoint of the same {held.manifest.triples:,} triples"
    text = f"{measure.machine()}\n\n{measure.table(title, rows, HEADS)}"
    print(text)
    if asked.output:
        put(asked.output, text, START, END)


if __name__ == "__main__":
    main(sys.argv[1:])
