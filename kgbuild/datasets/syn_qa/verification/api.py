"""The function of the Python API that verifies the assumptions of Syn-(QA)² pairs."""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.datasets.asking import Ask
from kgbuild.errors import WrongCallError
from kgbuild.rows import Progress, no_progress

if TYPE_CHECKING:  # these modules are slow to import
    from kgbuild.datasets.syn_qa.verification.assumptions import Source
    from kgbuild.datasets.verifying import Verified
    from kgbuild.graph.open import Store
    from kgbuild.tables.database import Database


def verify(
    db: "Database",
    *,
    endpoint: str | None = None,
    texts: Path | str | None = None,
    model: str | None = None,
    true: bool = False,
    keep: bool = False,
    store: "Store | None" = None,
    base_url: str = "",
    budget: int | None = None,
    cache: Path | str | None = None,
    ask: Ask | None = None,
    notice: Callable[[str], None] = lambda _: None,
    progress: Progress = no_progress,
) -> "Verified":
    """Verify all false assumptions of the pairs by a second source.

    Pass one source: ``endpoint``, the URL of a SPARQL endpoint with a larger graph; ``texts``, a
    file with the columns id or title, and text; or ``model``, the name of a language model.
    ``true`` verifies the true assumptions, too. ``store`` has aliases of items for texts.
    ``base_url``, ``budget`` and ``cache`` belong to the model, as for ``kgbuild.ask``; ``ask``
    replaces them by a function that sends requests to the model. ``notice`` receives a sentence
    when the endpoint requires a pause.

    Verdicts are written to the table ``verifications``. Pairs whose false assumption holds become
    rejections, unless ``keep`` is true. After an interruption of an endpoint, only the remaining
    assumptions are verified.

    Raises:
        WrongCallError: no source or several sources are passed.
        KgbuildError: there are no pairs; the source failed after some assumptions were verified;
            the source or the database cannot be used.
    """
    from kgbuild.datasets.syn_qa.dataset import DATASET
    from kgbuild.datasets.syn_qa.verification.run import run

    if sum(map(bool, (endpoint, texts, model))) != 1:
        raise WrongCallError("Pass one source: endpoint, texts or model.")
    with contextlib.ExitStack() as stack:
        source: Source
        if endpoint:
            from kgbuild.datasets.syn_qa.verification.by_endpoint import EndpointSource
            from kgbuild.datasets.verifying import opened_endpoint

            source = EndpointSource(*stack.enter_context(opened_endpoint(endpoint, notice)))
        elif texts:
            from kgbuild.datasets.syn_qa.verification.by_texts import TextSource

            source = TextSource(Path(texts), store.labels if store else None)
        elif model:
            from kgbuild.datasets.syn_qa.verification.by_model import ModelSource

            if ask is None:
                from kgbuild.models.llm import Model
                from kgbuild.models.reply_cache import replies_beside

                replies = Path(cache) if cache else replies_beside(db.path)
                send = Model(model, replies, base_url, budget).ask
                ask = partial(send, progress=partial(progress, f"asking {model}"))
            source = ModelSource(model, ask)
        return run(db, DATASET, source, true=true, keep=keep, progress=progress)
