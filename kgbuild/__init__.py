"""Evaluation datasets for language models, built from a Wikidata dump: see docs/python.md.

Names are imported when they are first used, so ``import kgbuild`` is fast.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kgbuild.api import ask as ask
    from kgbuild.api import compare as compare
    from kgbuild.api import database as database
    from kgbuild.api import diff as diff
    from kgbuild.api import load as load
    from kgbuild.api import open as open  # noqa: A004
    from kgbuild.api import publish as publish
    from kgbuild.api import score as score
    from kgbuild.api import write_report as write_report
    from kgbuild.datasets.asking import ItemRequest as ItemRequest
    from kgbuild.datasets.asking import Sample as Sample
    from kgbuild.datasets.base import Dataset as Dataset
    from kgbuild.datasets.base import Protocol as Protocol
    from kgbuild.datasets.biokalma.dataset import DATASET as biokalma
    from kgbuild.datasets.granola.dataset import DATASET as granola
    from kgbuild.datasets.grouse.dataset import DATASET as grouse
    from kgbuild.datasets.scoring import Scores as Scores
    from kgbuild.datasets.scoring import Scoring as Scoring
    from kgbuild.datasets.syn_qa.dataset import DATASET as syn_qa
    from kgbuild.errors import KgbuildError as KgbuildError
    from kgbuild.graph.open import Store as Store
    from kgbuild.models.chat import Message as Message
    from kgbuild.models.chat import Request as Request
    from kgbuild.rows import Build as Build
    from kgbuild.rows import Built as Built
    from kgbuild.rows import Evidence as Evidence
    from kgbuild.rows import Provenance as Provenance
    from kgbuild.rows import Rejection as Rejection
    from kgbuild.tables.database import Database as Database

_NAMES = {
    "api": "ask compare database diff load open publish score write_report",
    "datasets.asking": "ItemRequest Sample",
    "datasets.base": "Dataset Protocol",
    "datasets.scoring": "Scores Scoring",
    "errors": "KgbuildError",
    "graph.open": "Store",
    "models.chat": "Message Request",
    "rows": "Build Built Evidence Provenance Rejection",
    "tables.database": "Database",
}
_MODULES = {name: f"kgbuild.{module}" for module, names in _NAMES.items() for name in names.split()}
_DATASETS = ("biokalma", "granola", "grouse", "syn_qa")

__all__ = ["__version__", *sorted({*_MODULES, *_DATASETS})]


def __getattr__(name: str) -> Any:
    if name in _DATASETS:
        value = importlib.import_module(f"kgbuild.datasets.{name}.dataset").DATASET
    elif name in _MODULES:
        value = getattr(importlib.import_module(_MODULES[name]), name)
    else:
        raise AttributeError(f"module 'kgbuild' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
