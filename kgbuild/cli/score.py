"""The command that scores models' answers."""

import click

from kgbuild.cli.scoring.biokalma import biokalma
from kgbuild.cli.scoring.granola import granola
from kgbuild.cli.scoring.instruct_qa import instruct_qa
from kgbuild.cli.scoring.syn_qa import syn_qa


@click.group(commands=[syn_qa, granola, biokalma, instruct_qa])
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
