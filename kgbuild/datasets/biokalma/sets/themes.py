"""Choose what a question is about: one thought of which much is known of both subjects.

The general question names the theme of the set of the specific one, or a wider one, and its set has
all that the pool has of both subjects for it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.sets.candidates import MAX_VALUES
from kgbuild.datasets.biokalma.sets.evolve import MIN_PIECES, AskedProperty
from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.rows import stable_id

_MAX_OF_THEME = (6, 12, 12, 12)
"""Maximum number of pieces about a subject that the name of a theme of each width may ask for.

The widths are a theme, the life or the work, both of them, all that is known."""
WIDTHS_OF_PEOPLE, WIDTHS_OF_THINGS = (0, 1, 2), (0, 3)


class GeneralSet(NamedTuple):
    """The theme that the general question names, and the pieces that only this question needs."""

    theme: str
    further: list[Piece]


def choices(
    candidates: Sequence[AskedProperty],
    lacking: Mapping[str, int],
    seed: int,
    opening: str,
    of_people: bool,
) -> Iterator[list[AskedProperty]]:
    """Yield the candidates of one thought, the best choice first.

    A thought is a theme, or a topic of it and one ``beside``, unless the theme is ``apart`` from
    ``opening``, the theme of what joins the subjects; for things and a user's pair, all is one.
    ``lacking`` is the minimum number of pieces about each subject; ``of_people`` is whether they
    are people.

    The best choice has enough pieces about each subject that one clause can ask for, and one theme;
    a hash of the seed and the subjects orders equal ones, so that pairs are asked different things.
    """
    names = lexicon().names
    by_topic: dict[str, list[AskedProperty]] = defaultdict(list)
    for candidate in candidates:
        by_topic[lexicon().wording(candidate.pid).topic].append(candidate)
    fit = [topic for topic in by_topic if opening not in names[names[topic].theme].apart]
    by_theme: dict[str, list[str]] = defaultdict(list)
    for topic in fit:
        by_theme[names[topic].theme].append(topic)
    beside = [(topic, other) for topic in fit for other in names[topic].beside]
    # A user's pair may have candidates of one subject.
    is_free = not (of_people and all(candidate.is_parallel for candidate in candidates))
    thoughts = [*by_theme.values(), *beside, by_topic if is_free else ()]
    options = [
        [candidate for topic in topics for candidate in by_topic.get(topic, ())]
        for topics in thoughts
    ]

    def sort_key(option: list[AskedProperty]) -> tuple[int | str, ...]:
        parallel = (candidate.pieces for candidate in option if candidate.is_parallel)
        shared = Counter(piece.qid for pieces in parallel for piece in pieces)
        enough = min(MIN_PIECES, min(shared.values(), default=0))
        pids = [candidate.pid for candidate in option]
        rank = stable_id("themes", str(seed), *lacking, *pids)
        return -enough, len({*map(lexicon().theme, pids)}), rank

    for option in sorted(options, key=sort_key):
        pieces = Counter(piece.qid for candidate in option for piece in candidate.pieces)
        if all(pieces[qid] >= count for qid, count in lacking.items()):
            yield option


def generalise(
    minimality: Minimality,
    joining: int,
    pool: Sequence[Piece],
    knowledge: Sequence[Piece],
    width: int,
) -> GeneralSet | None:
    """Return the general set whose theme has a ``width``, from 0: see ``Lexicon.theme``.

    The first ``joining`` pieces of the set ``knowledge`` join the subjects; ``pool`` has the pieces
    that the name of a theme can ask for. A theme asks for the properties that all subjects of the
    set have, with all values or none, as far as the set stays minimal with them. There is none if
    the set has two themes, or too many pieces.
    """
    theme_of = partial(lexicon().theme, width=width)
    asked = knowledge[joining:]
    theme, *others = {theme_of(piece.pid) for piece in asked}
    if others:
        return None
    qids = {piece.qid for piece in asked}
    of_theme = [
        piece
        for piece in pool
        if piece.qid in qids and theme_of(piece.pid) == theme and piece not in knowledge
    ]
    by_property: dict[tuple[str, str], list[Piece]] = defaultdict(list)
    for piece in _of_all(qids, minimality.finest(of_theme), asked):
        by_property[piece.qid, piece.pid].append(piece)
    further: list[Piece] = []
    for pieces in by_property.values():
        if len(pieces) <= MAX_VALUES:
            further += _added(minimality, [*knowledge, *further], pieces)
    further = _of_all(qids, further, asked)
    counts = Counter(piece.qid for piece in (*asked, *further))
    return None if max(counts.values()) > _MAX_OF_THEME[width] else GeneralSet(theme, further)


def _added(
    minimality: Minimality, minimal: Sequence[Piece], pieces: Sequence[Piece]
) -> list[Piece]:
    """Return the pieces of a property that a set lacks; none if others would follow from one."""
    added: list[Piece] = []
    for piece in pieces:
        implied = minimality.redundant([*minimal, *added], [piece])
        if implied is None:
            added.append(piece)
        elif implied[0] is not piece:
            return []
    return added


def _of_all(qids: set[str], pieces: Sequence[Piece], asked: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of properties that all of some subjects have, with those that are asked."""
    known = {(piece.qid, piece.pid) for piece in (*pieces, *asked)}
    return [piece for piece in pieces if all((qid, piece.pid) in known for qid in qids)]
