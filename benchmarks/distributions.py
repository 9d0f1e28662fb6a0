"""Measure how the values of people are distributed in a slice, for the generator of dumps.

Only quantiles are kept, no facts. A *hub curve* describes how often a few values occur: the
quantiles, over all statements, of log(rank) / log(number of values), where the most frequent value
has the rank 1. So it can be scaled to any number of values.
"""

import argparse
import gzip
import json
import math
import random
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

STEPS = 40
"""Number of intervals between the quantiles."""
PATH = Path(__file__).with_name("distributions.json")
PROPERTIES = ("P27", "P106", "P19", "P20", "P69", "P108", "P101", "P102", "P166", "P1412", "P1343")
"""Properties of people whose values the generator draws."""
_CHILD = "P40"
_LINE = re.compile(
    rb"<[^>]*/entity/Q(\d+)> <[^>]*/(?:prop/direct/(P\d+)> <[^>]*/entity/Q(\d+)>"
    rb'|rdf-schema#label> "([^"\\]*)"@en) \.\n'
)


class Distributions(NamedTuple):
    """The content of the file ``PATH``.

    ``counts`` has quantiles of the number of values of the people who have the property, ``hubs``
    hub curves of properties and of the parts of names. ``names`` has (factor, exponent) of the
    number of different names: factor · people^exponent.
    """

    source: str
    counts: dict[str, list[int]]
    hubs: dict[str, list[float]]
    names: dict[str, tuple[float, float]]

    def rank(self, name: str, size: int, u: float) -> int:
        """Return the rank, from 0, of a value out of ``size``; ``u`` is uniform below 1."""
        at, rest = divmod(u * STEPS, 1)
        low, high = self.hubs[name][int(at) : int(at) + 2]
        return min(int((size + 1) ** (low + (high - low) * rest)), size) - 1

    def draw_count(self, name: str, u: float) -> int:
        """Return the number of values of a person; ``u`` is uniform below 1."""
        quantiles = self.counts[name]
        return quantiles[int(u * len(quantiles))]


def read(path: Path = PATH) -> Distributions:
    """Return the distributions in a file."""
    return Distributions(**json.loads(path.read_text()))


def measure(slice_: Path) -> Distributions:
    """Measure the people in a slice."""
    values: defaultdict[bytes, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    labels: dict[bytes, str] = {}
    with gzip.open(slice_) as file:
        for line in file:
            if match := _LINE.match(line):
                item, pid, value, label = match.groups()
                if pid:
                    values[item][pid.decode()].append(int(value))
                else:
                    labels[item] = label.decode()
    people = [item for item, statements in values.items() if 5 in statements["P31"]]
    names = [labels[item].split() for item in people if " " in labels.get(item, "")]
    parts = {"given": [words[0] for words in names], "family": [words[-1] for words in names]}
    return Distributions(
        source=f"{len(people):,} people in a slice of Wikidata; python -m benchmarks.distributions",
        counts={
            pid: _quantiles([len(values[item][pid]) for item in people if values[item][pid]])
            for pid in (*PROPERTIES, _CHILD)
        },
        hubs={
            pid: _hub_curve(value for item in people for value in values[item][pid])
            for pid in PROPERTIES
        }
        | {part: _hub_curve(words) for part, words in parts.items()},
        names={part: _growth(words) for part, words in parts.items()},
    )


def _quantiles(numbers: Iterable[int]) -> list[int]:
    """Return the quantiles of numbers: the middle of each of equal parts."""
    ordered = sorted(numbers)
    return [ordered[int((n + 0.5) * len(ordered) / STEPS)] for n in range(STEPS)]


def _hub_curve(values: Iterable[object]) -> list[float]:
    """Return the hub curve of values, one for each statement."""
    counts = [count for _, count in Counter(values).most_common()]
    ends = [0]
    for count in counts:
        ends.append(ends[-1] + count)
    positions = (ends[-1] * n / STEPS for n in range(1, STEPS))
    ranks = [1, *(bisect_right(ends, position) for position in positions), len(counts)]
    return [round(math.log(rank) / math.log(max(len(counts), 2)), 3) for rank in ranks]


def _growth(words: Sequence[str]) -> tuple[float, float]:
    """Fit the number of different words to factor · words^exponent (Heaps' law)."""
    shuffled = random.Random(0).sample(words, len(words))
    tenth = len(shuffled) // 10
    few, many = len({*shuffled[:tenth]}), len({*shuffled})
    exponent = math.log(many / few) / math.log(len(shuffled) / tenth)
    return round(many / len(shuffled) ** exponent, 3), round(exponent, 3)


def main() -> None:
    """Measure a slice, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.distributions", description=__doc__)
    parser.add_argument("slice", type=Path)
    measured = measure(parser.parse_args().slice)._asdict()
    lines = ",\n".join(
        f" {json.dumps(key)}: {json.dumps(value)}" for key, value in measured.items()
    )
    PATH.write_text("{\n" + lines.replace("], ", "],\n  ") + "\n}\n")


if __name__ == "__main__":
    main()
