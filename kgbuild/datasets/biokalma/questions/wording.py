"""Write questions about two subjects: what joins them, and what is asked of both or of each.

Clauses of which both subjects have an answer ask for both: "When and where were they born?"

Source of the steps (referring expressions, realisation): E. Reiter and R. Dale, Building Natural
Language Generation Systems, 2000, chapter 5.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from kgbuild.datasets.biokalma.questions.clauses import (
    Description,
    Mention,
    Subject,
    by_name,
    capitalise,
    fill_names,
    join,
)
from kgbuild.datasets.biokalma.questions.lexicon import Lexicon
from kgbuild.datasets.biokalma.questions.mentions import joint_name
from kgbuild.datasets.biokalma.questions.question_clauses import (
    Clause,
    divide,
    make_clauses,
    make_plural_clauses,
)
from kgbuild.english.templates import in_tense

Text: TypeAlias = Callable[[Mention], str]
"""A clause about both subjects, as a function of how it mentions them."""

_MAX_IN_SENTENCE = 3
"""Maximum number of clauses of a sentence."""
_THEY: Mention = {"{he}": "they", "{him}": "them", "{his}": "their"}
_SYMMETRIC = "{subject} and {object}"
"""The words of an opening after which "they" can only mean the two subjects."""


def write_specific_question(opening: str, descriptions: Sequence[Description]) -> str:
    """Return the question that asks for each predicate, in one or two sentences.

    ``opening`` is the template of the clause that names the two subjects; without it, the question
    is about the first subject alone.
    """
    (first, first_predicates), (second, second_predicates) = descriptions
    if not opening:
        clauses = make_clauses(first, first_predicates)
        return _sentence(_mentioned(first, clauses, by_name(first.name)))
    shared, of_first, of_second = divide(first_predicates, second_predicates, first, second)
    common = [*map(_of_both, make_plural_clauses(first, shared))]
    own: list[str] = []
    for subject, predicates, other in ((first, of_first, second), (second, of_second, first)):
        clauses = make_clauses(subject, predicates)
        own += _mentioned(subject, clauses, subject.by_short_name, other)
    return arrange(opening, (first, second), common, own)


def write_general_question(
    lexicon: Lexicon,
    opening: str,
    subjects: tuple[Subject, Subject],
    names: tuple[Sequence[str], Sequence[str]],
) -> str:
    """Return the question that names only themes and topics: "how did their lives end".

    ``names`` has those of each subject; they differ only for pairs of a user.
    """
    is_past = any(subject.is_past for subject in subjects)
    common = [
        _of_name(in_tense(lexicon.names[name].asks, is_past))
        for name in names[0]
        if name in names[1]
    ]
    phrases = [
        f"{subject.by_short_name['{his}']} {join([lexicon.names[name].noun[0] for name in of_one])}"
        for subject, own, others in zip(subjects, names, reversed(names), strict=True)
        if (of_one := [name for name in own if name not in others])
    ]
    is_simple = not any(" and " in phrase for phrase in phrases)
    known = join(phrases) if is_simple else join_long(phrases)
    of_one_subject = [f"what do we know about {known}"] if phrases else []
    return arrange(opening, subjects, common, of_one_subject)


def arrange(
    opening: str, subjects: tuple[Subject, Subject], common: Sequence[Text], own: Sequence[str]
) -> str:
    """Return the opening and the clauses as one or two sentences.

    ``common`` has the clauses about both subjects, ``own`` those about one, with its name.
    """
    short = join([subject.by_short_name["{he}"] for subject in subjects])
    mention = _THEY if _SYMMETRIC in opening else by_name(short)
    texts = [text(mention if n == 0 else _THEY) for n, text in enumerate(common)] + [*own]
    start = fill_opening(opening, subjects)
    if len(texts) == 1 and " and " not in texts[0]:
        return _sentences([start, *texts])
    if len(texts) > _MAX_IN_SENTENCE:
        return _sentences([start, *texts[: len(common)]], texts[len(common) :])
    return _sentences([start], texts)


def fill_opening(template: str, subjects: tuple[Subject, Subject]) -> str:
    """Return an opening without question mark, in the past tense if a subject is past.

    Names with a common end share it: "Robin and Maurice Gibb".
    """
    first, second = subjects
    text = in_tense(template, bool(first.is_past or second.is_past)).removesuffix("?")
    both = joint_name(first.name, second.name)
    if both and _SYMMETRIC in text:
        return fill_names(text.replace(_SYMMETRIC, "{both}"), {"{both}": both})
    return fill_names(text, {"{subject}": first.name, "{object}": second.name})


def _of_both(clause: Clause) -> Text:
    return lambda mention: clause.text(mention, True)


def _of_name(template: str) -> Text:
    return lambda mention: fill_names(template, mention, mention)


def _mentioned(
    subject: Subject, clauses: Sequence[Clause], mention: Mention, other: Subject | None = None
) -> Iterator[str]:
    """Yield clauses about one subject: after the first mention, it has its pronoun if clear.

    It is not clear if ``other``, the second subject of the question, has or may have the same one.
    """
    is_unlike = other is None or other.pronoun not in ("", subject.pronoun)
    for clause in clauses:
        yield clause.text(mention)
        mention = subject.later_mention(is_unlike and not clause.of_people)


def join_long(texts: Sequence[str]) -> str:
    """Join texts that have commas or "and" in them.

    >>> join_long(["A's a and b", "B's c"])
    "A's a and b, and B's c"
    """
    return ", and ".join(texts) if len(texts) < 3 else join(texts)


def _sentences(*sentences: Sequence[str]) -> str:
    return " ".join(map(_sentence, filter(None, sentences)))


def _sentence(clauses: Iterable[str]) -> str:
    """Return clauses as one question: "A, B, and C?"."""
    first, *others = clauses
    lower = (text[:1].lower() + text[1:] for text in others)
    return f"{capitalise(join_long([first, *lower]))}?"
