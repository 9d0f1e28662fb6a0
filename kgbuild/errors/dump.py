"""Errors of reading dumps, of making slices, and of writing files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from kgbuild.errors.base import KgbuildError, WrongCallError, describe_counts, list_first, shorten


class UnreadableDumpError(WrongCallError):
    """Raised when the file or URL ``path`` cannot be opened or read."""

    path: str
    detail: str
    message = "Cannot read {path}: {detail}."


class UnknownSizeError(WrongCallError):
    """Raised when an estimate needs the size of the dump ``path``, which is unknown."""

    path: str
    message = "Cannot estimate {path}: its size is unknown. Name a file or a URL."


class CorruptArchiveError(KgbuildError):
    """Raised when the archive ``path`` is cut short or damaged after ``line`` lines."""

    path: str
    line: int
    detail: str
    message = (
        "{path} is cut short or damaged after line {line:,}: {detail}. "
        "Fetch it again; what was there before is unchanged."
    )


class NotAnArchiveError(CorruptArchiveError):
    """Raised when ``path`` has the first bytes of an archive, but no line can be decompressed."""

    message = (
        "{path} begins like a compressed file, but no line of it can be decompressed: {detail}. "
        "It is not a compressed file, or it is damaged; what was there before is unchanged."
    )


class UnreadFormError(KgbuildError):
    """Raised when ``path`` has a ``form`` that is not read; ``advice`` is what to do."""

    path: str
    form: str
    advice: str

    def _sentence(self) -> str:
        end = "" if self.advice.endswith("?") else "."
        return f"{self.path} is {self.form}, which is not read: {self.advice}{end}"


class CutShortError(KgbuildError):
    """Raised when the dump ``path`` ends too early."""

    path: str
    detail: str
    message = "{path} is cut short: {detail}. Fetch it again; what was there before is unchanged."


class ConverterEndedError(KgbuildError):
    """Raised when a process that converts entities of a JSON dump ends, from the ``line`` on."""

    line: int
    message = (
        "A process that converts JSON ended at line {line}, perhaps because memory was full. What "
        "was there before is unchanged; run the command again with more memory."
    )


class EmptyDumpError(KgbuildError):
    """Raised when the dumps have no lines."""

    paths: Sequence[str]

    def _sentence(self) -> str:
        return f"{', '.join(self.paths)} is empty; what was there before is unchanged."


class NotADumpError(KgbuildError):
    """Raised when the first lines of ``path`` are not N-Triples; ``text`` is one of them."""

    path: str
    line: int
    text: str

    def _sentence(self) -> str:
        is_json = self.text.startswith(("[", "{"))
        return (
            f"{self.path} is {'not a' if is_json else 'neither N-Triples nor a'} JSON dump: "
            f"line {self.line} is '{shorten(self.text)}'. "
            f"{'A JSON dump has one complete entity per line. ' * is_json}"
            "What was there before is unchanged."
        )


class TooManyBadLinesError(KgbuildError):
    """Raised when more than ``limit`` (a fraction) of the lines are not N-Triples."""

    bad: int
    lines: int
    limit: float
    rejects: Path | str
    message = (
        "{bad:,} of {lines:,} lines are bad, more than --max-bad {limit:.2%} allows. "
        "They are listed in {rejects}; all else that was there before is unchanged."
    )


class NothingKeptError(KgbuildError):
    """Raised when the filter keeps no line; ``words`` explain the reasons in ``dropped``.

    ``bad`` further lines are bad; ``rejects`` lists them, if it is not empty. If no line is about
    an item, ``first_line`` shows which IRIs there are, and ``needed`` is one that an item has; else
    both are empty.
    """

    paths: Sequence[str]
    dropped: Mapping[str, int]
    words: Mapping[str, str]
    bad: int
    rejects: Path | str
    first_line: str
    needed: str

    def _sentence(self) -> str:
        reasons = describe_counts(self.dropped, self.words)
        listed = f" (see {self.rejects})" if self.rejects else ""
        bad = f"{self.bad:,} lines are bad{listed}" if self.bad else ""
        lost = "; ".join(filter(None, (reasons, bad)))
        advice = (
            "To keep other languages, use --lang; see also --all of 'kgbuild load', and "
            "--property and --datatype of 'kgbuild slice'."
        )
        if self.first_line:
            advice = (
                f"Items of Wikidata have IRIs such as <{self.needed}>; the first line is "
                f" '{shorten(self.first_line)}'."
            )
        return f"Nothing in {', '.join(self.paths)} is kept: {lost}. {advice}"


class NothingChosenError(KgbuildError):
    """Raised when the dumps have lines to keep, but no selected item; ``absent`` are their ids."""

    paths: Sequence[str]
    kept: int
    absent: Sequence[str]

    def _sentence(self) -> str:
        absent = f"Missing: {list_first(self.absent)}. " if self.absent else ""
        return (
            f"None of the selected items is in {', '.join(self.paths)}, although the filter keeps "
            f"{self.kept:,} lines. {absent}"
            "See --instance-of (with --subclasses), --items, --sample."
        )


class NothingInSampleError(KgbuildError):
    """Raised when an estimate reads only the first ``share`` of the dumps, and selects nothing."""

    paths: Sequence[str]
    share: float

    def _sentence(self) -> str:
        return (
            f"Nothing that is selected is in the first {self.share:.2%} of "
            f"{', '.join(self.paths)}. --dry-run reads only this part, so it cannot estimate the "
            "size. Without --dry-run, all is read."
        )


class SpecError(WrongCallError):
    """Raised when a slice's spec is wrong; ``key`` is one of its keys, or the path of its file."""

    key: str
    detail: str

    def _sentence(self) -> str:
        return f"'{self.key}' {self.detail}{'' if self.detail.endswith('?') else '.'}"


class NotOfEndpointError(SpecError):
    """Raised when a key of the spec does not suit a slice that comes from an endpoint."""

    def _sentence(self) -> str:
        return f"For a slice from an endpoint: {super()._sentence()}"


class ItemsFileError(WrongCallError):
    """Raised when ``text`` in a file of items is not an id; it is "" if the file has no id."""

    path: str
    line: int
    text: str

    def _sentence(self) -> str:
        if not self.text:
            return f"{self.path} names no item. It must have an id such as Q42 in each line."
        text = shorten(self.text)
        return f"{self.path}, line {self.line}: '{text}' is not the id of an item, such as Q42."


class NoEntityDataError(KgbuildError):
    """Raised when ``url`` sends no data of an item; ``has_come``: it sent data of other items."""

    url: str
    detail: str
    has_come: bool

    def _sentence(self) -> str:
        kept = " All items that came before are cached: call it again." if self.has_come else ""
        return f"{self.url} sends no data: {self.detail}.{kept}"


class NothingFetchedError(KgbuildError):
    """Raised when ``url`` has none of the items; ``absent`` are (id, reason)."""

    url: str
    absent: Sequence[tuple[str, str]]

    def _sentence(self) -> str:
        absent = list_first([f"{qid} ({reason})" for qid, reason in self.absent])
        return f"{self.url} has none of the items: {absent}."


class JavaError(KgbuildError):
    """Raised when Java is missing (``version`` is empty) or older than ``needed``."""

    needed: int
    version: str

    def _sentence(self) -> str:
        java = f"this is Java {self.version}" if self.version else "there is no Java here"
        advice = "Install it, or set JAVA_HOME to its folder."
        return f"Spark needs Java {self.needed} or newer, and {java}. {advice}"


class MasterError(KgbuildError):
    """Raised when Spark cannot be started at ``master``."""

    master: str
    detail: str
    message = (
        "No Spark at {master}: {detail}. Name one by --master: local[4], spark://HOST:7077, yarn."
    )


class SparkError(KgbuildError):
    """Raised when a Spark job fails."""

    detail: str

    def _sentence(self) -> str:
        if "No module named" not in self.detail:
            return f"Spark gave up: {self.detail}. What was there before is unchanged."
        return (
            f"Spark's workers cannot run kgbuild: {self.detail}. Install the same kgbuild[spark] "
            "on each, and name its Python with PYSPARK_PYTHON."
        )


class OutputExistsError(WrongCallError):
    """Raised when the output ``path`` exists and must not be replaced.

    If it ``is_folder``, it is never replaced.
    """

    path: Path | str
    is_folder: bool

    def _sentence(self) -> str:
        if self.is_folder:
            return f"{self.path} is a folder, which is not replaced. Name another path with -o."
        advice = "Replace it with --force, or name another file with -o."
        return f"{self.path} exists already. {advice}"


class OutputBusyError(KgbuildError):
    """Raised when another process is writing the output ``path``."""

    path: Path
    message = "Another process is writing {path}. Wait until it has finished."


class WriteError(KgbuildError):
    """Raised when ``path`` cannot be written: the disk is full, or it is not allowed."""

    path: Path | str
    detail: str
    message = "Cannot write {path}: {detail}. What was there before is unchanged."


class DiskTooSmallError(KgbuildError):
    """Raised when the disk of ``folder`` has ``free`` bytes, and a load needs ``needed`` bytes."""

    folder: Path
    needed: int
    free: int

    def _sentence(self) -> str:
        return (
            f"The load needs about {self.needed / 1e9:,.1f} GB of disk, and "
            f"{self.free / 1e9:,.1f} GB are free in {self.folder}. Free some disk, choose a folder "
            "on another disk with --store, or slice a share of the items with --sample."
        )
