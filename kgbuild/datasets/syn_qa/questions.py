"""The wording of a pair: labels put into the templates of its relation."""

import re
from collections.abc import Sequence
from functools import cache, partial

from kgbuild.catalog import Catalog, Path
from kgbuild.datasets.syn_qa.names import Shared, name
from kgbuild.english.normalize import fold
from kgbuild.english.templates import closed, fill
from kgbuild.graph.hierarchy import Kinds
from kgbuild.relations import Kind
from kgbuild.store.labels import Labels


class Questions:
    """Words the questions of one path about any two items.

    ``subject(id)``, ``bridge(id)`` and ``object(id)`` return the kind of an item as a subject, as
    the subject of the last relation, or as an object, or None if the path has no such items. Over
    two hops, that of a bridge is also a kind of the objects of the first relation.
    """

    def __init__(self, path: Path, catalog: Catalog, kinds: Kinds, labels: Labels):
        self._path = path
        self._catalog = catalog
        self._kinds = kinds
        self._labels = labels
        first, last = path.first, path.last
        bridge = tuple(kind for kind in last.subject if not first or kind in first.object)
        # Plain functions that keep their results, as each is called a million times.
        self.subject = cache(partial(self._kind, path.start.subject))
        self.bridge = cache(partial(self._kind, bridge))
        self.object = cache(partial(self._kind, last.object))
        self._name = cache(lambda qid: fold(self.label(qid)))
        self._subject_name = cache(lambda qid: name(self.label(qid)))
        self._object_name = cache(lambda qid: name(self.label(qid), labels.aliases(qid)))

    def label(self, qid: str) -> str:
        """Return the label of an item; an empty text if it has none."""
        return self._labels.label(qid) or ""

    def same_name(self, *qids: str) -> bool:
        """Tell whether two of the items have the same name, so that a reader would mix them up."""
        return len({self._name(qid) for qid in qids}) < len(qids)

    def may_be(self, one: str, other: str) -> bool:
        """Tell whether one name begins or ends with the other: RCA and RCA Records."""
        short, long = sorted((self._name(one), self._name(other)), key=len)
        begins, ends = f"{long} ".startswith(f"{short} "), f" {long}".endswith(f" {short}")
        return bool(short) and (begins or ends)

    def shared_words(self, subject: str, object_: str) -> Shared:
        """Return what the names of two items share, such as a family name or a city."""
        return self._subject_name(subject).shared(self._object_name(object_))

    def in_one_series(self, one: str, other: str) -> bool:
        """Tell whether two works may be parts of one series, by how their titles begin."""
        kind = self.subject(one)
        titles = [re.findall(r"\w+", _ARTICLE.sub("", self._name(qid))) for qid in (one, other)]
        length = min(_SERIES, *map(len, titles))
        return bool(kind and kind.serial and titles[0][:length] == titles[1][:length])

    def _kind(self, names: Sequence[str], qid: str) -> Kind | None:
        """Return the first of some kinds that fits; one without classes fits everything."""
        main = self._kinds.names(qid)[:1]
        kinds = (self._catalog.kinds[name] for name in names)
        return next((kind for kind in kinds if not kind.classes or kind.name in main), None)

    def ask(self, template: int, subject: str, object_: str) -> str:
        """Return the question by a template, counted from 0, about two items of the right kinds."""
        text = self._path.last.syn_qa[template]
        if self._path.first:
            text = text.replace("{subject}", self._path.first.bridge)
        kinds = (self.subject(subject), self.object(object_))
        words = {
            place: closed(kind.phrase(self.label(qid)), text, place)
            for place, kind, qid in zip(_PLACES, kinds, (subject, object_), strict=True)
            if kind is not None
        }
        return fill(text, words)


_ARTICLE = re.compile(r"^(the|an?) ")
_SERIES = 2
"""Words of a title that name the series; all of them if it has fewer."""
_PLACES = ("{subject}", "{object}")
