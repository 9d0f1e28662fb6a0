"""What a model is asked of a dataset: requests, and the predictions that replies become."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.datasets.base import AnyDataset
from kgbuild.errors import NoAnswersError, NothingToAskError, UnknownProtocolError
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.rows import shuffled, stable_id
from kgbuild.tables.records import Prediction

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

Ask: TypeAlias = Callable[[Sequence[Request]], Sequence[Reply | Failure]]
"""Asks a model: one reply or failure a request, in their order."""


class Sample(NamedTuple):
    """Which items are asked about: at most ``limit`` (None: all), chosen by ``seed``.

    A smaller limit chooses some of the items of a larger one.
    """

    limit: int | None = None
    seed: int = 0

    def choose(self, ids: Iterable[str]) -> list[str]:
        """Return the chosen ids, in an order that stays fair where a budget ends it."""
        return shuffled(ids, lambda item_id: (item_id,), self.seed)[: self.limit]


class ItemRequest(NamedTuple):
    """A request about an item of a dataset, and what its prediction says of it.

    ``false_assumption`` tells which question of a pair is asked. ``removed`` and ``accuracy``
    tell which pool of knowledge is shown: see the table ``predictions``.
    """

    item_id: str
    protocol: str
    request: Request
    false_assumption: bool | None = None
    removed: int | None = None
    accuracy: int | None = None

    def prediction(self, dataset: str, model: str, reply: Reply) -> Prediction:
        """Return the row of ``predictions`` that a reply becomes."""
        return Prediction(
            dataset=dataset,
            item_id=self.item_id,
            false_assumption=self.false_assumption,
            model=model,
            protocol=self.protocol,
            removed=self.removed,
            accuracy=self.accuracy,
            sample=self.request.sample,
            prompt_hash=stable_id(*(part for turn in self.request.messages for part in turn)),
            text=reply.text,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            seconds=reply.seconds,
        )


class Answers(NamedTuple):
    """What came of the requests to a model: predictions, and failures of the other requests."""

    predictions: list[Prediction]
    failures: list[Failure]


def requests(
    dataset: AnyDataset,
    db: "Database",
    protocols: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    **options: Any,
) -> list[ItemRequest]:
    """Return the requests about the items of a dataset.

    Without ``protocols`` they are by all that are not on demand. ``limit`` is the most items,
    chosen by the ``seed``. ``options`` are the dataset's own: see ``request_options``.

    Raises:
        UnknownProtocolError: the dataset has no such protocol.
        NothingToAskError: the database has no item of the dataset.
    """
    make = dataset.requests
    chosen = _protocols(dataset, protocols)
    items = make(db, chosen, Sample(limit, seed), **options) if make else []
    if not items:
        raise NothingToAskError(db.path, dataset.command)
    return items


def request_options(dataset: AnyDataset) -> list[str]:
    """Return the names of the options that a dataset's requests have of their own."""
    parameters = inspect.signature(dataset.requests).parameters if dataset.requests else {}
    return [
        name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY
    ]


def _protocols(dataset: AnyDataset, names: Sequence[str]) -> list[str]:
    for name in names:
        if all(name != protocol.name for protocol in dataset.protocols):
            known = [protocol.name for protocol in dataset.protocols]
            raise UnknownProtocolError(name, dataset.command, known)
    return [
        protocol.name
        for protocol in dataset.protocols
        if (protocol.name in names if names else not protocol.on_demand)
    ]


def send(dataset: AnyDataset, model: str, items: Sequence[ItemRequest], ask: Ask) -> Answers:
    """Send the requests about items, and return what came of them.

    Raises:
        NoAnswersError: no request was answered.
    """
    replies = ask([item.request for item in items])
    failures = [reply for reply in replies if isinstance(reply, Failure)]
    if len(failures) == len(items):
        raise NoAnswersError(len({item.item_id for item in items}), *failures[0])
    predictions = [
        item.prediction(dataset.name, model, reply)
        for item, reply in zip(items, replies, strict=True)
        if isinstance(reply, Reply)
    ]
    return Answers(predictions, failures)
