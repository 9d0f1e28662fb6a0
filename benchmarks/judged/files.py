"""Judge what is read from questions of files: the subject, the relation, and the items of answers.

They are questions about the real slice, so its store must be at KGBUILD_STORE; without one, the set
is left out.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.judged import Case, Record
from benchmarks.judged.rows import STORE
from kgbuild.catalog import catalog
from kgbuild.datasets.granola.files.records import FileAnswer
from kgbuild.datasets.granola.files.records import FileRecord as Asked
from kgbuild.datasets.granola.files.resolve import FileResolver, Resolved
from kgbuild.english.normalize import fold
from kgbuild.graph.open import open_store
from kgbuild.store.labels import Labels

_NOT_BUILT = "not built"


def cases(records: Iterable[Record]) -> Iterator[Case]:
    """Yield the cases of a set of questions; nothing if there is no store to read them with."""
    if STORE not in os.environ:
        return
    with open_store(Path(os.environ[STORE])) as held:
        knowledge = held.knowledge(catalog().kinds)
        resolver = FileResolver(knowledge, held.names)
        for record in records:
            answers = tuple(FileAnswer(text, None) for text in record["answers"])
            found = resolver.resolve(Asked(record["id"], record["question"], answers))
            agrees = (
                _agrees(record, found, knowledge.labels)
                if isinstance(found, Resolved)
                else (record["subject"] is None)
            )
            shown = f"{record['question']} [{'; '.join(record['answers'])}]"
            judged = _told(record["subject"], record["property"], record["answer_items"])
            yield Case(record["id"], record["direction"], shown, judged, _said(found), agrees)


def _agrees(record: Record, found: Resolved, labels: Labels) -> bool:
    """Return whether a question is read as judged.

    The relation may be the inverse of the judged one. An answer that the store does not state may
    be linked to the item with this label.
    """
    relation = found.relation
    is_relation = record["property"] in (relation.pid, *relation.inverse)
    items = {answer.qid for answer in found.answers if answer.qid}
    texts = {fold(text) for text in record["answers"]}
    further = items - {*record["answer_items"]}
    is_linked = bool(items & {*record["answer_items"]}) or not any(
        item.startswith("Q") for item in record["answer_items"]
    )
    are_labels = all(fold(labels.label(qid) or "") in texts for qid in further)
    return found.subject == record["subject"] and is_relation and is_linked and are_labels


def _said(found: object) -> str:
    if not isinstance(found, Resolved):
        return _NOT_BUILT
    return _told(found.subject, found.relation.pid, [a.qid for a in found.answers if a.qid])


def _told(subject: str | None, pid: str | None, items: Iterable[str]) -> str:
    return f"{subject} {pid} {', '.join(items)}".strip() if pid else _NOT_BUILT
