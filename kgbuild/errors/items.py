"""Errors of what a user names: items, properties, relations, questions."""

from collections.abc import Sequence

from kgbuild.errors.base import KgbuildError, WrongCallError, nearest, short


class MalformedIdError(WrongCallError):
    """Raised when ``text`` is no id of an ``expected`` ("item" or "property")."""

    text: str
    expected: str

    def _sentence(self) -> str:
        text = short(self.text)
        if self.expected == "item":
            return f"'{text}' is no id of an item (Q42 is one). Find it with 'kgbuild lookup NAME'."
        return f"'{text}' is no id of a property (P26 is one). See 'kgbuild relations'."


class UnknownItemError(WrongCallError):
    """Raised when the store has no statement of ``qid``; ``near`` are (id, label) beside it."""

    qid: str
    near: Sequence[tuple[str, str]]

    def _sentence(self) -> str:
        return f"There is no statement of {self.qid}.{nearest(self.near)}"


class UnknownNameError(KgbuildError):
    """Raised when no item is called ``name``; ``near`` are similar names, None if unsearchable."""

    name: str
    near: Sequence[str] | None

    def _sentence(self) -> str:
        missing = f"No item is called '{short(self.name)}'"
        if self.near is None:
            advice = "An endpoint finds names by their very letters; --lang names the language."
            return f"{missing} as it is spelled here. {advice}"
        if not self.near:
            return f"{missing}, and no name looks like it."
        return f"{missing}. Names that look like it: {', '.join(self.near)}."


class UnknownRelationError(WrongCallError):
    """Raised when no relation ``text`` has questions; ``is_templated`` if a template may help.

    ``others`` are the commands of other datasets for which it has questions.
    """

    text: str
    near: Sequence[tuple[str, str]]
    is_templated: bool
    others: Sequence[str]

    def _sentence(self) -> str:
        own = ', or say how to ask about it: --template "When did {subject} … {object}?"'
        unknown = f"No relation {short(self.text)} with questions is known."
        if self.others:
            unknown = f"{self.text} has questions only for {', '.join(self.others)}."
        return f"{unknown}{nearest(self.near)} See 'kgbuild relations'{own * self.is_templated}."


class AmbiguousRelationError(WrongCallError):
    """Raised when several relations have the label ``text``; ``matches`` are (id, label)."""

    text: str
    matches: Sequence[tuple[str, str]]

    def _sentence(self) -> str:
        ids = ", ".join(pid for pid, _ in self.matches)
        return f"Several relations are called '{short(self.text)}': {ids}. Name one by its id."


class NoPathError(WrongCallError):
    """Raised when the two relations of ``path`` make no question, for the reason ``why``."""

    path: str
    why: str
    message = "{path} cannot be asked: {why}."


class TemplateError(WrongCallError):
    """Raised when ``template`` lacks the place of the subject or of the object."""

    template: str
    message = (
        "The template '{template}' needs one {{subject}} and one {{object}}, as in "
        '"When did {{subject}} join {{object}}?".'
    )


class RelationsFileError(KgbuildError):
    """Raised when relations.toml breaks its rules at ``where``."""

    where: str
    detail: str
    message = "relations.toml: {where}: {detail}."


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
    """Raised when no relation with questions joins two items of the class ``of_class``."""

    of_class: str
    message = (
        "No relation with questions joins two items of the class {of_class} in this store. "
        "'kgbuild stats' names its classes, 'kgbuild relations' the relations."
    )


class EmptyQuestionError(WrongCallError):
    """Raised when the question of a user is empty."""

    message = "The question is empty: ask something."


class NothingRetrievedError(KgbuildError):
    """Raised when the question of a user names no item of the store."""

    message = (
        "No name in the question is that of an item that is known. Look for one: 'kgbuild lookup'."
    )
