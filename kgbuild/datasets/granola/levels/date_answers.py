"""Assign levels to the answers to a question whose gold answers are dates."""

from collections.abc import Iterable, Sequence

from kgbuild import wikidata
from kgbuild.datasets.granola.levels.order import (
    Gold,
    Levels,
    RawAnswer,
    minimal,
    new_answers,
    put_at_levels,
)
from kgbuild.english import date_levels, date_parsing
from kgbuild.english.date_levels import DateAnswer
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.wikidata import Value

_DAYS_OF_YEAR = 365.2425
_TIERS = {kind: -100 * n for n, kind in enumerate(date_levels.KINDS)}


class DateAnswers:
    """The answers to the questions about one relation, at their levels.

    ``population`` has the dates of each subject. How specific an answer is depends on its share of
    the time between the first and the last of these dates.
    """

    def __init__(self, population: Iterable[Sequence[Value]]):
        dates = (value for values in population for value in values)
        years = [year for value in dates for year in wikidata.years(value) or ()]
        self._span = _DAYS_OF_YEAR * (max(years, default=0) - min(years, default=0) + 1)

    def levelled(
        self, gold: Sequence[Gold], subject: str, min_bits: float, texts: Sequence[str] = ()
    ) -> Levels:
        """Return the answers at their levels, and the answers that are left out.

        A gold answer without forms of a date has no coarser answers. ``texts`` are answers of a
        model, the finest first; dates that are not forms of a gold answer are left out. ``subject``
        is the name of the subject, which no answer may contain.
        """
        forms_of_dates = [self._forms(answer) for answer in gold]
        finest = minimal([forms[0] for forms in forms_of_dates])
        coarser = [answer for forms in forms_of_dates for answer in forms[1:]]
        false_dates: list[str] = []
        if texts:
            answers = finest + coarser
            names = {
                normalise(name) for answer in answers for name in (answer.text, *answer.aliases)
            }
            unknown = [text for text in texts if normalise(text) not in names]
            false_dates = [text for text in unknown if date_parsing.read(text)]
            kept = [text for text in texts if text not in false_dates]
            coarser += new_answers(
                finest, coarser, kept, lambda _: (), lambda _: (0.0, frozenset(), 0)
            )
        levels, dropped = put_at_levels(finest, coarser, frozenset(), min_bits, subject)
        return levels, dropped + [(text, "unconfirmed") for text in false_dates]

    def _forms(self, gold: Gold) -> list[RawAnswer]:
        """Return the forms of a date as answers, from the finest to the coarsest."""
        text, *other_names = gold.names
        forms = gold.forms or [DateAnswer("day", text, (), 1.0)]
        facets = [(form.kind, form.text) for form in forms]
        return [
            RawAnswer(
                text=form.text if index else text,
                aliases=form.aliases if index else (form.text, *form.aliases, *other_names),
                qid=None,
                kind=form.kind,
                bits=date_levels.bits(form.days, self._span),
                facets=frozenset(facets[index : index + 1]),
                implied=frozenset(facets[index:]),
                evidence=gold.evidence,
                tier=_TIERS[form.kind],
            )
            for index, form in enumerate(forms)
        ]
