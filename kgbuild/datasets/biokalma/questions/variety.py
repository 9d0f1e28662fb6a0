"""Measure how much the questions of a build differ in their wording."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kgbuild.rows import Row

_MOST = 10
"""Number of the most frequent shapes and openings whose share is told."""
_VERB = re.compile(r"\b(?:was|were|is|are|did|do|does|has|have)\b")
_END_OF_OPENING = re.compile(r"[,?]")


class Variety(NamedTuple):
    """The variety of questions.

    A shape is a question without the names of its subjects and without tenses, an opening its first
    clause. ``entropy`` is that of the shapes, in bits; ``shapes``, ``openings`` and ``opening`` are
    the shares of the ten most frequent shapes, of the ten openings, and of the most frequent one.
    """

    entropy: float
    shapes: float
    openings: float
    opening: float


def variety(questions: Iterable[Row], column: str) -> Variety:
    """Return the variety of rows of biokalma_questions in one of the columns of questions."""
    shapes = [_shape(row[column], [one["label"] for one in row["subjects"]]) for row in questions]
    openings = Counter(_END_OF_OPENING.split(shape)[0] for shape in shapes)
    counts = Counter(shapes)
    total = len(shapes)
    entropy = -math.fsum(n / total * math.log2(n / total) for n in counts.values())
    return Variety(entropy, _share(counts, _MOST), _share(openings, _MOST), _share(openings, 1))


def _share(counts: Counter[str], most: int) -> float:
    return sum(count for _, count in counts.most_common(most)) / counts.total()


def _shape(question: str, names: Sequence[str]) -> str:
    """Return a question without names and tenses.

    >>> _shape("How were Ann and Bo Lind related? Where did Ann live?", ["Ann Lind", "Bo Lind"])
    'How _ X and X related? Where _ X live?'
    """
    words = sorted({word for name in names for word in (name, *name.split())}, key=len)
    longest_first = "|".join(map(re.escape, reversed(words)))
    masked = re.sub(rf"(?:(?<!\w)(?:{longest_first})(?!\w)[ .]?)+", "X ", question)
    return " ".join(_VERB.sub("_", re.sub(r" (?=[,?'’])", "", masked)).split())
