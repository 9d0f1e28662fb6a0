"""Values as they stand in a sentence, with the article or the preposition that they need."""

from collections.abc import Sequence

from kgbuild.biokalma.pool import Fact
from kgbuild.biokalma.wording import Said
from kgbuild.biokalma.words import Wording, Words
from kgbuild.english import dates
from kgbuild.english.articles import indefinite
from kgbuild.kg.hierarchy import Kinds
from kgbuild.relations import Catalog, Kind

_DAY = "day"


class Phrases:
    """Says facts in English."""

    def __init__(self, catalog: Catalog, words: Words, kinds: Kinds):
        self._catalog = catalog
        self._words = words
        self._kinds = kinds

    def said(self, facts: Sequence[Fact], label: str) -> Said:
        """Return what facts with one subject and property say; ``label`` is the property's."""
        wording = self._words.of(facts[0].pid, label)
        values = tuple(self._value(fact, wording) for fact in facts)
        return Said(facts[0].pid, wording, values)

    def _value(self, fact: Fact, wording: Wording) -> str:
        if fact.value.kind == "time":
            return self._time(fact, wording)
        if wording.value == "a":
            return indefinite(fact.shown)
        if wording.value == "the":
            return fact.shown if fact.shown.casefold().startswith("the ") else f"the {fact.shown}"
        kind = self._kind(fact) if fact.value_qid else None
        return kind.phrase(fact.shown) if kind else fact.shown

    def _kind(self, fact: Fact) -> Kind | None:
        """Return the kind of a value: the first that may fit of those that its relation expects."""
        first = self._kinds.of(fact.value.text)[:1]
        relation = self._catalog.relations.get(fact.pid)
        expected = relation.object if relation else ()
        known = [self._catalog.kinds[name] for name in (*expected, *first)]
        fitting = [
            kind for kind in known if kind.name in first or (kind.phrases and not kind.classes)
        ]
        return fitting[0] if fitting else None

    def _time(self, fact: Fact, wording: Wording) -> str:
        known = dates.answers(fact.value)
        text = known[0].text if known else fact.shown
        if wording.value != "date":
            return text
        return f"{'on' if known and known[0].kind == _DAY else 'in'} {text}"
