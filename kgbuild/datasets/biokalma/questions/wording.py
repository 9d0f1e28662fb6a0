"""Write questions about two subjects: what joins them, and what is asked of both or of each.

A clause such as "where did {he} study" has a question phrase (where), an auxiliary (did), a place
for its subject and a rest (study). Clauses that share all but the phrase become one clause: "when
and where was Ann born". If both subjects have an answer, one clause asks for both: "When and where
were they born?"

Source of the steps (referring expressions, aggregation, realisation): E. Reiter and R. Dale,
Building Natural Language Generation Systems, 2000, chapter 5.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kgbuild.datasets.biokalma.questions.clauses import (
    Description,
    Mention,
    Predicate,
    Subject,
    by_name,
    capitalise,
    fill_names,
    join,
    resolve,
)
from kgbuild.datasets.biokalma.questions.mentions import joint_name
from kgbuild.english.templates import in_tense

_PLURAL = {"was": "were", "is": "are", "has": "have", "does": "do"}
_PARTS = re.compile(
    r"(?P<phrase>.+) (?P<auxiliary>was|is|were|are|did|does|do|has|have) (?P<place>\{he\}|\{his\})"
    r"(?P<rest>.*)"
)
_PLACE = re.compile(r"(?P<phrase>.*?)(?P<place>\{h\w+\})(?P<rest>.*)")
_ADVERBS = ("when", "where")
"""Question phrases that come first: "when, where, and how did Ann die"."""
_THEY: Mention = {"{he}": "they", "{him}": "them", "{his}": "their"}
_SYMMETRIC = "{subject} and {object}"
"""The words of an opening in which two names with a common end share it."""


class Clause(NamedTuple):
    """A question about one subject or about both: its parts, and perhaps several phrases."""

    phrases: tuple[str, ...]
    auxiliary: str
    place: str
    rest: str

    def text(self, mention: Mention, is_plural: bool = False) -> str:
        """Return the clause with a mention of its subject, which is plural for both subjects."""
        auxiliary = self.auxiliary
        if is_plural and self.place == "{he}":
            auxiliary = _PLURAL.get(auxiliary, auxiliary)
        adverbs = [adverb for adverb in _ADVERBS if adverb in self.phrases]
        phrase = join([*adverbs, *(one for one in self.phrases if one not in _ADVERBS)])
        template = " ".join(filter(None, (phrase, auxiliary, self.place))) + self.rest
        # "Thomas Cruise, Jr." needs a comma before a verb, but not before an end.
        texts = {self.place: mention[self.place]} if self.place else {}
        return fill_names(template, texts, ("{his}",))


def write_specific_question(opening: str, descriptions: Sequence[Description]) -> str:
    """Return the question that asks for each predicate, in one or two sentences.

    ``opening`` is the template of the clause that names the two subjects; without it, the question
    is about the first subject alone.
    """
    (first, first_predicates), (second, second_predicates) = descriptions
    if not opening:
        return _sentence(_mentioned(first, first_predicates, by_name(first.name)))
    partners = {predicate.pid: predicate for predicate in second_predicates}
    shared = {
        predicate.pid: joint
        for predicate in first_predicates
        if (partner := partners.get(predicate.pid))
        and (joint := _join(predicate, first, partner, second))
    }
    # The first subject has the tense of both.
    plural = _aggregate([_make_plural(joint, first) for joint in shared.values()])
    common = [clause.text(_THEY, True) for clause in plural]
    own: list[str] = []
    for (subject, predicates), other in zip(descriptions, (second, first), strict=True):
        of_one = [predicate for predicate in predicates if predicate.pid not in shared]
        own += _mentioned(subject, of_one, subject.by_short_name, other)
    return _arrange(opening, (first, second), [*common, *own])


def write_general_question(opening: str, subjects: tuple[Subject, Subject], asks: str) -> str:
    """Return the question that names only a theme; ``asks`` is its template."""
    is_past = any(subject.is_past for subject in subjects)
    return _arrange(opening, subjects, [fill_names(in_tense(asks, is_past), _THEY, _THEY)])


def _arrange(opening: str, subjects: tuple[Subject, Subject], clauses: Sequence[str]) -> str:
    """Return the opening and the clauses as one or two sentences."""
    start = fill_opening(opening, subjects)
    if len(clauses) == 1 and " and " not in clauses[0] and "," not in opening:
        return _sentence([start, *clauses])
    return " ".join(map(_sentence, filter(None, ([start], clauses))))


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


def _mentioned(
    subject: Subject,
    predicates: Sequence[Predicate],
    mention: Mention,
    other: Subject | None = None,
) -> Iterator[str]:
    """Yield the clauses of predicates about one subject, those with the same predicate as one.

    After the first mention, the subject has its pronoun if clear. It is not clear if ``other``, the
    second subject of the question, has or may have the same one.
    """
    is_unlike = other is None or other.pronoun not in ("", subject.pronoun)
    for clause in _aggregate([_make_clause(predicate, subject) for predicate in predicates]):
        yield clause.text(mention)
        mention = subject.later_mention(is_unlike)


def join_long(texts: Sequence[str]) -> str:
    """Join texts that have commas or "and" in them.

    >>> join_long(["A's a and b", "B's c"])
    "A's a and b, and B's c"
    """
    return ", and ".join(texts) if len(texts) < 3 else join(texts)


def _sentence(clauses: Iterable[str]) -> str:
    """Return clauses as one question: "A, B, and C?"."""
    first, *others = clauses
    lower = (text[:1].lower() + text[1:] for text in others)
    return f"{capitalise(join_long([first, *lower]))}?"


def is_parallel(first: Predicate, second: Predicate) -> bool:
    """Return whether one clause can ask both subjects for two predicates, whatever the tenses."""
    return _join(first, Subject(""), second, Subject("")) is not None


def _join(
    first: Predicate, subject: Subject, second: Predicate, other: Subject
) -> Predicate | None:
    """Return the predicate with the values of both subjects; None if no clause can ask both.

    The nouns for the values of both must be the same, or the noun of the wording replaces them. A
    question about {his} something without a plural of its own asks for "each one's".
    """
    wording, values = first.wording, tuple(dict.fromkeys((*first.values, *second.values)))
    if not wording.asks_both and "{his}" in wording.asks:
        if (len(first.values) > 1) != (len(second.values) > 1):
            return None
        values = first.values  # each has one, or each has several
        wording = wording._replace(asks_both=wording.asks.replace("{his}", "each one's"))
    joint = first._replace(
        wording=wording,
        values=values,
        noun=first.noun if first.noun == second.noun else wording.noun,
    )
    clauses = [_make_plural(joint, person) for person in (subject, other)]
    return joint if clauses[0] == clauses[1] else None


def _make_plural(predicate: Predicate, subject: Subject) -> Clause:
    return _make_clause(predicate, subject, predicate.wording.asks_both)


def _make_clause(predicate: Predicate, subject: Subject, template: str = "") -> Clause:
    """Return the question for a predicate; ``template`` replaces that of its wording."""
    question = resolve(template or predicate.wording.asks, subject, predicate)
    match = _PARTS.fullmatch(question) or _PLACE.fullmatch(question)
    if match is None:  # "what was each one's motto" has no place
        return Clause((question,), "", "", "")
    parts = match.groupdict(default="")
    phrase, auxiliary = parts["phrase"].rstrip(), parts.get("auxiliary", "")
    return Clause((phrase,), auxiliary, parts["place"], parts["rest"])


def _aggregate(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses in which those with the same predicate are one."""
    by_predicate: dict[object, Clause] = {}
    for number, clause in enumerate(clauses):
        key = (clause.auxiliary, clause.place, clause.rest) if clause.auxiliary else number
        if partner := by_predicate.get(key):
            phrases = (*partner.phrases, *clause.phrases)
            by_predicate[key] = partner._replace(phrases=phrases)
        else:
            by_predicate[key] = clause
    return [*by_predicate.values()]
