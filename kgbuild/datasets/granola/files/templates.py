"""Match questions with the templates of relations, for the relation and the subject's name."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.english.templates import in_tense
from kgbuild.relations import Relation

_APOSTROPHES = "['’]"
_PROPERTY = re.compile(r"(?<![^\W_])P[1-9][0-9]*(?![^\W_])")


class TemplateMatch(NamedTuple):
    """A relation that a question may be about, and the name of its subject."""

    relation: Relation
    mention: str


class Templates:
    """The templates of some relations."""

    def __init__(self, relations: Sequence[Relation]):
        self._relations = {relation.pid: relation for relation in relations}
        self._patterns = [
            (relation, _pattern(template))
            for relation in relations
            for template in dict.fromkeys(
                in_tense(one, is_past) for one in relation.granola for is_past in (True, False)
            )
        ]

    def matches(self, question: str, among: Sequence[Relation] = ()) -> list[TemplateMatch]:
        """Return all relations that a question may be about, or those ``among`` some relations.

        Case, spacing, the final question mark and the form of apostrophes do not matter.
        """
        text = _plain(question)
        return [
            TemplateMatch(relation, mention)
            for relation, pattern in self._patterns
            if (not among or relation in among)
            and (match := pattern.fullmatch(text))
            and (mention := match[1].strip())
        ]

    def of_file(self, name: str) -> str | None:
        """Return the id of the relation in the name of a file ("P19.dev.json"), if there is one."""
        pids = {*_PROPERTY.findall(name)} & {*self._relations}
        return pids.pop() if len(pids) == 1 else None


def _plain(question: str) -> str:
    """Return a question with single spaces, and without the final question mark."""
    return " ".join(question.split()).removesuffix("?").rstrip()


def _pattern(template: str) -> re.Pattern[str]:
    before, _, after = _plain(template).partition("{subject}")
    parts = (re.escape(part).replace("'", _APOSTROPHES) for part in (before, after))
    return re.compile("(.+)".join(parts), re.IGNORECASE | re.DOTALL)
