"""The command that scores models' answers."""

import click

from kgbuild.cli.scoring.biokalma import biokalma
from kgbuild.cli.scoring.granola import granola
from kgbuild.cli.scoring.syn_qa import syn_qa


@click.group(commands=[syn_qa, granola, biokalma])
def score() -> None:
    """Score models' answers to a dataset.

    \b
    Example:
      kgbuild score syn-qa answers.json
      kgbuild score granola answers.json --by relation
      kgbuild score biokalma answers.json --entailment MODEL
    """
