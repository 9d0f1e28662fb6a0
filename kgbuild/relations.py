"""The entries of ``relations.toml``: relations (properties with questions) and kinds of items."""

import functools
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

MAX_SIMILARITY = 8
"""Maximum number of similarity properties of a kind, the parameters of property_overlap.rq."""
_INVISIBLE = " \t\n\u200b\u200e\u200f\ufeff"
"""Invisible characters at the ends of some labels: spaces and marks of writing direction."""


def clean_label(label: str) -> str:
    """Return a label without invisible characters at its ends, and with single spaces."""
    return " ".join(label.strip(_INVISIBLE).split())


_compiled = functools.cache(re.compile)
"""Patterns, which would otherwise be looked up in a slower cache at each search."""
COUNTRIES = ("P27", "P17", "P495")
"""The properties country of citizenship, country, and country of origin."""


@dataclass(frozen=True)
class Kind:
    """A kind of items, such as people; ``relations.toml`` explains the fields by their keys."""

    name: str
    classes: tuple[str, ...] = ()
    similarity: tuple[str, ...] = ()
    begin_properties: tuple[str, ...] = ()
    end_properties: tuple[str, ...] = ()
    max_years_apart: int = 50
    can_be_series: bool = False
    phrases: tuple[tuple[str, str], ...] = ()
    unfit_labels: tuple[str, ...] = ()

    def phrase(self, label: str) -> str:
        """Return a phrase for an item of this kind: its label, often with an article."""
        name = clean_label(label)
        for pattern, phrase in self.phrases:
            if match := _compiled(pattern).search(name):
                return phrase.format(**{"label": name, **match.groupdict()})
        return name

    def fits(self, label: str) -> bool:
        """Return whether a question can refer to an item of this kind by its label."""
        name = clean_label(label)
        return not any(_compiled(pattern).search(name) for pattern in self.unfit_labels)


class Wording(NamedTuple):
    """Question templates of a relation for the items of a kind.

    ``name`` is the name of the kind, or empty for the templates of all other kinds. There are no
    templates if no question suits the kind.
    """

    name: str
    templates: tuple[str, ...]


@dataclass(frozen=True)
class Relation:
    """A relation: the property ``pid``, and questions about its statements.

    ``relations.toml`` explains the fields by their keys. The fields ``syn_qa``, ``granola`` and
    ``biokalma`` are the question templates of the dataset of that name. ``are_kinds_own`` is
    whether a user's file names the kinds of subjects or objects.
    """

    pid: str
    label: str
    subject_kinds: tuple[str, ...]
    object_kinds: tuple[str, ...]
    are_kinds_own: bool = False
    # Statements that the relation implies or excludes.
    symmetric: bool = False
    transitive: bool = False
    inverse: tuple[str, ...] = ()
    narrower: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    single_valued: bool = False
    one_of_each_sex: bool = False
    contemporary: bool = False
    alive: bool = False
    years_later: tuple[int, int] = (-5000, 5000)
    shared: tuple[str, ...] = ()
    within: bool = False
    groups: bool = False
    # The choice of replacements for the subject.
    required_properties: tuple[str, ...] = ()
    matching_properties: tuple[str, ...] = ()
    near_properties: tuple[str, ...] = COUNTRIES
    evident_paths: tuple[str, ...] = ()
    # Templates of questions.
    bridge: str = ""
    syn_qa: tuple[str, ...] = ()
    wordings: tuple[Wording, ...] = ()
    granola: tuple[str, ...] = ()
    questions: tuple[Wording, ...] = ()
    biokalma: tuple[str, ...] = ()
    biokalma_like: str = ""
    # The answers of GRANOLA, and the items of BioKaLMA.
    coarse: bool = False
    accepts_places: bool = False
    accepts_classes: bool = False
    earliest_only: bool = False
    event_date_property: str = ""
    connecting_property: str = ""
    expected: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The properties that link two persons: P26, or P800/P57 (through a work)."""
        return f"{self.connecting_property}/{self.pid}" if self.connecting_property else self.pid

    def wording(self, subject: Collection[str], object_: Collection[str]) -> Wording:
        """Return the question templates of Syn-QA for the kinds of a subject and of an object.

        The kinds of the subject come first.
        """
        wordings = (_wording(self.wordings, kinds) for kinds in (subject, object_))
        return next(filter(None, wordings), Wording("", self.syn_qa))

    def question(self, subject: Collection[str]) -> Wording:
        """Return the question templates of GRANOLA for the kinds of a subject.

        A subject without a kind is a "thing". The first template is asked.
        """
        return _wording(self.questions, subject or ("thing",)) or Wording("", self.granola)

    @property
    def evident_properties(self) -> tuple[str, ...]:
        """The properties in ``evident_paths``, such as P131/P17."""
        return tuple(pid for path in self.evident_paths for pid in path.split("/"))

    @property
    def references(self) -> set[str]:
        """The ids of the other relations to which this relation refers."""
        return {*self.shared, *self.broader, *filter(None, (self.biokalma_like,))}

    @property
    def forward_properties(self) -> tuple[str, ...]:
        """The properties P for which (x, P, y) states the relation between x and y."""
        return (self.pid, *self.narrower)

    @property
    def backward_properties(self) -> tuple[str, ...]:
        """The properties P for which (y, P, x) states the relation between x and y."""
        return (*((self.pid,) if self.symmetric else ()), *self.inverse)


def _wording(wordings: Iterable[Wording], kinds: Collection[str]) -> Wording | None:
    """Return the first wording for one of some kinds."""
    return next((wording for wording in wordings if wording.name in kinds), None)
