"""Write the questions of pairs: fill labels into the templates of a relation."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache, partial
from typing import NamedTuple

from kgbuild.catalog import Catalog, Path
from kgbuild.datasets.syn_qa.names import Shared, names
from kgbuild.datasets.syn_qa.rows import OBJECT, SUBJECT
from kgbuild.english.templates import closed, fill
from kgbuild.graph.hierarchy import Kinds
from kgbuild.graph.times import Dated
from kgbuild.relations import Kind, Wording
from kgbuild.rows import stable_id
from kgbuild.store.labels import Labels

_CACHE_SIZE = 1 << 10
"""Maximum number of statements whose templates are kept in memory."""


class Chain(NamedTuple):
    """The items of a statement of a path; with one relation, the subject is also the bridge."""

    subject: str
    bridge: str
    object: str

    def end(self, name: str) -> str:
        """Return the ``subject`` or the ``object``."""
        return self.object if name == OBJECT else self.subject


class Template(NamedTuple):
    """A question with placeholders, and its name: P36-1, or P36-county-1 for items of a kind.

    With two relations, it has the phrase for the bridge, in which the subject is named.
    """

    name: str
    text: str


class Questions:
    """Writes the questions of one path about any two items.

    ``subject(id)``, ``bridge(id)`` and ``object(id)`` return the kind of an item in this role; None
    if the path allows no such item in it. With two relations, the kind of a bridge must be a kind
    of objects of the first relation and of subjects of the last one. ``template(chain)`` returns
    the template of a true statement. ``label(id)`` returns a label; an empty text without one.
    ``gendered_words(id)`` returns the words in the name of an award that reveal the sex of its
    holders.
    """

    def __init__(self, path: Path, catalog: Catalog, kinds: Kinds, labels: Labels):
        self._path = path
        self._catalog = catalog
        self._kinds_of = cache(lambda qid: tuple(kinds.names(qid)))
        shared = names(labels)
        self.label, self._folded = shared.label, shared.folded
        self._subject_name, self._object_name = shared.of_subject, shared.of_object
        first, last = path.first, path.last
        bridge = tuple(
            kind for kind in last.subject_kinds if not first or kind in first.object_kinds
        )
        # Cached functions, because each is called a million times.
        self.subject = cache(partial(self._kind, path.start.subject_kinds))
        self.bridge = cache(partial(self._kind, bridge))
        self.object = cache(partial(self._kind, last.object_kinds))
        self._first_wording = cache(first.wording) if first else None
        self._last_wording = cache(last.wording)
        # A statement has one template, which is needed for each similar item.
        self.template = lru_cache(_CACHE_SIZE)(self._template)
        self._phrase = cache(self._read_phrase)
        self._is_fit = cache(self._fits)
        self.gendered_words = cache(self._gendered_words)

    def are_compared(self, end: str) -> bool:
        """Return whether some kind of the subjects or objects has properties to be similar by."""
        path = self._path
        kinds = path.last.object_kinds if end == OBJECT else path.start.subject_kinds
        return any(self._catalog.kinds[kind].similarity for kind in kinds)

    def kind(self, end: str, chain: Chain) -> Kind | None:
        """Return the kind of the ``subject`` or the ``object`` of a chain."""
        return self.object(chain.object) if end == OBJECT else self.subject(chain.subject)

    def dated(self, chain: Chain) -> tuple[Dated, Dated]:
        """Return the bridge and the object of a chain with their kinds, which tell their dates."""
        _, bridge, object_ = chain
        return (bridge, self.bridge(bridge)), (object_, self.object(object_))

    def same_name(self, *qids: str) -> bool:
        """Return whether two of the items have the same name, so that a reader confuses them."""
        return len({self._folded(qid) for qid in qids}) < len(qids)

    def may_be(self, first: str, second: str) -> bool:
        """Return whether a name begins or ends with the other one: RCA and RCA Records."""
        short, long = sorted((self._folded(first), self._folded(second)), key=len)
        begins, ends = f"{long} ".startswith(f"{short} "), f" {long}".endswith(f" {short}")
        return bool(short) and (begins or ends)

    def shared_words(self, subject: str, object_: str) -> Shared:
        """Return the words that the names of two items share, such as a family name or a city."""
        return self._subject_name(subject).shared(self._object_name(object_))

    def in_one_series(self, kind: Kind | None, first: str, second: str) -> bool:
        """Return whether two works of a kind may be parts of one series: titles begin alike."""
        if not kind or not kind.can_be_series:
            return False
        title, second_title = (
            re.findall(r"\w+", _ARTICLE.sub("", self._folded(qid))) for qid in (first, second)
        )
        length = min(_SERIES_WORDS, len(title), len(second_title))
        return title[:length] == second_title[:length]

    def _kind(self, names: Sequence[str], qid: str) -> Kind | None:
        """Return the first kind that fits an item; a kind without classes fits every item."""
        main = self._kinds_of(qid)[:1]
        kinds = (self._catalog.kinds[name] for name in names)
        return next((kind for kind in kinds if not kind.classes or kind.name in main), None)

    def wording(self, chain: Chain) -> Wording:
        """Return the templates for the kinds of a chain's items; empty if no question fits them.

        With two relations, the first one must have its default wording, which describes the bridge.
        """
        first, kinds_of = self._first_wording, self._kinds_of
        if first and first(kinds_of(chain.subject), kinds_of(chain.bridge)).name:
            return Wording("", ())
        return self._last_wording(kinds_of(chain.bridge), kinds_of(chain.object))

    def _template(self, chain: Chain) -> Template:
        """Return the template of a true statement, which must have a wording with templates.

        A hash of the statement chooses it, so other statements do not change the choice. With two
        relations it is, if possible, one in which no preposition follows the bridge: a reader
        would misread "the person whom Ann married at the Sorbonne".
        """
        wording = self.wording(chain)
        numbers = [*range(len(wording.templates))]
        if self._path.first:
            numbers = [
                number for number in numbers if not _PREPOSITION.search(wording.templates[number])
            ] or numbers
        hashed = int(stable_id("template", chain.subject, chain.object), 16)
        number = numbers[hashed % len(numbers)]
        name = "-".join(filter(None, (self._path.name, wording.name, str(number + 1))))
        text, first = wording.templates[number], self._path.first
        return Template(name, text.replace("{subject}", first.bridge) if first else text)

    def ask(self, template: Template, subject: str, object_: str) -> str:
        """Return the question of a template about two items, whose labels fit into it."""
        text = template.text
        phrases = zip(_PLACEHOLDERS, map(self._phrase, _ENDS, (subject, object_)), strict=True)
        words = {place: closed(phrase, text, place) for place, phrase in phrases}
        return fill(text, words)

    def unfit(self, template: Template, subject: str, object_: str) -> str:
        """Return the first of two items whose label does not fit into a template, or "".

        These labels do not fit: labels with brackets; labels with an addition after a comma in the
        middle of the sentence, except common ones ("Jr."); quoted titles with a question mark at
        the end of the question.
        """
        for end, qid in zip(_ENDS, (subject, object_), strict=True):
            if not self._is_fit(template.text, end, qid):
                return qid
        return ""

    def _fits(self, text: str, end: str, qid: str) -> bool:
        """Return whether the label of an item fits into the text of a template as an end."""
        phrase, place = self._phrase(end, qid), f"{{{end}}}"
        if phrase.endswith('"'):
            return not (phrase.endswith('?"') and f"{place}?" in text)
        is_closed = bool(_ADDITION.search(phrase)) or closed(phrase, text, place) == phrase
        return bool(phrase) and is_closed

    def _read_phrase(self, end: str, qid: str) -> str:
        """Return the phrase for an item as an end; an empty text if no question can have it."""
        kind = self.object(qid) if end == OBJECT else self.subject(qid)
        label = self.label(qid)
        phrase = kind.phrase(label) if kind else label
        is_quoted = phrase.endswith('"')  # a title
        is_unfit = (kind and not kind.fits(label)) or (not is_quoted and _BRACKET.search(phrase))
        return "" if is_unfit else phrase

    def _gendered_words(self, qid: str) -> set[str]:
        return _GENDERED.intersection(self._folded(qid).split())


_PREPOSITION = re.compile(r"\{subject\} (as|at|by|for|from|in|on|to|with) ")
_BRACKET = re.compile(r"[()\[\]]")
# Common additions to names: "Robert Downey, Jr."
_ADDITION = re.compile(r", (Jr\.|Sr\.|D\.C\.)$")
_ARTICLE = re.compile(r"^(the|an?) ")
_SERIES_WORDS = 2
"""Number of words at the beginning of a title that name the series."""
_ENDS, _PLACEHOLDERS = (SUBJECT, OBJECT), ("{subject}", "{object}")
_GENDERED = {"actor", "actress", "female", "male", "man", "men", "woman", "women"}
"""Words in the name of an award that reveal the sex of its holders."""
