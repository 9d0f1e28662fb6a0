"""Keep the levels of the answers that many questions have: thousands of people were born in London.

Only the triples that state the answers differ, and whether an answer contains the subject's name.
"""

from collections.abc import Sequence

from kgbuild.datasets.granola.levels.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels.order import Dropped, Gold, Levelled, Levels
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.graph.times import Years
from kgbuild.rows import Evidence

_CACHE_SIZE = 1 << 13
"""Maximum number of combinations of answers whose levels are kept in memory."""


class RepeatedAnswers:
    """Returns the results of ``answers.levelled``, which it keeps."""

    def __init__(self, answers: ItemAnswers, profiles: Profiles):
        self._answers = answers
        self._relevant = profiles.relevant
        self._levels: dict[object, tuple[list[Levelled], list[Dropped], str]] = {}

    def levelled(
        self,
        gold: Sequence[Gold],
        when: Years | None,
        subject: str,
        min_bits: float,
        texts: Sequence[str] = (),
        endings: tuple[str, ...] = (),
    ) -> Levels:
        """Return the answers at their levels, and the answers that are left out."""
        if texts:
            return self._answers.levelled(gold, when, subject, min_bits, texts, endings)
        marked = tuple(answer._replace(evidence=_mark(n)) for n, answer in enumerate(gold))
        # Of all years with the same places around the gold answers, the results are the same.
        years = tuple(answer.qid and self._relevant(answer.qid, when) for answer in gold)
        key = marked, years, min_bits, endings
        if key not in self._levels:
            if len(self._levels) == _CACHE_SIZE:
                self._levels.clear()
            self._levels[key] = self._read(marked, when, min_bits, endings)
        levels, dropped, names = self._levels[key]
        name = f" {normalise(subject)} "
        if name.strip() and name in names:
            return self._answers.levelled(gold, when, subject, min_bits, (), endings)
        return [_with_evidence(answer, gold) for answer in levels], dropped

    def _read(
        self, gold: Sequence[Gold], when: Years | None, min_bits: float, endings: tuple[str, ...]
    ) -> tuple[list[Levelled], list[Dropped], str]:
        """Return the levels for a subject without a name, and the names of all coarser answers."""
        levels, dropped = self._answers.levelled(gold, when, "", min_bits, (), endings)
        coarser = [level.candidate.text for level in levels if level.level > 1]
        texts = (*coarser, *(text for text, _ in dropped))
        return levels, dropped, "\n".join(f" {normalise(text)} " for text in texts)


def _mark(number: int) -> tuple[Evidence]:
    """Return what stands for the triples of a gold answer."""
    return (Evidence("", str(number), ""),)


def _with_evidence(answer: Levelled, gold: Sequence[Gold]) -> Levelled:
    """Return an answer with the triples of the gold answer that is marked in its own triples."""
    candidate = answer.candidate
    mark, *evidence = candidate.evidence
    stated = gold[int(mark.property)].evidence
    return answer._replace(candidate=candidate._replace(evidence=(*stated, *evidence)))
