"""Errors of reading dumps, of cutting slices, and of writing files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from kgbuild.errors.base import KgbuildError, WrongCallError, counted, short, some


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
            f"{self.path} is {'no' if is_json else 'neither N-Triples nor a'} JSON dump: "
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


class NothingChosenError(KgbuildError):
    """Raised when no ``kept`` line is about an item of the selection; ``absent`` were named."""

    paths: Sequence[str]
    kept: int
    absent: Sequence[str]

    def _sentence(self) -> str:
        absent = f"Not there: {some(self.absent)}. " if self.absent else ""
        return (
            f"No item that was asked for is in {', '.join(self.paths)}, of which {self.kept:,} "
            f"lines are of the kind to keep. {absent}"
            "See --instance-of (with --subclasses), --items, --sample."
        )


class SpecError(WrongCallError):
    """Raised when a slice's spec is wrong: its key, or the spec file, ``key``."""

    key: str
    detail: str

    def _sentence(self) -> str:
        return f"'{self.key}' {self.detail}{'' if self.detail.endswith('?') else '.'}"


class NotOfEndpointError(SpecError):
    """Raised when a key of the spec does not suit a slice that comes from an endpoint."""

    def _sentence(self) -> str:
        return f"A slice of an endpoint: {super()._sentence()}"


class ItemsFileError(WrongCallError):
    """Raised when ``text`` in a file of items is no id, or when the file names no item."""

    path: str
    line: int
    text: str

    def _sentence(self) -> str:
        if not self.text:
            return f"{self.path} names no item. It is to have an id such as Q42 in each line."
        text = short(self.text)
        return f"{self.path}, line {self.line}: '{text}' is no id of an item (Q42 is one)."


class NoEntityDataError(KgbuildError):
    """Raised when ``url`` does not give the data of items; some may have come before."""

    url: str
    detail: str
    has_come: bool

    def _sentence(self) -> str:
        kept = " What came so far is kept: call it again to go on." if self.has_come else ""
        return f"{self.url} gives no data: {self.detail}.{kept}"


class NothingFetchedError(KgbuildError):
    """Raised when ``url`` has none of the items; ``absent`` are (id, why)."""

    url: str
    absent: Sequence[tuple[str, str]]

    def _sentence(self) -> str:
        absent = some([f"{qid} ({why})" for qid, why in self.absent])
        return f"{self.url} has none of the items: {absent}."


class JavaError(KgbuildError):
    """Raised when Java is older than Spark needs; ``version`` is empty without Java."""

    needed: int
    version: str

    def _sentence(self) -> str:
        java = f"this is Java {self.version}" if self.version else "no Java is here"
        advice = "Install one, or name the folder of one with JAVA_HOME."
        return f"Spark needs Java {self.needed} or newer, and {java}. {advice}"


class MasterError(KgbuildError):
    """Raised when Spark cannot be started at ``master``."""

    master: str
    detail: str
    message = (
        "No Spark at {master}: {detail}. Name one by --master: local[4], spark://HOST:7077, yarn."
    )


class SparkError(KgbuildError):
    """Raised when Spark gives a job up."""

    detail: str

    def _sentence(self) -> str:
        if "No module named" not in self.detail:
            return f"Spark gave up: {self.detail}. What was there before is unchanged."
        return (
            f"Spark's workers cannot run kgbuild: {self.detail}. Install the same kgbuild[spark] "
            "on each, and name its Python with PYSPARK_PYTHON."
        )


class OutputExistsError(WrongCallError):
    """Raised instead of replacing the output ``path``."""

    path: Path | str

    def _sentence(self) -> str:
        if Path(self.path).is_dir():
            return f"{self.path} is a folder. Name a file with -o."
        advice = "Replace it with --force, or name another file with -o."
        return f"{self.path} is there already. {advice}"


class OutputBusyError(KgbuildError):
    """Raised when another process is writing the output ``path``."""

    path: Path
    message = "Another process is writing {path}. Wait for its end."


class WriteError(KgbuildError):
    """Raised when ``path`` cannot be written: the disk is full, or it is not allowed."""

    path: Path | str
    detail: str
    message = "Cannot write {path}: {detail}. What was there before is unchanged."
