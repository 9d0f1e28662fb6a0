"""Gold answers: the exact answers to a question."""

from dataclasses import dataclass

from kgbuild.datasets.granola.classes import Path


@dataclass(frozen=True)
class Gold:
    """A gold answer: its names, its item if there is one, and the triples that state it."""

    names: tuple[str, ...]
    qid: str | None = None
    evidence: Path = ()
