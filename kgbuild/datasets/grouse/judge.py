"""Judge answers without a model, by their words, numbers and citations.

The judge splits an answer into claims: sentences, or parts of sentences that end at a citation
such as ``[1]`` or ``[1, 3]``. An answer *refuses* if it says that no document answers.

Known weaknesses: the judge knows no synonyms, so a paraphrased claim counts as unsupported; it can
overlook a wrong short word, such as "not", in a long claim. An answer that copies references with
their numbers games it.

Source: the metrics are those of GroUSE. A claim is compared with a reference by the share of its
words that the reference has, like knowledge precision, but words of the question do not count
(V. Adlakha et al., Evaluating correctness and faithfulness of instruction-following models for
question answering, 2024).
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.biokalma.scoring.citations import Pool, parse
from kgbuild.datasets.grouse.rows import Grades, GrouseSample, acceptance
from kgbuild.english.normalize import fold
from kgbuild.text.replies import refuses

Judge: TypeAlias = Callable[[GrouseSample], Grades]
_Words: TypeAlias = Mapping[str, bool]
"""The normalised words of a text; the value is whether a word is a name or a number."""

_TOP = 5
"""The top of the scale of relevancy and completeness."""
_WORD = re.compile(r"\w")
_CITATIONS = re.compile(r"((?:\s*\[\d+(?:\s*,\s*\d+)*\])+)")
"""Adjacent citations, such as " [1] [2, 3]"."""
_NUMBERED = re.compile(
    r"""
    (?: according\ to \s+ )?+ (?: <sup> )?+ (?: \[\[ | \\?\[ | 【 )
    \s* (?: (?:citation|doc(?:ument)?|passage|ref(?:erence)?|source|text)s? \W{0,2} )?
    (?P<numbers> [\^#]? \d{1,3} (?: \s* (?: [-–,;&] | and | to ) \s* [\^#]? \d{1,3} )* )
    \^? \s* (?: (?: :\d+ )? † [^]】\n]* )? (?: \]\] | \\?\] | 】 ) (?: \] )?
    (?: \( [^()\s]* \) )?+ (?: </sup> )?+
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The numbers of references as models cite them: [2-3], 【2:0†source】, [^2^], [citation:2]."""
_RANGE = re.compile(r"(\d+)\s*(?:[-–]|to)\s*(\d+)")
_STOP_BEFORE_CITATIONS = re.compile(rf"([.!?]+){_CITATIONS.pattern}")
"""The end of a sentence before its citations, such as ". [1]"."""
_NEGATION = r"\b(?:no|none|not|neither|nothing|cannot|can't|don't|doesn't)\b"
_DOCUMENT = r"\b(?:document|reference|passage|source|text|context)s?\b"
_REFUSAL = re.compile(rf"{_NEGATION}.*{_DOCUMENT}|{_DOCUMENT}.*{_NEGATION}", re.IGNORECASE)
"""A sentence that names documents and has a negation, in either order."""
_LEAD = re.compile(rf"^[^:]*?{_DOCUMENT}[^:]*?(?::|\bthat\b)\s*", re.IGNORECASE)
"""The introduction of a claim, often in a refusal: "However, the documents say that", "…say:"."""
_SMALL_WORDS = (
    "a an and as at be been but by did do does for from had has have he her his in is it its of on"
    " or s she that the their they this to was were what when where which who whom with"
)
_IGNORED = frozenset(_SMALL_WORDS.split())


class _CitedClaim(NamedTuple):
    """The text of a claim, and the numbers of the references that it cites."""

    text: str
    cites: frozenset[int]


def by_words(sample: GrouseSample) -> Grades:
    """Grade an answer.

    Relevancy is the share of the answer's claims that address a claim of the true answer.
    Completeness is the share of the true answer's claims that the answer addresses. Both are on a
    scale of 1 to 5, rounded down. A claim with a wrong value also addresses the true claim if both
    cite the same reference. An answer is faithful if the references that a claim cites contain it.
    Usefulness concerns what a refusal offers: each claim must name what the question names.

    Without a true answer, only usefulness and faithfulness are defined.
    """
    question = _words(sample.input)
    claims, refuses = _read(sample.actual_output)
    useful = _usefulness(claims, question) if refuses else None
    faithful = _faithfulness(claims, [*map(_words, sample.references)], question)
    if sample.expected_output is None:
        return Grades(None, None, useful, faithful, *acceptance(refuses, None))
    expected_claims, expected_refuses = _read(sample.expected_output)
    is_answerable = bool(expected_claims) and not expected_refuses
    true_claims = expected_claims if is_answerable else ()
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
JUDGES_WITHOUT_BASELINES: Mapping[str, Judge] = {"deterministic": by_words}
"""The judges that grade answers without a model, by name; baselines ignore the answer."""
JUDGES: Mapping[str, Judge] = {
    **JUDGES_WITHOUT_BASELINES,
    "always top": lambda _: _PERFECT,
    "always lowest": lambda _: _LOWEST,
}
"""The judges without a model that the GroUSE tests evaluate. The last two are baselines."""


def _read(text: str) -> tuple[list[_CitedClaim], bool]:
    """Return the claims of an answer, and whether the answer refuses.

    A sentence of refusal is not a claim. After a claim, it refuses only a part of the question, so
    the answer does not refuse.
    """
    claims: list[_CitedClaim] = []
    is_refused = False
    numbered = _NUMBERED.sub(_usual, text)
    citations_before_stops = _STOP_BEFORE_CITATIONS.sub(r"\2\1", numbered)  # to "so [1]."
    for sentence in parse(citations_before_stops, Pool(())):  # it only splits sentences here
        parts = _claims(sentence.text)
        is_cited = any(claim.cites for claim in parts)
        if not is_cited and (_REFUSAL.search(sentence.text) or refuses(sentence.text)):
            is_refused = is_refused or not claims
        else:
            claims += parts
    return claims, is_refused


def _usual(citation: re.Match[str]) -> str:
    """Return a citation of a model in the form [2, 3]."""
    numbers = _RANGE.sub(_enumerated, citation["numbers"])
    return f"[{', '.join(re.findall(r'[0-9]+', numbers))}]"


def _enumerated(ends: re.Match[str]) -> str:
    """Return the numbers of a range; it is short, as its numbers have three digits."""
    return ", ".join(map(str, range(int(ends[1]), int(ends[2]) + 1)))


def _claims(sentence: str) -> list[_CitedClaim]:
    """Return the claims of a sentence: a claim ends at a citation, or with the sentence.

    Adjacent citations, and citations before all words, belong to one claim. So does text without a
    citation at the end of the sentence.
    """
    claims: list[_CitedClaim] = []
    parts = _CITATIONS.split(sentence)  # texts and citations alternate
    for text, numbers in zip_longest(parts[::2], parts[1::2], fillvalue=""):
        cites = frozenset(map(int, re.findall(r"\d+", numbers)))
        last = claims[-1] if claims else None
        begins_claim = cites and _WORD.search(text) and last and _WORD.search(last.text)
        if last and not begins_claim:
            claims[-1] = _CitedClaim(_LEAD.sub("", last.text + text), last.cites | cites)
        else:
            claims.append(_CitedClaim(_LEAD.sub("", text), cites))
    return claims


def _usefulness(claims: Sequence[_CitedClaim], question: _Words) -> int | None:
    """Return 1 if each claim has at least half of the names in the question, else 0."""
    if not claims:
        return None
    names = {word for word, is_name in question.items() if is_name}
    shared_counts = [len(names & _words(claim.text).keys()) for claim in claims]
    return int(all(count >= len(names) / 2 for count in shared_counts))


def _faithfulness(
    claims: Sequence[_CitedClaim], references: Sequence[_Words], question: _Words
) -> int | None:
    """Return 1 if the references that a claim cites contain it, for each claim; else 0."""
    if not claims:
        return None
    return int(all(_is_supported(claim, references, question) for claim in claims))


def _is_supported(claim: _CitedClaim, references: Sequence[_Words], question: _Words) -> bool:
    if not claim.cites or not all(1 <= number <= len(references) for number in claim.cites):
        return False
    evidence = {word for number in claim.cites for word in references[number - 1]}
    words = _words(claim.text)
    names = {word for word, is_name in words.items() if is_name}
    # Words of the question support nothing: right and wrong claims repeat them.
    return names <= evidence and _contains(evidence, _subtract(words, question))


def _is_addressed(claim: _CitedClaim, candidates: Iterable[_CitedClaim], question: _Words) -> bool:
    """Return whether a candidate contains a claim, is part of it, or shares a citation with it."""
    words = _subtract(_words(claim.text), question)
    for candidate in candidates:
        candidate_words = _subtract(_words(candidate.text), question)
        is_part = _contains(candidate_words, words) or _contains(words, candidate_words)
        if is_part or claim.cites & candidate.cites:
            return True
    return False


def _subtract(words: _Words, question: _Words) -> _Words:
    """Return ``words`` without the words of the question; all words if none would remain."""
    remaining = {word: is_name for word, is_name in words.items() if word not in question}
    return remaining or words


def _contains(text: Collection[str], words: _Words) -> bool:
    """Return whether a text has all names and numbers among ``words``, and 70 % of all words."""
    if not words or any(is_name and word not in text for word, is_name in words.items()):
        return False
    return sum(word in text for word in words) >= 0.7 * len(words)


def _words(text: str) -> dict[str, bool]:
    """Return the words of a text, and whether each is a name or a number; without small words.

    >>> _words("He was born in Rome in 1901.")
    {'born': False, 'rome': True, '1901': True}
    """
    return {
        folded: word[0].isupper() or word[0].isdigit()
        for word in re.findall(r"\w+", text)
        if (folded := fold(word)) not in _IGNORED
    }


def _likert(judgements: Iterable[bool]) -> int:
    """Return the share of true values on a scale of 1 to 5, rounded down; 1 without values."""
    values = [*judgements]
    if not values:
        return 1
    return 1 + (_TOP - 1) * sum(values) // len(values)
