"""Find names in a question with spaCy, which is imported when a ``Reader`` is created."""

from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kgbuild.errors import MissingExtraError, NoPipelineError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

COMPONENT = "kgbuild_names"
"""The name of this module's component in a spaCy pipeline, and of the spans that it adds."""
ITEM = "ITEM"
"""The type of the entities that the component adds: Wikidata items of any kind."""
_MAX_TOKENS = 16
"""Maximum number of tokens of a name."""
_SENTENCE_ENDS = (".", "?", "!")


class Mention(NamedTuple):
    """A name in a question, from the character ``start`` to before ``end``, and its entity type."""

    text: str
    kind: str
    start: int
    end: int


class Reader:
    """Finds the names in questions.

    ``spellings`` returns the names of items that equal a text except for case and accents;
    ``prefetch`` receives all texts before that. ``item`` returns the id of the item with a name, or
    "". ``model`` is an installed spaCy pipeline, or a folder of one, that finds the entities.
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
        """Return the entities of a question, and the other names of items in it, such as "painter".

        Both are in the order of the question. No two mentions overlap.
        """
        # spaCy refuses lone surrogates, which terminals may send.
        doc = self.pipeline(question.encode("utf-8", "replace").decode())
        entities, other_names = (
            [Mention(span.text, span.label_, span.start_char, span.end_char) for span in spans]
            for spans in (doc.ents, doc.spans[COMPONENT])
        )
        return entities, other_names


def _pipeline(model: str | None) -> "Language":
    import spacy

    if model is None:
        return spacy.blank("en")
    try:
        return spacy.load(model)
    except Exception as error:
        # Which error is raised depends on the file that is missing or of another version.
        detail = (str(error).splitlines() or [""])[0].rstrip(".")
        raise NoPipelineError(model, detail if Path(model).exists() else "") from error


class _Names:
    """The component of the pipeline; it finds the sequences of tokens that are names of items.

    If ``item`` is set, names that are written like names become entities. All other names become
    spans of the document, because they may distinguish items with the same name.
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
            capitals = {i for i in words if not doc[i].text.islower()} if is_cased else None
            doc.ents = tuple(filter_spans(self._entities(names, capitals, self.item)))
        # Among overlapping spans, the longest is kept, or the first of equal length.
        doc.spans[COMPONENT] = filter_spans(
            span for span in names if not any(token.ent_type for token in span)
        )
        return doc

    def _names(self, doc: "Doc") -> Iterator["Span"]:
        """Yield all sequences of tokens that are a name."""
        text = doc.text  # a variable, since spaCy joins the tokens at each access
        starts = [token.idx for token in doc]
        ends = [token.idx + len(token) for token in doc]
        spans = [
            (text[start:end], first, last)
            for first, start in enumerate(starts)
            for last, end in enumerate(ends[first : first + _MAX_TOKENS], first)
        ]
        self.prefetch([name for name, _, _ in spans])
        for name, first, last in spans:
            if self.spellings(name):
                yield doc[first : last + 1]

    def _entities(
        self, names: Sequence["Span"], capitals: Set[int] | None, item: Callable[[str], str]
    ) -> Iterator["Span"]:
        """Yield the entities among names, each with the id of its item."""
        from spacy.tokens import Span

        for span in names:
            spellings = self.spellings(span.text)
            if _is_name(span, spellings, capitals) and (qid := item(span.text)):
                yield Span(span.doc, span.start, span.end, label=ITEM, kb_id=qid)


def _may_be_name(token: "Token", is_cased: bool) -> bool:
    """Return whether a word may be a name by itself: not a single letter or a stop word.

    A stop word with a capital inside a sentence may be a name, such as "May" or "Who".
    """
    is_word = len(token) > 1 and any(map(str.isalpha, token.text))
    has_capital = is_cased and not token.text.islower() and not _begins_sentence(token)
    return is_word and (not token.is_stop or has_capital)


def _begins_sentence(token: "Token") -> bool:
    """Return whether a sentence begins with a word, so that any word has a capital there."""
    return token.i == 0 or token.nbor(-1).text in _SENTENCE_ENDS


def _is_name(span: "Span", spellings: Sequence[str], capitals: Set[int] | None) -> bool:
    """Return whether words are written like a name: "May", but not "may" or "Painting".

    ``capitals`` are the indexes of the words in the question with a capital. Conditions:

    - at least one of the words has a capital;
    - the first and the last word are not stop words in small letters;
    - a word in small letters is also small in the name;
    - a single word is not part of a longer name.

    If a question has only small or only capital letters, ``capitals`` is None, and any name with a
    capital in its spelling is accepted.
    """
    names = [name for name in spellings if not name.islower()]
    if capitals is None:
        return bool(names)
    if capitals.isdisjoint(range(span.start, span.end)):
        return False
    if any(token.is_stop and token.text.islower() for token in (span[0], span[-1])):
        return False
    if len(span) == 1 and _is_part(span[0], capitals):
        return False
    return any(_has_case_of(span.text, name) for name in names)


def _is_part(token: "Token", capitals: Set[int]) -> bool:
    """Return whether a word with a capital is beside another such word: "Bill" in "Kill Bill"."""
    follows_capital = token.i - 1 in capitals and not _begins_sentence(token.nbor(-1))
    return follows_capital or token.i + 1 in capitals


def _has_case_of(text: str, name: str) -> bool:
    """Return whether no word of a text is in small letters where the name has a capital."""
    pairs = zip(text.split(), name.split(), strict=False)
    return not any(word[0].islower() and name_word[0].isupper() for word, name_word in pairs)
