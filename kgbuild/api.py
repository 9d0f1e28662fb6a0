"""The functions of the Python API: see docs/python.md. They neither print nor exit."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast, overload

from kgbuild import datasets
from kgbuild.calls import Count, Seed, Share
from kgbuild.datasets import asking, comparing, scoring
from kgbuild.datasets.answer_sets import AnswerSource, read_answers
from kgbuild.datasets.asking import Answers
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.comparing import ModelComparison
from kgbuild.datasets.scoring import Scores
from kgbuild.dump.filter import Filter
from kgbuild.errors import WrongCallError
from kgbuild.files import outputs
from kgbuild.graph.open import Store, open_source
from kgbuild.graph.source import Source
from kgbuild.models.chat import LOCAL
from kgbuild.models.settings import (
    CONCURRENCY,
    RETRIES,
    TIMEOUT,
    Api,
    Concurrency,
    Retries,
    Settings,
    Timeout,
)
from kgbuild.net.waits import pauses
from kgbuild.rows import Progress, listed, no_progress
from kgbuild.store import load as loading
from kgbuild.store.manifest import Manifest
from kgbuild.tables.database import Database
from kgbuild.tables.diff import TableComparison

AnyDatabase: TypeAlias = Database | Path | str
"""A database, or its path."""
STORE = Path("data/kg")
"""The default folder of the store."""


def load(
    dumps: Iterable[Path | str] | Path | str,
    store: Path | str = STORE,
    *,
    languages: Sequence[str] = ("en",),
    max_bad: Share = 0.01,
    progress: Progress = no_progress,
) -> Manifest:
    """Load dumps or slices (files or URLs) into the folder of a store; replace the old store.

    ``languages`` are the languages of the labels to keep. The load fails if more than the fraction
    ``max_bad`` of the lines is bad. Returns the manifest of the new store.

    Raises:
        KgbuildError: the dumps or the folder are at fault; an old store stays as it was.
    """
    names = [*map(str, listed(dumps))]
    if not names:
        raise WrongCallError("Name the dumps to load: files or URLs.")
    if not languages:
        raise WrongCallError("Name the languages of the labels to keep, such as en.")
    return loading.load(names, Path(store), Filter(tuple(languages)), max_bad, progress)


if TYPE_CHECKING:  # at run time, overloads keep types of DuckDB, which it reports as leaks

    @overload
    def open(store: Path | str = STORE) -> Store: ...

    @overload
    def open(
        *, endpoint: str, language: str | None = None, notice: Callable[[str], None] = ...
    ) -> Source: ...


def open(
    store: Path | str = STORE,
    *,
    endpoint: str | None = None,
    language: str | None = None,
    notice: Callable[[str], None] = lambda _: None,
) -> Source:
    """Open the store in a folder, or a SPARQL endpoint instead.

    What it returns is closed by ``close``, or at the end of a ``with`` block.

    ``language`` is the language of an endpoint's labels, by default English; ``notice`` is called
    with a sentence when an endpoint makes the program wait.

    Raises:
        NoStoreError, DamagedStoreError: there is no store, or it cannot be opened.
        WrongCallError: a store and an endpoint are passed, or the URL of the endpoint is invalid.
    """
    if endpoint is not None and store != STORE:
        raise WrongCallError("Pass a store or an endpoint, not both.")
    with ExitStack() as stack:
        source = stack.enter_context(open_source(Path(store), endpoint, notice, language))
        source.resources.push(stack.pop_all())
    return source


def database(
    path: Path | str = "data/datasets.duckdb",
    more: Sequence[AnyDataset] = (),
    *,
    notice: Callable[[str], None] = lambda _: None,
) -> Database:
    """Return a database for the datasets of kgbuild and ``more`` datasets; a write creates it.

    ``notice`` is called with a sentence when another process makes a write wait.
    """
    return datasets.database(path, more, notice)


def _opened(db: AnyDatabase) -> Database:
    return db if isinstance(db, Database) else database(db)


def ask(
    dataset: AnyDataset,
    model: str,
    *,
    db: AnyDatabase,
    protocols: Sequence[str] = (),
    limit: Count | None = None,
    seed: Seed = 0,
    base_url: str = "",
    budget: Count | None = None,
    cache: Path | str | None = None,
    cache_key: str = "",
    concurrency: Concurrency = CONCURRENCY,
    timeout: Timeout = TIMEOUT,
    retries: Retries = RETRIES,
    api: Api = "chat",
    settings: Settings | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
    **options: Any,
) -> Answers:
    """Ask a language model the questions of a dataset, and write its answers to ``predictions``.

    A ``model`` named ``hf:FOLDER`` runs on this machine; the options about servers do not matter.

    ``protocols`` are by default all protocols that are not marked as on demand. ``limit`` is the
    maximum number of items, chosen by ``seed``; ``budget`` is the maximum number of tokens. Replies
    are cached in the file ``cache``, by default beside the database; ``cache_key`` distinguishes
    models of the same name. At most ``concurrency`` requests run at once, each at most
    ``timeout`` seconds, with ``retries`` further tries. ``api`` is "chat" or "responses".
    ``settings`` are sent with all requests. ``options`` depend on the dataset.

    Raises:
        KgbuildError: there is nothing to ask, the model gives no answers, or the extra ``llm`` is
            not installed.
    """
    from kgbuild.models.llm import Model
    from kgbuild.models.local.model import LocalModel
    from kgbuild.models.reply_cache import replies_beside

    db = _opened(db)
    items = asking.requests(dataset, db, protocols, limit, seed, **options)
    db.prepare("predictions")
    replies = Path(cache) if cache else replies_beside(db.path)
    client: Model | LocalModel
    if model.startswith(LOCAL):
        client = LocalModel(model, replies, budget, settings or Settings(), cache_key)
    else:
        client = Model(
            model,
            replies,
            base_url,
            budget,
            concurrency,
            pauses(retries),
            timeout,
            settings or Settings(),
            cache_key,
            api,
        )
    answers = asking.send(dataset, model, items, lambda requests: client.ask(requests, progress))
    db.write_predictions(answers.predictions)
    return answers


def score(
    dataset: AnyDataset,
    answers: AnswerSource = None,
    *,
    db: AnyDatabase,
    by: str | None = None,
    only_finished: bool = False,
    **options: Any,
) -> Scores:
    """Score answers to a dataset, by model, protocol and the attribute ``by``.

    ``only_finished`` leaves out answers that were cut, filtered, refused or empty. ``options``
    depend on the dataset. Every metric has a 95 % confidence interval.

    Raises:
        KgbuildError: the answers cannot be scored; see ``answer_sets.read_answers``.
    """
    db = _opened(db)
    answer_set = read_answers(dataset, answers, db, by, only_finished)
    return scoring.score(answer_set, db, **options)


def compare(
    dataset: AnyDataset,
    answers: AnswerSource = None,
    *,
    db: AnyDatabase,
    by: str | None = None,
    **options: Any,
) -> list[ModelComparison]:
    """Compare each pair of models on the same questions: paired bootstrap and permutation tests.

    Raises:
        KgbuildError: the answers cannot be compared; see ``comparing.compare_models``.
    """
    db = _opened(db)
    answer_set = read_answers(dataset, answers, db, by)
    return comparing.compare_models(answer_set, db, **options)


def diff(older: AnyDatabase, newer: AnyDatabase, dataset: AnyDataset) -> TableComparison:
    """Compare two builds of a dataset: list removed, changed and new rows, and why they differ.

    Raises:
        KgbuildError: there is nothing to compare; see ``tables.diff.compare``.
    """
    from kgbuild.tables.diff import compare

    return compare(_opened(older), _opened(newer), dataset)


def publish(
    dataset: AnyDataset,
    folder: Path | str,
    *,
    db: AnyDatabase,
    password: str | None = None,
    safe_csv: bool = False,
    site: bool = False,
    store: Path | str | None = None,
) -> None:
    """Write a release of a dataset into a new folder; with a password, as an encrypted archive.

    With ``safe_csv``, an apostrophe precedes texts in CSV that a spreadsheet would run as formulas.
    With ``site``, the release has a website; labels that the tables lack come from ``store``, by
    default from ``data/kg``, if the rows were built from it.

    Raises:
        KgbuildError: the release cannot be written; the folder is not created then.
    """
    from kgbuild.export.write_release import publish as write
    from kgbuild.report.names import store_labels

    db, target = _opened(db), outputs.target(Path(folder))
    with ExitStack() as stack:
        labels = store_labels(Path(store or STORE), None if store else db)
        site_label = stack.enter_context(labels) if site else None
        write(dataset, db, target, None, password, safe_csv, site_label=site_label)


def write_report(
    db: AnyDatabase,
    path: Path | str = "report.html",
    *,
    store: Path | str | None = None,
    more: Sequence[AnyDataset] = (),
    seed: Seed = 0,
    progress: Progress = no_progress,
) -> None:
    """Write the report: one HTML page about the datasets and the scores of models.

    It shows the datasets that ``db`` was opened with, and ``more``. Labels that the tables lack
    come from ``store``; by default from ``data/kg``, if the rows were built from it.

    Raises:
        WrongCallError: the path is that of another kind of file than a page.
        KgbuildError: the database or the store cannot be read, or the page cannot be written.
    """
    from kgbuild.report.names import store_labels
    from kgbuild.report.page import page, require_page

    require_page(Path(path))
    target = outputs.target(Path(path))
    db = _opened(db)
    users = cast(Sequence[AnyDataset], db.more)  # as ``database`` took them
    all_datasets = (*datasets.all_datasets(), *users, *more)
    by_name = {dataset.name: dataset for dataset in all_datasets}
    with store_labels(Path(store or STORE), None if store else db) as label:
        text = page(db, [*by_name.values()], seed, label, progress)
    outputs.write_text(target, text)
