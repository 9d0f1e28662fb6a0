"""Turn pieces into predicates: values with articles and prepositions, and the nouns for them."""

import re
from collections.abc import Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.questions.clauses import Predicate
from kgbuild.datasets.biokalma.questions.lexicon import PropertyWording, lexicon
from kgbuild.datasets.biokalma.sets.pool import Piece, Pools
from kgbuild.english import date_levels, date_parsing
from kgbuild.english.articles import indefinite
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Kind

_DAY = "day"
_PERSON, _THING = "person", "thing"


class Phraser:
    """Turns pieces into predicates; ``pools`` have the labels of properties."""

    def __init__(self, knowledge: Knowledge, pools: Pools):
        self._knowledge = knowledge
        self._pools = pools

    def predicate(self, pieces: Sequence[Piece]) -> Predicate:
        """Return the predicate of pieces with the same subject and property."""
        wording = lexicon().wording(pieces[0].pid, self._pools.property_label(pieces[0].pid))
        noun = self.noun(pieces, wording)
        for pattern, sentence in wording.variants:
            if all(re.search(pattern, piece.value_text) for piece in pieces):
                # The sentence of a variant has its own articles, so values get none.
                wording = wording._replace(says=sentence, value_form="", variants=())
                break
        values = tuple(self._value(piece, wording) for piece in pieces)
        items = filter(None, (piece.value_qid for piece in pieces))
        of_people = any(self._main_kind(qid) == [_PERSON] for qid in items)
        return Predicate(pieces[0].pid, wording, values, of_people, noun)

    def noun(self, pieces: Sequence[Piece], wording: PropertyWording) -> tuple[str, ...]:
        """Return the noun for values, singular and plural: the first kind that fits them all.

        A kind fits a value if its expression matches the label of the value or of a class of it.
        """
        for pattern, singular, plural in wording.kinds:
            if all(
                any(re.search(pattern, label) for label in self._labels(piece)) for piece in pieces
            ):
                return singular, plural
        return wording.noun

    def _labels(self, piece: Piece) -> list[str]:
        """Return the label of a value and those of its classes."""
        classes = self._knowledge.statements.values(piece.value.text, "P31")
        labels = (self._knowledge.labels.label(qid) for qid in classes)
        return [piece.value_text, *filter(None, labels)]

    def _main_kind(self, qid: str) -> list[str]:
        """Return the name of the first kind of an item in relations.toml; an empty list without."""
        return self._knowledge.kinds.names(qid)[:1]

    def _value(self, piece: Piece, wording: PropertyWording) -> str:
        """Return the value of a piece as sentences write it, with its article or preposition."""
        if piece.value.kind == "time":
            return _time(piece)
        if wording.value_form == "a":
            return indefinite(piece.value_text)
        if wording.value_form == "the":
            has_article = piece.value_text.casefold().startswith("the ")
            return piece.value_text if has_article else f"the {piece.value_text}"
        return self._kind(piece).phrase(piece.value_text) if piece.value_qid else piece.value_text

    def _kind(self, piece: Piece) -> Kind:
        """Return the kind of a value, which decides about its article.

        The candidates are the kinds that relations.toml expects of objects of the relation; if it
        expects things, the main kind of the value is the first candidate. The first candidate that
        is the main kind, or that has no classes and so fits any value, is the result. If no
        candidate fits, it is the first one.
        """
        main_kind = self._main_kind(piece.value.text)
        relation = catalog().relations.get(piece.pid)
        expected_names = relation.object_kinds if relation else (_THING,)
        if _THING in expected_names:
            expected_names = (*main_kind, *expected_names)
        expected_kinds = [catalog().kinds[name] for name in expected_names]
        fitting = [kind for kind in expected_kinds if kind.name in main_kind or not kind.classes]
        return (fitting or expected_kinds)[0]


def _time(piece: Piece) -> str:
    """Return a date at the precision of its citation, with its preposition."""
    time = date_parsing.read(piece.value_text)  # the text in citations
    finest = next(iter(date_levels.answers(time)), None) if time else None
    text = finest.text if finest else piece.value_text
    return f"{'on' if finest and finest.kind == _DAY else 'in'} {text}"
