"""The dataset GroUSE: unit tests for judges of answers. Its rows are not questions to models."""

from typing import TYPE_CHECKING

from kgbuild.calls import Count, Seed
from kgbuild.data_files import read_toml
from kgbuild.datasets.base import Dataset, package_folder
from kgbuild.rows import Build, Progress, no_progress

if TYPE_CHECKING:
    from kgbuild.graph.open import Store

LIMIT = 60
"""Default maximum number of subjects; each subject has a test of each type."""


def build(
    store: "Store",
    *,
    limit: Count = LIMIT,
    seed: Seed = 0,
    splits: bool = False,
    progress: Progress = no_progress,
) -> Build:
    """Build a test of each type for at most ``limit`` subjects, chosen by ``seed``.

    With ``splits``, most tests are in a split for training, otherwise nearly all are for testing.

    Raises:
        NothingBuiltError: no subject has enough facts for tests.
        DamagedStoreError: the store cannot be read.
    """
    from kgbuild.datasets import building  # slow to import
    from kgbuild.datasets.grouse.build import PEOPLE, CaseBuilder

    return building.build(
        DATASET,
        store,
        {PEOPLE: PEOPLE},  # one part, named by the class of its subjects
        lambda knowledge: (
            CaseBuilder(knowledge, limit, seed, splits).build
        ),  # the function that builds a part
        {"limit": limit, "seed": seed, "splits": splits},
        progress=progress,
    )


DATASET = Dataset(
    name="grouse",
    title="GroUSE",
    summary="Unit tests for judges of grounded answers: right ones, and some with one fault.",
    unit="tests",
    tables=("grouse_tests",),
    key="test_id",
    source_column="source",
    folder=package_folder("grouse"),
    build=build,
    reasons=read_toml("datasets/grouse/reasons.toml"),
)
