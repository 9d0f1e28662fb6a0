"""Errors of the database of datasets, and of the user's table files."""

from collections.abc import Sequence
from pathlib import Path

from kgbuild.errors.base import KgbuildError, WrongCallError, replace_controls


class NoDatasetsError(KgbuildError):
    """Raised when there is no database at ``path``."""

    path: Path
    message = "No datasets at {path}. Build some, for example: kgbuild syn-qa --relations P26,P40"


class DatabaseBusyError(KgbuildError):
    """Raised when another process (``holder``) has the database ``path`` open."""

    path: Path
    holder: str
    message = (
        "{path} is held by {holder}. While a process writes to a DuckDB database, no other can "
        "open it, and while processes read it, none can write: wait, or end that one."
    )


class DamagedDatabaseError(KgbuildError):
    """Raised when ``path`` is not a DuckDB database, or cannot be read."""

    path: Path
    detail: str
    message = "{path} cannot be used as a database: {detail}"


class FaultyDatabaseError(DamagedDatabaseError):
    """Raised when a check of the database ``path`` has found faults, which ``detail`` lists."""

    message = (
        "{path} is damaged: {detail}. Restore the file from a copy, or build the dataset again."
    )


class ForeignTablesError(DamagedDatabaseError):
    """Raised when another program, or another version of kgbuild, made the tables."""

    message = (
        "{path} does not have the tables of this version of kgbuild: {detail}. "
        "Name another database with --db, or build it again."
    )


class SqlError(WrongCallError):
    """Raised when DuckDB refuses the user's SQL; ``detail`` is its message, of several lines."""

    detail: str

    def __str__(self) -> str:
        return "\n".join(map(replace_controls, self.detail.expandtabs().splitlines()))


class UnknownTableError(SqlError):
    """Raised when ``path`` has no ``table``; ``command`` builds a dataset that has it, or is ""."""

    path: Path
    table: str
    near: Sequence[str]
    command: str

    __str__ = KgbuildError.__str__

    def _sentence(self) -> str:
        advice = "'SHOW TABLES' lists its tables."
        if self.near:
            advice = f"Did you mean {' or '.join(self.near)}?"
        elif self.command:
            advice = f"Build it: 'kgbuild {self.command}'."
        return f"{self.path} has no table {self.table}. {advice}"


class NoBuildsError(KgbuildError):
    """Raised when nothing was built into the database ``path``."""

    path: Path
    message = "{path} has no dataset: nothing was built into it. See 'kgbuild --help'."


class NotComparableError(KgbuildError):
    """Raised when builds of the dataset ``dataset`` cannot be compared."""

    dataset: str
    message = "Builds of {dataset} cannot be compared: the dataset has no versions.sql."


class SameDatabaseError(WrongCallError):
    """Raised when the user asks to compare the database ``path`` with itself."""

    path: Path
    message = "{path} is named twice: name two databases, the older one first."


class NothingInCommonError(WrongCallError):
    """Raised when two databases share no relation or file; ``has`` lists those of the first one."""

    path: Path
    other: Path
    has: Sequence[str]
    other_has: Sequence[str]

    def _sentence(self) -> str:
        fault = f"{self.path} and {self.other} have no relation or file of a dataset in common"
        has, other_has = ("; ".join(names) or "none" for names in (self.has, self.other_has))
        return f"{fault}. The first has {has}; the second {other_has}."


class TableFileError(WrongCallError):
    """Raised when the user's file ``path`` cannot be read as a table, or its values are wrong."""

    path: Path
    detail: str
    message = "Cannot read {path}: {detail}."


class NotHotpotQAError(TableFileError):
    """Raised when ``path`` is not a file of HotpotQA; ``detail`` is the first fault."""

    message = (
        "{path} is not a file of HotpotQA, which has records with _id, question, answer, type, "
        "supporting_facts and context: {detail}."
    )


class ColumnsError(WrongCallError):
    """Raised when a part of the option --columns is wrong."""

    part: str
    detail: str
    message = "--columns: '{part}' {detail}."


class MissingColumnError(WrongCallError):
    """Raised when the file or table ``path`` lacks ``column``; ``near`` are similar ones."""

    path: Path
    column: str
    columns: Sequence[str]
    near: Sequence[str]

    def _sentence(self) -> str:
        near = f" Similar: {self.near[0]}." if self.near else ""
        return (
            f"{self.path} has no column '{self.column}'. It has: {', '.join(self.columns)}.{near}"
        )


class NoQuestionColumnError(MissingColumnError):
    """Raised when a file of questions has no column with the questions."""

    def _sentence(self) -> str:
        if len(self.columns) == 1 and any(mark in self.columns[0] for mark in ";\t|,"):
            return (
                f"{self.path} has a single column, '{self.columns[0]}'. Save it with commas "
                "between its columns, or with tabs as .tsv."
            )
        return f"{super()._sentence()} Name the column of the questions: --columns question=COLUMN."


class UnknownQuestionsError(WrongCallError):
    """Raised when ``count`` of the ``total`` answers in ``path`` are to unknown questions."""

    path: Path
    count: int
    total: int
    example: str
    message = (
        "{count:,} of the {total:,} answers in {path} are to questions that are not in the "
        "database, such as '{example}'. Name the database of the prompts with --db."
    )


class RepeatedAnswerError(WrongCallError):
    """Raised when ``path`` answers a question twice: ``key`` are (column, value) of both."""

    path: Path
    key: Sequence[tuple[str, str]]

    def _sentence(self) -> str:
        key = ", ".join(f"{column} '{value}'" for column, value in self.key)
        return f"{self.path} answers the same question twice: {key}. Remove one of the answers."
