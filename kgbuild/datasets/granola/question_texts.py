"""Write the questions about the subjects of a relation."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.profiles import PERSON, WORKS, Profiles
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.english.normalize import fold
from kgbuild.english.templates import closed, fill
from kgbuild.relations import Relation, Wording, clean_label
from kgbuild.rows import Rejected
from kgbuild.store.labels import Labels

_RELIABLE_KINDS = {PERSON, "screen"}
"""Kinds whose items have reliable classes: a relation of other kinds does not apply to them."""
_ANY_KIND, _ORGANISATION = "thing", "organisation"
_SUBJECT = "{subject}"
_CATEGORY = "Category:"
"""The beginning of the labels of pages of Wikipedia that group others."""
_UNWORDED = {"field", "burial", "disease"}
"""Kinds without rules for articles; their items are of other kinds, too: churches, universities."""
_MAX_MAKERS = 2
_MAKER = re.compile(r"\b(?:by|directed by) ([A-Z][^,;()]+)$")
"""The maker of a work in its description: "2012 film by Joe Wright"."""
_MAX_NAMESAKES = 2
"""Maximum number of people who share a first name, if one of them has no other name."""


class QuestionTexts:
    """The questions about the ``subjects`` of a relation, by their labels.

    ``people`` are other people, who may have the first name of a subject.
    """

    def __init__(
        self, relation: Relation, subjects: Iterable[str], people: Iterable[str], profiles: Profiles
    ):
        self._relation = relation
        self._profiles = profiles
        self._labels = {subject: item_label(profiles.labels, subject) for subject in subjects}
        self._names = Counter(map(fold, self._labels.values()))
        others = (fold(item_label(profiles.labels, qid)) for qid in {*people}.difference(subjects))
        names = (name for group in (self._names.elements(), others) for name in group if name)
        self._first_names = Counter(name.split()[0] for name in names)

    def question(self, subject: str) -> str:
        """Return the question about a subject.

        Raises:
            Rejected: the subject has no unique name, or no question suits its kind.
        """
        label, relation = self._labels[subject], self._relation
        if not label or label.startswith(_CATEGORY) or label.endswith(")"):
            raise Rejected("no label", label or subject)
        kinds = self._profiles.described_kinds(subject)
        self._check_name(label, kinds)
        if _RELIABLE_KINDS & {*kinds} and not {*kinds, _ANY_KIND} & {*relation.subject_kinds}:
            raise Rejected("wrong kind", ", ".join(kinds))
        wording = relation.question(kinds)
        if not wording.templates:
            raise Rejected("wrong kind", ", ".join(kinds))
        kind = self._kind_of_phrase(label, kinds, wording)
        if not catalog().kinds[kind].fits(label):
            raise Rejected("wrong kind", label)
        template = wording.templates[0]
        phrase = catalog().kinds[kind].phrase(label) + self._by_makers(subject, kind)
        return fill(template, {_SUBJECT: closed(phrase, template, _SUBJECT)})

    def _kind_of_phrase(self, label: str, kinds: Sequence[str], wording: Wording) -> str:
        """Return the kind whose rules say how a question calls an item of some ``kinds``."""
        if wording.name not in ("", _ANY_KIND) and catalog().kinds[wording.name].phrases:
            return wording.name
        kind, *others = kinds or self._kinds_of_unknown(label)
        return next(iter(others), _ORGANISATION) if kind in _UNWORDED else kind

    def _kinds_of_unknown(self, label: str) -> list[str]:
        """Return a kind for an item of no kind: one with an article for its label, if any has."""
        usual = self._relation.subject_kinds[0]
        kinds = [usual] if usual == PERSON else [usual, _ANY_KIND, _ORGANISATION]
        has_article = [kind for kind in kinds if catalog().kinds[kind].phrase(label) != label]
        return [*has_article, *kinds][:1]

    def _by_makers(self, subject: str, kind: str) -> str:
        """Return who made a work whose date is in question: there may be a remake of a film."""
        if self._relation.object_kinds != DATE or kind not in WORKS:
            return ""
        labels = self._profiles.labels
        triples = self._profiles.makers(subject)
        makers = [item_label(labels, triple.object) for triple in triples]
        if not makers and (match := _MAKER.search(labels.description(subject) or "")):
            makers = [match[1]]
        is_short = 0 < len(makers) <= _MAX_MAKERS and all(makers)
        return f" by {' and '.join(makers)}" if is_short else ""

    def _check_name(self, label: str, kinds: Iterable[str]) -> None:
        name = fold(label)
        if self._names[name] > 1:
            raise Rejected("same name", f"{self._names[name]} are called {label}")
        is_first_name = " " not in name and self._first_names[name] > _MAX_NAMESAKES
        if is_first_name and PERSON in kinds:
            raise Rejected("same name", f"{self._first_names[name] - 1} others are called {label}")


def item_label(labels: Labels, qid: str) -> str:
    """Return the label of an item without invisible characters; empty if it has none."""
    return clean_label(labels.label(qid) or "")
