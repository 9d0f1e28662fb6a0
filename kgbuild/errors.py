"""Every error that a user can meet. Each one holds its data; the command line words it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class KgbuildError(Exception):
    """The base of all errors that are the user's business."""


@dataclass(eq=False)
class NoStoreError(KgbuildError):
    """There is no store at ``path``."""

    path: Path


@dataclass(eq=False)
class NotAStoreError(KgbuildError):
    """``path`` holds something else than a store; nothing there is touched."""

    path: Path
    found: str


@dataclass(eq=False)
class StoreBusyError(KgbuildError):
    """Another process is loading into ``path``."""

    path: Path


@dataclass(eq=False)
class DamagedStoreError(KgbuildError):
    """The store at ``path`` cannot be opened."""

    path: Path
    detail: str


@dataclass(eq=False)
class UnreadableDumpError(KgbuildError):
    """``path`` cannot be opened or read."""

    path: str
    detail: str


@dataclass(eq=False)
class UnknownSizeError(KgbuildError):
    """Nobody knows how large the dump ``path`` is, so nothing can be estimated."""

    path: str


@dataclass(eq=False)
class CorruptArchiveError(KgbuildError):
    """The compressed file ``path`` is cut short or damaged, found after ``line`` lines."""

    path: str
    line: int
    detail: str


@dataclass(eq=False)
class EmptyDumpError(KgbuildError):
    """The dumps hold no line at all."""

    paths: Sequence[str]


@dataclass(eq=False)
class NothingKeptError(KgbuildError):
    """The dumps hold lines, but the filter keeps none of them."""

    paths: Sequence[str]
    dropped: Mapping[str, int]


@dataclass(eq=False)
class NothingChosenError(KgbuildError):
    """Of the ``kept`` lines of the dumps none is about an item that was asked for.

    ``absent`` are those that were named one by one.
    """

    paths: Sequence[str]
    kept: int
    absent: Sequence[str]


@dataclass(eq=False)
class CutShortError(KgbuildError):
    """The dump ``path`` ends where no dump does."""

    path: str
    detail: str


@dataclass(eq=False)
class NotADumpError(KgbuildError):
    """The first lines of ``path`` are all no N-Triples."""

    path: str
    line: int
    text: str


@dataclass(eq=False)
class TooManyBadLinesError(KgbuildError):
    """More than ``limit`` (a fraction) of the lines are no N-Triples."""

    bad: int
    lines: int
    limit: float
    rejects: Path | str


@dataclass(eq=False)
class SpecError(KgbuildError):
    """The key ``key`` of a slice's spec, or the spec file of that name, is at fault."""

    key: str
    detail: str


@dataclass(eq=False)
class ItemsFileError(KgbuildError):
    """Line ``line`` of a file of items begins with ``text``, which is no id; or holds none."""

    path: str
    line: int
    text: str


@dataclass(eq=False)
class OutputExistsError(KgbuildError):
    """The output ``path`` is there already."""

    path: Path | str


@dataclass(eq=False)
class OutputBusyError(KgbuildError):
    """Another process is writing the output ``path``."""

    path: Path


@dataclass(eq=False)
class WriteError(KgbuildError):
    """``path`` cannot be written: disk full, read-only, not allowed."""

    path: Path | str
    detail: str


@dataclass(eq=False)
class MalformedIdError(KgbuildError):
    """``text`` is no id of an ``expected`` (item or property)."""

    text: str
    expected: str


@dataclass(eq=False)
class UnknownItemError(KgbuildError):
    """The store says nothing of the item ``qid``; ``near`` are (id, label) beside it."""

    qid: str
    near: Sequence[tuple[str, str]]


@dataclass(eq=False)
class UnknownNameError(KgbuildError):
    """No item has the label or alias ``name``; ``near`` are names that look like it.

    ``near`` is None where nothing tells of names that look alike.
    """

    name: str
    near: Sequence[str] | None


@dataclass(eq=False)
class UnknownRelationError(KgbuildError):
    """relations.toml has no questions of ``text`` for ``dataset``; ``near`` are (id, label)."""

    text: str
    near: Sequence[tuple[str, str]]
    dataset: str


@dataclass(eq=False)
class NoPathError(KgbuildError):
    """The two relations of ``path`` cannot be asked in a row; ``why`` says it."""

    path: str
    why: str


@dataclass(eq=False)
class TemplateError(KgbuildError):
    """The question ``template`` has not one place for the subject and one for the object."""

    template: str


@dataclass(eq=False)
class NoKindError(KgbuildError):
    """The item ``qid`` is of no class that has similarity properties."""

    qid: str
    classes: Sequence[str]


@dataclass(eq=False)
class NothingBuiltError(KgbuildError):
    """No candidate of ``relations`` became a row of ``dataset``: ``reasons`` counts why."""

    relations: Sequence[str]
    candidates: int
    reasons: Mapping[str, int]
    dataset: str


@dataclass(eq=False)
class NoDatasetsError(KgbuildError):
    """There is no database at ``path``."""

    path: Path


@dataclass(eq=False)
class DatabaseBusyError(KgbuildError):
    """Another process (``holder``) has the database ``path`` open."""

    path: Path
    holder: str


@dataclass(eq=False)
class DamagedDatabaseError(KgbuildError):
    """``path`` is no DuckDB database, or one that cannot be read."""

    path: Path
    detail: str


@dataclass(eq=False)
class ForeignTablesError(DamagedDatabaseError):
    """The tables of the database are those of another program, or of another version of this."""


@dataclass(eq=False)
class SqlError(KgbuildError):
    """The user's SQL cannot be run; ``near`` are tables with names like an unknown one in it."""

    detail: str
    near: Sequence[str] = ()


@dataclass(eq=False)
class TableFileError(KgbuildError):
    """The user's file ``path`` cannot be read as a table."""

    path: Path
    detail: str


@dataclass(eq=False)
class ColumnsError(KgbuildError):
    """The part ``part`` of the option --columns is at fault."""

    part: str
    detail: str


@dataclass(eq=False)
class MissingColumnError(KgbuildError):
    """The file ``path`` lacks ``column``; it has ``columns``, of which ``near`` looks like it."""

    path: Path
    column: str
    columns: Sequence[str]
    near: Sequence[str]


@dataclass(eq=False)
class UnknownQuestionsError(KgbuildError):
    """Of the ``of`` answers in ``path``, ``count`` are to no question at hand, as ``example``."""

    path: Path
    count: int
    of: int
    example: str


@dataclass(eq=False)
class RepeatedAnswerError(KgbuildError):
    """``path`` answers a question twice: ``asked`` are the columns and values that both have."""

    path: Path
    asked: Sequence[tuple[str, str]]


@dataclass(eq=False)
class MissingExtraError(KgbuildError):
    """``package``, which comes with the extra ``extra`` of kgbuild, is not installed."""

    extra: str
    package: str


@dataclass(eq=False)
class JavaError(KgbuildError):
    """Spark needs a Java of the version ``needed`` or newer; ``found`` (empty: none) is too old."""

    needed: int
    found: str


@dataclass(eq=False)
class MasterError(KgbuildError):
    """No Spark can be used at the ``master``."""

    master: str
    detail: str


@dataclass(eq=False)
class SparkError(KgbuildError):
    """Spark gave a job up."""

    detail: str


@dataclass(eq=False)
class NoModelError(KgbuildError):
    """The model ``model`` is not on this machine; or it is, and ``detail`` says what is wrong."""

    model: str
    detail: str


@dataclass(eq=False)
class NoPipelineError(KgbuildError):
    """The spaCy pipeline ``model`` is not here; or it is, and ``detail`` says what is wrong."""

    model: str
    detail: str


@dataclass(eq=False)
class EmptyQuestionError(KgbuildError):
    """The question that was asked holds nothing."""


@dataclass(eq=False)
class NothingRetrievedError(KgbuildError):
    """No name in the question is that of an item."""


@dataclass(eq=False)
class NoQuestionsError(KgbuildError):
    """The database ``path`` holds no questions of BioKaLMA."""

    path: Path


@dataclass(eq=False)
class QueryFileError(KgbuildError):
    """A file of ``queries/`` breaks the rules of its header."""

    path: str
    line: int
    detail: str


@dataclass(eq=False)
class QueryParameterError(KgbuildError):
    """A query was called with other parameters than its header declares."""

    query: str
    missing: Sequence[str]
    unknown: Sequence[str]


@dataclass(eq=False)
class RelationsFileError(KgbuildError):
    """relations.toml breaks its rules at ``where``."""

    where: str
    detail: str


@dataclass(eq=False)
class NotHotpotQAError(KgbuildError):
    """Nothing in the file ``path`` is a record of HotpotQA's; ``detail`` is the first fault."""

    path: Path
    detail: str


@dataclass(eq=False)
class NoKeyError(KgbuildError):
    """The language models at ``url`` are for those with a key, and there is none."""

    url: str


@dataclass(eq=False)
class UnreachableServerError(KgbuildError):
    """There is no server of language models at ``url``."""

    url: str
    detail: str


@dataclass(eq=False)
class RefusedRequestsError(KgbuildError):
    """The server at ``url`` takes no request to ``model``, and says so by an HTTP ``status``."""

    url: str
    model: str
    status: int
    detail: str


@dataclass(eq=False)
class ReplyCacheError(KgbuildError):
    """``path`` is no file of answers of language models, or one that cannot be used."""

    path: Path
    detail: str


@dataclass(eq=False)
class NoAnswersError(KgbuildError):
    """None of ``questions`` questions was answered; the first for that ``reason``."""

    questions: int
    reason: str
    detail: str


@dataclass(eq=False)
class NothingToExportError(KgbuildError):
    """The database ``path`` has no rows of ``dataset``, or none that reviewers ``accepted``."""

    path: Path
    dataset: str
    accepted: bool


@dataclass(eq=False)
class FolderInUseError(KgbuildError):
    """The folder ``path``, which is to be new, is there and not empty; or it is a file."""

    path: Path


@dataclass(eq=False)
class NothingJoinedError(KgbuildError):
    """No relation with questions joins two items of the class ``of_class``."""

    of_class: str


@dataclass(eq=False)
class UnknownProtocolError(KgbuildError):
    """Models are not asked about ``dataset`` by a protocol ``text``, only by the ``known``."""

    text: str
    dataset: str
    known: Sequence[str]


@dataclass(eq=False)
class NoTestsError(KgbuildError):
    """The database ``path`` has no tests for judges."""

    path: Path


@dataclass(eq=False)
class NoTestsOfSplitError(KgbuildError):
    """Of the ``tests`` in ``path`` none is for ``tuning``; or all are, and others are wanted."""

    path: Path
    tests: int
    tuning: bool


@dataclass(eq=False)
class NoPredictionsError(KgbuildError):
    """The database ``path`` has no predictions of ``dataset`` that can be scored."""

    path: Path
    dataset: str


@dataclass(eq=False)
class NothingToCompareError(KgbuildError):
    """In ``path`` no two models have answers by one protocol."""

    path: Path


@dataclass(eq=False)
class NothingToReviewError(KgbuildError):
    """The database ``path`` has no rows of ``dataset``, or no predictions for it."""

    path: Path
    dataset: str
    of_predictions: bool


@dataclass(eq=False)
class PortTakenError(KgbuildError):
    """Nothing can be served at ``port`` of this machine; ``detail`` says why."""

    port: int
    detail: str


@dataclass(eq=False)
class NothingToAskError(KgbuildError):
    """The database ``path`` has no questions of ``dataset``, of the pool that was asked for."""

    path: Path
    dataset: str


@dataclass(eq=False)
class NoBuildsError(KgbuildError):
    """Nothing was built into the database ``path``."""

    path: Path


@dataclass(eq=False)
class SameDatabaseError(KgbuildError):
    """The database ``path`` is to be compared with itself."""

    path: Path


@dataclass(eq=False)
class NothingInCommonError(KgbuildError):
    """Two databases have no relation or file of a dataset both; ``has`` and ``other_has`` say it.

    What they have stands there by dataset, as it is to be shown.
    """

    path: Path
    other: Path
    has: Sequence[str]
    other_has: Sequence[str]


@dataclass(eq=False)
class NothingToReportError(KgbuildError):
    """The database ``path`` holds no dataset, and nothing about models."""

    path: Path


@dataclass(eq=False)
class NoEndpointError(KgbuildError):
    """There is no SPARQL endpoint at ``url``, or it gives no answer."""

    url: str
    detail: str


@dataclass(eq=False)
class BusyEndpointError(NoEndpointError):
    """The SPARQL endpoint at ``url`` answers only that it is too busy."""


@dataclass(eq=False)
class RefusedQueryError(KgbuildError):
    """The endpoint ``url`` does not run the query ``query``; ``said`` is what it says, or empty."""

    url: str
    query: str
    detail: str
    said: str


@dataclass(eq=False)
class NotResultsError(KgbuildError):
    """The endpoint ``url`` answers the query ``query`` with something that is no result."""

    url: str
    query: str
    detail: str


@dataclass(eq=False)
class NotOfEndpointError(KgbuildError):
    """The key ``key`` of a slice's spec ``detail``, as the slice comes from an endpoint."""

    key: str
    detail: str


@dataclass(eq=False)
class NoEntityDataError(KgbuildError):
    """What serves the data of items at ``url`` doesn't do so; something ``has_come`` before."""

    url: str
    detail: str
    has_come: bool = False


@dataclass(eq=False)
class NothingFetchedError(KgbuildError):
    """None of the items is there; ``absent`` are (id, why)."""

    url: str
    absent: Sequence[tuple[str, str]]
