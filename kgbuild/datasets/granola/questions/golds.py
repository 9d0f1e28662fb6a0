"""Choose the gold answers among the values of a subject, and leave out what the question tells."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.levels.order import Gold, Level, Levels, RawAnswer
from kgbuild.datasets.granola.levels.profiles import PERSON, Profiles
from kgbuild.english import date_levels
from kgbuild.english.date_levels import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.relations import Relation
from kgbuild.rows import Evidence, Rejected
from kgbuild.wikidata import Value

_OWNER = "P127"
_OF_MAKERS = {_OWNER, "P112", "P50", "P170", "P175"}
"""Relations whose answers made or own the subject, and often name it: Geffen Records."""
_POSSESSIVE = re.compile(r"['’]s\b")
_WORD = re.compile(r"[^\W_]+")
_SHORTEST, _SHORTEST_STEM = 3, 5
"""The least numbers of letters of a word that says something, and of the beginning of another."""
_Dated: TypeAlias = tuple[Value, Sequence[DateAnswer]]
"""A date with its forms, the finest first."""


class Golds:
    """The items that are gold answers to the questions about one relation."""

    def __init__(self, relation: Relation, profiles: Profiles):
        self._relation = relation
        self._profiles = profiles

    def of(self, subject: str, question: str, values: Mapping[str, Evidence]) -> list[Gold]:
        """Return the gold answers to the question about a subject, by its values.

        Raises:
            Rejected: the values are of the wrong kind, outdated or without a label, or the question
                tells one of them.
        """
        possible = [value for value in values if not self._is_excluded(value)]
        current = [value for value in possible if not self._is_outdated(subject, value)]
        gold = [
            Gold((label,), value, (values[value],))
            for value in current
            if (label := self._profiles.label(value))
        ]
        if not current:
            raise Rejected("outdated" if possible else "wrong kind", ", ".join(values))
        if not gold:
            raise Rejected("no label", ", ".join(values))
        name = self._profiles.label(subject)
        if any(fold(answer.names[0]) == fold(name) for answer in gold):
            raise Rejected("same name", name)
        if self._is_evident(subject, question, name, gold):
            raise Rejected("answer in the question", ", ".join(values))
        return gold

    def _is_excluded(self, value: str) -> bool:
        """Return whether an item, or an item of its classes, answers no question.

        Nor does a class, such as "primary school", where an item is due.
        """
        label = self._profiles.label(value)
        first, *others = label.split() or [""]
        is_lower = label.islower() or (bool(others) and first.islower())
        kinds = {*self._profiles.described_kinds(value)}
        if self._relation.are_kinds_own and not catalog().fits(kinds, self._relation.object_kinds):
            return True
        if is_lower and kinds.isdisjoint({PERSON, "place"}) and not self._relation.accepts_classes:
            return True
        if "school" in kinds:  # some universities are towns by their classes, too
            return False
        excluded = read_toml("datasets/granola/levels/classes.toml")["not_answers"].get(
            self._relation.pid, {}
        )
        classes = self._profiles.classes
        return not (classes.closure(value) | classes.stated(value)).isdisjoint(excluded)

    def _is_outdated(self, subject: str, place: str) -> bool:
        """Return whether a place or an owner of today is due, and this one no longer exists."""
        is_former = self._profiles.history.is_former
        if self._relation.pid == _OWNER:
            return is_former(place) and not is_former(subject)
        asks_where_it_is = self._relation.accepts_places and not self._relation.event_date_property
        kinds = self._profiles.kinds.names(place)
        is_place = "place" in kinds or not kinds
        if not asks_where_it_is or not is_place or is_former(place) == is_former(subject):
            return False
        # A town that is no municipality any more is still there.
        subject_kinds = self._profiles.kinds.names(subject)
        return is_former(place) or not subject_kinds or "place" in subject_kinds

    def _is_evident(self, subject: str, question: str, name: str, gold: Sequence[Gold]) -> bool:
        """Return whether the name of a subject says what the answer is.

        Of places and people, only whole names count: a town may have the river's name, and lie
        elsewhere; and Ann Lee may have a child Mary Ann Lee.
        """
        if self._relation.pid in _OF_MAKERS:
            return shares_a_name(name, gold)
        if PERSON in self._relation.object_kinds:
            return is_evident(question, name, gold)
        if not self._relation.accepts_places:
            return False
        kinds = self._profiles.described_kinds(subject)
        printed = [Gold((self._profiles.place_phrase(one.qid),)) for one in gold if one.qid]
        if is_evident(question, name, [*gold, *printed]):
            return True
        is_named = {"place", PERSON}.isdisjoint(kinds)
        return is_named and shares_a_name(name, [*gold, *printed])


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


def is_evident(question: str, name: str, places: Sequence[Gold]) -> bool:
    """Return whether a question names a place where something is, or the place names the thing.

    York and "the University of York", Erie County and Erie.
    """
    labels = [_spaced(place.names[0]) for place in places]
    return any(label in _spaced(question) or _spaced(name) in label for label in labels)


def shares_a_name(label: str, answers: Sequence[Gold]) -> bool:
    """Return whether the name of something has a word of a name of an answer, or begins with it.

    Words that names share by chance do not count, such as "Records".

    >>> shares_a_name("Geffen Records", [Gold(("David Geffen",))])
    True
    >>> shares_a_name("Epic Records", [Gold(("Columbia Records",))])
    False
    """
    words = {*_names(label)}
    return any(
        word == own or (len(word) >= _SHORTEST_STEM and own.startswith(word))
        for answer in answers
        for name in answer.names
        for word in _names(name)
        for own in words
    )


def _names(text: str) -> Iterator[str]:
    """Yield the folded words of a name that few other names have."""
    shared = read_toml("datasets/granola/questions/name_words.toml")["shared"]
    for word in _WORD.findall(text):
        folded = fold(word)
        if word[0].isupper() and len(folded) >= _SHORTEST and folded not in shared:
            yield folded


def _spaced(text: str) -> str:
    """Return the words of a text between spaces, without hyphens: "Erie's" has Erie."""
    return f" {normalise(_POSSESSIVE.sub('', text).replace('-', ' '))} "


def untold(question: str, level: Level, texts: Sequence[str]) -> Levels:
    """Return the levels of ``level(texts)`` without coarser answers whose words the question has.

    These are a place in the name of the subject, and the noun of "Name a play that …".
    """
    answers, dropped = level(texts)
    kept = [one for one in answers if one.level == 1 or not _is_in(question, one.candidate)]
    if len(kept) == len(answers):
        return answers, dropped
    numbers = {n: new for new, n in enumerate(sorted({one.level for one in kept}), 1)}
    told = [(one.candidate.text, "in the question") for one in answers if one not in kept]
    return [one._replace(level=numbers[one.level]) for one in kept], [*dropped, *told]


def _is_in(question: str, answer: RawAnswer) -> bool:
    """Return whether a question has a name of an answer, whose first word may be an article."""
    names = (answer.text.removeprefix("the "), *answer.aliases)
    return any(
        name in question and re.search(rf"\b{re.escape(name)}\b", question) for name in names
    )
