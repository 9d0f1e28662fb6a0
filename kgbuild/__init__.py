"""Evaluation datasets for language models, built from a Wikidata dump: see docs/python.md.

Names are imported when they are first used, so ``import kgbuild`` is fast.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kgbuild.api import ask, compare, database, diff, load, publish, score, write_report
    from kgbuild.api import open as open  # noqa: A004
    from kgbuild.datasets.base import Dataset, Protocol
    from kgbuild.datasets.biokalma.dataset import DATASET as biokalma
    from kgbuild.datasets.granola.dataset import DATASET as granola
    from kgbuild.datasets.grouse.dataset import DATASET as grouse
    from kgbuild.datasets.item_requests import ItemRequest, Sample
    from kgbuild.datasets.scoring import Scores, Scoring
    from kgbuild.datasets.syn_qa.dataset import DATASET as syn_qa
    from kgbuild.datasets.syn_qa.falsity.assessment import Assessment, assess
    from kgbuild.errors import KgbuildError
    from kgbuild.graph.open import Store
    from kgbuild.models.chat import Message, Request
    from kgbuild.models.settings import Settings
    from kgbuild.rows import Build, Built, Evidence, Provenance, Rejection
    from kgbuild.tables.database import Database

__all__ = ["__version__", "biokalma", "granola", "grouse", "syn_qa"]
__all__ += ["ask", "compare", "database", "diff", "load", "open", "publish", "score"]
__all__ += ["Build", "Built", "Database", "Dataset", "Evidence", "ItemRequest", "write_report"]
__all__ += ["KgbuildError", "Message", "Protocol", "Provenance", "Rejection", "Request", "Sample"]
__all__ += ["Assessment", "Scores", "Scoring", "Settings", "Store", "assess"]

_NAMES = {
    "api": "ask compare database diff load open publish score write_report",
    "datasets.item_requests": "ItemRequest Sample",
    "datasets.base": "Dataset Protocol",
    "datasets.scoring": "Scores Scoring",
    "datasets.syn_qa.falsity.assessment": "Assessment assess",
    "errors": "KgbuildError",
    "graph.open": "Store",
    "models.chat": "Message Request",
    "models.settings": "Settings",
    "rows": "Build Built Evidence Provenance Rejection",
    "tables.database": "Database",
}
_MODULES = {name: f"kgbuild.{module}" for module, names in _NAMES.items() for name in names.split()}
_DATASETS = ("biokalma", "granola", "grouse", "syn_qa")


def __getattr__(name: str) -> Any:
    if name in _DATASETS:
        value = importlib.import_module(f"kgbuild.datasets.{name}.dataset").DATASET
    elif name in _MODULES:
        value = getattr(importlib.import_module(_MODULES[name]), name)
        if callable(value) and not isinstance(value, type):
            value = importlib.import_module("kgbuild.calls").checked(value)
    else:
        raise AttributeError(f"module 'kgbuild' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
