"""Choose what a question is about: at most two themes that its two subjects have in common."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from kgbuild.datasets.biokalma.evolve import MIN_PIECES, Aspect
from kgbuild.rows import stable_id

_MAX_THEMES = 2
_MANY_PARALLELS = 2
"""Number of aspects of both subjects that are as good as more of them."""


def choices(
    aspects: Sequence[Aspect], theme: Callable[[str], str], subjects: Sequence[str], seed: int
) -> Iterator[list[Aspect]]:
    """Yield the aspects of one or two themes, the best choice first.

    ``theme`` returns the theme of a property. Each subject has at least two facts in a choice. The
    best choice has two aspects of both subjects, then one theme rather than two; a hash of the
    seed and the subjects orders the others, so that different pairs have different themes.
    """
    by_theme: dict[str, list[Aspect]] = defaultdict(list)
    for aspect in aspects:
        by_theme[theme(aspect.pid)].append(aspect)
    options = [
        (themes, [aspect for name in themes for aspect in by_theme[name]])
        for count in range(1, _MAX_THEMES + 1)
        for themes in itertools.combinations(by_theme, count)
    ]

    def sort_key(option: tuple[tuple[str, ...], list[Aspect]]) -> tuple[int, int, str]:
        themes, of_themes = option
        parallel = sum(aspect.is_parallel for aspect in of_themes)
        rank = stable_id("themes", str(seed), *subjects, *themes)
        return -min(parallel, _MANY_PARALLELS), len(themes), rank

    for _, of_themes in sorted(options, key=sort_key):
        pieces = Counter(fact.qid for aspect in of_themes for fact in aspect.facts)
        if all(pieces[qid] >= MIN_PIECES for qid in subjects):
            yield of_themes
