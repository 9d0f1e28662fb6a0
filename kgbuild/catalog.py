"""The catalog of ``relations.toml``: its kinds, its relations, and paths of two relations."""

import difflib
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources

from kgbuild.errors import (
    AmbiguousRelationError,
    MalformedIdError,
    NoPathError,
    RelationsFileError,
    TemplateError,
    UnknownRelationError,
)
from kgbuild.relations import Kind, Relation, clean, parse_entries, places_of
from kgbuild.wikidata import number, parse_property

_ANY = "thing"
"""The kind of items that are of no other kind."""


@dataclass(frozen=True)
class Path:
    """The subject of a question: a relation, or two relations in a row.

    Two relations join x and y by (x, ``first``, z) and (z, ``last``, y), where z, the bridge, is
    the only object of the first one.
    """

    last: Relation
    first: Relation | None = None

    @property
    def name(self) -> str:
        """The ids of the relations: P26, or P26/P69."""
        return f"{self.first.pid}/{self.last.pid}" if self.first else self.last.pid

    @property
    def label(self) -> str:
        """The labels of the relations: spouse, or spouse / educated at."""
        return f"{self.first.label} / {self.last.label}" if self.first else self.last.label

    @property
    def hops(self) -> int:
        """The number of statements that lead from x to y."""
        return 2 if self.first else 1

    @property
    def start(self) -> Relation:
        """The relation whose subject is x."""
        return self.first or self.last


@dataclass(frozen=True)
class Catalog:
    """All kinds, relations and labels of properties, in the order of the file.

    ``faults`` are the errors of the relations that are left out, by their ids.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    relations: Mapping[str, Relation] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, RelationsFileError] = field(default_factory=dict)

    @property
    def mentioned(self) -> tuple[str, ...]:
        """All properties that the file names, by number."""
        pids = {*self.properties}
        for kind in self.kinds.values():
            pids.update(kind.similarity, kind.begins, kind.ends)
        for relation in self.relations.values():
            pids.update(relation.forward, relation.backward, relation.requires, relation.alike)
            pids.update(filter(None, (relation.at, relation.via)))
        return tuple(sorted(pids, key=number))

    def relations_of(self, dataset: str) -> list[Relation]:
        """Return the relations that have questions for a dataset, in the order of the file."""
        return [relation for relation in self.relations.values() if getattr(relation, dataset)]

    def mirrors(self, relation: Relation) -> tuple[str, ...]:
        """Return the properties P for which (y, P, x) is equivalent to (x, ``relation``, y).

        Not all inverse properties are: a district has a capital, but a place in the district does
        not lie in the capital.
        """
        inverse = (pid for pid in relation.inverse if pid in self.relations)
        mutual = (pid for pid in inverse if relation.pid in self.relations[pid].inverse)
        return (*((relation.pid,) if relation.symmetric else ()), *mutual)

    def relation(self, text: str, dataset: str) -> Relation:
        """Return the relation with questions for a dataset by its id or its label.

        Raises:
            RelationsFileError: its entry in the file breaks the rules.
            AmbiguousRelationError: several relations have the label.
            UnknownRelationError: the file has no such relation, or no questions about it; the
                error holds the nearest relations.
        """
        relations = {relation.pid: relation for relation in self.relations_of(dataset)}
        is_templated = dataset == "syn_qa"
        try:
            pid = self._id(text)
        except MalformedIdError as error:
            by_label = {relation.label.casefold(): relation for relation in relations.values()}
            labels = difflib.get_close_matches(text.casefold(), by_label, n=3, cutoff=0.4)
            near = [(by_label[label].pid, by_label[label].label) for label in labels]
            raise UnknownRelationError(text, near, is_templated, []) from error
        if pid in self.faults:
            raise self.faults[pid]
        if pid not in relations:
            known, names = self.relations.get(pid), ("syn_qa", "granola", "biokalma")
            others = [name.replace("_", "-") for name in names if getattr(known, name, None)]
            pids = [] if others else difflib.get_close_matches(pid, list(relations), n=3)
            near = [(near_pid, relations[near_pid].label) for near_pid in pids]
            raise UnknownRelationError(pid, near, is_templated, others)
        return relations[pid]

    def _id(self, text: str) -> str:
        """Return the id of the relation with a label, or ``text`` if it is an id itself."""
        label = clean(text).casefold()
        relations = self.relations.values()
        matches = [relation for relation in relations if relation.label.casefold() == label]
        if len(matches) > 1:
            raise AmbiguousRelationError(text, [(match.pid, match.label) for match in matches])
        return matches[0].pid if matches else parse_property(text)

    def path(self, text: str) -> Path:
        """Return the path of a relation, or of two with a slash between them, by id or label.

        Its last relation has questions with a false assumption.

        Raises:
            AmbiguousRelationError, UnknownRelationError: as for ``relation``.
            NoPathError: the two relations do not fit together.
        """
        first, slash, last = text.partition("/")
        if not slash:
            return Path(self.relation(text, "syn_qa"))
        if "/" in last:
            raise NoPathError(text, "a path has two relations")
        path = Path(self.relation(last, "syn_qa"), self.relation(first, "syn_qa"))
        if why := self._misfit(path):
            raise NoPathError(path.name, why)
        return path

    def own_relation(
        self, text: str, labelled: Callable[[str], str | None], templates: Sequence[str]
    ) -> Relation:
        """Return a relation of the file, or a new one, with a user's own questions.

        A new relation takes subjects and objects of all kinds, and replaces a subject by items of
        the same class.

        Raises:
            MalformedIdError: ``text`` is neither an id nor a label.
            NoPathError: it is a path.
            TemplateError: a question does not have one {subject} and one {object}.
        """
        if "/" in text:
            raise NoPathError(text, "a question of your own is about one relation, not a path")
        pid = self._id(text)
        for template in templates:
            if places_of(template) != ["object", "subject"]:
                raise TemplateError(template)
        kinds = [kind.name for kind in self.kinds.values() if kind.classes]
        alike = [name for name in kinds if self.kinds[name].similarity]
        unknown = Relation(pid, labelled(pid) or pid, (*alike, _ANY), (*kinds, _ANY), within=True)
        return replace(self.relations.get(pid, unknown), syn_qa=tuple(templates))

    def paths(self) -> list[Path]:
        """Return all paths over two relations, in the order of the file."""
        relations = self.relations_of("syn_qa")
        both = (Path(last, first) for first in relations for last in relations)
        return [path for path in both if not self._misfit(path)]

    def _misfit(self, path: Path) -> str:
        """Return why the second relation of a path cannot follow the first, or an empty text."""
        first, last = path.start, path.last
        if not first.bridge:
            return f"relations.toml does not say how to speak of the object of {first.pid} (bridge)"
        if last.pid in (*first.forward, *first.backward):
            return f"{last.pid} would lead back"
        if not {*first.object} & {*last.subject}:
            return f"no object of {first.pid} is a subject of {last.pid}"
        return ""


@functools.cache
def catalog() -> Catalog:
    """Return the kinds and relations of ``relations.toml``.

    Raises:
        RelationsFileError: the file breaks its rules.
    """
    return parse((resources.files("kgbuild") / "relations.toml").read_text(encoding="utf-8"))


def parse(text: str) -> Catalog:
    """Parse the text of a relations file: see ``relations.parse_entries``."""
    return Catalog(*parse_entries(text))
