"""Put the answers to a question whose gold answers are dates at levels."""

from collections.abc import Iterable, Sequence

from kgbuild import wikidata
from kgbuild.datasets.granola.levels import Candidate, Gold, Levels, levelled, merged, minimal
from kgbuild.english import date_parsing, dates
from kgbuild.english.dates import DateAnswer
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.graph.times import Years
from kgbuild.wikidata import Value

_DAYS_OF_YEAR = 365.2425


class DateAnswers:
    """The answers to the questions about one relation, at their levels.

    ``population`` are the dates that are possible answers; the time that they span measures how
    specific an answer is.
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
        """Return the answers at their levels, and those that are left out.

        A gold answer without forms of a date has no coarser answers. ``texts`` are answers of a
        model, the finest first; a date that is no form of a gold answer is left out.
        """
        chains = [self._chain(one) for one in gold]
        finest = minimal([chain[0] for chain in chains])
        coarser = [one for chain in chains for one in chain[1:]]
        denied: list[str] = []
        if texts:
            true = {
                normalise(text) for one in finest + coarser for text in (one.text, *one.aliases)
            }
            denied = [one for one in texts if date_parsing.read(one) and normalise(one) not in true]
            kept = [text for text in texts if text not in denied]
            finest, coarser = merged(
                finest, coarser, kept, lambda _: (), lambda _: (0.0, frozenset()), min_bits
            )
        answers, dropped = levelled(finest, coarser, frozenset(), min_bits, subject)
        return answers, dropped + [(text, "unconfirmed") for text in denied]

    def _chain(self, gold: Gold) -> list[Candidate]:
        text, *others = gold.names
        forms = gold.forms or [DateAnswer("day", text, (), 1.0)]
        facets = [(one.kind, one.text) for one in forms]
        return [
            Candidate(
                text=one.text if n else text,
                aliases=one.aliases if n else (one.text, *one.aliases, *others),
                qid=None,
                kind=one.kind,
                bits=dates.bits(one.days, self._span),
                facets=frozenset(facets[n : n + 1]),
                implied=frozenset(facets[n:]),
                evidence=gold.evidence,
            )
            for n, one in enumerate(forms)
        ]
