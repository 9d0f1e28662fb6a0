"""The wording of a pair: labels put into the templates of its relation."""

import re

from kgbuild.catalog import Catalog, Path
from kgbuild.datasets.syn_qa.names import Name, Shared, name
from kgbuild.english.normalize import fold
from kgbuild.english.templates import closed, fill
from kgbuild.graph.hierarchy import Kinds
from kgbuild.relations import Kind
from kgbuild.store.labels import Labels


class Questions:
    """Words the questions of one path about any two items."""

    def __init__(self, path: Path, catalog: Catalog, kinds: Kinds, labels: Labels):
        self._path = path
        self._catalog = catalog
        self._kinds = kinds
        self._labels = labels
        self._names: dict[str, str] = {}
        self._subject_names: dict[str, Name] = {}
        self._object_names: dict[str, Name] = {}
        first, last = path.first, path.last
        bridge = tuple(kind for kind in last.subject if not first or kind in first.object)
        self._kind_names = {"subject": path.start.subject, "bridge": bridge, "object": last.object}
        self._kinds_by_role: dict[tuple[str, str], Kind | None] = {}

    def label(self, qid: str) -> str:
        """Return the label of an item; an empty text if it has none."""
        return self._labels.label(qid) or ""

    def same_name(self, *qids: str) -> bool:
        """Tell whether two of the items have the same name, so that a reader would mix them up."""
        return len({self._name(qid) for qid in qids}) < len(qids)

    def may_be(self, one: str, other: str) -> bool:
        """Tell whether one name begins with the words of the other: RCA and RCA Records."""
        short, long = sorted((self._name(one), self._name(other)), key=len)
        return bool(short) and f"{long} ".startswith(f"{short} ")

    def shared_words(self, subject: str, object_: str) -> Shared:
        """Return what the names of two items share, such as a family name or a city."""
        if subject not in self._subject_names:
            self._subject_names[subject] = name(self.label(subject))
        if object_ not in self._object_names:
            aliases = self._labels.aliases(object_)
            self._object_names[object_] = name(self.label(object_), aliases)
        return self._subject_names[subject].shared(self._object_names[object_])

    def in_one_series(self, one: str, other: str) -> bool:
        """Tell whether two works may be parts of one series, by how their titles begin."""
        kind = self.subject(one)
        titles = [re.findall(r"\w+", _ARTICLE.sub("", self._name(qid))) for qid in (one, other)]
        length = min(_SERIES, *map(len, titles))
        return bool(kind and kind.serial and titles[0][:length] == titles[1][:length])

    def _name(self, qid: str) -> str:
        if qid not in self._names:
            self._names[qid] = fold(self.label(qid))
        return self._names[qid]

    def subject(self, qid: str) -> Kind | None:
        """Return the kind of an item as a subject, or None if the path has no such subjects."""
        return self._kind(qid, "subject")

    def bridge(self, qid: str) -> Kind | None:
        """Return the kind of an item as the subject of the last relation, or None.

        Over two hops it is also a kind of the objects of the first relation.
        """
        return self._kind(qid, "bridge")

    def object(self, qid: str) -> Kind | None:
        """Return the kind of an item as an object, or None if the path has no such objects."""
        return self._kind(qid, "object")

    def _kind(self, qid: str, role: str) -> Kind | None:
        """Return the first kind of a role that fits; one without classes fits everything."""
        if (qid, role) not in self._kinds_by_role:
            main = self._kinds.names(qid)[:1]
            kinds = (self._catalog.kinds[name] for name in self._kind_names[role])
            fitting = (kind for kind in kinds if not kind.classes or kind.name in main)
            self._kinds_by_role[qid, role] = next(fitting, None)
        return self._kinds_by_role[qid, role]

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
