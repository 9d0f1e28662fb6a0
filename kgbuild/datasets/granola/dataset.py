"""GRANOLA as one object: all that the rest of the program needs of it."""

from kgbuild.datasets.base import AnyDataset, Dataset, Protocol, package_folder
from kgbuild.datasets.granola import prompts, reasons
from kgbuild.datasets.granola.api import build
from kgbuild.datasets.granola.requests import requests
from kgbuild.datasets.granola.scoring import SCORING
from kgbuild.datasets.granola.task import task
from kgbuild.datasets.granola.view import view

DATASET: AnyDataset = Dataset(
    name="granola",
    title="GRANOLA",
    summary="Questions with answers at every granularity: the finest first, each coarser one at a "
    "level of its own.",
    unit="questions",
    tables=("granola_questions", "granola_answers"),
    key="question_id",
    source_column="source",
    folder=package_folder("granola"),
    requests=requests,
    task=task,
    build=build,
    scoring=SCORING,
    reasons={
        **reasons.RECORD_REASONS,
        **reasons.NAME_REASONS,
        **reasons.QUESTION_REASONS,
        **reasons.ANSWER_REASONS,
    },
    part_reasons=(*reasons.ANSWER_REASONS,),
    protocols=(
        *map(Protocol, prompts.INSTRUCTIONS),
        Protocol(prompts.SAMPLED, on_demand=True),
    ),
    view=view,
    shown_tables=("granola_questions", "granola_answers"),
)
