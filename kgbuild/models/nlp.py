"""The door to spaCy: which names a question mentions. It is imported when used."""

from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kgbuild.errors import NoPipelineError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

COMPONENT = "kgbuild_names"
"""The name of our component in a pipeline, and of the spans that it adds to a text."""
ITEM = "ITEM"
"""The type of the entities that our component finds: it tells nothing of what they are."""
_LONGEST = 16
"""Tokens of a name at most."""
_ENDS = (".", "?", "!")


class Mention(NamedTuple):
    """A name in a question, from the letter ``start`` to before ``end``; ``kind`` is its type."""

    text: str
    kind: str
    start: int
    end: int


class Mentions(NamedTuple):
    """The entities of a question, and what else in it is the name of something: "painter"."""

    entities: tuple[Mention, ...]
    others: tuple[Mention, ...]


class Reader:
    """Finds the names in questions.

    ``spellings`` tells how a name is really spelled, as often as it differs but for case and
    accents; ``expect`` is told all that it will be asked; ``item`` tells which item is meant by a
    name, or an empty text if none has it. ``model``
    is an installed spaCy pipeline, or the folder of one, whose entities are taken; without it
    they are the names of items themselves, the longest first, and linked to them (``kb_id_``).

    Source: section 3.1 of the BioKaLMA paper.

    Raises:
        NoPipelineError: the pipeline is not installed, or cannot be used.
    """

    def __init__(
        self,
        spellings: Callable[[str], Sequence[str]],
        item: Callable[[str], str],
        model: str | None = None,
        expect: Callable[[Sequence[str]], None] = lambda names: None,
    ):
        from spacy.language import Language

        if not Language.has_factory(COMPONENT):
            Language.factory(COMPONENT, func=_create)
        self.pipeline = _pipeline(model)
        component: Any = self.pipeline.add_pipe(COMPONENT, last=True)
        component.spellings, component.item = spellings, None if model else item
        component.expect = expect

    def read(self, question: str) -> Mentions:
        """Return what a question mentions, in its order. No two mentions overlap."""
        # Half a letter, as a terminal may give, is none that spaCy could take.
        doc = self.pipeline(question.encode("utf-8", "replace").decode())
        return Mentions(
            tuple(_mention(span) for span in doc.ents),
            tuple(_mention(span) for span in doc.spans[COMPONENT]),
        )


def _mention(span: "Span") -> Mention:
    return Mention(span.text, span.label_, span.start_char, span.end_char)


def _pipeline(model: str | None) -> "Language":
    import spacy

    if model is None:
        return spacy.blank("en")
    try:
        return spacy.load(model)
    except Exception as error:
        # Whatever file of a pipeline is missing or of another version, something else is raised.
        detail = (str(error).splitlines() or [""])[0].rstrip(".")
        raise NoPipelineError(model, detail if Path(model).exists() else "") from error


class _Names:
    """The component: it looks sequences of tokens up among the names.

    Those that are no part of an entity become spans of the text, since they may tell which
    item is meant; where ``item`` is given, entities are found first.
    """

    def __init__(self) -> None:
        self.spellings: Callable[[str], Sequence[str]] = lambda name: ()
        self.expect: Callable[[Sequence[str]], None] = lambda names: None
        self.item: Callable[[str], str] | None = None

    def __call__(self, doc: "Doc") -> "Doc":
        from spacy.util import filter_spans

        is_cased = doc.text not in (doc.text.lower(), doc.text.upper())
        telling = {token.i for token in doc if _tells(token, is_cased)}
        found = [
            span for span in self._known(doc) if not telling.isdisjoint(range(span.start, span.end))
        ]
        if self.item:
            capitals = {n for n in telling if not doc[n].text.islower()} if is_cased else None
            doc.ents = tuple(filter_spans(self._entities(found, capitals, self.item)))
        # Spans that overlap give way to the longest, and then to the first.
        doc.spans[COMPONENT] = filter_spans(
            span for span in found if not any(token.ent_type for token in span)
        )
        return doc

    def _known(self, doc: "Doc") -> Iterator["Span"]:
        """Yield all sequences of tokens that are a name."""
        text = doc.text  # which spaCy puts together each time
        starts = [token.idx for token in doc]
        ends = [token.idx + len(token) for token in doc]
        places = [
            (text[start:end], first, last)
            for first, start in enumerate(starts)
            for last, end in enumerate(ends[first : first + _LONGEST], first)
        ]
        self.expect([name for name, _, _ in places])
        for name, first, last in places:
            if self.spellings(name):
                yield doc[first : last + 1]

    def _entities(
        self, found: Sequence["Span"], capitals: Set[int] | None, item: Callable[[str], str]
    ) -> Iterator["Span"]:
        from spacy.tokens import Span

        for span in found:
            spellings = self.spellings(span.text)
            if _is_name(span, spellings, capitals) and (qid := item(span.text)):
                yield Span(span.doc, span.start, span.end, label=ITEM, kb_id=qid)


def _create(nlp: "Language", name: str) -> _Names:
    return _Names()


def _tells(token: "Token", is_cased: bool) -> bool:
    """Tell whether a word may be a name of its own: not a letter, nor one of every question.

    Of those, one with a capital may be, unless a sentence begins with it: "May" or "The Who".
    """
    is_word = len(token) > 1 and any(map(str.isalpha, token.text))
    is_raised = is_cased and not token.text.islower() and not _begins(token)
    return is_word and (not token.is_stop or is_raised)


def _begins(token: "Token") -> bool:
    """Tell whether a sentence begins with a word, whose capital then tells nothing."""
    return token.i == 0 or token.nbor(-1).text in _ENDS


def _is_name(span: "Span", spellings: Sequence[str], capitals: Set[int] | None) -> bool:
    """Tell whether words are meant as a name: "May" is one, "may" and "Painting" are none.

    One of its words that may be names has a capital letter (``capitals``, by their places);
    the first and the last are no small words of every question; and what is small in the
    question is small in the name. A single word is not a part of a longer name, which nobody
    knows. Where a question has small or capital letters only, they tell nothing (None); but
    what is never spelled with a capital is no name.
    """
    names = [name for name in spellings if not name.islower()]
    if capitals is None:
        return bool(names)
    is_loose = any(token.is_stop and token.text.islower() for token in (span[0], span[-1]))
    is_part = len(span) == 1 and _is_part(span[0], capitals)
    is_whole = not capitals.isdisjoint(range(span.start, span.end)) and not is_loose and not is_part
    return is_whole and any(_fits(span.text, name) for name in names)


def _is_part(token: "Token", capitals: Set[int]) -> bool:
    """Tell whether a word stands beside another one with a capital: "Bill" in "Kill Bill"."""
    before = token.i - 1 in capitals and not _begins(token.nbor(-1))
    return before or token.i + 1 in capitals


def _fits(text: str, name: str) -> bool:
    pairs = zip(text.split(), name.split(), strict=False)
    return not any(word[0].islower() and spelled[0].isupper() for word, spelled in pairs)
