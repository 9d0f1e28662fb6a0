"""What a model is asked of a dataset: requests, and the predictions that replies become."""

from collections.abc import Iterable
from typing import NamedTuple

from kgbuild.models.replies import Reply, Request
from kgbuild.rows import shuffled, stable_id
from kgbuild.tables.records import Prediction


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
