"""Errors of building datasets, asking models, scoring, reviewing and releasing.

``command`` is the name of a dataset's command, as in 'kgbuild syn-qa'; ``call`` is the command or
Python call that makes the missing rows (``Dataset.user_command``).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kgbuild.errors.base import KgbuildError, WrongCallError, describe_counts, shorten

_COMMONEST = 3
"""Maximum number of reasons that are given with an example."""


class DatasetError(WrongCallError):
    """Raised when the description of a dataset, its schema.sql and its rows do not agree."""

    dataset: str
    detail: str
    message = "The dataset {dataset} is wrong: {detail}."


class WorkerEndedError(KgbuildError):
    """Raised when the system ends a process of a build."""

    message = (
        "A process of the build ended, perhaps because memory was full. What was there before is "
        "unchanged; run the command again with more memory, or build fewer relations at a time."
    )


class SinceFileError(WrongCallError):
    """Raised when rows of a ``file`` of questions are to be newer than an older store."""

    file: Path
    message = (
        "--since compares statements of two stores, and the rows of {file} are not made of "
        "statements. Leave out one of the two."
    )


class NothingBuiltError(KgbuildError):
    """Raised when all ``candidates`` for rows are rejected; ``words`` explain the ``reasons``.

    If there are ``examples`` of candidates by reason, only the commonest reasons are listed.
    ``build`` is the build without rows (``kgbuild.rows.Build``), which has all rejections.
    """

    relations: Sequence[str]
    candidates: int
    reasons: Mapping[str, int]
    words: Mapping[str, str]
    examples: Mapping[str, str]
    build: Any

    def _sentence(self) -> str:
        relations = ", ".join(self.relations)
        if not self.candidates:
            missing = f"the store has no statement of {relations}"
            if relations.startswith("Q"):  # biokalma's parts are named QID/PID
                of_class = relations.partition("/")[0]
                pids = relations.replace(f"{of_class}/", "")
                missing = f"no two items of the class {of_class} are joined by {pids}"
            return f"Nothing was built: {missing}. See 'kgbuild relations'."
        rejected = f"all {self.candidates:,} candidates were rejected"
        if not self.examples:
            reasons = describe_counts(self.reasons, self.words)
            return f"Nothing was built for {relations}: {rejected}: {reasons}."
        commonest = "; ".join(commonest_reasons(self.reasons, self.words, self.examples))
        return f"Nothing was built for {relations}: {rejected}: {commonest}."


def commonest_reasons(
    reasons: Mapping[str, int], words: Mapping[str, str], examples: Mapping[str, str]
) -> list[str]:
    """Return the commonest of the reasons with an example, as texts "3 × no label (such as: …)".

    ``words`` explain the reasons.
    """
    commonest = sorted(reasons, key=lambda reason: (-reasons[reason], reason))[:_COMMONEST]
    return [
        f"{reasons[reason]:,} × {words[reason]} (such as: {shorten(examples[reason])})"
        for reason in commonest
    ]


class UnknownChoiceError(WrongCallError):
    """Raised when ``text`` is not one of the ``choices`` of a ``kind`` (option, query)."""

    owner: str
    kind: str
    text: str
    choices: Sequence[str]

    def _sentence(self) -> str:
        choices = ", ".join(self.choices) or "none"
        return f"{self.owner} has no {self.kind} '{shorten(self.text)}', only: {choices}."


class NothingToAskError(KgbuildError):
    """Raised when the options select no question of a dataset in the database ``path``."""

    path: Path
    command: str
    call: str
    message = (
        "{path} has no questions of {command}, or none that these options select. "
        "Build them: {call}."
    )


class NoPredictionsError(KgbuildError):
    """Raised when the database ``path`` has no answers of models that can be scored."""

    path: Path
    command: str
    call: str
    message = (
        "{path} has no answers to {command} that can be scored. "
        "Ask a model: {call}; or name a file."
    )


class NothingToCompareError(WrongCallError):
    """Raised when no two models in the database ``path`` have answers by the same protocol."""

    path: Path
    message = "--compare needs two models with answers by the same protocol; {path} has none."


class NoTestsError(KgbuildError):
    """Raised when the database ``path`` has no tests for judges."""

    path: Path
    message = "{path} has no tests for judges. Build them: 'kgbuild grouse'."


class NoTestsOfSplitError(KgbuildError):
    """Raised when the file has tests, but none for tuning (``tuning``) or only such tests."""

    path: Path
    tests: int
    tuning: bool

    def _sentence(self) -> str:
        tests = f"the {self.tests:,} tests of {self.path}"
        if self.tuning:
            return f"None of {tests} is for tuning: none has the split dev."
        return f"All of {tests} are for tuning (their split is dev): add --tuning."


class NothingToReviewError(KgbuildError):
    """Raised when ``path`` has no rows of a dataset (or answers of models to it) to review."""

    path: Path
    command: str
    of_predictions: bool
    call: str

    def _sentence(self) -> str:
        rows = "answers to" if self.of_predictions else "rows of"
        return f"{self.path} has no {rows} {self.command} to review. Get them: {self.call}."


class NoDisagreementError(KgbuildError):
    """Raised when reviewers of a dataset do not disagree, so that nothing is to be decided."""

    command: str
    message = "No two reviewers disagree about a row of {command}, so there is nothing to decide."


class NotReviewedError(WrongCallError):
    """Raised for --only-accepted when the dataset cannot be reviewed."""

    command: str
    message = "--only-accepted needs a dataset that can be reviewed, and {command} cannot."


class PortTakenError(KgbuildError):
    """Raised when a page or a store cannot be served at a ``port`` of this machine."""

    port: int
    detail: str
    message = "Cannot serve at port {port}: {detail}. Name another port with --port."


class NothingToReportError(KgbuildError):
    """Raised when ``path`` has no dataset and no answers of models."""

    path: Path
    message = "{path} has nothing to report. Build a dataset: kgbuild syn-qa --relations P26,P40"


class NothingToExportError(KgbuildError):
    """Raised when ``path`` has no rows of a dataset, or no accepted rows (``accepted``)."""

    path: Path
    command: str
    accepted: bool
    call: str

    def _sentence(self) -> str:
        rows = f"{self.path} has no rows of {self.command}"
        if not self.accepted:
            return f"{rows}. Build them: {self.call}."
        return f"{rows} that reviewers accepted. Check some: 'kgbuild review {self.command}'."


class AllExcludedError(WrongCallError):
    """Raised when the file ``path`` excludes all rows of a dataset from a release."""

    path: Path
    command: str
    message = "{path} names all rows of {command} that could be released. Pass another file."


class NoTextsError(WrongCallError):
    """Raised when the folder ``path`` has no file of texts to search."""

    path: Path
    message = (
        "{path} has no file that can be searched. Texts may be plain, JSON, Parquet or compressed."
    )


class NothingToVerifyError(KgbuildError):
    """Raised when ``path`` has no rows (``unit``) of the dataset that ``command`` builds."""

    path: Path
    unit: str
    command: str
    message = "{path} has no {unit} to verify. Build them: 'kgbuild {command}'."


class UnverifiedError(KgbuildError):
    """Raised when ``source`` failed and left ``count`` of ``of`` assumptions unverified.

    ``detail`` is the reason. Earlier verdicts are written.
    """

    source: str
    of: int
    count: int
    detail: str
    message = (
        "{count:,} of {of:,} assumptions are unverified, the others are verified: {source} failed. "
        "{detail} Call the same again to go on."
    )


class FolderInUseError(WrongCallError):
    """Raised when ``path``, which must be a new folder, is a file or a folder with files."""

    path: Path

    def _sentence(self) -> str:
        fault = "not empty" if self.path.is_dir() else "not a folder"
        return f"{self.path} is {fault}. Name a new folder with -o, or remove it first."
