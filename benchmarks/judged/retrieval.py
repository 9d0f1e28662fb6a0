"""Judge which items retrieval finds in questions about two people, as people ask them.

They are questions about the real slice, so its store must be at KGBUILD_STORE; without one, the set
is left out.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.judged import Case, Record
from benchmarks.judged.rows import STORE
from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.retrieval.retriever import Retriever
from kgbuild.graph.open import open_store


def cases(records: Iterable[Record]) -> Iterator[Case]:
    """Yield a case for each item of a question, "found", and for each found one, "right".

    There are none without a store.
    """
    if STORE not in os.environ:
        return
    with open_store(Path(os.environ[STORE])) as held:
        retriever = Retriever(held.knowledge(catalog().kinds), held.names)
        for record in records:
            about, shown = record["items"], record["question"]
            found = [item.qid for item in retriever.retrieve(shown)]
            told = " ".join(about), " ".join(found)
            for part, qids, others in (("found", about, found), ("right", found, about)):
                for qid in qids:
                    yield Case(f"{record['id']} {qid}", part, shown, *told, qid in others)
