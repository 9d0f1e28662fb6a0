"""Judge answers without a model, by their words, numbers and citations.

The judge splits an answer into claims: sentences, or parts of sentences that end at a citation
such as ``[1]`` or ``[1, 3]``.

Known weakness: it knows no synonyms, so a paraphrased claim counts as unsupported; and it can
overlook a small wrong word, such as "not", in a longer claim. Games it: copying references with
their numbers.

Source: the metrics are those of GroUSE; the share of words follows knowledge precision, without
the words of the question (V. Adlakha et al., Evaluating correctness and faithfulness of
instruction-following models for question answering, 2024).
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.biokalma.citations import Pool, parse
from kgbuild.datasets.grouse.rows import Grades, Sample, acceptance
from kgbuild.english.normalize import fold
from kgbuild.evaluate.text_metrics import abstains

Judge: TypeAlias = Callable[[Sample], Grades]
_Words: TypeAlias = Mapping[str, bool]
"""Words of a text, normalised; the value is whether a word is a name or a number."""

_TOP = 5
_MIN_SHARE = 0.7
"""Minimum share of a claim's words in a text that contains it, with all its names and numbers."""
_WORD = re.compile(r"\w")
_MARKS = re.compile(r"((?:\s*\[\d+(?:\s*,\s*\d+)*\])+)")
_STOP_BEFORE_MARKS = re.compile(rf"([.!?]+){_MARKS.pattern}")
_NEGATION = r"\b(?:no|none|not|neither|nothing|cannot|can't|don't|doesn't)\b"
_DOCUMENT = r"\b(?:document|reference|passage|source|text|context)s?\b"
_REFUSAL = re.compile(rf"{_NEGATION}.*{_DOCUMENT}|{_DOCUMENT}.*{_NEGATION}", re.IGNORECASE)
_LEAD = re.compile(rf"^[^:]*?{_DOCUMENT}[^:]*?(?::|\bthat\b)\s*", re.IGNORECASE)
"""The words between a refusal and the facts that it offers: "However, the documents say:"."""
_SMALL_WORDS = (
    "a an and as at be been but by did do does for from had has have he her his in is it its of on"
    " or s she that the their they this to was were what when where which who whom with"
)
_IGNORED = frozenset(_SMALL_WORDS.split())
_NO_TRIPLES = Pool((), fold)


class _Claim(NamedTuple):
    """The text of a claim, and the numbers of the references that it cites."""

    text: str
    cites: frozenset[int]


def by_words(sample: Sample) -> Grades:
    """Grade an answer.

    Relevancy is the share of the answer's claims that the question asks for, completeness the
    share of the true answer's claims that the answer addresses, both on a scale of 1 to 5, rounded
    down. A claim with a wrong value addresses the one that it distorts if both cite the same
    reference. An answer is faithful if each claim is in the references that it cites.

    Only the true answer shows what the question asks for: without it, only usefulness and
    faithfulness are defined.
    """
    question = _words(sample.input)
    claims, refuses = _read(sample.actual_output)
    useful = _usefulness(claims, question) if refuses else None
    faithful = _faithfulness(claims, [*map(_words, sample.references)], question)
    if sample.expected_output is None:
        return Grades(None, None, useful, faithful, *acceptance(refuses, None))
    truth, is_open = _read(sample.expected_output)
    is_answerable = bool(truth) and not is_open
    true_claims = truth if is_answerable else ()
    relevant = (_is_addressed(claim, true_claims, question) for claim in claims)
    covered = (_is_addressed(claim, claims, question) for claim in true_claims)
    return Grades(
        None if refuses else _likert(relevant),
        _likert(covered) if is_answerable else None,
        useful,
        faithful,
        *acceptance(refuses, is_answerable),
    )


_PERFECT = Grades(_TOP, _TOP, None, 1, None, None)
_LOWEST = _PERFECT._replace(answer_relevancy=1, completeness=1, faithfulness=0)
ANSWER_JUDGES: Mapping[str, Judge] = {"deterministic": by_words}
"""The judges without a model that grade answers."""
JUDGES: Mapping[str, Judge] = {
    **ANSWER_JUDGES,
    "always top": lambda _: _PERFECT,
    "always lowest": lambda _: _LOWEST,
}
"""The judges without a model that the tests evaluate. The last two check the tests themselves."""


def _read(text: str) -> tuple[list[_Claim], bool]:
    """Return the claims of an answer, and whether it refuses: no document answers.

    A sentence that refuses is not a claim. After claims, it refuses only a part of the question.
    """
    claims: list[_Claim] = []
    refuses = False
    for sentence in parse(_STOP_BEFORE_MARKS.sub(r"\2\1", text), _NO_TRIPLES):
        parts = _claims(sentence.text)
        is_cited = any(claim.cites for claim in parts)
        if not is_cited and (_REFUSAL.search(sentence.text) or abstains(sentence.text)):
            refuses = refuses or not claims
        else:
            claims += parts
    return claims, refuses


def _claims(sentence: str) -> list[_Claim]:
    """Return the claims of a sentence: a claim ends at a citation, or with the sentence.

    Adjacent citations, and citations before all words, belong to one claim.
    """
    claims: list[_Claim] = []
    parts = _MARKS.split(sentence)  # texts and citations alternate
    for text, numbers in zip_longest(parts[::2], parts[1::2], fillvalue=""):
        cites = frozenset(map(int, re.findall(r"\d+", numbers)))
        last = claims[-1] if claims else None
        if last and not (cites and _WORD.search(text) and _WORD.search(last.text)):
            claims[-1] = _Claim(_LEAD.sub("", last.text + text), last.cites | cites)
        else:
            claims.append(_Claim(_LEAD.sub("", text), cites))
    return claims


def _usefulness(claims: Sequence[_Claim], question: _Words) -> int | None:
    """Return whether each claim has half of the names in the question."""
    names = {word for word, is_name in question.items() if is_name}
    shared = [len(names & _words(claim.text).keys()) for claim in claims]
    return int(all(2 * count >= len(names) for count in shared)) if claims else None


def _faithfulness(
    claims: Sequence[_Claim], references: Sequence[_Words], question: _Words
) -> int | None:
    """Return whether each claim is in the references that it cites."""
    supported = [_is_supported(claim, references, question) for claim in claims]
    return int(all(supported)) if claims else None


def _is_supported(claim: _Claim, references: Sequence[_Words], question: _Words) -> bool:
    if not claim.cites or not all(1 <= number <= len(references) for number in claim.cites):
        return False
    evidence = {word for number in claim.cites for word in references[number - 1]}
    words = _words(claim.text)
    names = {word for word, is_name in words.items() if is_name}
    # Right and wrong claims alike contain the words of the question.
    return names <= evidence and _contains(evidence, _without(question, words))


def _is_addressed(claim: _Claim, others: Iterable[_Claim], question: _Words) -> bool:
    """Return whether one of ``others`` contains a claim, is part of it, or shares a citation."""
    words = _without(question, _words(claim.text))
    for other in others:
        other_words = _without(question, _words(other.text))
        is_part = _contains(other_words, words) or _contains(words, other_words)
        if is_part or claim.cites & other.cites:
            return True
    return False


def _without(question: _Words, words: _Words) -> _Words:
    """Return words without those of the question; all words if none would remain."""
    rest = {word: is_name for word, is_name in words.items() if word not in question}
    return rest or words


def _contains(text: Collection[str], words: _Words) -> bool:
    """Return whether a text has all of the names and numbers, and most of all words."""
    if not words or any(is_name and word not in text for word, is_name in words.items()):
        return False
    return sum(word in text for word in words) >= _MIN_SHARE * len(words)


def _words(text: str) -> dict[str, bool]:
    """Return the words of a text without small ones, and whether each is a name or a number.

    >>> _words("He was born in Rome in 1901.")
    {'born': False, 'rome': True, '1901': True}
    """
    return {
        folded: word[0].isupper() or word[0].isdigit()
        for word in re.findall(r"\w+", text)
        if (folded := fold(word)) not in _IGNORED
    }


def _likert(answers: Iterable[bool]) -> int:
    """Return the share of true values on a scale of 1 to 5, rounded down; 1 without values."""
    values = [*answers]
    return 1 + (_TOP - 1) * sum(values) // len(values) if values else 1
