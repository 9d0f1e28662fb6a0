"""A judge without a model: it grades an answer by its words, values and citations.

It sees what any evaluator sees: the references, the question, the answer, the true answer. What
it reads are claims: sentences, or parts of them, with the references that they cite, as ``[1]`` or
``[1, 3]``.

Known weakness: it knows no synonyms, so a claim that says a reference in other words is taken for
unfounded; and in a longer claim one small word, such as "not", may be wrong unseen. Games it: to
copy references with their numbers.

Source: what the metrics tell is GroUSE's; how words tell it follows knowledge precision, with the
question's words set aside (V. Adlakha et al., Evaluating correctness and faithfulness of
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

_TOP = 5
_SHARE = 0.7
"""The share of a claim's words that must be found, and all of its names and numbers."""
_WORD = re.compile(r"\w")
_MARKS = re.compile(r"((?:\s*\[\d+(?:\s*,\s*\d+)*\])+)")
_BEHIND = re.compile(rf"([.!?]+){_MARKS.pattern}")
_NO = r"\b(?:no|none|not|neither|nothing|cannot|can't|don't|doesn't)\b"
_DOCUMENT = r"\b(?:document|reference|passage|source|text|context)s?\b"
_REFUSAL = re.compile(rf"{_NO}.*{_DOCUMENT}|{_DOCUMENT}.*{_NO}", re.IGNORECASE)
_LEAD = re.compile(rf"^[^:]*?{_DOCUMENT}[^:]*?(?::|\bthat\b)\s*", re.IGNORECASE)
"""What leads from a refusal to what is offered instead: "However, the documents say:"."""
_SMALL_WORDS = frozenset(
    (
        *("a", "an", "and", "as", "at", "be", "been", "but", "by", "did", "do", "does", "for"),
        *("from", "had", "has", "have", "he", "her", "his", "in", "is", "it", "its", "of", "on"),
        *("or", "s", "she", "that", "the", "their", "they", "this", "to", "was", "were", "what"),
        *("when", "where", "which", "who", "whom", "with"),
    )
)
_NOTHING_KNOWN = Pool((), fold)


class _Claim(NamedTuple):
    """What a sentence or a part of it says, and the numbers of the references that it cites."""

    text: str
    cites: frozenset[int]


class _Answer(NamedTuple):
    """The claims of an answer; ``refuses`` tells that it says that no document answers."""

    claims: Sequence[_Claim]
    refuses: bool


def by_words(sample: Sample) -> Grades:
    """Grade an answer.

    Relevancy and completeness are the share of claims that the question wants, and of the true
    answer's claims that are addressed, on a scale of 1 to 5, rounded down: any fault costs a
    grade. A claim with a wrong value addresses what it distorts if it cites the same reference.
    An answer is faithful if the references that each claim cites say it.

    What the question wants is told by the true answer alone: without one, only usefulness and
    faithfulness are defined.
    """
    asked = _telling(sample.input)
    answer = _read(sample.actual_output)
    useful = _usefulness(answer, asked)
    faithful = _faithfulness(answer, [*map(_telling, sample.references)], asked)
    if sample.expected_output is None:
        return Grades(None, None, useful, faithful, *acceptance(answer.refuses, None))
    truth = _read(sample.expected_output)
    is_answerable = bool(truth.claims) and not truth.refuses
    wanted = truth.claims if is_answerable else ()
    return Grades(
        None if answer.refuses else _likert(_is_told(one, wanted, asked) for one in answer.claims),
        _likert(_is_told(one, answer.claims, asked) for one in wanted) if is_answerable else None,
        useful,
        faithful,
        *acceptance(answer.refuses, is_answerable),
    )


_PERFECT = Grades(_TOP, _TOP, None, 1, None, None)


def always_top(_: Sample) -> Grades:
    """Grade every answer as a perfect one; usefulness, which that has not, is undefined."""
    return _PERFECT


def always_lowest(_: Sample) -> Grades:
    """Grade every answer as one in which nothing is right."""
    return _PERFECT._replace(answer_relevancy=1, completeness=1, faithfulness=0)


OF_ANSWERS: Mapping[str, Judge] = {"deterministic": by_words}
"""The judges that need no model and grade answers."""
JUDGES: Mapping[str, Judge] = {
    **OF_ANSWERS,
    "always top": always_top,
    "always lowest": always_lowest,
}
"""The judges that are put to tests, without a model. The last two are a test of the tests."""


def _read(text: str) -> _Answer:
    """Return the claims of an answer. A sentence that says that no document answers is none.

    Behind claims, it is about a part of the question only.
    """
    claims: list[_Claim] = []
    refuses = False
    for sentence in parse(_BEHIND.sub(r"\2\1", text), _NOTHING_KNOWN):
        found = _claims(sentence.text)
        is_cited = any(claim.cites for claim in found)
        if not is_cited and (_REFUSAL.search(sentence.text) or abstains(sentence.text)):
            refuses = refuses or not claims
        else:
            claims += found
    return _Answer(claims, refuses)


def _claims(sentence: str) -> list[_Claim]:
    """Return what a sentence claims: up to each citation, with the last what stands behind it.

    Citations that no words part, or that come before all words, are those of one claim.
    """
    found: list[_Claim] = []
    parts = _MARKS.split(sentence)  # texts and numbers by turns
    for text, numbers in zip_longest(parts[::2], parts[1::2], fillvalue=""):
        cites = frozenset(map(int, re.findall(r"\d+", numbers)))
        last = found[-1] if found else None
        if last and not (cites and _WORD.search(text) and _WORD.search(last.text)):
            found[-1] = _Claim(_LEAD.sub("", last.text + text), last.cites | cites)
        else:
            found.append(_Claim(_LEAD.sub("", text), cites))
    return found


def _usefulness(answer: _Answer, asked: Mapping[str, bool]) -> int | None:
    """Return whether all that is offered beside a refusal is about what the question names."""
    if not (answer.refuses and answer.claims):
        return None
    names = {word for word, is_name in asked.items() if is_name}
    return int(
        all(2 * len(names & _telling(one.text).keys()) >= len(names) for one in answer.claims)
    )


def _faithfulness(
    answer: _Answer, references: Sequence[Mapping[str, bool]], asked: Mapping[str, bool]
) -> int | None:
    """Return whether each claim is said by the references that it cites."""
    if not answer.claims:
        return None
    return int(all(_is_founded(one, references, asked) for one in answer.claims))


def _is_founded(
    claim: _Claim, references: Sequence[Mapping[str, bool]], asked: Mapping[str, bool]
) -> bool:
    if not claim.cites or not all(1 <= number <= len(references) for number in claim.cites):
        return False
    known = {word for number in claim.cites for word in references[number - 1]}
    said = _telling(claim.text)
    names = {word for word, is_name in said.items() if is_name}
    # The words of the question stand in right and wrong claims alike.
    return names <= known and _is_said(_beside(said, asked), known)


def _is_told(claim: _Claim, others: Iterable[_Claim], asked: Mapping[str, bool]) -> bool:
    """Tell whether one of other claims is about the same as a claim, beside the question's words.

    It is if one says the other, or both cite one reference.
    """
    mine = _beside(_telling(claim.text), asked)
    for other in others:
        theirs = _beside(_telling(other.text), asked)
        if _is_said(mine, theirs) or _is_said(theirs, mine) or claim.cites & other.cites:
            return True
    return False


def _beside(words: Mapping[str, bool], asked: Collection[str]) -> Mapping[str, bool]:
    """Return words without those of the question, unless it has them all."""
    left = {word: is_name for word, is_name in words.items() if word not in asked}
    return left or words


def _is_said(words: Mapping[str, bool], known: Collection[str]) -> bool:
    """Tell whether known words have all of the names and numbers, and most of the others."""
    if not words or any(is_name and word not in known for word, is_name in words.items()):
        return False
    return sum(word in known for word in words) >= _SHARE * len(words)


def _telling(text: str) -> dict[str, bool]:
    """Return the words of a text that tell something, and of each whether it names or counts.

    >>> _telling("He was born in Rome in 1901.")
    {'born': False, 'rome': True, '1901': True}
    """
    return {
        folded: word[0].isupper() or word[0].isdigit()
        for word in re.findall(r"\w+", text)
        if (folded := fold(word)) not in _SMALL_WORDS
    }


def _likert(told: Iterable[bool]) -> int:
    """Return a share on a scale of 1 to 5, rounded down; of nothing it is 1."""
    found = [*told]
    return 1 + (_TOP - 1) * sum(found) // len(found) if found else 1
