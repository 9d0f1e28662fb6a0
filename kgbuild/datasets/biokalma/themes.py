"""Choose what a question is about: at most two themes, in which much is known of both subjects."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from kgbuild.datasets.biokalma.evolve import Aspect
from kgbuild.rows import stable_id

_MAX_THEMES = 2
_ENOUGH_SHARED = 2
"""Number of topics of both subjects that is as good as a larger number."""


def choices(
    aspects: Sequence[Aspect],
    topic: Callable[[str], str],
    theme: Mapping[str, str],
    lacking: Mapping[str, int],
    seed: int,
) -> Iterator[list[Aspect]]:
    """Yield the aspects of one or two themes, the best choice first.

    ``topic`` returns the topic of a property, ``theme`` has the themes of topics. ``lacking`` is
    the minimum number of facts about each subject; if the subjects lack none, no theme is a choice,
    too. The best choice has two topics of both subjects; a hash of the seed and the subjects orders
    equal ones, so that different pairs have different themes.
    """
    by_theme: dict[str, list[Aspect]] = defaultdict(list)
    for aspect in aspects:
        by_theme[theme[topic(aspect.pid)]].append(aspect)
    options = [
        (themes, [aspect for name in themes for aspect in by_theme[name]])
        for count in range(_MAX_THEMES + 1)
        for themes in itertools.combinations(by_theme, count)
    ]

    def sort_key(option: tuple[tuple[str, ...], list[Aspect]]) -> tuple[int, bool, str]:
        themes, of_themes = option
        shared = {topic(aspect.pid) for aspect in of_themes if aspect.is_parallel}
        rank = stable_id("themes", str(seed), *lacking, *themes)
        return -min(len(shared), _ENOUGH_SHARED), not themes, rank

    for _, of_themes in sorted(options, key=sort_key):
        pieces = Counter(fact.qid for aspect in of_themes for fact in aspect.facts)
        if all(pieces[qid] >= count for qid, count in lacking.items()):
            yield of_themes
