"""Requests about items of a dataset, and a sample of these items."""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

from kgbuild.models.chat import Reply, Request
from kgbuild.rows import shuffled, stable_id
from kgbuild.tables.records import Prediction


class Sample(NamedTuple):
    """A random sample of at most ``limit`` items (None: all), chosen by ``seed``.

    With the same seed, a larger limit only adds items.
    """

    limit: int | None = None
    seed: int = 0

    def choose(self, ids: Iterable[str]) -> list[str]:
        """Return the chosen ids in random order, so that every prefix is a fair sample."""
        return shuffled(ids, lambda item_id: (item_id,), self.seed)[: self.limit]


class ItemRequest(NamedTuple):
    """A request about an item (a row) of a dataset, with columns of the table ``predictions``.

    ``false_assumption`` selects one of the two questions of a Syn-(QA)² pair. ``removed`` and
    ``accuracy`` say which facts a BioKaLMA prompt shows: how many needed facts were removed, and
    the percentage of subjects with their own facts. ``fields`` are the placeholders of a prompt
    that a user writes, as pairs (name, text).
    """

    item_id: str
    protocol: str
    request: Request
    false_assumption: bool | None = None
    removed: int | None = None
    accuracy: int | None = None
    fields: tuple[tuple[str, str], ...] = ()

    def prediction(self, dataset: str, model: str, reply: Reply) -> Prediction:
        """Return the row of a reply in ``predictions``."""
        told = reply._asdict()
        return Prediction(
            dataset=dataset,
            item_id=self.item_id,
            false_assumption=self.false_assumption,
            model=model,
            protocol=self.protocol,
            removed=self.removed,
            accuracy=self.accuracy,
            sample=self.request.sample,  # the number of the repetition of this request
            prompt_hash=stable_id(*itertools.chain.from_iterable(self.request.messages)),
            server_model=told.pop("model"),
            **told,
        )
