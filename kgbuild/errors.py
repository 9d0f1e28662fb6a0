"""The errors that a user can meet.

Most are a ``KgbuildError`` or a ``WrongCallError``, with a sentence that is written where it is
raised; functions here write those of several rooms. A class of its own has data that a caller
reads, or is caught by its name.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

_MAX_LENGTH = 80
"""Maximum number of characters of the user's text that a sentence repeats."""
_MAX_MEMBERS = 5
"""Maximum number of members of a list that a sentence repeats."""
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except the line end, and marks that change the direction of text."""


class KgbuildError(Exception):
    """The base of all errors that a user can meet: a failure while a valid call runs.

    ``str(error)`` is the sentence for the user: what is wrong, where, and what to do, without
    control characters.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, sentence: str):
        super().__init__(sentence)

    def __str__(self) -> str:
        return replace_controls(" ".join(super().__str__().split()))

    def __reduce__(self) -> tuple[Any, ...]:
        # A subclass has other parameters than the sentence, so pickle cannot call it.
        return Exception.__new__, (type(self), *self.args), vars(self)


class WrongCallError(KgbuildError):
    """An error in the user's call."""

    exit_code = 2


def out_of_memory(detail: str) -> KgbuildError:
    """Return the error that memory ran out."""
    return KgbuildError(
        f"There is too little memory: {detail}. What was there before is unchanged; run the "
        "command again with more memory, or with a higher limit ('ulimit -v')."
    )


def no_native_code(detail: str) -> KgbuildError:
    """Return the error that machine code cannot be compiled or loaded."""
    return KgbuildError(
        f"Machine code cannot be compiled: {detail}. If memory is limited, raise the limit "
        "('ulimit -v'); if not, install numba and llvmlite again."
    )


def missing_extra(extra: str, package: str) -> KgbuildError:
    """Return the error that ``package``, which belongs to the optional ``extra``, is missing."""
    return KgbuildError(
        f"This needs {package}, which is not installed: pip install 'kgbuild[{extra}]'."
    )


class NoModelError(WrongCallError):
    """Raised when ``model`` is not on this machine, or does not work for the reason ``detail``."""

    def __init__(self, model: str, detail: str):
        super().__init__(
            f"{model} cannot be used as a model: {detail}."
            if detail
            else f"There is no model '{model}' on this machine. Name the folder of a model, or "
            "download one first: hf download OWNER/NAME"
        )
        self.detail = detail


def port_taken(port: int, detail: str) -> KgbuildError:
    """Return the error that nothing can be served at a ``port`` of this machine."""
    return KgbuildError(f"Cannot serve at port {port}: {detail}. Name another port with --port.")


# Dumps, slices, and files that are written.


class DumpError(KgbuildError):
    """Raised when the file or URL ``path`` cannot be read: its server does not answer, say."""

    def __init__(self, path: str, detail: str):
        super().__init__(f"Cannot read {path}: {detail}.")
        self.path, self.detail = path, detail


class UnreadableDumpError(DumpError, WrongCallError):
    """Raised when there is nothing at a ``path`` to read, or something of another kind."""


class CorruptArchiveError(KgbuildError):
    """Raised when the archive ``path`` is cut short or damaged after ``line`` lines, if known.

    It may be no archive, although it begins like one, if ``is_archive`` is false.
    """

    def __init__(self, path: str, line: int, detail: str, is_archive: bool = True):
        place = f" after line {line:,}" if line else ""
        super().__init__(
            f"{path} is cut short or damaged{place}: {detail}. "
            "Fetch it again; what was there before is unchanged."
            if is_archive
            else f"{path} begins like a compressed file, but no line of it can be decompressed: "
            f"{detail}. It is not a compressed file, or it is damaged; what was there before is "
            "unchanged."
        )
        self.path, self.line, self.detail = path, line, detail


class NothingKeptError(KgbuildError):
    """Raised when the filter or the selection of a slice keeps nothing of the dumps."""


class SpecError(WrongCallError):
    """Raised when a slice's spec is wrong; ``key`` is one of its keys, or the path of its file."""

    def __init__(self, key: str, detail: str):
        super().__init__(f"'{key}' {sentence(detail)}")
        self.key, self.detail = key, detail


class OutputExistsError(WrongCallError):
    """Raised when the output ``path`` exists and must not be replaced.

    If it ``is_folder``, it is never replaced.
    """

    def __init__(self, path: Path | str, is_folder: bool):
        super().__init__(
            f"{path} is a folder, which is not replaced. Name another path with -o."
            if is_folder
            else f"{path} exists already. Replace it with --force, or name another file with -o."
        )


class OutputBusyError(KgbuildError):
    """Raised when another process is writing the output ``path``."""

    def __init__(self, path: Path):
        super().__init__(f"Another process is writing {path}. Wait until it has finished.")


class WriteError(KgbuildError):
    """Raised when ``path`` cannot be written: the disk is full, or it is not allowed."""

    def __init__(self, path: Path | str, detail: str):
        super().__init__(f"Cannot write {path}: {detail}. What was there before is unchanged.")
        self.path, self.detail = path, detail


# Stores, and what a user names.


class NoStoreError(WrongCallError):
    """Raised when there is no store at a path."""


class DamagedStoreError(KgbuildError):
    """Raised when a file of a store, ``path``, is missing or cannot be read."""

    def __init__(self, path: Path, detail: str):
        super().__init__(f"The store cannot be opened: {path}: {detail}. Load the dump again.")
        self.path, self.detail = path, detail


def slow_query(seconds: float) -> KgbuildError:
    """Return the error that a user's query takes longer than it may."""
    return KgbuildError(f"The query took more than {seconds:,} s. Raise --timeout.")


class MalformedIdError(WrongCallError):
    """Raised when ``text`` is not the id of an ``expected`` ("item" or "property")."""

    def __init__(self, text: str, expected: str):
        hint = "an item, such as Q42. See 'kgbuild lookup'"
        if expected == "property":
            hint = "a property, such as P26. See 'kgbuild relations'"
        super().__init__(f"'{shorten(text)}' is not the id of {hint}.")
        self.text = text


class RelationsFileError(WrongCallError):
    """Raised when relations.toml, or a user's ``file`` of relations, has an error at ``where``."""

    def __init__(self, file: str, where: str, detail: str):
        super().__init__(f"{file}: {where}: {sentence(detail)}")


# Datasets, the database, and the user's table files.


def wrong_dataset(dataset: str, detail: str) -> WrongCallError:
    """Return the error that a dataset's description, its schema.sql and its rows do not agree."""
    return WrongCallError(f"The dataset {dataset} is wrong: {detail}.")


def unknown_choice(owner: str, kind: str, text: str, choices: Sequence[str]) -> WrongCallError:
    """Return the error that ``text`` is none of the ``choices`` of a ``kind`` (option, query)."""
    only = ", ".join(choices) or "none"
    return WrongCallError(f"{owner} has no {kind} '{shorten(text)}', only: {only}.")


class NothingBuiltError(KgbuildError):
    """Raised when all candidates for rows are rejected.

    ``build`` is the build without rows (``kgbuild.rows.Build``), which has all rejections.
    """

    def __init__(self, sentence: str, build: Any):
        super().__init__(sentence)
        self.build = build


class NoDatasetsError(WrongCallError):
    """Raised when there is no database at ``path``, or, ``is_file``, another file."""

    def __init__(self, path: Path, is_file: bool = False):
        super().__init__(
            f"{path} is not a DuckDB database. Name the file of one."
            if is_file
            else f"No datasets at {path}. Build some, for example: kgbuild syn-qa --relations "
            "P26,P40"
        )


class DatabaseBusyError(KgbuildError):
    """Raised when another process (``holder``) has the database ``path`` open."""

    def __init__(self, path: Path, holder: str):
        super().__init__(
            f"{path} is held by {holder}. While a process writes to a DuckDB database, no other "
            "can open it, and while processes read it, none can write: wait, or end that one."
        )
        self.holder = holder


class DamagedDatabaseError(KgbuildError):
    """Raised when the database ``path`` cannot be read, or has other tables."""

    def __init__(self, path: Path, detail: str):
        super().__init__(f"{path} cannot be used as a database: {detail}")
        self.detail = detail


def foreign_tables(path: Path, detail: str) -> DamagedDatabaseError:
    """Return the error that another program, or version of kgbuild, made the tables."""
    return DamagedDatabaseError(
        path,
        f"it does not have the tables of this version of kgbuild: {detail}. Name another database "
        "with --db, or build it again.",
    )


class SqlError(WrongCallError):
    """Raised when DuckDB refuses the user's SQL, with its message, of several lines."""

    def __str__(self) -> str:
        return "\n".join(map(replace_controls, self.args[0].expandtabs().splitlines()))


class UnknownTableError(SqlError):
    """Raised when a database has no such table."""


class TableFileError(WrongCallError):
    """Raised when the user's file ``path`` cannot be read as a table, or its values are wrong."""

    def __init__(self, path: Path, detail: str):
        super().__init__(f"Cannot read {path}: {detail}.")
        self.path, self.detail = path, detail


def replace_controls(text: str) -> str:
    """Replace characters that could control a terminal."""
    return _CONTROLS.sub("\ufffd", text)


def escape_controls(text: str) -> str:
    """Escape characters of JSON or Turtle that could control a terminal; the content stays."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def sentence(text: str) -> str:
    """Return a text with a full stop, unless it is a question."""
    return text if text.endswith("?") else f"{text}."


def shorten(text: str) -> str:
    """Return a text, cut to _MAX_LENGTH characters."""
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def list_first(members: Sequence[str]) -> str:
    """Return the first _MAX_MEMBERS members of a list, joined by commas, and how many follow."""
    more = len(members) - _MAX_MEMBERS
    return ", ".join([*members[:_MAX_MEMBERS], *([f"and {more:,} more"] if more > 0 else [])])


def describe_counts(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    """Return the counts of reasons as a text, "3 × no label, …"; ``words`` explain the reasons."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{count:,} × {words.get(reason, reason)}" for reason, count in ordered)
