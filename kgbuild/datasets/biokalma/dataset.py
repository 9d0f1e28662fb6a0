"""BioKaLMA as one object: all that the rest of the program needs of it."""

from kgbuild.datasets.base import AnyDataset, Dataset, Protocol, package_folder
from kgbuild.datasets.biokalma import prompts, rows
from kgbuild.datasets.biokalma.api import build
from kgbuild.datasets.biokalma.requests import requests
from kgbuild.datasets.biokalma.scoring import SCORING
from kgbuild.datasets.biokalma.task import task
from kgbuild.datasets.biokalma.view import view

DATASET: AnyDataset = Dataset(
    name="biokalma",
    title="BioKaLMA",
    summary="Questions about two subjects, the minimum knowledge that answers them, and the pool "
    "of statements that it was chosen from.",
    unit="questions",
    tables=tuple(
        f"biokalma_{name}" for name in ("questions", "knowledge", "pool", "absent", "graphs")
    ),
    key="question_id",
    source_column="source",
    folder=package_folder("biokalma"),
    build=build,
    requests=requests,
    scoring=SCORING,
    task=task,
    reasons={
        **rows.FILE_REASONS,
        **rows.REASONS,
        **rows.KNOWLEDGE_REASONS,
        **rows.MODEL_REASONS,
    },
    part_reasons=(*rows.KNOWLEDGE_REASONS,),
    protocols=tuple(map(Protocol, prompts.PROTOCOLS)),
    view=view,
    shown_tables=("biokalma_questions", "biokalma_knowledge"),
)
