"""The tasks of GRANOLA for lm-evaluation-harness."""

from typing import TYPE_CHECKING

from kgbuild.datasets.granola import prompts
from kgbuild.datasets.tasks import QUESTION, Task

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


def task(_db: "Database") -> Task:
    """Return the tasks: the prompts of all protocols with one answer."""
    from kgbuild.datasets.granola.lm_eval_task import METRICS

    return Task(
        prompts={
            protocol: prompts.request(protocol, QUESTION).messages[0].content
            for protocol in prompts.INSTRUCTIONS
        },
        target="!function utils.target",
        metrics=METRICS,
        lower_is_better=("abstained",),
    )
