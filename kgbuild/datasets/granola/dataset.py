"""GRANOLA as one object: all that the rest of the program needs of it."""

from kgbuild.datasets.base import AnyDataset, Dataset, Protocol, package_folder
from kgbuild.datasets.granola import prompts, question_files, resolve, rows
from kgbuild.datasets.granola.api import build
from kgbuild.datasets.granola.requests import requests
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
    build=build,
    reasons={**question_files.REASONS, **resolve.REASONS, **rows.REASONS, **rows.ANSWER_REASONS},
    part_reasons=(*rows.ANSWER_REASONS,),
    protocols=(
        *map(Protocol, prompts.INSTRUCTIONS),
        Protocol(prompts.SAMPLED, on_demand=True),
    ),
    view=view,
    shown_tables=("granola_questions", "granola_answers"),
)
