"""Errors of reading dumps."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from kgbuild.errors.base import KgbuildError, WrongCallError, counted, short


class UnreadableDumpError(WrongCallError):
    """Raised when the file or URL ``path`` cannot be opened or read."""

    path: str
    detail: str
    message = "Cannot read {path}: {detail}."


class UnknownSizeError(WrongCallError):
    """Raised when an estimate needs the size of the dump ``path``, which is unknown."""

    path: str
    message = "Nothing can be estimated of {path}: its size is unknown. Name a file or a URL."


class CorruptArchiveError(KgbuildError):
    """Raised when decompressing ``path`` fails after ``line`` lines: it is cut or damaged."""

    path: str
    line: int
    detail: str
    message = (
        "{path} is cut short or damaged after line {line:,}: {detail}. "
        "Fetch it again; what was there before is unchanged."
    )


class CutShortError(KgbuildError):
    """Raised when the dump ``path`` ends where no dump ends."""

    path: str
    detail: str
    message = "{path} is cut short: {detail}. Fetch it again; what was there before is unchanged."


class EmptyDumpError(KgbuildError):
    """Raised when the dumps hold no line at all."""

    paths: Sequence[str]

    def _sentence(self) -> str:
        return f"{', '.join(self.paths)} is empty; what was there before is unchanged."


class NotADumpError(KgbuildError):
    """Raised when the first lines of ``path`` are no N-Triples; ``text`` is the first of them."""

    path: str
    line: int
    text: str

    def _sentence(self) -> str:
        is_json = self.text.startswith(("[", "{"))
        return (
            f"{self.path} is no {'JSON dump' if is_json else 'N-Triples'}: "
            f"line {self.line} is '{short(self.text)}'. "
            f"{'A JSON dump has one whole entity a line. ' * is_json}"
            "What was there before is unchanged."
        )


class TooManyBadLinesError(KgbuildError):
    """Raised when more than ``limit`` (a fraction) of the lines are no N-Triples."""

    bad: int
    lines: int
    limit: float
    rejects: Path | str
    message = (
        "{bad:,} of {lines:,} lines are bad, more than --max-bad {limit:.2%} allows. "
        "They stand in {rejects}; what else was there before is unchanged."
    )


class NothingKeptError(KgbuildError):
    """Raised when the filter keeps no line; ``words`` explain the reasons in ``dropped``."""

    paths: Sequence[str]
    dropped: Mapping[str, int]
    words: Mapping[str, str]

    def _sentence(self) -> str:
        return (
            f"Nothing in {', '.join(self.paths)} is kept: {counted(self.dropped, self.words)}. "
            "Is it a dump of Wikidata? Other languages are kept by --lang; see also --all of "
            "'kgbuild load', and --property and --datatype of 'kgbuild slice'."
        )
