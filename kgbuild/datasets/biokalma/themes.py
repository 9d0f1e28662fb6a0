"""Choose what a question is about: a theme in which much is known of both subjects, or two.

The general question names the themes of the set of the specific one, or topics of them, and its set
has all that the pool has of both subjects for these names.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from kgbuild.datasets.biokalma.evolve import MAX_PARALLELS, Aspect
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.minimal import Minimality
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.rows import stable_id

_MAX_THEMES = 2
_NO_THEME = _MAX_THEMES + 1
"""The rank of a question without themes, after those with them."""
_ENOUGH_SHARED = 2
"""Number of facts of each subject, of properties of both, that is as good as a larger number."""
_MAX_OF_THEME = 6
"""Maximum number of facts about a subject that the name of a theme may ask for."""


class GeneralSet(NamedTuple):
    """What the general question names, by the id of the subject, and the facts it needs further."""

    names: dict[str, list[str]]
    further: list[Fact]


def choices(
    aspects: Sequence[Aspect],
    theme: Callable[[str], str],
    sizes: Mapping[str, int],
    lacking: Mapping[str, int],
    seed: int,
) -> Iterator[list[Aspect]]:
    """Yield the aspects of one or two themes, the best choice first.

    ``theme`` returns the theme of a property, and ``sizes`` has the number of properties of both
    subjects by theme. ``lacking`` is the minimum number of facts about each subject; if the
    subjects lack none, no theme is a choice, too. The best choice has two facts about each subject
    that one clause can ask for, then more properties than the specific question asks for, then as
    few themes as possible; a hash of the seed and the subjects orders equal ones, so that different
    pairs have different themes.
    """
    by_theme: dict[str, list[Aspect]] = defaultdict(list)
    for aspect in aspects:
        by_theme[theme(aspect.pid)].append(aspect)
    options = [
        (themes, [aspect for name in themes for aspect in by_theme[name]])
        for count in range(_MAX_THEMES + 1)
        for themes in itertools.combinations(by_theme, count)
    ]

    def sort_key(option: tuple[tuple[str, ...], list[Aspect]]) -> tuple[int, bool, int, str]:
        themes, of_themes = option
        parallel = (aspect.facts for aspect in of_themes if aspect.is_parallel)
        shared = min(Counter(fact.qid for facts in parallel for fact in facts).values(), default=0)
        is_small = sum(sizes[name] for name in themes) <= MAX_PARALLELS
        rank = stable_id("themes", str(seed), *lacking, *themes)
        return -min(shared, _ENOUGH_SHARED), is_small, len(themes) or _NO_THEME, rank

    for _, of_themes in sorted(options, key=sort_key):
        pieces = Counter(fact.qid for aspect in of_themes for fact in aspect.facts)
        if all(pieces[qid] >= count for qid, count in lacking.items()):
            yield of_themes


def generalise(
    lexicon: Lexicon,
    minimality: Minimality,
    knowledge: Sequence[Fact],
    joining: int,
    pool: Sequence[Fact],
) -> GeneralSet:
    """Return what the general question names, and the facts that only this question needs.

    The first ``joining`` facts of the set ``knowledge`` join the subjects; ``pool`` has the facts
    that the name of a theme can ask for. A name asks for the properties that all subjects have of
    whom the set has its theme, as far as the set stays minimal with them.
    """
    asked = sorted(knowledge[joining:], key=lambda fact: lexicon.wording(fact.pid, "").position)
    names: dict[str, list[str]] = defaultdict(list)
    further: list[Fact] = []
    for theme in dict.fromkeys(lexicon.theme(fact.pid) for fact in asked):
        facts = [fact for fact in asked if lexicon.theme(fact.pid) == theme]
        qids = {fact.qid for fact in facts}
        of_theme = [
            fact
            for fact in pool
            if fact.qid in qids and lexicon.theme(fact.pid) == theme and fact not in facts
        ]
        more = _of_all(qids, of_theme, facts)
        topics = {lexicon.topic(fact.pid) for fact in (*facts, *more)}
        size = max(Counter(fact.qid for fact in (*facts, *more)).values())
        name = lexicon.names.get(theme)
        is_named = name and size <= _MAX_OF_THEME and (len(topics) > 1 or not name.is_broad)
        name_of = partial(_name_of, lexicon, theme if is_named else None)
        named = dict.fromkeys((fact.qid, name_of(fact)) for fact in facts)
        for qid, own_name in named:
            names[qid].append(own_name)
        new: list[Fact] = []
        for fact in more:
            is_new = (fact.qid, name_of(fact)) in named
            if is_new and not minimality.redundant([*knowledge, *further, *new, fact]):
                new.append(fact)
        further += _of_all(qids, new, facts)
    return GeneralSet(names, further)


def _name_of(lexicon: Lexicon, theme: str | None, fact: Fact) -> str:
    """Return the name that asks for a fact: that of its theme, or else of its topic."""
    return theme or lexicon.topic(fact.pid)


def _of_all(qids: set[str], facts: Sequence[Fact], asked: Sequence[Fact]) -> list[Fact]:
    """Return the facts of properties that all of some subjects have, with those that are asked."""
    known = {(fact.qid, fact.pid) for fact in (*facts, *asked)}
    return [fact for fact in facts if all((qid, fact.pid) in known for qid in qids)]
