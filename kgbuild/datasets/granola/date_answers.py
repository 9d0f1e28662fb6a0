"""Assign levels to the answers to a question whose gold answers are dates."""

from collections.abc import Iterable, Sequence

from kgbuild import wikidata
from kgbuild.datasets.granola.levels import Candidate, Gold, Levels, minimal, put_at_levels
from kgbuild.datasets.granola.model_answers import merged
from kgbuild.english import date_parsing, dates
from kgbuild.english.dates import DateAnswer
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.graph.times import Years
from kgbuild.wikidata import Value

_DAYS_OF_YEAR = 365.2425


class DateAnswers:
    """The answers to the questions about one relation, at their levels.

    ``population`` are the dates that are possible answers; an answer is the more specific, the
    smaller its share of the time that they span.
    """

    def __init__(self, population: Iterable[Value]):
        years = [year for value in population for year in wikidata.years(value) or ()]
        self._span = _DAYS_OF_YEAR * (max(years, default=0) - min(years, default=0) + 1)

    def levelled(
        self,
        gold: Sequence[Gold],
        _when: Years | None,
        subject: str,
        min_bits: float,
        texts: Sequence[str] = (),
    ) -> Levels:
        """Return the answers at their levels, and the answers that are left out.

        A gold answer without forms of a date has no coarser answers. ``texts`` are answers of a
        model, the finest first; a date that is not a form of a gold answer is left out.
        """
        chains = [self._forms(answer) for answer in gold]
        finest = minimal([chain[0] for chain in chains])
        coarser = [answer for chain in chains for answer in chain[1:]]
        false: list[str] = []
        if texts:
            answers = finest + coarser
            true = {normalise(t) for answer in answers for t in (answer.text, *answer.aliases)}
            false = [t for t in texts if date_parsing.read(t) and normalise(t) not in true]
            kept = [text for text in texts if text not in false]
            finest, coarser = merged(
                finest, coarser, kept, lambda _: (), lambda _: (0.0, frozenset()), min_bits
            )
        levels, dropped = put_at_levels(finest, coarser, frozenset(), min_bits, subject)
        return levels, dropped + [(text, "unconfirmed") for text in false]

    def _forms(self, gold: Gold) -> list[Candidate]:
        """Return the forms of a date as answers, from the finest to the coarsest."""
        text, *others = gold.names
        forms = gold.forms or [DateAnswer("day", text, (), 1.0)]
        facets = [(form.kind, form.text) for form in forms]
        return [
            Candidate(
                text=form.text if n else text,
                aliases=form.aliases if n else (form.text, *form.aliases, *others),
                qid=None,
                kind=form.kind,
                bits=dates.bits(form.days, self._span),
                facets=frozenset(facets[n : n + 1]),
                implied=frozenset(facets[n:]),
                evidence=gold.evidence,
            )
            for n, form in enumerate(forms)
        ]
