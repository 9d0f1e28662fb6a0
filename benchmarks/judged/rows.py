"""Build the rows of GRANOLA that people marked anew, and tell which are left out or changed."""

import os
from collections.abc import Iterable, Iterator
from itertools import groupby

from benchmarks.judged import Case, Record
from kgbuild import api
from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.questions.from_store import GranolaOptions, drafts_of
from kgbuild.rows import Rejected

STORE = "KGBUILD_STORE"
"""The environment variable with the folder of a store of the facts that the rows are made of."""
_FLAGS = ("missing", "false_coarser", "order", "trivial", "wrong")
_SAME, _CHANGED, _LEFT_OUT = "same", "changed", "left out"


def cases(records: Iterable[Record]) -> Iterator[Case]:
    """Yield the cases of a set of rows: none without a store.

    A row without a fault should not be left out, one with a fault should not stay as it is. Rows
    that change are to be read again.
    """
    if STORE not in os.environ:
        return
    with api.open(os.environ[STORE]) as store:
        knowledge = store.knowledge(catalog().kinds)
        profiles = Profiles(knowledge)
        for pid, group in groupby(sorted(records, key=_relation), _relation):
            draft = drafts_of(knowledge, catalog().relations[pid], GranolaOptions(), profiles)
            for record in group:
                try:
                    made = draft(record["subject"])
                    answers, _ = made.level(())
                    levels = [
                        sorted(one.candidate.text for one in level)
                        for _, level in groupby(answers, lambda one: one.level)
                    ]
                    is_same = made.question == record["question"] and levels == record["levels"]
                    shown, found = f"{made.question} {levels}", _SAME if is_same else _CHANGED
                except Rejected as rejected:
                    shown, found = rejected.reason, _LEFT_OUT
                judged = _judged(record)
                agrees = found != (_SAME if judged else _LEFT_OUT)
                was = f"{record['question']} {record['levels']}"
                part = "with a fault" if judged else "without fault"
                yield Case(record["id"], part, f"{was} => {shown}", judged, found, agrees)


def _relation(record: Record) -> str:
    return str(record["relation"])


def _judged(record: Record) -> str:
    """Return the faults that all readers of a row found, or ""."""
    found = [
        {flag for flag in _FLAGS if reader[flag]}
        | ({"wording"} if reader["wording"] != "natural" else set())
        for reader in record["readers"]
    ]
    return ", ".join(sorted(set.intersection(*found)))
