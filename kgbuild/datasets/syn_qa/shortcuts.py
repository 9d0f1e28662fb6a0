"""Find the pairs whose true question a trivial player can guess without knowledge of the world.

A player sees one feature of both questions. In other pairs, it counts how often each value of the
feature is in the true question and in the false question. It bets on the question whose values are
more frequent in true questions (naive Bayes). A pair that it wins may not need knowledge.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from kgbuild.datasets.syn_qa.names import name
from kgbuild.datasets.syn_qa.rows import assumed, perturbed_end
from kgbuild.english.normalize import fold
from kgbuild.rows import TRAIN

Row: TypeAlias = Mapping[str, Any]
"""A row of ``syn_qa_pairs``."""
_TIE = 1e-9
"""Differences of weights below this are rounding errors: both questions have the same weight."""


class Sides(NamedTuple):
    """The values of a feature in the true question of a pair, and in the false one."""

    true: frozenset[str]
    false: frozenset[str]


def _words(row: Row) -> Sides:
    """Return the words that only one of the questions has."""
    true, false = (frozenset(fold(row[name]).split()) for name in ("question", "false_question"))
    return Sides(true - false, false - true)


def _names(row: Row) -> Sides:
    """Return what the names of subject and object share in either question."""
    true, false = (
        str(name(row[f"{subject}_label"]).shared(name(row[f"{object_}_label"] or "")))
        for subject, object_ in (assumed(row, is_false) for is_false in (False, True))
    )
    return Sides(frozenset([true]), frozenset([false]))


def _popularity(row: Row) -> Sides:
    return _compare(row["popularity"], row["replacement_popularity"])


def _length(row: Row) -> Sides:
    return _compare(len(row["question"]), len(row["false_question"]))


def _compare(true: int, false: int) -> Sides:
    """Return how the number of the true question compares with the other one, and the reverse."""
    if true == false:
        return Sides(frozenset(["same"]), frozenset(["same"]))
    more, less = frozenset(["more"]), frozenset(["less"])
    return Sides(more, less) if true > false else Sides(less, more)


def _replaced(row: Row) -> Sides:
    ends = (perturbed_end(row), "replacement")
    true, false = (row[f"{end}_qid"] or row[f"{end}_label"] for end in ends)
    return Sides(frozenset([true]), frozenset([false]))


PLAYERS: dict[str, Callable[[Row], Sides]] = {
    "words": _words,
    "names": _names,
    "popularity": _popularity,
    "length": _length,
    "seen": _replaced,
}
"""The features of the players: the words of the questions; what the names of subject and object
share; which of the items that differ is more popular; which question is longer; their ids."""


class Player:
    """A trivial player, trained on the values of its feature in pairs."""

    def __init__(self, pairs: Iterable[Sides]):
        self._counts = Counter[str]()
        for sides in pairs:
            self._add(sides, 1)

    def _add(self, sides: Sides, number: int) -> None:
        """Add a number to the counts of values in true questions (key "+…") and false ("-…")."""
        for value in sides.true:
            self._counts[f"+{value}"] += number
        for value in sides.false:
            self._counts[f"-{value}"] += number

    def bet(self, sides: Sides, was_trained: bool = False) -> float:
        """Return 1 for a bet on the true question, 0 for the false question, 0.5 without a bet.

        If the player was trained on the pair, its own counts are left out.
        """
        if was_trained:
            self._add(sides, -1)
        margin = sum(map(self._weight, sides.true)) - sum(map(self._weight, sides.false))
        if was_trained:
            self._add(sides, 1)
        return 0.5 if abs(margin) < _TIE else float(margin > 0)

    def _weight(self, value: str) -> float:
        return math.log((self._counts[f"+{value}"] + 1) / (self._counts[f"-{value}"] + 1))


def shortcuts(rows: Sequence[Row]) -> list[list[str]]:
    """Return, for each pair, the players that win it.

    They train on the split for training, or without one on all other pairs.
    """
    wins: list[list[str]] = [[] for _ in rows]
    is_for_training = [row["split"] == TRAIN for row in rows]
    if not any(is_for_training):
        is_for_training = [True] * len(rows)
    for player_name, feature in PLAYERS.items():
        pairs = [*map(feature, rows)]
        player = Player(itertools.compress(pairs, is_for_training))
        for sides, was_trained, winners in zip(pairs, is_for_training, wins, strict=True):
            if player.bet(sides, was_trained) == 1:
                winners.append(player_name)
    return wins
