"""Syn-(QA)² as one object: all that the rest of the program needs of it."""

from kgbuild.datasets.base import Dataset, Protocol, package_folder
from kgbuild.datasets.syn_qa import prompts, rows
from kgbuild.datasets.syn_qa.api import build
from kgbuild.datasets.syn_qa.hotpotqa import reasons as hotpotqa
from kgbuild.datasets.syn_qa.requests import requests
from kgbuild.datasets.syn_qa.scoring import SCORING
from kgbuild.datasets.syn_qa.task import task
from kgbuild.datasets.syn_qa.verification.api import verify
from kgbuild.datasets.syn_qa.view import view

DATASET = Dataset(
    name="syn_qa",
    title="Syn-(QA)²",
    summary="Minimal pairs: the same question about a subject of which a relation holds, and about "
    "a similar item of which it does not.",
    unit="pairs",
    tables=("syn_qa_pairs",),
    key="pair_id",
    source_column="relation",
    folder=package_folder("syn_qa"),
    build=build,
    requests=requests,
    scoring=SCORING,
    task=task,
    reasons={**hotpotqa.REASONS, **rows.REASONS},
    protocols=(
        *map(Protocol, prompts.DETECTION),
        Protocol(prompts.WITH_EVIDENCE, on_demand=True),
        Protocol(prompts.WITH_SEARCH, on_demand=True),
        Protocol(prompts.GENERATIVE),
    ),
    verify=verify,
    view=view,
    shown_tables=("syn_qa_pairs",),
)
