"""Trivial players: they tell the true question of a pair without any knowledge of the world.

A player sees one feature of both questions. It counts, in other pairs, how often each value of the
feature stood in the true question and how often in the false one, and bets on the question whose
values stood more often in true ones (naive Bayes). A pair that a player wins may be won without
knowledge.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from kgbuild.datasets.syn_qa.names import name
from kgbuild.english.normalize import fold

Row: TypeAlias = Mapping[str, Any]
"""A row of ``syn_qa_pairs``."""
TRAIN = "train"


class Sides(NamedTuple):
    """The values of a feature in the true question of a pair, and in the false one."""

    true: frozenset[str]
    false: frozenset[str]


def _words(row: Row) -> Sides:
    true, false = (frozenset(fold(row[name]).split()) for name in ("question", "false_question"))
    return Sides(true - false, false - true)


def _names(row: Row) -> Sides:
    object_name = name(row["object_label"] or "")
    columns = ("subject_label", "replacement_label")
    return Sides(*(frozenset([str(name(row[column]).shared(object_name))]) for column in columns))


def _popularity(row: Row) -> Sides:
    return _compared(row["popularity"], row["replacement_popularity"])


def _length(row: Row) -> Sides:
    return _compared(len(row["question"]), len(row["false_question"]))


def _compared(true: int, false: int) -> Sides:
    names = ("more", "same", "less")
    order = (true > false) - (true < false)
    return Sides(frozenset([names[1 - order]]), frozenset([names[1 + order]]))


def _seen(row: Row) -> Sides:
    return Sides(
        frozenset([row["subject_qid"] or row["subject_label"]]),
        frozenset([row["replacement_qid"] or row["replacement_label"]]),
    )


PLAYERS: dict[str, Callable[[Row], Sides]] = {
    "words": _words,
    "names": _names,
    "popularity": _popularity,
    "length": _length,
    "seen": _seen,
}
"""The features of the players: the words of the questions; what the names of subject and object
share; which subject is more popular; which question is longer; the subjects themselves."""


class Player:
    """A trivial player, trained on pairs."""

    def __init__(self, feature: Callable[[Row], Sides], rows: Iterable[Row]):
        self._feature = feature
        self._counts = Counter[str]()
        for row in rows:
            self._add(feature(row), 1)

    def _add(self, sides: Sides, number: int) -> None:
        for value in sides.true:
            self._counts[f"+{value}"] += number
        for value in sides.false:
            self._counts[f"-{value}"] += number

    def bet(self, row: Row, was_trained: bool = False) -> float:
        """Return 1 if the player picks the true question, 0 if the false one, else 0.5.

        A pair that the player was trained on does not count in its own bet.
        """
        sides = self._feature(row)
        if was_trained:
            self._add(sides, -1)
        margin = sum(map(self._weight, sides.true)) - sum(map(self._weight, sides.false))
        if was_trained:
            self._add(sides, 1)
        return 0.5 if abs(margin) < 1e-9 else float(margin > 0)

    def _weight(self, value: str) -> float:
        return math.log((self._counts[f"+{value}"] + 1) / (self._counts[f"-{value}"] + 1))


def shortcuts(rows: Sequence[Row]) -> list[list[str]]:
    """Return, for each pair, the players that win it after training on the train split."""
    wins: list[list[str]] = [[] for _ in rows]
    for player_name, feature in PLAYERS.items():
        player = Player(feature, (row for row in rows if row["split"] == TRAIN))
        for row, of_row in zip(rows, wins, strict=True):
            if player.bet(row, row["split"] == TRAIN) == 1:
                of_row.append(player_name)
    return wins
