"""Find the names in a question with spaCy, which is imported when a reader is made."""

from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kgbuild.errors import MissingExtraError, NoPipelineError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

COMPONENT = "kgbuild_names"
"""The name of our component in a pipeline, and of the spans that it adds to a document."""
ITEM = "ITEM"
"""The type of the entities that our component adds: items of any kind."""
_LONGEST = 16
"""Maximum number of tokens of a name."""
_ENDS = (".", "?", "!")


class Mention(NamedTuple):
    """A name in a question, from the letter ``start`` to before ``end``; ``kind`` is its type."""

    text: str
    kind: str
    start: int
    end: int


class Reader:
    """A reader of questions that returns the names in them.

    ``spellings`` returns the names that equal a text except for case and accents; ``prefetch`` gets
    all texts before that; ``item`` returns the id of the item of a name, or an empty text.
    ``model`` is an installed spaCy pipeline, or the folder of one, that finds the entities.
    Without it, the entities are the names of items, the longest first, linked to the items
    (``kb_id_``).

    Source: section 3.1 of the BioKaLMA paper.

    Raises:
        MissingExtraError: spaCy is not installed.
        NoPipelineError: the pipeline is not installed, or cannot be used.
    """

    def __init__(
        self,
        spellings: Callable[[str], Sequence[str]],
        item: Callable[[str], str],
        model: str | None = None,
        prefetch: Callable[[Sequence[str]], None] = lambda names: None,
    ):
        try:
            from spacy.language import Language
        except ImportError as error:
            raise MissingExtraError("nlp", "spaCy") from error
        if not Language.has_factory(COMPONENT):
            Language.factory(COMPONENT, func=lambda nlp, name: _Names())
        self.pipeline = _pipeline(model)
        component: Any = self.pipeline.add_pipe(COMPONENT, last=True)
        component.spellings, component.item = spellings, None if model else item
        component.prefetch = prefetch

    def read(self, question: str) -> tuple[list[Mention], list[Mention]]:
        """Return the entities of a question, and the other names in it, such as "painter".

        Both are in the order of the question. No two mentions overlap.
        """
        # spaCy refuses lone surrogates, which terminals may send.
        doc = self.pipeline(question.encode("utf-8", "replace").decode())
        entities, others = (
            [Mention(span.text, span.label_, span.start_char, span.end_char) for span in spans]
            for spans in (doc.ents, doc.spans[COMPONENT])
        )
        return entities, others


def _pipeline(model: str | None) -> "Language":
    import spacy

    if model is None:
        return spacy.blank("en")
    try:
        return spacy.load(model)
    except Exception as error:
        # The error depends on the file of a pipeline that is missing or of another version.
        detail = (str(error).splitlines() or [""])[0].rstrip(".")
        raise NoPipelineError(model, detail if Path(model).exists() else "") from error


class _Names:
    """The component of the pipeline, which finds the names among sequences of tokens.

    Names outside of entities become spans of the document, because they may distinguish
    namesakes. If ``item`` is set, names first become entities.
    """

    def __init__(self) -> None:
        self.spellings: Callable[[str], Sequence[str]] = lambda name: ()
        self.prefetch: Callable[[Sequence[str]], None] = lambda names: None
        self.item: Callable[[str], str] | None = None

    def __call__(self, doc: "Doc") -> "Doc":
        from spacy.util import filter_spans

        is_cased = doc.text not in (doc.text.lower(), doc.text.upper())
        words = {token.i for token in doc if _may_be_name(token, is_cased)}
        names = [
            span for span in self._names(doc) if not words.isdisjoint(range(span.start, span.end))
        ]
        if self.item:
            capitals = {n for n in words if not doc[n].text.islower()} if is_cased else None
            doc.ents = tuple(filter_spans(self._entities(names, capitals, self.item)))
        # Of spans that overlap, the longest one stays, then the first one.
        doc.spans[COMPONENT] = filter_spans(
            span for span in names if not any(token.ent_type for token in span)
        )
        return doc

    def _names(self, doc: "Doc") -> Iterator["Span"]:
        """Yield all sequences of tokens that are a name."""
        text = doc.text  # spaCy builds it anew at each access
        starts = [token.idx for token in doc]
        ends = [token.idx + len(token) for token in doc]
        spans = [
            (text[start:end], first, last)
            for first, start in enumerate(starts)
            for last, end in enumerate(ends[first : first + _LONGEST], first)
        ]
        self.prefetch([name for name, _, _ in spans])
        for name, first, last in spans:
            if self.spellings(name):
                yield doc[first : last + 1]

    def _entities(
        self, names: Sequence["Span"], capitals: Set[int] | None, item: Callable[[str], str]
    ) -> Iterator["Span"]:
        from spacy.tokens import Span

        for span in names:
            spellings = self.spellings(span.text)
            if _is_name(span, spellings, capitals) and (qid := item(span.text)):
                yield Span(span.doc, span.start, span.end, label=ITEM, kb_id=qid)


def _may_be_name(token: "Token", is_cased: bool) -> bool:
    """Return whether a word may be a name by itself: not a single letter or a stop word.

    A stop word with a capital may be one, unless a sentence begins with it: "May" or "The Who".
    """
    is_word = len(token) > 1 and any(map(str.isalpha, token.text))
    is_raised = is_cased and not token.text.islower() and not _begins(token)
    return is_word and (not token.is_stop or is_raised)


def _begins(token: "Token") -> bool:
    """Return whether a sentence begins with a word, so that its capital means nothing."""
    return token.i == 0 or token.nbor(-1).text in _ENDS


def _is_name(span: "Span", spellings: Sequence[str], capitals: Set[int] | None) -> bool:
    """Return whether words are meant as a name, such as "May", but not "may" or "Painting".

    At least one of the words that may be names has a capital letter (``capitals`` are their
    places); the first and the last word are no stop words in small letters; and a word in small
    letters is small in the name, too. A single word is no part of a longer name. Where a question
    has small or capital letters only, ``capitals`` is None, and any name counts that is spelled
    with a capital.
    """
    names = [name for name in spellings if not name.islower()]
    if capitals is None:
        return bool(names)
    is_loose = any(token.is_stop and token.text.islower() for token in (span[0], span[-1]))
    is_part = len(span) == 1 and _is_part(span[0], capitals)
    is_whole = not capitals.isdisjoint(range(span.start, span.end)) and not is_loose and not is_part
    return is_whole and any(_fits(span.text, name) for name in names)


def _is_part(token: "Token", capitals: Set[int]) -> bool:
    """Return whether a word stands beside another one with a capital: "Bill" in "Kill Bill"."""
    before = token.i - 1 in capitals and not _begins(token.nbor(-1))
    return before or token.i + 1 in capitals


def _fits(text: str, name: str) -> bool:
    pairs = zip(text.split(), name.split(), strict=False)
    return not any(word[0].islower() and spelled[0].isupper() for word, spelled in pairs)
