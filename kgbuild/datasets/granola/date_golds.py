"""Find the dates that are the gold answers to a question, of all dates that the store states.

A truthy dump states no precision, and writes a year, a decade and a century as a 1 January: "the
20th century" becomes 1 January 2000.
"""

import re
from collections.abc import Sequence
from typing import TypeAlias

from kgbuild import wikidata
from kgbuild.english import date_levels
from kgbuild.english.date_levels import DateAnswer
from kgbuild.rows import Rejected
from kgbuild.wikidata import Value

_Dated: TypeAlias = tuple[Value, Sequence[DateAnswer]]
"""A date with its forms, the finest first."""


def safe_dates(values: Sequence[Value], description: str | None) -> list[Value]:
    """Return the dates of an item whose precision is certain.

    The 1 January of a round year may be all that is left of a decade or a century, so it counts
    only with a stated precision, or as a year that is in the ``description`` of the item.
    """
    safe = []
    for value in values:
        if day := wikidata.day(value):
            year = day[0] if day[0] > 0 else day[0] - 1  # 100 BC is -100
            if value.precision is not None or day[1:] != (1, 1) or year % 10:
                safe.append(value)
            elif re.search(rf"\b{year}\b", description or ""):
                safe.append(value._replace(precision=wikidata.YEAR))
    return safe


def gold_dates(values: Sequence[Value], earliest_only: bool) -> Sequence[_Dated]:
    """Return the dates that can be written, with the forms that all of them have.

    With ``earliest_only``, the earliest one counts.

    Raises:
        Rejected: there is no such date, or they have only the century in common, which tells little
            of most subjects.
    """
    values_with_forms: Sequence[_Dated] = [
        (value, forms)
        for value in values
        if (forms := date_levels.answers(value)) and forms[0].kind != "century"
    ]
    if not values_with_forms:
        raise Rejected("no date", ", ".join(value.text for value in values))
    if earliest_only:
        earliest, own = min(values_with_forms, key=lambda dated: wikidata.years(dated[0]) or ())
        if len(values_with_forms) == 1:
            # If one release is stated, the first one may have been in another country that year.
            own = [form for form in own if form.kind not in ("day", "month")]
        values_with_forms = [(earliest, own)]
    values_with_forms = _common(values_with_forms)
    if not values_with_forms or values_with_forms[0][1][0].kind == "century":
        raise Rejected("contradicted", ", ".join(value.text for value in values))
    return values_with_forms


def _common(dates_with_forms: Sequence[_Dated]) -> Sequence[_Dated]:
    """Return dates with the forms that all of them have: two days of 1962 are both "1962".

    At most one of several days is true. A year that contains the other date is left out.
    """
    texts = [[form.text for form in forms] for _, forms in dates_with_forms]
    finest = [
        dated
        for dated, own in zip(dates_with_forms, texts, strict=True)
        if not any(own[0] in other[1:] for other in texts)
    ]
    common = set.intersection(*({form.text for form in forms} for _, forms in finest))
    shared = [(value, [form for form in forms if form.text in common]) for value, forms in finest]
    return [(value, forms) for value, forms in shared if forms]
