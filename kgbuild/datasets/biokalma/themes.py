"""Choose what a question is about: a theme in which much is known of both subjects, or two."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from kgbuild.datasets.biokalma.evolve import Aspect
from kgbuild.rows import stable_id

_MAX_THEMES = 2
_NO_THEME = _MAX_THEMES + 1
"""The rank of a question without themes, after those with them."""
_ENOUGH_SHARED = 2
"""Number of facts of each subject, of properties of both, that is as good as a larger number."""


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
    too. The best choice has two facts about each subject that one clause can ask for, then as few
    themes as possible; a hash of the seed and the subjects orders equal ones, so that different
    pairs have different themes.
    """
    by_theme: dict[str, list[Aspect]] = defaultdict(list)
    for aspect in aspects:
        by_theme[theme[topic(aspect.pid)]].append(aspect)
    options = [
        (themes, [aspect for name in themes for aspect in by_theme[name]])
        for count in range(_MAX_THEMES + 1)
        for themes in itertools.combinations(by_theme, count)
    ]

    def sort_key(option: tuple[tuple[str, ...], list[Aspect]]) -> tuple[int, int, str]:
        themes, of_themes = option
        parallel = (aspect.facts for aspect in of_themes if aspect.is_parallel)
        shared = min(Counter(fact.qid for facts in parallel for fact in facts).values(), default=0)
        rank = stable_id("themes", str(seed), *lacking, *themes)
        return -min(shared, _ENOUGH_SHARED), len(themes) or _NO_THEME, rank

    for _, of_themes in sorted(options, key=sort_key):
        pieces = Counter(fact.qid for aspect in of_themes for fact in aspect.facts)
        if all(pieces[qid] >= count for qid, count in lacking.items()):
            yield of_themes
