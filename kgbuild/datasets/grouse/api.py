"""Build the unit tests for judges of answers from the statements of a store."""

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from kgbuild.rows import Build, Built, Progress, no_progress

if TYPE_CHECKING:  # all of it is slow to import
    from kgbuild.datasets.building import BuildPart
    from kgbuild.datasets.grouse.build import Options
    from kgbuild.graph.knowledge import Knowledge
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
    from kgbuild.datasets import building
    from kgbuild.datasets.grouse.build import PEOPLE, Options
    from kgbuild.datasets.grouse.dataset import DATASET

    options = Options(limit, seed)
    return building.build(
        DATASET,
        store,
        {PEOPLE: PEOPLE},
        partial(_builder, options=options),
        asdict(options),
        progress=progress,
    )


def _builder(knowledge: "Knowledge", options: "Options") -> "BuildPart[str]":
    from kgbuild.catalog import catalog
    from kgbuild.datasets.biokalma.lexicon import lexicon
    from kgbuild.datasets.grouse.build import Builder

    builder = Builder(knowledge, catalog(), lexicon(), options)

    def build_part(_: str, progress: Progress) -> Built:
        return builder.build(progress)

    return build_part
