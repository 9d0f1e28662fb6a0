"""Verify assumptions by passages: an assumption holds if a passage about one item names the other.

Names are labels and aliases. They are compared as whole words, without case and accents. A passage
may name both items without stating the assumption; then a pair is removed without need.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kgbuild.datasets.syn_qa.verification.assumptions import (
    ABSENT,
    HOLDS,
    UNKNOWN,
    Assumption,
    Finding,
    Item,
)
from kgbuild.english import aliases
from kgbuild.english.normalize import fold
from kgbuild.errors import MalformedIdError, TableFileError
from kgbuild.rows import Progress
from kgbuild.store.labels import Labels
from kgbuild.tables.files import read_rows
from kgbuild.wikidata import parse_item

_COLUMNS = ("id", "title", "text")
_CONTEXT = 80
"""Number of characters on each side of a name that are stored as evidence."""
_STEP = 10_000
"""Number of passages after which progress is shown again."""


class _Search(NamedTuple):
    """Names to search for in passages about an item.

    If a passage has one of the names, the assumption at the index ``number`` holds. ``form`` is the
    role of the item that the passage is about: "subject" or "object".
    """

    number: int
    form: str
    names: tuple[str, ...]


class TextSource:
    """A file of passages as a source; each has the id or the title of the item that it is about.

    ``labels`` has aliases of items; without it, only the labels in the pairs are names.
    """

    kind = "texts"
    resumes = False

    def __init__(self, path: Path, labels: Labels | None = None):
        self.name = path.name
        self._path = path
        self._labels = labels
        self._names = cache(self._read_names)

    def findings(
        self, assumptions: Sequence[Assumption], progress: Progress
    ) -> Iterator[list[Finding]]:
        """Yield all findings of the passages at once, after one pass over the file.

        Raises:
            TableFileError, WrongCallError: the file cannot be read, or no row is usable.
        """
        searches = self._searches(assumptions)
        findings = [
            Finding(assumption, UNKNOWN, evidence="no passage") for assumption in assumptions
        ]
        usable = 0
        for count, row in enumerate(read_rows(self._path, _COLUMNS, ("text",)), 1):
            if count % _STEP == 0:
                progress(f"{count:,} passages read", 0, 1)
            qid, title, text = _id(row["id"]), row["title"], row["text"]
            key = qid or (fold(title) if title else None)
            if not (key and text):
                continue
            usable += 1
            if key not in searches:
                continue
            folded = fold(text)
            for search in searches[key]:
                finding = findings[search.number]
                findings[search.number] = _search(folded, title or key, search, finding)
        if not usable:
            raise TableFileError(self._path, "no row has an id such as Q42, or a title, and a text")
        yield findings

    def _searches(self, assumptions: Iterable[Assumption]) -> Mapping[str, list[_Search]]:
        """Return the searches for passages about an item, by its id and by its folded label.

        With two relations, the item between subject and object counts as a subject, too.
        """
        searches: dict[str, list[_Search]] = defaultdict(list)
        for number, assumption in enumerate(assumptions):
            object_ = assumption.object
            for subject in (assumption.subject, *self._bridge(assumption)):
                for topic, searched_item, form in (
                    (subject, object_, "subject"),
                    (object_, subject, "object"),
                ):
                    search = _Search(number, form, self._names(searched_item))
                    for key in filter(None, (topic.qid, fold(topic.label))):
                        searches[key].append(search)
        return searches

    def _bridge(self, assumption: Assumption) -> list[Item]:
        """Return the item between subject and object, if its label is known."""
        qid = assumption.bridge
        label = self._labels.label(qid) if self._labels and qid else None
        return [Item(qid, label)] if label else []

    def _read_names(self, item: Item) -> tuple[str, ...]:
        """Return the folded label and aliases of an item, without ambiguous aliases."""
        spellings = self._labels.aliases(item.qid) if self._labels and item.qid else ()
        names = (item.label, *aliases.names(item.label, spellings))
        return tuple(dict.fromkeys(filter(None, map(fold, names))))


def _search(text: str, title: str, search: _Search, finding: Finding) -> Finding:
    """Return the finding about an assumption after a search in a further passage."""
    if finding.verdict == HOLDS:
        return finding
    if excerpt := _excerpt(text, search.names):
        return Finding(finding.assumption, HOLDS, search.form, f"{title}: {excerpt}")
    return Finding(finding.assumption, ABSENT)


def _id(text: str | None) -> str | None:
    """Return the item id in a text; None if it has none."""
    try:
        return parse_item(text) if text else None
    except MalformedIdError:
        return None


def _excerpt(text: str, names: Iterable[str]) -> str:
    """Return the part of a folded text around the first name that it contains, else an empty text.

    >>> _excerpt("she studied at st john's college.", ["john", "st john"])
    "she studied at st john's college."
    >>> _excerpt("the norman conquest", ["norma"])
    ''
    """
    for name in names:
        # Most texts do not have the name, and this search is faster than a regular expression.
        if name in text and (match := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)):
            return text[max(0, match.start() - _CONTEXT) : match.end() + _CONTEXT]
    return ""
