"""The command that scores models' answers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from kgbuild.cli.lazy import LazyGroup
from kgbuild.datasets import own_datasets

if TYPE_CHECKING:
    from kgbuild.cli.models.scoring.common import ScoreCall
    from kgbuild.datasets.base import AnyDataset

_SECTIONS = {
    "Commands": {
        "syn-qa": ("models.scoring.syn_qa", "Score the detection of false assumptions."),
        "granola": ("models.scoring.granola", "Score answers at every granularity."),
        "biokalma": ("models.scoring.biokalma", "Score how answers cite knowledge."),
        "instruct-qa": (
            "models.scoring.instruct_qa",
            "Score any answers against references and knowledge.",
        ),
    }
}


def _own_commands() -> Mapping[str, click.Command]:
    return {dataset.command: _own_command(dataset) for dataset in own_datasets() if dataset.scoring}


def _own_command(dataset: "AnyDataset") -> click.Command:
    from kgbuild.cli.models.scoring.common import score_options

    if dataset.scoring is None:
        raise TypeError(f"{dataset.name} has no scoring")

    @score_options(dataset.scoring)
    def run(asked: "ScoreCall") -> None:
        asked.score(asked.read(dataset))

    return click.command(dataset.command, help=f"Score answers to {dataset.title}.")(run)


@click.group(cls=LazyGroup, sections=_SECTIONS, own=_own_commands)
def score() -> None:
    """Score models' answers to a dataset.

    \b
    Example:
      kgbuild score syn-qa
      kgbuild score syn-qa answers.json --compare
      kgbuild score granola answers.json --by relation
      kgbuild score biokalma answers.json --entailment MODEL
      kgbuild score instruct-qa answers.json
    """
