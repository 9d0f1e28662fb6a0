"""The command that scores models' answers."""

import click

from kgbuild.cli import own
from kgbuild.cli.lazy import LazyGroup

_SECTIONS = {
    "Commands": {
        "syn-qa": (
            "kgbuild.cli.models.scoring.syn_qa",
            "Score the detection of false assumptions.",
        ),
        "granola": ("kgbuild.cli.models.scoring.granola", "Score answers at every granularity."),
        "biokalma": ("kgbuild.cli.models.scoring.biokalma", "Score how answers cite knowledge."),
        "instruct-qa": (
            "kgbuild.cli.models.scoring.instruct_qa",
            "Score any answers against references and knowledge.",
        ),
    }
}


@click.group(cls=LazyGroup, sections=_SECTIONS, own=own.score_commands)
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
