"""The dataset GroUSE: unit tests for judges of answers. No model answers its rows."""

from kgbuild.datasets.base import AnyDataset, Dataset, package_folder
from kgbuild.datasets.grouse import rows
from kgbuild.datasets.grouse.api import build

DATASET: AnyDataset = Dataset(
    name="grouse",
    title="GroUSE",
    summary="Unit tests for judges of grounded answers: right ones, and some with one fault.",
    unit="tests",
    tables=("grouse_tests",),
    key="test_id",
    source_column="source",
    folder=package_folder("grouse"),
    build=build,
    reasons=rows.REASONS,
)
