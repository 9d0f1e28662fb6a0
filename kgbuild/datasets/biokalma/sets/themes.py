"""Choose what a question is about: a theme in which much is known of both subjects, or two.

The general question names the themes of the set of the specific one, or topics of them, and its set
has all that the pool has of both subjects for these names.
"""

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.biokalma.questions.lexicon import Lexicon
from kgbuild.datasets.biokalma.sets.evolve import MAX_PARALLELS, AskedProperty
from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.rows import stable_id

_MAX_THEMES = 2
_NO_THEME = _MAX_THEMES + 1
"""The rank of a question without themes, after those with them."""
_ENOUGH_SHARED = 2
"""Number of pieces of each subject, of properties of both, that is as good as a larger number."""
_MAX_OF_THEME = (6, 10, 10)
"""Maximum number of pieces about a subject that the name of a theme of each width may ask for.

The widths are a theme, the life or the work, all that is known."""
NARROW, *_ = WIDTHS = range(len(_MAX_OF_THEME))


class GeneralSet(NamedTuple):
    """What the general question names, by the id of the subject, and its further pieces."""

    names: dict[str, list[str]]
    further: list[Piece]


def choices(
    lexicon: Lexicon,
    candidates: Sequence[AskedProperty],
    sizes: Mapping[str, int],
    lacking: Mapping[str, int],
    seed: int,
    opening: str,
) -> Iterator[list[AskedProperty]]:
    """Yield the candidates of one or two themes, the best choice first.

    ``sizes`` has the number of properties of both subjects by theme. ``lacking`` is the minimum
    number of pieces about each subject; if the subjects lack none, no theme is a choice, too.
    ``opening`` is the theme of what joins the subjects. The best choice has two pieces about each
    subject that one clause can ask for, is about their lives or about their work, has more
    properties than the specific question asks for, and as few themes as possible; a hash of the
    seed and the subjects orders equal ones, so that different pairs have different themes.
    """
    by_theme: dict[str, list[AskedProperty]] = defaultdict(list)
    for candidate in candidates:
        by_theme[lexicon.theme(candidate.pid)].append(candidate)
    options = [
        (themes, [candidate for name in themes for candidate in by_theme[name]])
        for count in range(_MAX_THEMES + 1)
        for themes in itertools.combinations(by_theme, count)
        if _is_one_question(lexicon, (opening, *themes))
    ]

    def sort_key(option: tuple[tuple[str, ...], list[AskedProperty]]) -> tuple[int | str, ...]:
        themes, of_themes = option
        parallel = (candidate.pieces for candidate in of_themes if candidate.is_parallel)
        shared = min(
            Counter(piece.qid for pieces in parallel for piece in pieces).values(), default=0
        )
        is_small = sum(sizes[name] for name in themes) <= MAX_PARALLELS
        sides = len({*map(lexicon.wider, themes)})
        rank = stable_id("themes", str(seed), *lacking, *themes)
        return -min(shared, _ENOUGH_SHARED), sides, is_small, len(themes) or _NO_THEME, rank

    for _, of_themes in sorted(options, key=sort_key):
        pieces = Counter(piece.qid for candidate in of_themes for piece in candidate.pieces)
        if all(pieces[qid] >= count for qid, count in lacking.items()):
            yield of_themes


def _is_one_question(lexicon: Lexicon, themes: Sequence[str]) -> bool:
    """Return whether clauses about themes belong together: see ``unmixed`` in themes.toml."""
    return len({*map(lexicon.wider, themes)}) == 1 or not any(
        lexicon.names[theme].is_unmixed for theme in themes if theme in lexicon.names
    )


def generalise(
    lexicon: Lexicon,
    minimality: Minimality,
    joining: int,
    pool: Sequence[Piece],
    knowledge: Sequence[Piece],
    width: int,
) -> GeneralSet:
    """Return what the general question names, and the pieces that only this question needs.

    It names themes of a ``width``, from 0: see ``Lexicon.theme``.

    The first ``joining`` pieces of the set ``knowledge`` join the subjects; ``pool`` has the pieces
    that the name of a theme can ask for. A name asks for the properties that all subjects have of
    whom the set has its theme, as far as the set stays minimal with them.
    """
    asked = sorted(knowledge[joining:], key=lambda piece: lexicon.wording(piece.pid).position)
    names: dict[str, list[str]] = defaultdict(list)
    further: list[Piece] = []
    theme_of = functools.partial(lexicon.theme, width=width)
    for theme in dict.fromkeys(theme_of(piece.pid) for piece in asked):
        pieces = [piece for piece in asked if theme_of(piece.pid) == theme]
        qids = {piece.qid for piece in pieces}
        of_theme = [
            piece
            for piece in pool
            if piece.qid in qids and theme_of(piece.pid) == theme and piece not in pieces
        ]
        more: list[Piece] = []
        for piece in _of_all(qids, minimality.finest(of_theme), pieces):
            if not minimality.redundant([*knowledge, *further, *more], [piece]):
                more.append(piece)
        more = _of_all(qids, more, pieces)
        name = lexicon.names.get(theme)
        topics = {lexicon.topic(piece.pid) for piece in (*pieces, *more)}
        size = max(Counter(piece.qid for piece in (*pieces, *more)).values())
        if name and size <= _MAX_OF_THEME[width] and (len(topics) > 1 or not name.is_broad):
            named = dict.fromkeys((piece.qid, theme) for piece in pieces)
            further += more
        else:
            named = dict.fromkeys((piece.qid, lexicon.topic(piece.pid)) for piece in pieces)
            further += [one for one in more if (one.qid, lexicon.topic(one.pid)) in named]
        for qid, own_name in named:
            names[qid].append(own_name)
    # What joins the subjects may be of a theme, too.
    return GeneralSet(names, [piece for piece in further if piece not in knowledge])


def _of_all(qids: set[str], pieces: Sequence[Piece], asked: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of properties that all of some subjects have, with those that are asked."""
    known = {(piece.qid, piece.pid) for piece in (*pieces, *asked)}
    return [piece for piece in pieces if all((qid, piece.pid) in known for qid in qids)]
