"""Assign levels to candidate answers: drop trivial ones, and order the rest from fine to coarse.

Level 1 has the gold (exact) answers; each coarser answer gets a later level. The order is that of
their tiers, and an answer always comes before the answers that it implies. Bits measure how
specific an answer is: see ``measure``.
"""

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.granola.levels.classes import Facet
from kgbuild.datasets.granola.levels.places import PLACE
from kgbuild.english.date_levels import DateAnswer
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.rows import Evidence

MODEL = "model"
"""The kind of an answer that only a model gives."""
ITEM = "item"
"""The kind of a gold answer that is no place: an item, or a name that the store lacks."""
_FINEST = 10_000
"""The tier before the first coarser answer: higher than that of any answer of the graph."""

Dropped: TypeAlias = tuple[str, str]
"""The text of an answer that is left out, and the reason in reasons.toml."""


class Gold(NamedTuple):
    """An exact answer: its names, its item or None, and the triples that state it.

    If it is a date, ``forms`` are its forms, the finest first: the day, the month, the year.
    """

    names: tuple[str, ...]
    qid: str | None = None
    evidence: tuple[Evidence, ...] = ()
    forms: Sequence[DateAnswer] = ()


class RawAnswer(NamedTuple):
    """An answer that may get a level.

    ``facets`` are the facets that the answer states, and ``implied`` all facets that follow from
    them. An answer is coarser than another answer that implies all its facets. ``tier`` is its
    position among the answers to all questions about a relation; a finer answer has a higher tier.
    """

    text: str
    aliases: tuple[str, ...]
    qid: str | None
    kind: str
    bits: float
    facets: frozenset[object]
    implied: frozenset[object]
    evidence: tuple[Evidence, ...]
    tier: int = 0


class Levelled(NamedTuple):
    """A candidate at its level, with its bits.

    ``golds`` are the texts of the answers at level 1 that it covers. A coarser answer cannot have
    more bits than an answer that implies it. Where it has more, because the store is incomplete, it
    gets the bits of the finer answer, and ``was_capped`` is true.
    """

    level: int
    candidate: RawAnswer
    bits: float
    was_capped: bool
    golds: tuple[str, ...]


Levels: TypeAlias = tuple[list[Levelled], list[Dropped]]
"""The answers at their levels, and the answers that are left out."""
Level: TypeAlias = Callable[[Sequence[str]], Levels]
"""Receives the answers of a model, the finest first, and returns all answers at their levels."""
Measured: TypeAlias = tuple[float, frozenset[object], int]
"""The bits of an answer with some facets, the facets that follow from it, and its tier."""


def new_answers(
    gold: Sequence[RawAnswer],
    coarser: Sequence[RawAnswer],
    texts: Sequence[str],
    link: Callable[[str], tuple[Facet, ...]],
    measure: Callable[[tuple[Facet, ...]], Measured],
) -> list[RawAnswer]:
    """Return the answers of a model, the finest first, that are not among those of the graph.

    An answer that ``link`` links to facets is measured like the others. Another one comes after all
    answers that precede it in ``texts``, and has the fewest bits of these.
    """
    answers = [*gold, *coarser]
    by_name = {normalise(name): one for one in answers for name in (one.text, *one.aliases)}
    by_facets = {answer.facets: answer for answer in coarser}
    bits, tier = min(answer.bits for answer in gold), _FINEST
    new: list[RawAnswer] = []
    for text in texts:
        name, facets = normalise(text), link(text)
        answer = by_name.get(name) or by_facets.get(frozenset(facets))
        if answer is None:
            key = frozenset[object](facets or [(MODEL, name)])
            text_bits, implied, text_tier = measure(facets) if facets else (bits, key, tier - 1)
            answer = RawAnswer(text, (), None, MODEL, text_bits, key, implied, (), text_tier)
            by_name[name] = answer
            new.append(answer)
        if answer not in gold:
            bits, tier = min(bits, answer.bits), min(tier, answer.tier)
    return new


def in_common_tiers(
    finest: Sequence[RawAnswer], coarser: Sequence[RawAnswer], trivial: Set[object]
) -> list[RawAnswer]:
    """Return the coarser answers of several gold answers that can be compared.

    A place stays if its tier has one for each gold answer, or if it covers all of them. What a gold
    answer is a part of always stays: a school of one university is beside another university.
    Descriptions that do not cover all are left out: nobody says "a 1985 film" or "a writer" of some
    of several films or children. Gold answers without a place do not count.
    """
    telling = [answer for answer in coarser if not answer.facets <= trivial]
    covered = {
        answer: {n for n, gold in enumerate(finest) if answer.facets <= gold.implied}
        for answer in telling
        if answer.kind != ITEM
    }
    with_place = set[int]().union(*(golds for one, golds in covered.items() if one.kind == PLACE))
    by_tier: dict[int, set[int]] = {}
    for answer, golds in covered.items():
        by_tier.setdefault(answer.tier, set()).update(golds)
    comparable = {
        answer
        for answer, golds in covered.items()
        if len(golds) == len(finest)
        or (answer.kind == PLACE and by_tier[answer.tier] >= with_place)
    }
    return [answer for answer in coarser if answer in comparable or answer not in covered]


def put_at_levels(
    gold: Sequence[RawAnswer],
    coarser: Iterable[RawAnswer],
    trivial: Set[object],
    min_bits: float,
    subject: str,
) -> Levels:
    """Return the gold answers at level 1, coarser answers at later levels, and dropped answers.

    Coarser answers of one tier share a level, unless one of them implies the other.

    An answer is dropped if all its facets are ``trivial``, if it has fewer than ``min_bits``, if it
    contains the name of the ``subject``, or if it has the text of another answer.
    """
    finest: dict[str, RawAnswer] = {}
    for answer in gold:
        finest.setdefault(normalise(answer.text), answer)
    kept: dict[str, RawAnswer] = {}
    dropped: list[Dropped] = []
    texts = {*finest}
    seen_facets = set[frozenset[object]]()
    name = f" {normalise(subject)} "
    for answer in sorted(coarser, key=lambda answer: (-answer.bits, answer.text, -answer.tier)):
        text = normalise(answer.text)
        if answer.facets in seen_facets:
            continue  # the coarser answers of two gold answers may be equal
        seen_facets.add(answer.facets)
        if answer.facets <= trivial:
            dropped.append((answer.text, "trivial"))
        elif answer.bits < min_bits:
            dropped.append((answer.text, "tells little"))
        elif name.strip() and name in f" {text} ":
            dropped.append((answer.text, "gives the subject away"))
        elif text in texts:
            dropped.append((answer.text, "same answer"))
        else:
            kept[answer.text] = answer
            texts.add(text)
    exact = [*finest.values()]
    answers = [Levelled(1, answer, answer.bits, False, (answer.text,)) for answer in exact]
    return _with_distinct_aliases(answers + _with_levels(exact, [*kept.values()])), dropped


def minimal(gold: Collection[RawAnswer]) -> list[RawAnswer]:
    """Return gold answers without those that are coarser than another gold answer."""
    return [answer for answer in gold if not any(_is_coarser(answer, finer) for finer in gold)]


def _with_levels(gold: Sequence[RawAnswer], coarser: Sequence[RawAnswer]) -> list[Levelled]:
    """Return coarser answers from fine to coarse, at their levels.

    ``n`` and ``m`` are indices in ``coarser``, ``g`` are indices in ``gold``.
    """
    all_gold = range(len(gold))
    covered = [  # a model's answer may follow from no gold answer; it covers all
        [g for g in all_gold if answer.facets <= gold[g].implied] or all_gold for answer in coarser
    ]
    finer = [
        {m for m, candidate in enumerate(coarser) if _is_coarser(answer, candidate)}
        for answer in coarser
    ]
    measured = [
        min(answer.bits, *(gold[g].bits for g in covered_gold))
        for answer, covered_gold in zip(coarser, covered, strict=True)
    ]
    bits = [min([measured[n], *(measured[m] for m in finer[n])]) for n in range(len(coarser))]
    positions = _positions(coarser, finer)
    numbers = {position: n for n, position in enumerate(sorted({*positions}), 2)}
    return [
        Levelled(
            level=numbers[positions[n]],
            candidate=coarser[n],
            bits=bits[n],
            was_capped=bits[n] < coarser[n].bits,
            golds=tuple(gold[g].text for g in covered[n]),
        )
        for n in sorted(
            range(len(coarser)), key=lambda n: (positions[n], -bits[n], coarser[n].text)
        )
    ]


def _positions(coarser: Sequence[RawAnswer], finer: Sequence[Set[int]]) -> list[tuple[int, int]]:
    """Return the position of each answer, the finest first.

    It consists of the tier, or that of an answer that it implies if this is higher, and of the
    position among the answers of this tier. Descriptions are counted from the finest one: "an
    American animator" is beside "an American screenwriter", before "an American writer". Places
    are counted from the coarsest one: a state is beside another state, and a part of it before it.
    """
    implied = [
        [m for m, finer_answers in enumerate(finer) if n in finer_answers]
        for n in range(len(coarser))
    ]
    # The coarsest answers come first: an answer implies more answers than each of these does.
    order = sorted(range(len(coarser)), key=lambda n: (len(implied[n]), coarser[n].bits))
    tiers: dict[int, int] = {}
    for n in order:  # not all implied answers have a tier, in a circle
        tiers[n] = max([coarser[n].tier, *(tiers[m] for m in implied[n] if m in tiers)])
    have_places = any(answer.kind == PLACE for answer in coarser)
    neighbours = implied if have_places else finer
    ranks: dict[int, int] = {}
    for n in order if have_places else reversed(order):
        nearer = (ranks[m] + 1 for m in neighbours[n] if m in ranks and tiers[m] == tiers[n])
        ranks[n] = max(nearer, default=0)
    sign = -1 if have_places else 1
    return [(-tiers[n], sign * ranks[n]) for n in range(len(coarser))]


def _is_coarser(coarse: RawAnswer, fine: RawAnswer) -> bool:
    """Return whether the second answer implies the first one, but not the other way round."""
    return coarse.facets <= fine.implied and not fine.facets <= coarse.implied


def _with_distinct_aliases(answers: Sequence[Levelled]) -> list[Levelled]:
    """Return answers without aliases that are texts of others, or aliases of coarser answers."""
    names_of = [  # of equal ones, the first counts
        {normalise(name): name for name in (*reversed(one.candidate.aliases), one.candidate.text)}
        for one in answers
    ]
    level_by_name: dict[str, int] = {}
    for answer, names in zip(answers, names_of, strict=True):  # the coarsest comes last
        level_by_name.update(dict.fromkeys(names, answer.level))
    level_by_name.update({normalise(answer.candidate.text): answer.level for answer in answers})
    results = []
    for answer, names in zip(answers, names_of, strict=True):
        text, level = answer.candidate.text, answer.level
        kept = [name for key, name in names.items() if level_by_name[key] == level and name != text]
        candidate = answer.candidate._replace(aliases=tuple(reversed(kept)))
        results.append(answer._replace(candidate=candidate))
    return results
