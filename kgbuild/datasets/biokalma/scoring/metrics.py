"""Score attributed answers, as in section 4 of the BioKaLMA paper.

A question has a pool of pieces of knowledge, which a model can cite, and a minimum knowledge set:
the pieces that an answer needs. Pieces of the set can be removed from the pool; an answer should
mark sentences about removed pieces with [NA].
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from kgbuild.datasets.biokalma.scoring.citations import Citation, Pool, Sentence, Triple
from kgbuild.datasets.biokalma.scoring.word_entailment import SentenceClaim, is_talk, refuses
from kgbuild.evaluate.bootstrap import Counted, Estimate, Share, estimates

Entails = Callable[[Sequence[SentenceClaim]], Sequence[bool]]
"""A function that returns for each claim whether the sentence entails the knowledge."""


@dataclass(frozen=True)
class Reference:
    """The reference of an answer.

    ``pool`` is the knowledge that the model could cite, ``knowledge`` the whole minimum knowledge
    set, ``absent`` the knowledge that was removed from the pool: pieces of the set, and pieces that
    imply them. ``equivalents`` are the pieces that say the same as a piece of the set. ``names``
    are the names of the items that pieces are about. ``as_published`` counts as the authors' code
    does: see ``score``; recall leaves out the ``left_out`` first pieces of the set.
    """

    pool: Pool
    knowledge: Sequence[Triple]
    absent: Sequence[Triple] = ()
    equivalents: Mapping[Triple, Sequence[Triple]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    as_published: bool = False
    left_out: int = 0

    def claim(self, sentence: str, piece: Triple) -> SentenceClaim:
        """Return the claim that a sentence states a piece."""
        others = (name for qid, name in self.names.items() if qid != piece.qid)
        return SentenceClaim(sentence, piece, self.names.get(piece.qid, ""), tuple(others))

    @cached_property
    def needed(self) -> Mapping[Triple, Set[int]]:
        """The pieces of the pool that cite pieces of the set, which are numbers."""
        return self._citing({})

    @cached_property
    def needed_or_equivalent(self) -> Mapping[Triple, Set[int]]:
        """The same, with the pieces that cite equivalents."""
        return self._citing(self.equivalents)

    def _citing(self, equivalents: Mapping[Triple, Sequence[Triple]]) -> Mapping[Triple, Set[int]]:
        needed: dict[Triple, set[int]] = defaultdict(set)
        counterpart = self.pool.counterpart
        for number, piece in enumerate(self.knowledge):
            if counterpart(piece):  # nothing cites a removed piece, not even its equivalents
                for same in filter(None, map(counterpart, (piece, *equivalents.get(piece, ())))):
                    needed[same].add(number)
        return needed


class AttributedAnswer(NamedTuple):
    """A parsed answer and its reference."""

    sentences: Sequence[Sentence]
    reference: Reference

    @property
    def citations(self) -> list[Citation]:
        """All citations, in order."""
        return [citation for sentence in self.sentences for citation in sentence.citations]

    @property
    def cited(self) -> set[Triple]:
        """The pieces of the pool that the answer cites."""
        return {citation.triple for citation in self.citations if citation.is_correct}

    def precision(self, needed: Mapping[Triple, Set[int]]) -> Share:
        """Return the share of citations that are in the minimum knowledge set, as ``needed``."""
        return _share(one.is_correct and one.triple in needed for one in self.citations)

    def recall(self, needed: Mapping[Triple, Set[int]]) -> Share:
        """Return the share of the minimum knowledge set that is cited."""
        numbers = set[int]().union(*(needed.get(piece, ()) for piece in self.cited))
        left_out = range(self.reference.left_out)
        counted = len(self.reference.knowledge) - len(left_out)
        return Share(len(numbers.difference(left_out)), counted)

    @property
    def refuses(self) -> bool:
        """Whether the answer cites nothing, and says that the knowledge is not enough.

        It is only [NA], or a sentence has the usual words ("the knowledge does not tell", "there
        is no information", "I don't know"). An empty answer does not refuse, nor does one with
        parts from memory, which are sentences with [NA].

        Games it: an answer that refuses first and then answers from memory. Known weaknesses: it
        misses other wordings, and it counts an answer that says that something is unknown to all.

        Source: the test of abstention with irrelevant knowledge in V. Adlakha, P. BehnamGhader,
        X. H. Lu, N. Meade and S. Reddy, Evaluating correctness and faithfulness of
        instruction-following models for question answering (2024).
        """
        if self.citations or not all(map(is_talk, self.marked)):
            return False
        texts = [sentence.text for sentence in self.sentences]
        is_only_marks = bool(texts) and not any(texts)
        return any(map(refuses, texts)) or is_only_marks

    @property
    def marked(self) -> list[str]:
        """The sentences with [NA] and a text."""
        return [
            sentence.text for sentence in self.sentences if sentence.is_marked and sentence.text
        ]

    @property
    def absent(self) -> Sequence[Triple]:
        """The pieces that the answer cannot cite; as published, those of the set that it omits."""
        if not self.reference.as_published:
            return self.reference.absent
        counterpart, cited = self.reference.pool.counterpart, self.cited
        return [piece for piece in self.reference.knowledge if counterpart(piece) not in cited]

    @property
    def missing(self) -> list[Triple]:
        """The part of the minimum knowledge set that is absent."""
        absent = self.absent
        return [piece for piece in self.reference.knowledge if piece in absent]

    @property
    def citation_claims(self) -> list[SentenceClaim]:
        """The claims that sentences state what they cite, in the order of the citations."""
        claim = self.reference.claim
        return [
            claim(sentence.text, citation.triple)
            for sentence in self.sentences
            for citation in sentence.citations
        ]

    @property
    def na_claims(self) -> list[SentenceClaim]:
        """The claims that decide whether sentences with [NA] are right to have it."""
        pieces = (*self.absent, *self.reference.knowledge) if self.missing else ()
        return [self.reference.claim(text, piece) for text in self.marked for piece in pieces]


HARMONIC = {
    "f1": ("precision", "recall"),
    "equivalent_f1": ("equivalent_precision", "equivalent_recall"),
    "macro_f1": ("macro_precision", "macro_recall"),
    "na_f1": ("na_precision", "na_recall"),
}
"""The metrics that are harmonic means, each with the two metrics that it combines."""


def values(
    answers: Sequence[AttributedAnswer], entails: Entails
) -> Iterator[dict[str, float | None]]:
    """Yield the metrics of each answer by itself; None for a metric without cases."""
    entailed = _entailed(answers, entails)
    for answer in answers:
        shares = _counted(answer, entailed)
        yield {name: share.value for name, share in shares.items() if not name.startswith("macro_")}


def score(answers: Sequence[AttributedAnswer], entails: Entails) -> dict[str, Estimate]:
    """Score attributed answers; ``entails`` is called once, with all claims.

    ``refused``: the share of answers that refuse (see ``AttributedAnswer``). To refuse is right if
    the pool is irrelevant, and wrong if it is the pool of the question. ``uncited``: the share of
    answers without citations.

    ``unread``: the share of answers with brackets that may cite, but in no known form.

    ``correctness``: the share of citations that are in the pool; repeated citations count
    repeatedly. Games it: citing anything in the pool, or next to nothing. ``unknown_items``: the
    share of citations that name an item outside the pool.

    ``precision``: the share of citations that are in the pool and in the minimum knowledge set,
    with repetitions. Games it: citing only what is certain. ``recall``: the share of the set that
    is cited; removed pieces count as not cited. Games it: citing the whole pool. ``f1``: their
    harmonic mean.

    ``equivalent_precision``, ``equivalent_recall``, ``equivalent_f1``: the same,
    but a citation of what says the same as a piece of the set (its inverse, a coarser value) counts
    as a citation of the piece. Games it: citing a coarser value where the finer one is unknown.

    ``macro_precision``, ``macro_recall``, ``macro_f1``: the means of both over answers, and the
    harmonic mean of the means. The paper averages "over all citations in an answer", so an answer
    without citations has a recall of 0 and no precision. Games it: leaving hard questions
    unanswered, which ``uncited`` shows.

    ``alignment``: the share of citations, right or wrong, that their sentence entails; no sentence
    entails an incomplete citation.

    ``na_precision``: the share of sentences with [NA] that entail an absent piece, or answer no
    part of the question. Talk (greetings, refusals, "In summary, …") that entails no piece does
    not count. ``na_recall``: the share of absent pieces of the set that a sentence
    with [NA] entails. ``na_f1``: their harmonic mean. Only answers with an absent piece count.
    In section 4.5, [NA] is right on a sentence that "does not answer the question at all"; here
    this is a sentence that entails no piece of the set. So [NA] is wrong if the sentence entails
    only present pieces of the set. A model games it by an [NA] after sentences that state nothing.
    Known weakness: [NA] counts as wrong on a sentence with both present knowledge and knowledge
    that the store lacks.

    As published, recall leaves out the pieces that the question begins with (round 0), a citation
    is aligned if its sentence has the text of its value, whatever ``entails`` says, and the pieces
    of the set that the answer does not cite are absent.

    Source: sections 4.2 to 4.5, and the code of the authors.
    """
    entailed = _entailed(answers, entails)
    return estimates([_counted(answer, entailed) for answer in answers], HARMONIC)


def _counted(answer: AttributedAnswer, entailed: Mapping[SentenceClaim, bool]) -> Counted:
    """Return the shares of an answer, by metric."""
    citations, reference = answer.citations, answer.reference
    precision, recall = answer.precision(reference.needed), answer.recall(reference.needed)
    na_precision, na_recall = _na_shares(answer, entailed)
    return {
        "refused": Share(answer.refuses, 1),
        "uncited": Share(not citations, 1),
        "unread": Share(any(sentence.unread for sentence in answer.sentences), 1),
        "correctness": _share(citation.is_correct for citation in citations),
        "unknown_items": _share(
            bool(citation.triple.qid) and not reference.pool.knows(citation.triple.qid)
            for citation in citations
        ),
        "precision": precision,
        "recall": recall,
        "equivalent_precision": answer.precision(reference.needed_or_equivalent),
        "equivalent_recall": answer.recall(reference.needed_or_equivalent),
        "macro_precision": _as_one_case(precision),
        "macro_recall": _as_one_case(recall),
        "alignment": _share(
            entailed[claim] or (reference.as_published and _has_value(claim))
            for claim in answer.citation_claims
        ),
        "na_precision": na_precision,
        "na_recall": na_recall,
    }


def _has_value(claim: SentenceClaim) -> bool:
    """Return whether a sentence has the text of the value, which suffices as published."""
    return claim.triple.value.casefold() in claim.sentence.casefold()


def _entailed(
    answers: Sequence[AttributedAnswer], entails: Entails
) -> Mapping[SentenceClaim, bool]:
    """Return for each claim whether it is entailed; incomplete citations are not."""
    claims = dict.fromkeys(
        claim for answer in answers for claim in (*answer.citation_claims, *answer.na_claims)
    )
    complete = [claim for claim in claims if claim.triple.property and claim.triple.value]
    return defaultdict(bool, zip(complete, entails(complete), strict=True))


def _na_shares(
    answer: AttributedAnswer, entailed: Mapping[SentenceClaim, bool]
) -> tuple[Share, Share]:
    """Return the precision and the recall of [NA]; both have 0 cases if nothing is missing."""
    if not answer.missing:
        return Share(0, 0), Share(0, 0)
    reference = answer.reference

    def entails(text: str, pieces: Iterable[Triple]) -> bool:
        return any(entailed[reference.claim(text, piece)] for piece in pieces)

    states = {text: entails(text, reference.knowledge) for text in answer.marked}
    fits = {text: entails(text, answer.absent) or not states[text] for text in states}
    counted = [text for text in answer.marked if states[text] or not is_talk(text)]
    recall = (any(entails(text, [piece]) for text in answer.marked) for piece in answer.missing)
    return _share(fits[text] for text in counted), _share(recall)


def _share(cases: Iterable[bool]) -> Share:
    hits = list(cases)
    return Share(sum(hits), len(hits))


def _as_one_case(share: Share) -> Share:
    """Return a share as a single case, for the mean of shares."""
    return Share(share.value, 1) if share.value is not None else share
