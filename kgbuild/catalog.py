"""The catalog of ``relations.toml`` and a user's file: kinds, relations, paths of two relations."""

import difflib
import functools
import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from kgbuild.data_files import read_text
from kgbuild.errors import MalformedIdError, RelationsFileError, WrongCallError, shorten
from kgbuild.relations import Kind, Relation, clean_label
from kgbuild.relations_file import FILE, parse_entries, placeholders_of
from kgbuild.wikidata import number, parse_property

_TEMPLATE = ', or write a question for it: --template "When did {subject} … {object}?"'
"""The advice if a command that accepts templates finds no question about a relation."""
_ANY = "thing"
"""The name of the kind of items that do not belong to another kind."""


@dataclass(frozen=True)
class Path:
    """The relation that a question is about, or a path of two relations.

    A relation links a subject x and an object y. Two relations link x and y by the statements
    (x, ``first``, z) and (z, ``last``, y). The item z, the "bridge", is the only object of
    (x, ``first``); questions call it by a phrase, such as "the spouse of x".
    """

    last: Relation
    first: Relation | None = None

    @property
    def name(self) -> str:
        """The ids of the relations, such as P26 or P26/P69."""
        return f"{self.first.pid}/{self.last.pid}" if self.first else self.last.pid

    @property
    def label(self) -> str:
        """The labels of the relations, such as spouse or spouse / educated at."""
        return f"{self.first.label} / {self.last.label}" if self.first else self.last.label

    @property
    def hops(self) -> int:
        """The number of statements from x to y: 1 or 2."""
        return 2 if self.first else 1

    @property
    def start(self) -> Relation:
        """The relation whose subject is x."""
        return self.first or self.last


@dataclass(frozen=True)
class Catalog:
    """All kinds, relations and labels of properties, in the order of the file.

    ``faults`` maps the ids of relations that are left out to their errors.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    relations: Mapping[str, Relation] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, RelationsFileError] = field(default_factory=dict)

    @property
    def mentioned(self) -> tuple[str, ...]:
        """All properties that the file names, sorted by number."""
        pids = {*self.properties}
        for kind in self.kinds.values():
            pids.update(kind.similarity, kind.begin_properties, kind.end_properties)
        for relation in self.relations.values():
            pids.update(
                relation.forward_properties,
                relation.backward_properties,
                relation.required_properties,
                relation.matching_properties,
            )
            pids.update(relation.near_properties, relation.evident_properties)
            pids.update(filter(None, (relation.event_date_property, relation.connecting_property)))
        return tuple(sorted(pids, key=number))

    def fits(self, kinds: Collection[str], allowed: Iterable[str]) -> bool:
        """Return whether an item of some kinds is of one that is allowed.

        A kind without classes fits every item.
        """
        return any(name in kinds or not self.kinds[name].classes for name in allowed)

    def relations_of(self, dataset: str) -> list[Relation]:
        """Return the relations that have questions for a dataset, in the order of the file.

        The field of ``Relation`` with the name of the dataset has its question templates.
        """
        return [relation for relation in self.relations.values() if getattr(relation, dataset)]

    def mirrors(self, relation: Relation) -> tuple[str, ...]:
        """Return the properties P for which (y, P, x) is equivalent to (x, ``relation``, y).

        Not every inverse property is equivalent: the capital of a district is located in the
        district, but most places in a district are not its capital. So two relations must be the
        inverse of each other.
        """
        inverse = (pid for pid in relation.inverse if pid in self.relations)
        equivalent = (pid for pid in inverse if relation.pid in self.relations[pid].inverse)
        return (*((relation.pid,) if relation.symmetric else ()), *equivalent)

    def relation(self, text: str, dataset: str, advice: str = "") -> Relation:
        """Return the relation with this id or label, which must have questions for a dataset.

        ``advice`` ends the error that it has none.

        Raises:
            RelationsFileError: its entry in the file has an error.
            WrongCallError: several relations have the label; the file has no such relation, or no
                questions about it; the error has the most similar relations.
        """
        relations = {relation.pid: relation for relation in self.relations_of(dataset)}
        try:
            pid = self._id(text)
        except MalformedIdError as error:
            by_label = {relation.label.casefold(): relation for relation in relations.values()}
            labels = difflib.get_close_matches(text.casefold(), by_label, n=3, cutoff=0.4)
            suggestions = [(by_label[label].pid, by_label[label].label) for label in labels]
            raise _unknown(text, suggestions, advice) from error
        if pid in self.faults:
            raise self.faults[pid]
        if pid not in relations:
            relation, datasets = self.relations.get(pid), ("syn_qa", "granola", "biokalma")
            other_commands = [
                name.replace("_", "-") for name in datasets if getattr(relation, name, None)
            ]
            # The id may be misspelt, unless it is a relation of another dataset.
            pids = [] if other_commands else difflib.get_close_matches(pid, list(relations), n=3)
            suggestions = [(similar_pid, relations[similar_pid].label) for similar_pid in pids]
            raise _unknown(pid, suggestions, advice, other_commands)
        return relations[pid]

    def _id(self, text: str) -> str:
        """Return the id of a relation by its label or its id."""
        label = clean_label(text).casefold()
        relations = self.relations.values()
        matches = [relation for relation in relations if relation.label.casefold() == label]
        if len(matches) > 1:
            ids = ", ".join(match.pid for match in matches)
            raise WrongCallError(
                f"Several relations are called '{shorten(text)}': {ids}. Name it by its id."
            )
        return matches[0].pid if matches else parse_property(text)

    def path(self, text: str) -> Path:
        """Return the path of a relation, or of two relations separated by a slash.

        Relations are ids or labels; they must have question templates of Syn-QA.

        Raises:
            WrongCallError: as for ``relation``; no question can be made from the two relations.
        """
        first, slash, last = text.partition("/")
        if not slash:
            return Path(last=self.relation(text, "syn_qa", _TEMPLATE))
        if "/" in last:
            raise WrongCallError(f"There is no question for {text}: a path has two relations.")
        path = Path(first=self.relation(first, "syn_qa"), last=self.relation(last, "syn_qa"))
        if reason := self._reason_against(path):
            raise WrongCallError(f"There is no question for {path.name}: {reason}.")
        return path

    def custom_relation(
        self, text: str, label: Callable[[str], str | None], templates: Sequence[str]
    ) -> Relation:
        """Return a relation of the file, or a new relation, with a user's question templates.

        A new relation accepts objects of all kinds, and subjects of all kinds with similarity
        properties, by which a replacement for the subject is chosen. Items of no kind are accepted,
        too; an item of the same class replaces them. Its objects may lie within each other.
        ``label`` returns the label of a property, or None.

        Raises:
            MalformedIdError: ``text`` is neither an id nor a label.
            WrongCallError: ``text`` is a path of two relations; a template does not have one
                {subject} and one {object}.
        """
        if "/" in text:
            raise WrongCallError(
                f"There is no question for {text}: a question of your own is about one relation, "
                "not a path."
            )
        pid = self._id(text)
        for template in templates:
            if placeholders_of(template) != ["object", "subject"]:
                raise WrongCallError(
                    f"The template '{template}' needs one {{subject}} and one {{object}}, as in "
                    '"When did {subject} join {object}?".'
                )
        kinds = [kind.name for kind in self.kinds.values() if kind.classes]
        subject_kinds = [name for name in kinds if self.kinds[name].similarity]
        new_relation = Relation(
            pid, label(pid) or pid, (*subject_kinds, _ANY), (*kinds, _ANY), within=True
        )
        relation = self.relations.get(pid, new_relation)
        # The templates for single kinds (wordings) would replace the user's templates.
        return replace(relation, syn_qa=tuple(templates), wordings=())

    def paths(self) -> list[Path]:
        """Return all paths of two relations, in the order of the file."""
        relations = self.relations_of("syn_qa")
        pairs = (Path(first=first, last=last) for first in relations for last in relations)
        return [path for path in pairs if not self._reason_against(path)]

    def _reason_against(self, path: Path) -> str:
        """Return the reason why the second relation of a path cannot follow the first, or ""."""
        first, last = path.start, path.last
        if not first.bridge:
            return f"relations.toml has no words for the object of {first.pid} (the key 'bridge')"
        if last.pid in (*first.forward_properties, *first.backward_properties):
            return f"{last.pid} would lead back to the subject"
        if last.symmetric:
            return f"the questions of {last.pid} name two items, and a phrase can replace neither"
        if not {*first.object_kinds} & {*last.subject_kinds}:
            return f"no object of {first.pid} is a subject of {last.pid}"
        return ""


def catalog() -> Catalog:
    """Return the kinds and relations of ``relations.toml``, and of the user's file if there is one.

    Raises:
        RelationsFileError: a file has an error.
    """
    return _catalog(os.environ.get(OWN_FILE, ""))


OWN_FILE = "KGBUILD_RELATIONS"
"""The environment variable with the path of a user's file of relations; workers inherit it."""


def own_file() -> dict[str, str]:
    """Return the name and the SHA-256 of the user's file of relations; nothing without one."""
    if not (path := os.environ.get(OWN_FILE)):
        return {}
    content = FilePath(path).read_bytes()
    return {"name": FilePath(path).name, "sha256": hashlib.sha256(content).hexdigest()}


@functools.cache
def _catalog(own_path: str) -> Catalog:
    text = read_text(FILE)
    try:
        own = FilePath(own_path).read_text(encoding="utf-8") if own_path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise RelationsFileError(own_path, "the file", str(error)) from error
    return parse(text, own, own_path)


def _unknown(
    text: str, near: Sequence[tuple[str, str]], advice: str, others: Sequence[str] = ()
) -> WrongCallError:
    """Return the error that no relation ``text`` has questions.

    ``near`` are (id, label) of similar ones; ``others`` are the commands of other datasets for
    which it has questions.
    """
    unknown = f"There are no questions about a relation {shorten(text)}."
    if others:
        unknown = f"{text} has questions only for {', '.join(others)}."
    listed = ", ".join(f"{pid} ({label})" for pid, label in near)
    similar = f" Similar: {listed}." if near else ""
    return WrongCallError(f"{unknown}{similar} See 'kgbuild relations'{advice}.")


def parse(text: str, own: str = "", path: str = "") -> Catalog:
    """Parse the texts of relations files: see ``relations_file.parse_entries``."""
    return Catalog(*parse_entries(text, own, path))
