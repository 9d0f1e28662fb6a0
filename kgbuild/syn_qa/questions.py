"""How a pair is asked: labels put into the templates of its relation."""

from collections.abc import Sequence

from kgbuild.kg.hierarchy import Kinds
from kgbuild.kg.labels import Labels, fold
from kgbuild.relations import Catalog, Kind, Relation


class Questions:
    """Asks the questions of one relation about any two items."""

    def __init__(self, relation: Relation, catalog: Catalog, kinds: Kinds, labels: Labels):
        self._relation = relation
        self._catalog = catalog
        self._kinds = kinds
        self._labels = labels

    def label(self, qid: str) -> str:
        """Return the label of an item; an empty text if it has none."""
        return self._labels.label(qid) or ""

    def same_name(self, *qids: str) -> bool:
        """Tell whether two of the items have one name: a reader would mix them up."""
        return len({fold(self.label(qid)) for qid in qids}) < len(qids)

    def may_be(self, one: str, other: str) -> bool:
        """Tell whether one label begins with the words of the other: RCA and RCA Records."""
        short, long = sorted((fold(self.label(one)), fold(self.label(other))), key=len)
        return bool(short) and f"{long} ".startswith(f"{short} ")

    def subject(self, qid: str) -> Kind | None:
        """Return the kind that an item is of as a subject, or None if it may be none."""
        return self._kind(qid, self._relation.subject)

    def object(self, qid: str) -> Kind | None:
        """Return the kind that an item is of as an object, or None if it may be none."""
        return self._kind(qid, self._relation.object)

    def _kind(self, qid: str, allowed: Sequence[str]) -> Kind | None:
        """Return the first kind that fits; one without classes fits everything."""
        of = self._kinds.of(qid)
        fitting = (self._catalog.kinds[name] for name in allowed)
        return next((kind for kind in fitting if not kind.classes or kind.name in of), None)

    def ask(self, template: int, subject: str, object_: str) -> str:
        """Return the question of that template (from 0) about two items of the right kinds."""
        kinds = (self.subject(subject), self.object(object_))
        text = self._relation.syn_qa[template]
        words = {
            place: closed(kind.phrase(self.label(qid)), text, place)
            for place, kind, qid in zip(_PLACES, kinds, (subject, object_), strict=True)
            if kind is not None
        }
        return fill(text, words)


_PLACES = ("{subject}", "{object}")


def closed(phrase: str, template: str, place: str) -> str:
    """Return a phrase with the comma that closes an addition, if the sentence goes on.

    >>> closed("Washington, D.C.", "How long did {subject} live in {object} then?", "{object}")
    'Washington, D.C.,'
    """
    goes_on = template.partition(place)[2][:1] == " "
    return f"{phrase}," if goes_on and ", " in phrase and not phrase.endswith('"') else phrase


def fill(template: str, words: dict[str, str]) -> str:
    """Return a template with its placeholders replaced, whatever the labels hold.

    >>> fill("When did {subject} marry {object}?", {"{subject}": "{object}", "{object}": "B"})
    'When did {object} marry B?'
    """
    first, second = sorted(words, key=template.index)
    start, rest = template.split(first)
    middle, end = rest.split(second)
    return start + words[first] + middle + words[second] + end
