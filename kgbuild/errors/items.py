"""Errors of items, properties, relations and questions that a user names."""

from collections.abc import Sequence
from pathlib import Path

from kgbuild.errors.base import KgbuildError, WrongCallError, shorten, similar_sentence


class MalformedIdError(WrongCallError):
    """Raised when ``text`` is not the id of an ``expected`` ("item" or "property")."""

    text: str
    expected: str

    def _sentence(self) -> str:
        text = shorten(self.text)
        if self.expected == "item":
            return f"'{text}' is not the id of an item, such as Q42. See 'kgbuild lookup'."
        return f"'{text}' is not the id of a property, such as P26. See 'kgbuild relations'."


class UnknownItemError(WrongCallError):
    """Raised when the store has no statement of ``qid``; ``near`` are (id, label) of likely ids."""

    qid: str
    near: Sequence[tuple[str, str]]

    def _sentence(self) -> str:
        return f"There is no statement of {self.qid}.{similar_sentence(self.near)}"


class UnknownNameError(KgbuildError):
    """Raised when no item has ``name``; ``near`` are similar names, None if not searchable."""

    name: str
    near: Sequence[str] | None

    def _sentence(self) -> str:
        missing = f"No item is called '{shorten(self.name)}'"
        if self.near is None:
            advice = "An endpoint finds only exact names; --lang sets their language."
            return f"{missing} in this spelling. {advice}"
        if not self.near:
            return f"{missing}, and no name is similar."
        return f"{missing}. Similar names: {', '.join(self.near)}."


class UnknownRelationError(WrongCallError):
    """Raised when no relation ``text`` has questions; ``is_templated`` if a template may help.

    ``others`` are the commands of other datasets for which it has questions.
    """

    text: str
    near: Sequence[tuple[str, str]]
    is_templated: bool
    others: Sequence[str]

    def _sentence(self) -> str:
        template = ', or write a question for it: --template "When did {subject} … {object}?"'
        unknown = f"There are no questions about a relation {shorten(self.text)}."
        if self.others:
            unknown = f"{self.text} has questions only for {', '.join(self.others)}."
        similar = similar_sentence(self.near)
        return f"{unknown}{similar} See 'kgbuild relations'{template * self.is_templated}."


class AmbiguousRelationError(WrongCallError):
    """Raised when several relations have the label ``text``; ``matches`` are (id, label)."""

    text: str
    matches: Sequence[tuple[str, str]]

    def _sentence(self) -> str:
        ids = ", ".join(pid for pid, _ in self.matches)
        return f"Several relations are called '{shorten(self.text)}': {ids}. Name it by its id."


class NoPathError(WrongCallError):
    """Raised when no question can be made from the two relations of ``path``; ``why`` says why."""

    path: str
    why: str
    message = "There is no question for {path}: {why}."


class TemplateError(WrongCallError):
    """Raised when ``template`` does not have one {subject} and one {object}."""

    template: str
    message = (
        "The template '{template}' needs one {{subject}} and one {{object}}, as in "
        '"When did {{subject}} join {{object}}?".'
    )


class RelationsFileError(KgbuildError):
    """Raised when relations.toml, or a user's ``file`` of relations, has an error at ``where``."""

    file: str
    where: str
    detail: str

    def _sentence(self) -> str:
        end = "" if self.detail.endswith("?") else "."
        return f"{self.file}: {self.where}: {self.detail}{end}"


class NoKindError(KgbuildError):
    """Raised when no class of ``qid`` has similarity properties in relations.toml."""

    qid: str
    classes: Sequence[str]

    def _sentence(self) -> str:
        classes = f"its classes ({', '.join(self.classes)}) belong to none of its kinds"
        return (
            f"Nothing is similar to {self.qid}: relations.toml names the properties to compare by "
            f"kind, and {classes if self.classes else 'the item has no class (P31)'}."
        )


class NothingJoinedError(KgbuildError):
    """Raised when no relation with questions links two items of the class ``of_class``."""

    of_class: str
    message = (
        "No relation with questions links two items of the class {of_class} in this store. "
        "'kgbuild stats' lists the store's classes, 'kgbuild relations' lists the relations."
    )


class EmptyQuestionError(WrongCallError):
    """Raised when the question of a user is empty."""

    message = "The question is empty. Type a question."


class NothingRetrievedError(KgbuildError):
    """Raised when the question of a user names no item of the store."""

    message = "The question names no item of the store. Find names with 'kgbuild lookup'."


class NoIdsError(WrongCallError):
    """Raised when none of the ``count`` questions in the user's file ``path`` has an id."""

    path: Path
    count: int
    message = (
        "None of the {count:,} questions in {path} has an id in the column 'ids'. "
        "Write the ids of the items that a question is about, such as Q7186."
    )


class NoneInStoreError(WrongCallError):
    """Raised when none of the ``ids`` that questions are about is in the store."""

    ids: Sequence[str]

    def _sentence(self) -> str:
        count = f"None of the {len(self.ids):,} ids of the questions is in the store"
        return f"{count}: {shorten(', '.join(self.ids))}. Pass the store with --store."
