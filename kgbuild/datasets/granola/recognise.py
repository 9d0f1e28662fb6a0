"""Recognise what a question asks about, by templates: a relation, and a name of the subject."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.catalog import Relation

_APOSTROPHES = "['’]"
_QUOTES = ('""', "“”", "„“", "«»", "''", "‘’")
_PROPERTY = re.compile(r"(?<![^\W_])P[1-9][0-9]*(?![^\W_])")


class Fit(NamedTuple):
    """A relation that a question may ask about, and what it calls the subject.

    ``mention`` is None where the relation is known, but none of its templates fits.
    """

    relation: Relation
    mention: str | None


class Templates:
    """Recognises the questions of some relations."""

    def __init__(self, relations: Sequence[Relation]):
        self._relations = {relation.pid: relation for relation in relations}
        self._patterns = [
            (relation, _pattern(template))
            for relation in relations
            for template in relation.granola
        ]

    def fits(self, question: str, pid: str | None = None) -> list[Fit]:
        """Return all relations that a question may ask about, in their order, with the mentions.

        Case, spacing, the final question mark, the form of apostrophes and quotes around the
        mention make no difference. ``pid`` is the relation if it is known: only that one is
        looked at, and found whatever the question is. There is none if it is no relation here.
        """
        text = _plain(question)
        found = [
            Fit(relation, mention)
            for relation, pattern in self._patterns
            if pid in (None, relation.pid)
            and (match := pattern.fullmatch(text))
            and (mention := _unquoted(match[1].strip()))
        ]
        if not found and pid in self._relations:
            return [Fit(self._relations[pid], None)]
        return found

    def of_file(self, name: str) -> str | None:
        """Return the relation whose id stands in a file's name, None if there is not just one.

        So "P19.dev.json" is about P19.
        """
        told = {*_PROPERTY.findall(name)} & {*self._relations}
        return told.pop() if len(told) == 1 else None


def _plain(question: str) -> str:
    """Return a question with single spaces, and without the final question mark."""
    return " ".join(question.split()).removesuffix("?").rstrip()


def _pattern(template: str) -> re.Pattern[str]:
    before, _, after = _plain(template).partition("{subject}")
    parts = (re.escape(part).replace("'", _APOSTROPHES) for part in (before, after))
    return re.compile("(.+)".join(parts), re.IGNORECASE | re.DOTALL)


def _unquoted(mention: str) -> str:
    """Return a mention without the pair of quotes around it, if there are no others in it."""
    inner = mention[1:-1]
    for quotes in _QUOTES:
        if mention == f"{quotes[0]}{inner}{quotes[1]}" and not {*quotes} & {*inner}:
            return inner.strip()
    return mention
