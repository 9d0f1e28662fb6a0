"""Verify the assumptions of Syn-(QA)² by a second source."""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.datasets.asking import Ask
from kgbuild.rows import Progress, no_progress

if TYPE_CHECKING:  # all of it is slow to import
    from kgbuild.datasets.syn_qa.verification.assumptions import Source
    from kgbuild.datasets.syn_qa.verification.run import Verified
    from kgbuild.graph.source import Source as Graph
    from kgbuild.tables.database import Database


def verify(
    db: "Database",
    *,
    endpoint: str | None = None,
    texts: Path | str | None = None,
    model: str | None = None,
    true: bool = False,
    keep: bool = False,
    store: "Graph | None" = None,
    base_url: str = "",
    budget: int | None = None,
    cache: Path | str | None = None,
    ask: Ask | None = None,
    notice: Callable[[str], None] = lambda _: None,
    progress: Progress = no_progress,
) -> "Verified":
    """Verify all false assumptions of the pairs by a second source, with ``true`` the true ones.

    Name one source: a SPARQL ``endpoint``, which holds a larger graph; a file of ``texts`` with
    id or title, and text; or a language ``model``. Aliases for texts come from the ``store``.
    ``base_url``, ``budget`` and ``cache`` are about the model, as for ``kgbuild.ask``; ``ask`` is
    a function that sends requests to it instead. ``notice`` is called with a sentence when the
    endpoint makes us wait.

    Verdicts are written to the table ``verifications``. Pairs whose false assumption holds become
    rejections, unless they are to be kept. An interrupted verification goes on.

    Raises:
        ValueError: no source is named, or several are.
        NothingToVerifyError: there are no pairs.
        UnverifiedError: the source failed after it had verified some.
        KgbuildError: the source cannot be used, or the database cannot be.
    """
    from kgbuild.datasets.syn_qa.dataset import DATASET
    from kgbuild.datasets.syn_qa.verification.run import run

    if sum(bool(one) for one in (endpoint, texts, model)) != 1:
        raise ValueError("name one source: endpoint, texts or model")
    with contextlib.ExitStack() as stack:
        source: Source
        if endpoint:
            source = stack.enter_context(_endpoint(endpoint, notice))
        elif texts:
            from kgbuild.datasets.syn_qa.verification.by_texts import TextSource

            source = TextSource(Path(texts), store.labels if store else None)
        elif model:
            from kgbuild.datasets.syn_qa.verification.by_model import ModelSource

            replies = Path(cache) if cache else db.path.with_name("replies.sqlite")
            source = ModelSource(model, ask or _asking(model, replies, base_url, budget, progress))
        return run(db, DATASET, source, true=true, keep=keep, progress=progress)


@contextlib.contextmanager
def _endpoint(url: str, notice: Callable[[str], None]) -> "Iterator[Source]":
    """Yield the endpoint at a URL as a source."""
    from kgbuild.datasets.syn_qa.verification.by_endpoint import EndpointSource
    from kgbuild.graph.open import open_source
    from kgbuild.net import failures, urls

    with open_source(Path(), url, notice) as opened:
        yield EndpointSource(opened.graph, failures.printable(urls.public(url)))


def _asking(name: str, replies: Path, base_url: str, budget: int | None, progress: Progress) -> Ask:
    from kgbuild.models.llm import Model

    model = Model(name, replies, base_url, budget)
    return lambda requests: model.ask(requests, partial(progress, f"asking {name}"))
