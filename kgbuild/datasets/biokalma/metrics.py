"""Score attributed answers, as in section 4 of the BioKaLMA paper.

A question comes with a pool of knowledge, which a model is given to cite, and with the minimum
knowledge set, which an answer needs. Some of the set may have been taken out of the pool before;
what an answer says of that is to bear [NA].

Source: X. Li, Y. Cao, L. Pan, Y. Ma and A. Sun, Towards verifiable generation: a benchmark for
knowledge-aware language model attribution (2024).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.biokalma.citations import MONTHS, Citation, Pool, Sentence, Triple
from kgbuild.evaluate.bootstrap import Counted, Estimate, Share, estimates
from kgbuild.evaluate.text_metrics import abstains

Claim: TypeAlias = tuple[str, Triple]
"""A sentence, and a piece of knowledge that it may entail."""
Entails = Callable[[Sequence[Claim]], Sequence[bool]]
"""Tells of each claim whether the sentence entails the knowledge."""

_DATE = re.compile(r"(\d{3,})-(0[1-9]|1[0-2])(?:-(\d\d))?")
_ORDINALS = ("", "st", "nd", "rd", "th")
_SMALL_WORDS = frozenset(("the", "a", "an", "of", "and", "in", "at", "on", "for", "to", "de", "la"))
_SHORTEST_PLURAL = 4
_NO = re.compile(r"\b(?:no|none|not|nothing|neither|cannot|lacks?)\b|n['’]t\b", re.IGNORECASE)
_GIVEN = re.compile(r"\b(?:knowledge|information|pieces?|context)\b", re.IGNORECASE)


def by_words(claims: Sequence[Claim], fold: Callable[[str], str]) -> list[bool]:
    """Tell of each claim whether all words of the value stand in the sentence.

    Words are compared as ``fold`` makes them, without a plural's s; those like "of" and "the"
    may be missing. Of a date each part must be there, the month as its name, short or long:
    ``1815-12-10`` is in "born on December 10th, 1815", not in "born in 1815". A value without
    a word is in no sentence.

    It needs no model. Games it: whatever names many things, since of the property nothing is
    asked: "Ada Lovelace" is entailed as a child and as a mother, and even by "not Ada
    Lovelace". Known weakness: what is said in other words ("American", "he" for male, "nineteenth
    century") is not found.
    """
    words = {sentence: _words(fold(sentence)) for sentence in {one for one, _ in claims}}
    needed = {value: _needed(fold(value)) for value in {triple.value for _, triple in claims}}
    return [
        bool(needed[triple.value])
        and all(not forms.isdisjoint(words[sentence]) for forms in needed[triple.value])
        for sentence, triple in claims
    ]


def _words(folded: str) -> set[str]:
    found = re.findall(r"\w+", folded)
    return {*found, *map(_singular, found)}


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) >= _SHORTEST_PLURAL else word


def _needed(folded: str) -> list[set[str]]:
    """Return what a sentence needs for a value: the forms of each word, or part of a date."""
    if date := _DATE.fullmatch(folded):
        year, month, day = date.groups()
        forms = [{year, str(int(year))}, _month(month)]
        return [*forms, {day, *(f"{int(day)}{end}" for end in _ORDINALS)}] if day else forms
    words = re.findall(r"\w+", folded)
    telling = [word for word in words if word not in _SMALL_WORDS] or words
    return [{"bce", "bc"} if word == "bce" else {_singular(word)} for word in telling]


def _month(digits: str) -> set[str]:
    name = MONTHS[int(digits) - 1]
    return {digits, name, name[:3], name[:4]}


class Asked(NamedTuple):
    """What an answer is scored against.

    ``pool`` is what the model was given, ``knowledge`` the minimum knowledge set, all of it, and
    ``absent`` what was taken out of the pool: pieces of the set, and what they follow from.
    """

    pool: Pool
    knowledge: Sequence[Triple]
    absent: Sequence[Triple] = ()


class Attributed(NamedTuple):
    """An answer as it was read, and what it is scored against."""

    sentences: Sequence[Sentence]
    asked: Asked

    @property
    def citations(self) -> list[Citation]:
        """All that it cites, in order."""
        return [citation for sentence in self.sentences for citation in sentence.citations]

    @property
    def precision(self) -> Share:
        """The citations that are of the minimum knowledge set, among all."""
        needed = {self.asked.pool.counterpart(piece) for piece in self.asked.knowledge}
        cited = self.citations
        return Share(sum(one.is_correct and one.triple in needed for one in cited), len(cited))

    @property
    def recall(self) -> Share:
        """The pieces of the minimum knowledge set that are cited, among all."""
        cited = {one.triple for one in self.citations if one.is_correct}
        counterpart = self.asked.pool.counterpart
        hits = sum(counterpart(piece) in cited for piece in self.asked.knowledge)
        return Share(hits, len(self.asked.knowledge))

    @property
    def refuses(self) -> bool:
        """Whether it says that what was given does not tell the answer, and cites nothing.

        It does by [NA] on every sentence, or by a sentence that says so in the usual words ("the
        knowledge does not tell", "there is no information", "I don't know"). An empty answer says
        nothing.

        Games it: saying so first, and then answering from memory. Known weakness: other ways to
        say so are not found, and an answer about what nobody has knowledge of is taken for one.

        Source: the test of abstention with irrelevant knowledge in V. Adlakha, P. BehnamGhader,
        X. H. Lu, N. Meade and S. Reddy, Evaluating correctness and faithfulness of
        instruction-following models for question answering (2024).
        """
        if self.citations:
            return False
        says_so = any(_says_nothing_tells(one.text) for one in self.sentences)
        return says_so or (bool(self.sentences) and all(one.is_marked for one in self.sentences))

    @property
    def marked(self) -> list[str]:
        """The sentences with [NA] that say something."""
        return [one.text for one in self.sentences if one.is_marked and one.text]

    @property
    def missing(self) -> list[Triple]:
        """The pieces of the minimum knowledge set that were taken out of the pool."""
        return [piece for piece in self.asked.knowledge if piece in self.asked.absent]


HARMONIC = {
    "f1": ("precision", "recall"),
    "macro_f1": ("macro_precision", "macro_recall"),
    "na_f1": ("na_precision", "na_recall"),
}
"""The metrics that are the harmonic mean of two others."""


def score(answers: Sequence[Attributed], entails: Entails) -> dict[str, Estimate]:
    """Score attributed answers; ``entails`` is asked once, of all that it must tell.

    ``refused``: the answers that refuse to answer (see ``Attributed``), among all: right of
    irrelevant knowledge, wrong of the question's own. ``uncited``: those that cite nothing.

    ``correctness``: the citations that are in the pool, among all; a citation that stands twice
    counts twice. Games it: citing whatever is in the pool, or next to nothing. ``unknown_items``:
    the citations that name an item of which the model was given nothing.

    ``precision``: the citations that are in the pool and in the minimum knowledge set, among all;
    twice counts twice. ``recall``: the pieces of the set that are cited, among all of it; twice
    counts once, and what was taken out of the pool counts as not cited. ``f1``: their harmonic
    mean. Game them: citing only what is certain, and the whole pool.

    ``macro_precision``, ``macro_recall``, ``macro_f1``: the means over answers, and their
    harmonic mean. The paper averages "over all citations in an answer": where there is none,
    there is no average, so an answer that cites nothing has a recall of 0 and is left out of
    the precision. That is gamed by not answering what is hard, which ``uncited`` shows.

    ``alignment``: the pairs of a sentence and a citation in it where the sentence entails the
    citation, right or wrong, among all; an incomplete citation is entailed by nothing.

    ``na_precision``: the sentences with [NA] that entail something absent, or answer nothing of
    the question, among all. ``na_recall``: the pieces of the set that are absent and entailed by
    a sentence with [NA], among all such pieces. ``na_f1``: their harmonic mean. They count where
    something is absent only. By section 4.5 a sentence that "does not answer the question at
    all" is right to bear [NA]; what answers the question is the minimum knowledge set, so that is
    a sentence that entails no piece of the set. So [NA] is wrong where the sentence entails of
    the set only what was given. Games it: an [NA] behind idle talk. Known weakness: a sentence
    that says what was given beside what no graph has is counted as wrong.

    Source: sections 4.2 to 4.5.
    """
    entailed = _entailed(answers, entails)
    return estimates([_counted(answer, entailed) for answer in answers], HARMONIC)


def _counted(answer: Attributed, entailed: Mapping[Claim, bool]) -> Counted:
    """Return what an answer adds to each metric."""
    cited, precision, recall = answer.citations, answer.precision, answer.recall
    na_precision, na_recall = _marks(answer, entailed)
    return {
        "refused": Share(answer.refuses, 1),
        "uncited": Share(not cited, 1),
        "correctness": _share(citation.is_correct for citation in cited),
        "unknown_items": _share(citation.names_unknown for citation in cited),
        "precision": precision,
        "recall": recall,
        "macro_precision": _alone(precision),
        "macro_recall": _alone(recall),
        "alignment": _share(entailed[claim] for claim in _citing(answer)),
        "na_precision": na_precision,
        "na_recall": na_recall,
    }


def _says_nothing_tells(text: str) -> bool:
    return bool(_NO.search(text) and _GIVEN.search(text)) or abstains(text)


def _citing(answer: Attributed) -> Iterable[Claim]:
    for sentence in answer.sentences:
        yield from ((sentence.text, citation.triple) for citation in sentence.citations)


def _marking(answer: Attributed) -> Iterable[Claim]:
    """Yield what decides about the sentences with [NA]."""
    if answer.missing:
        for text in answer.marked:
            yield from ((text, piece) for piece in answer.asked.absent)
            yield from ((text, piece) for piece in answer.asked.knowledge)


def _entailed(answers: Sequence[Attributed], entails: Entails) -> Mapping[Claim, bool]:
    """Return what is entailed; a piece of knowledge that lacks a part is by nothing."""
    claims = dict.fromkeys(
        claim for answer in answers for claim in (*_citing(answer), *_marking(answer))
    )
    whole = [(text, triple) for text, triple in claims if triple.property and triple.value]
    return defaultdict(bool, zip(whole, entails(whole), strict=True))


def _marks(answer: Attributed, entailed: Mapping[Claim, bool]) -> tuple[Share, Share]:
    """Return the precision and the recall of [NA]; they are about nothing if nothing is missing."""
    if not answer.missing:
        return Share(0, 0), Share(0, 0)
    right = []
    for text in answer.marked:
        says_absent = any(entailed[text, piece] for piece in answer.asked.absent)
        says_needed = any(entailed[text, piece] for piece in answer.asked.knowledge)
        right.append(says_absent or not says_needed)
    return _share(right), _share(
        any(entailed[text, piece] for text in answer.marked) for piece in answer.missing
    )


def _share(told: Iterable[bool]) -> Share:
    found = list(told)
    return Share(sum(found), len(found))


def _alone(share: Share) -> Share:
    """Return a share as one of the numbers whose mean is taken."""
    return Share(share.value, 1) if share.value is not None else share
