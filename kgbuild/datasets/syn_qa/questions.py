"""How a pair is asked: labels put into the templates of its relation."""

import re

from kgbuild.catalog import Catalog, Kind, Path
from kgbuild.english.normalize import fold
from kgbuild.english.templates import closed, fill
from kgbuild.graph.hierarchy import Kinds
from kgbuild.store.labels import Labels


class Questions:
    """Asks the questions of one path about any two items."""

    def __init__(self, path: Path, catalog: Catalog, kinds: Kinds, labels: Labels):
        self._path = path
        self._catalog = catalog
        self._kinds = kinds
        self._labels = labels
        self._folded: dict[str, str] = {}
        first, last = path.first, path.last
        bridging = tuple(k for k in last.subject if not first or k in first.object)
        self._allowed = {"subject": path.start.subject, "bridge": bridging, "object": last.object}
        self._fitting: dict[tuple[str, str], Kind | None] = {}

    def label(self, qid: str) -> str:
        """Return the label of an item; an empty text if it has none."""
        return self._labels.label(qid) or ""

    def same_name(self, *qids: str) -> bool:
        """Tell whether two of the items have one name: a reader would mix them up."""
        return len({self._fold(qid) for qid in qids}) < len(qids)

    def may_be(self, one: str, other: str) -> bool:
        """Tell whether one label begins with the words of the other: RCA and RCA Records."""
        short, long = sorted((self._fold(one), self._fold(other)), key=len)
        return bool(short) and f"{long} ".startswith(f"{short} ")

    def in_one_series(self, one: str, other: str) -> bool:
        """Tell whether two works may be parts of one series, by how their titles begin."""
        kind = self.subject(one)
        titles = [re.findall(r"\w+", _ARTICLE.sub("", self._fold(qid))) for qid in (one, other)]
        length = min(_SERIES, *map(len, titles))
        return bool(kind and kind.serial and titles[0][:length] == titles[1][:length])

    def _fold(self, qid: str) -> str:
        if qid not in self._folded:
            self._folded[qid] = fold(self.label(qid))
        return self._folded[qid]

    def subject(self, qid: str) -> Kind | None:
        """Return the kind that an item is of as a subject, or None if it may be none."""
        return self._kind(qid, "subject")

    def bridge(self, qid: str) -> Kind | None:
        """Return the kind that an item is of as the subject of the last relation, or None.

        Over two hops it must be of a kind that the first relation may have as an object, too.
        """
        return self._kind(qid, "bridge")

    def object(self, qid: str) -> Kind | None:
        """Return the kind that an item is of as an object, or None if it may be none."""
        return self._kind(qid, "object")

    def _kind(self, qid: str, place: str) -> Kind | None:
        """Return the first kind that fits; one without classes fits everything."""
        if (qid, place) not in self._fitting:
            first = self._kinds.names(qid)[:1]
            fitting = (self._catalog.kinds[name] for name in self._allowed[place])
            found = (kind for kind in fitting if not kind.classes or kind.name in first)
            self._fitting[qid, place] = next(found, None)
        return self._fitting[qid, place]

    def ask(self, template: int, subject: str, object_: str) -> str:
        """Return the question of that template (from 0) about two items of the right kinds."""
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
"""So many words of a title, or all if it has fewer, are the name of the series."""
_PLACES = ("{subject}", "{object}")
