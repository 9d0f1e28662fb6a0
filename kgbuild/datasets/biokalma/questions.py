"""Write questions about two subjects: an opening that joins them, then clauses about them.

Clauses of which both subjects have an answer ask for both: "When and where were they born?"

Source of the steps (referring expressions, realisation): E. Reiter and R. Dale, Building Natural
Language Generation Systems, 2000, chapter 5.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kgbuild.datasets.biokalma.clauses import (
    Description,
    Mention,
    Subject,
    by_name,
    capitalise,
    fill_names,
    join,
)
from kgbuild.datasets.biokalma.mentions import joint_name
from kgbuild.datasets.biokalma.question_clauses import (
    Clause,
    divide,
    make_clauses,
    make_plural_clauses,
)
from kgbuild.english.templates import in_tense

_MAX_IN_SENTENCE = 3
"""Maximum number of clauses of a sentence, if another one has a part of them."""
_THEY: Mention = {"{he}": "they", "{him}": "them", "{his}": "their"}
_BOTH: Mention = {"{he}": "they both", "{him}": "them both", "{his}": "their"}
_SYMMETRIC = "{subject} and {object}"
"""The words of an opening after which "they" can only mean the two subjects."""


def write_specific_question(opening: str, descriptions: Sequence[Description]) -> str:
    """Return the question that asks for each predicate, in one or two sentences.

    ``opening`` is the template of its first clause, which names the two subjects; without it, the
    question is about the first subject alone.
    """
    (first, first_predicates), (second, second_predicates) = descriptions
    if not opening:
        clauses = make_clauses(first, first_predicates)
        return _sentence(_mentioned(first, clauses, by_name(first.name)))
    unlike, equal, of_first, of_second = divide(first_predicates, second_predicates, first, second)
    they, both = _mentions_of_both(opening, first, second)
    common = [
        *((clause, they) for clause in make_plural_clauses(first, unlike)),
        *((clause, both) for clause in make_plural_clauses(first, equal)),
    ]
    texts = [
        # The first clause may name both; later ones have pronouns.
        clause.text(mention if number == 0 else (_BOTH if mention is both else _THEY), True)
        for number, (clause, mention) in enumerate(common)
    ]
    for subject, predicates, other in ((first, of_first, second), (second, of_second, first)):
        clauses = make_clauses(subject, predicates)
        texts += _mentioned(subject, clauses, subject.by_short_name, other)
    start = write_opening(opening, first, second)
    head, tail = [start], texts
    if len(texts) > _MAX_IN_SENTENCE and len(common) < len(texts):
        head, tail = [start, *texts[: len(common)]], texts[len(common) :]
    return " ".join(map(_sentence, filter(None, (head, tail))))


def _mentions_of_both(opening: str, first: Subject, second: Subject) -> tuple[Mention, Mention]:
    """Return the mentions of both subjects after an opening: of different answers, of equal ones.

    They are pronouns only if the opening names the two subjects together.
    """
    if _SYMMETRIC in opening:
        return _THEY, _BOTH
    names = join([subject.by_short_name["{he}"] for subject in (first, second)])
    mention = by_name(names)
    return mention, {**mention, "{he}": f"{names} both", "{him}": f"both {names}"}


def write_general_question(
    template: str,
    opening: str,
    subjects: tuple[Subject, Subject],
    words: Mapping[str, tuple[str, str]],
    names: tuple[Sequence[str], Sequence[str]],
    questions: Mapping[str, str],
) -> str:
    """Return the question that names only themes and topics: "how did their lives end".

    ``names`` has the themes and topics of each subject. ``questions`` has the templates of
    questions by name. If subjects differ in their names, or if a name has no question, its noun
    phrase in ``words``, singular and plural, fills the ``template``: "their births".
    """
    first, second = names
    start = write_opening(opening, *subjects)
    if {*first} == {*second} and questions.keys() >= {*first}:
        is_past = bool(subjects[0].is_past or subjects[1].is_past)
        mention, _ = _mentions_of_both(opening, *subjects)
        mentions = [mention, *itertools.repeat(_THEY, len(first) - 1)]
        texts = [
            fill_names(in_tense(questions[name], is_past), words_for_both, words_for_both)
            for name, words_for_both in zip(first, mentions, strict=True)
        ]
        is_simple = len(texts) == 1 and " and " not in texts[0]
        sentences = [[start, *texts]] if is_simple else [[start], texts]
        return " ".join(map(_sentence, sentences))
    shared = [topic for topic in first if topic in second]
    phrases = [f"their {join([words[topic][1] for topic in shared])}"] if shared else []
    for subject, of_subject in zip(subjects, names, strict=True):
        if own := [words[topic][0] for topic in of_subject if topic not in shared]:
            phrases.append(f"{subject.by_short_name['{his}']} {join(own)}")
    is_simple = len(phrases) < 3 and not any(" and " in phrase for phrase in phrases)
    topics = join(phrases) if is_simple else join_long(phrases)
    texts_by_place = {"{opening}": start, "{topics}": topics}
    return capitalise(fill_names(template, texts_by_place, texts_by_place))


def write_opening(template: str, first: Subject, second: Subject) -> str:
    """Return an opening without question mark, in the past tense if a subject is past.

    Names with a common end share it: "Robin and Maurice Gibb".
    """
    text = in_tense(template, bool(first.is_past or second.is_past)).removesuffix("?")
    both = joint_name(first.name, second.name)
    if both and _SYMMETRIC in text:
        return fill_names(text.replace(_SYMMETRIC, "{both}"), {"{both}": both})
    return fill_names(text, {"{subject}": first.name, "{object}": second.name})


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


def _sentence(clauses: Iterable[str]) -> str:
    """Return clauses as one question: "A, B, and C?"."""
    return f"{capitalise(join_long([*clauses]))}?"
