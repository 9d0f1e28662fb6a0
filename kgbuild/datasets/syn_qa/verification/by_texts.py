"""Verify assumptions by passages: does the one about an item name the other item?

Names are labels and aliases. They are compared as whole words, without case and accents. A passage
that names both items need not say what the question assumes: this errs on the safe side.
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
    batches,
)
from kgbuild.english import aliases
from kgbuild.english.normalize import fold
from kgbuild.errors import MalformedIdError, TableFileError
from kgbuild.rows import Progress
from kgbuild.store.labels import Labels
from kgbuild.tables.files import read_rows
from kgbuild.wikidata import parse_item

_COLUMNS = ("id", "title", "text")
_AROUND = 80
"""Characters that are kept on each side of a name in a passage."""
_WRITTEN = 1000
"""Findings that are written together."""
_STEP = 10_000
"""Passages after which progress is shown."""


class _Search(NamedTuple):
    """What a passage about an item would settle: the number of an assumption, and names."""

    number: int
    form: str
    names: tuple[str, ...]


class TextSource:
    """Passages in a file, each with the id of the item or the title that it is about.

    Aliases are read from ``labels``; without them, only the labels of the pairs are known.
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
        """Yield what the passages say of assumptions, after one pass over the file.

        Raises:
            TableFileError, MissingColumnError: the file cannot be read, or no row is usable.
        """
        searches = self._searches(assumptions)
        findings = [Finding(one, UNKNOWN, evidence="no passage") for one in assumptions]
        usable = 0
        for count, row in enumerate(read_rows(self._path, _COLUMNS, ("text",)), 1):
            if count % _STEP == 0:
                progress(f"{count:,} passages read", 0, 1)
            qid, title, text = _id(row["id"]), row["title"], row["text"]
            key = qid or (fold(title) if title else None)
            usable += bool(key and text)
            if not (key and text and key in searches):
                continue
            folded = fold(text)
            for number, form, names in searches[key]:
                if findings[number].verdict == HOLDS:
                    continue
                excerpt = _excerpt(folded, names)
                verdict = HOLDS if excerpt else ABSENT
                about = f"{title or qid}: {excerpt}" if excerpt else ""
                one = findings[number].assumption
                findings[number] = Finding(one, verdict, form if excerpt else None, about)
        if not usable:
            raise TableFileError(self._path, "no row has an id such as Q42, or a title, and a text")
        for batch in batches(findings, _WRITTEN):
            yield [*batch]

    def _searches(self, assumptions: Iterable[Assumption]) -> Mapping[str, list[_Search]]:
        """Return what to look for in passages, by the id and the title of what they are about.

        Over two hops, passages about the bridge count as well.
        """
        searches: dict[str, list[_Search]] = defaultdict(list)
        for number, one in enumerate(assumptions):
            label = self._labels.label(one.bridge) if self._labels and one.bridge else None
            ends = [one.subject, *([Item(one.bridge, label)] if label else [])]
            for end in ends:
                for about, named, form in (
                    (end, one.object, "subject"),
                    (one.object, end, "object"),
                ):
                    search = _Search(number, form, self._names(named))
                    for key in filter(None, (about.qid, fold(about.label))):
                        searches[key].append(search)
        return searches

    def _read_names(self, item: Item) -> tuple[str, ...]:
        """Return the label and the aliases of an item by which it alone may be meant, folded."""
        others = self._labels.aliases(item.qid) if self._labels and item.qid else ()
        names = (item.label, *aliases.names(item.label, others))
        return tuple(dict.fromkeys(filter(None, map(fold, names))))


def _id(text: str | None) -> str | None:
    try:
        return parse_item(text) if text else None
    except MalformedIdError:
        return None


def _excerpt(text: str, names: Iterable[str]) -> str:
    """Return the part of a folded text around the first of names that stands in it, or nothing.

    >>> _excerpt("she studied at st john's college.", ["john", "st john"])
    "she studied at st john's college."
    >>> _excerpt("the norman conquest", ["norma"])
    ''
    """
    for name in names:
        # Most texts do not have the name: a plain search is faster.
        if name in text and (match := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)):
            return text[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return ""
