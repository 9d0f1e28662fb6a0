"""Write references and answers: claims become sentences in several styles.

If answers repeated the sentences of references, a comparison of texts could grade them. So answers
use pronouns and short names, join clauses, and paraphrase some claims.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgbuild.data_files import read_toml
from kgbuild.datasets.biokalma.questions.clauses import Predicate, Subject, write_clause
from kgbuild.datasets.biokalma.sets.pool import Piece

_SUBJECT = "{he} "
"""The beginning of a sentence template: the placeholder of the subject."""


class PropertyWords(NamedTuple):
    """The words for a property in words.toml.

    ``noun`` names the property. ``otherwise`` is a second sentence template, for paraphrases;
    ``unlike`` is a regular expression of values that do not fit these words; ``absurd`` has the ids
    of items that cannot be true values.
    """

    noun: str
    otherwise: str
    unlike: str = ""
    absurd: Sequence[str] = ()


@functools.cache
def property_words() -> Mapping[str, PropertyWords]:
    """Return the words for properties in words.toml, by property id."""
    return {
        pid: PropertyWords(**table)
        for pid, table in read_toml("datasets/grouse/words.toml").items()
    }


class WordedStatement(NamedTuple):
    """A fact with its subject, its wording in references (``plain``), and a second wording."""

    fact: Piece
    subject: Subject
    plain: Predicate
    paraphrase: Predicate

    @property
    def position(self) -> int:
        """The position of the property in a biography: birth comes before death."""
        return self.plain.wording.position

    @property
    def text(self) -> str:
        """The statement as a sentence of a reference."""
        return render([WordedClaim(self)])


class Style(NamedTuple):
    """The style of an answer.

    ``is_joined``: a sentence may have two clauses; ``is_free``: the answer paraphrases references;
    ``is_brief``: it uses short names from its first sentence.
    """

    is_joined: bool = True
    is_free: bool = False
    is_brief: bool = False


class WordedClaim(NamedTuple):
    """A statement of a text, and the number of the reference that it cites (None: no citation)."""

    statement: WordedStatement
    cites: int | None = None


_PLAIN = Style()
_VERB = re.compile(r"\{he\} (was born|died)\b")
"""Templates such as "{he} was born in {value}", whose verb two clauses can share."""


def render(claims: Sequence[WordedClaim], style: Style = _PLAIN, opening: str = "") -> str:
    """Return a text of claims; ``opening``, such as "They say that", begins the first sentence."""
    sentences = []
    previous: WordedClaim | None = None
    for first, *seconds in _group_sentences(claims, style):
        names = _names(first, previous, style.is_brief and not opening)
        clauses = [_clause(first, _predicate(first, style), names)]
        clauses += [_second_clause(first, second, style) for second in seconds]
        sentences.append("".join(clauses))
        previous = seconds[-1] if seconds else first
    if opening:
        sentences[0] = f"{opening} {sentences[0]}"
    return " ".join(map(_punctuate, sentences))


def _clause(claim: WordedClaim, predicate: Predicate, names: Mapping[str, str] | None) -> str:
    """Return a claim as a clause with its citation, such as "she died in 1934 [2]"."""
    citation = "" if claim.cites is None else f" [{claim.cites}]"
    return f"{write_clause(claim.statement.subject, [predicate], names)}{citation}"


def _second_clause(first: WordedClaim, claim: WordedClaim, style: Style) -> str:
    """Return the second clause of a sentence, without its subject and a repeated verb.

    Examples: "on 1 May 1901" after "was born in Rome", "and died on 1 May 1970".
    """
    predicate = _predicate(claim, style)
    verb = _verb(predicate)
    repeats_verb = verb == _verb(_predicate(first, style))
    template = predicate.wording.says.removeprefix(_SUBJECT)
    if repeats_verb:
        template = template.removeprefix(verb).strip()
    shortened = predicate._replace(wording=predicate.wording._replace(says=template))
    names = _names(claim, first, is_brief=False)
    return f" {'' if repeats_verb else 'and '}{_clause(claim, shortened, names)}"


def _verb(predicate: Predicate) -> str:
    """Return the verb of a sentence about a birth or a death, or else the whole template."""
    match = _VERB.match(predicate.wording.says)
    return match[1] if match else predicate.wording.says


def _group_sentences(claims: Sequence[WordedClaim], style: Style) -> list[list[WordedClaim]]:
    """Group claims into sentences of one or two claims."""
    groups: list[list[WordedClaim]] = []
    for claim in claims:
        last = groups[-1] if groups else []
        if style.is_joined and len(last) == 1 and _can_be_joined(last[0], claim, style):
            last.append(claim)
        else:
            groups.append([claim])
    return groups


def _can_be_joined(first: WordedClaim, second: WordedClaim, style: Style) -> bool:
    """Return whether two claims can form one sentence.

    Either both have a citation or none has: a single citation would seem to support both claims.
    The claims must be in the order of a biography.
    """
    templates = [_predicate(claim, style).wording.says for claim in (first, second)]
    return (
        first.statement.subject == second.statement.subject
        and first.statement.position < second.statement.position
        and (first.cites is None) == (second.cites is None)
        and all(template.startswith(_SUBJECT) for template in templates)
    )


def _predicate(claim: WordedClaim, style: Style) -> Predicate:
    return claim.statement.paraphrase if style.is_free else claim.statement.plain


def _names(
    claim: WordedClaim, previous: WordedClaim | None, is_brief: bool
) -> Mapping[str, str] | None:
    """Return the values of the subject's placeholders; None for the full name.

    A subject that the previous claim was about gets a pronoun, unless that claim names other
    people whom the pronoun could mean.
    """
    subject = claim.statement.subject
    if previous and previous.statement.subject == subject:
        return subject.later_mention(is_clear=not previous.statement.plain.of_people)
    return subject._replace(pronoun="").later_mention(is_clear=False) if is_brief else None


def _punctuate(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
