"""What models are given beside a question that is not in its dataset: evidence, and other pools."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kgbuild.catalog import catalog
from kgbuild.cli import screen
from kgbuild.datasets.biokalma.citations import Triple
from kgbuild.graph.open import open_store
from kgbuild.tables import database

if TYPE_CHECKING:
    # Which compiles.
    from kgbuild.datasets.syn_qa.evidence import Asked

_ITEMS = """
    SELECT
        pair_id, relation, subject_qid, replacement_qid, coalesce(object_qid, bridge_qid)
    FROM syn_qa_pairs
"""
"""Of HotpotQA, the bridge is the other item of both questions; else it is of one of them only."""


def searched(db: Path, path: Path) -> "dict[Asked, list[str]]":
    """Return the evidence in a user's file, by question of Syn-(QA)².

    Raises:
        TableFileError, MissingColumnError: the file cannot be read.
    """
    from kgbuild.datasets.syn_qa.evidence import found

    given = database.read_file(path)
    records = [dict(zip(given.columns, row, strict=True)) for row in given.rows]
    known = {pair_id for pair_id, *_ in database.sql(db, _ITEMS).rows}
    return found(path, given.columns, records, known)


def stated(db: Path, store: Path, pair_ids: Collection[str]) -> "dict[Asked, list[str]]":
    """Return what a store says of the items of the questions of pairs.

    Raises:
        NoStoreError, DamagedStoreError, UnknownItemError: there is none, or another one.
    """
    from kgbuild.datasets.syn_qa.evidence import Statements

    told = {}
    pairs = [row for row in database.sql(db, _ITEMS).rows if row[0] in pair_ids]
    with open_store(store) as held, screen.progress() as bar:
        statements = Statements(held.graph, held.labels)
        task = bar.add_task("gathering evidence", total=len(pairs), detail="")
        for pair_id, relation, subject, replacement, other in pairs:
            for is_false, qid in ((False, subject), (True, replacement)):
                items = [item for item in (qid, other) if item]
                told[pair_id, is_false] = statements.about(items, relation.split("/"))
            bar.advance(task)
    return told


class Retrieved(NamedTuple):
    """The pools that were found for questions, and the names of the items in them."""

    pools: Mapping[str, Sequence[Triple]]
    names: Mapping[str, str]


def retrieved(store: Path, questions: Sequence[str]) -> Retrieved:
    """Return the subgraphs of the items that each question is taken to be about.

    A question in which no item is recognised has an empty pool.

    Raises:
        NoStoreError, DamagedStoreError: the store cannot be opened.
    """
    from kgbuild.datasets.biokalma.pool import Pools
    from kgbuild.datasets.biokalma.retrieve import Retriever
    from kgbuild.datasets.biokalma.words import words

    pools: dict[str, list[Triple]] = {}
    names: dict[str, str] = {}
    with open_store(store) as held, screen.progress() as bar:
        known = held.knowledge(catalog().kinds)
        retriever, graphs = Retriever(known, held.names), Pools(known, words())
        task = bar.add_task("retrieving", total=len(questions), detail="")
        for question in questions:
            found = dict.fromkeys(one.qid for one in retriever.retrieve(question))
            names.update((qid, graphs.label(qid) or qid) for qid in found)
            pools[question] = [
                Triple(qid, graphs.property_label(fact.pid), fact.shown)
                for qid in found
                for fact in graphs.of(qid)
            ]
            bar.advance(task)
    return Retrieved(pools, names)
