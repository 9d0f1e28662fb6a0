"""Ask language models the questions of a dataset: make requests, and turn replies into rows.

A *protocol* is a way to ask about an item, such as with or without an example in the prompt.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.calls import call_with_options
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.item_requests import ItemRequest, Sample
from kgbuild.errors import KgbuildError, WrongCallError, unknown_choice, wrong_dataset
from kgbuild.models.chat import LOCAL, Failure, Reply, Request, no_answers
from kgbuild.tables.records import Prediction

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

Ask: TypeAlias = Callable[[Sequence[Request]], Sequence[Reply | Failure]]
"""Asks a model; returns a reply or a failure for each request, in the same order."""


class Grader(NamedTuple):
    """A model that judges answers: its name, and a function that asks it.

    ``tell`` is called with the reasons why answers have no grade.
    """

    name: str
    ask: Ask
    tell: Callable[[Sequence[Failure]], None] = lambda _: None


class Answers(NamedTuple):
    """The rows of a model's replies, and the failures of requests without a reply."""

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

    ``protocols`` are by default all protocols that are not on demand. ``limit`` is the maximum
    number of items, chosen by ``seed``. ``request_options`` returns the names of the ``options``
    that the dataset has.

    Raises:
        WrongCallError: the dataset has no requests, or no such protocol or option.
        KgbuildError: the database has no item of the dataset.
    """
    choices = [protocol.name for protocol in dataset.protocols]
    for name in protocols:
        if name not in choices:
            raise unknown_choice(dataset.command, "protocol", name, choices)
    chosen_protocols = [
        protocol.name
        for protocol in dataset.protocols
        if (protocol.name in protocols if protocols else not protocol.on_demand)
    ]
    if dataset.requests is None:
        raise wrong_dataset(dataset.name, "it has no requests, so no model can be asked")
    items = call_with_options(
        dataset.command, dataset.requests, db, chosen_protocols, Sample(limit, seed), **options
    )
    if not items:
        raise KgbuildError(
            f"{db.path} has no questions of {dataset.command}, or none that these options "
            f"select. Build them: {dataset.user_command()}."
        )
    return items


def request_options(dataset: AnyDataset) -> list[str]:
    """Return the options of ``Dataset.requests``: its keyword-only parameters, by name."""
    parameters = inspect.signature(dataset.requests).parameters if dataset.requests else {}
    return [
        name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY
    ]


def send(dataset: AnyDataset, model: str, items: Sequence[ItemRequest], ask: Ask) -> Answers:
    """Send the requests to ``model`` by ``ask``, and return the rows and the failures.

    Raises:
        KgbuildError: no request was answered.
        WrongCallError: a protocol needs likelihoods, which no server tells.
    """
    if not model.startswith(LOCAL) and any(item.request.choices for item in items):
        raise WrongCallError(
            f"This protocol needs likelihoods, so a model on this machine: --model {LOCAL}FOLDER."
        )
    replies = ask([item.request for item in items])
    failures = [reply for reply in replies if isinstance(reply, Failure)]
    if len(failures) == len(items):
        raise no_answers(len({item.item_id for item in items}), failures[0])
    predictions = [
        item.prediction(dataset.name, model, reply)
        for item, reply in zip(items, replies, strict=True)
        if isinstance(reply, Reply)
    ]
    return Answers(predictions, failures)
