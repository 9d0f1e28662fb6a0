"""Build the unit tests for judges of answers from the statements of a store."""

from typing import TYPE_CHECKING

from kgbuild.rows import Build, Progress, no_progress

if TYPE_CHECKING:
    from kgbuild.graph.open import Store

LIMIT = 60


def build(
    store: "Store", *, limit: int = LIMIT, seed: int = 0, progress: Progress = no_progress
) -> Build:
    """Build a test of each type about at most ``limit`` subjects, ordered by ``seed``.

    Raises:
        NothingBuiltError: there is no test.
        DamagedStoreError: the store cannot be read.
    """
    from kgbuild.datasets import building  # these modules are slow to import
    from kgbuild.datasets.grouse.build import PEOPLE, Builder
    from kgbuild.datasets.grouse.dataset import DATASET

    return building.build(
        DATASET,
        store,
        {PEOPLE: PEOPLE},
        lambda knowledge: Builder(knowledge, limit, seed).build,
        {"limit": limit, "seed": seed},
        progress=progress,
    )
