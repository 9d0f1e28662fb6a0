"""An answer with its references and its knowledge, and its metrics."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

Measured: TypeAlias = dict[str, float]
"""The metrics of an answer by name, without those whose inputs are missing."""


class GroundedAnswer(NamedTuple):
    """A model's answer, and the texts it is compared with; empty where the file has none."""

    prediction: str
    references: Sequence[str]
    knowledge: Sequence[str]
    question: str
