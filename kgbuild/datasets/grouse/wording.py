"""Word references and answers: claims become sentences in several styles.

If answers repeated the sentences of references, comparing texts would grade them. So answers use
pronouns and short names, join clauses, and paraphrase some claims.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.datasets.biokalma.sentences import Predicate, Subject, write_clause

_SUBJECT = "{he} "


class PropertyWords(NamedTuple):
    """The noun of a property and its second wording; see words.toml."""

    noun: str
    otherwise: str  # another template of the sentence
    unlike: str = ""  # a pattern of values that these words do not fit
    absurd: Sequence[str] = ()  # items that cannot be true values


@functools.cache
def property_words() -> Mapping[str, PropertyWords]:
    """Return the words of each property in words.toml."""
    return {pid: PropertyWords(**table) for pid, table in read_toml("grouse", "words").items()}


class Statement(NamedTuple):
    """A fact and its subject, in the wording of references (``plain``) and in a second one."""

    fact: Fact
    subject: Subject
    plain: Predicate
    otherwise: Predicate

    @property
    def place(self) -> int:
        """The position of the property in the usual order of a biography."""
        return self.plain.wording.position

    @property
    def text(self) -> str:
        """The sentence of a reference."""
        return render([Claim(self)])


class Style(NamedTuple):
    """The style of an answer.

    ``is_joined``: two clauses make one sentence; ``is_free``: it paraphrases the references;
    ``is_brief``: it uses short names from the beginning.
    """

    is_joined: bool = True
    is_free: bool = False
    is_brief: bool = False


class Claim(NamedTuple):
    """A statement of an answer, and the number of the reference that it cites, if any."""

    statement: Statement
    cites: int | None = None


_PLAIN = Style()
_VERB = re.compile(r"\{he\} (was born|died)\b")


def render(claims: Sequence[Claim], style: Style = _PLAIN, opening: str = "") -> str:
    """Return claims as sentences; ``opening``, such as "They say that", begins the first."""
    texts = []
    before: Claim | None = None
    for first, *others in _grouped(claims, style):
        names = _names(first, before, style.is_brief and not opening)
        clauses = [_clause(first, _predicate(first, style), names)]
        clauses += [_second_clause(first, other, style) for other in others]
        texts.append("".join(clauses))
        before = [first, *others][-1]
    if opening:
        texts[0] = f"{opening} {texts[0]}"
    return " ".join(map(_sentence, texts))


def _clause(claim: Claim, predicate: Predicate, names: Mapping[str, str] | None) -> str:
    mark = "" if claim.cites is None else f" [{claim.cites}]"
    return f"{write_clause(claim.statement.subject, predicate, names)}{mark}"


def _second_clause(first: Claim, claim: Claim, style: Style) -> str:
    """Return the second clause of a sentence, without the subject and a repeated verb.

    Examples: "born in Rome on 1 May 1901", "born in Rome and died on 1 May 1970".
    """
    predicate = _predicate(claim, style)
    verb = _verb(predicate)
    is_same = verb == _verb(_predicate(first, style))
    says = predicate.wording.says.removeprefix(_SUBJECT)
    if is_same:
        says = says.removeprefix(verb).strip()
    shortened = predicate._replace(wording=predicate.wording._replace(says=says))
    names = _names(claim, first, is_brief=False)
    return f" {'' if is_same else 'and '}{_clause(claim, shortened, names)}"


def _verb(predicate: Predicate) -> str:
    """Return the verb of a sentence about a birth or a death, or else the whole template."""
    match = _VERB.match(predicate.wording.says)
    return match[1] if match else predicate.wording.says


def _grouped(claims: Sequence[Claim], style: Style) -> list[list[Claim]]:
    """Group claims into sentences of one or two."""
    groups: list[list[Claim]] = []
    for claim in claims:
        last = groups[-1] if groups else []
        if style.is_joined and len(last) == 1 and _can_be_joined(last[0], claim, style):
            last.append(claim)
        else:
            groups.append([claim])
    return groups


def _can_be_joined(first: Claim, second: Claim, style: Style) -> bool:
    """Return whether two claims can form one sentence.

    A claim without a citation is not joined to one with a citation, which would seem to support
    both; and the claims keep the order of a biography.
    """
    says = [_predicate(claim, style).wording.says for claim in (first, second)]
    return (
        first.statement.subject == second.statement.subject
        and first.statement.place < second.statement.place
        and (first.cites is None) == (second.cites is None)
        and all(text.startswith(_SUBJECT) for text in says)
    )


def _predicate(claim: Claim, style: Style) -> Predicate:
    return claim.statement.otherwise if style.is_free else claim.statement.plain


def _names(claim: Claim, before: Claim | None, is_brief: bool) -> Mapping[str, str] | None:
    """Return the values of the subject's placeholders: a pronoun after a clear first mention."""
    subject = claim.statement.subject
    if before and before.statement.subject == subject:
        return subject.later_mention(not before.statement.plain.of_people)
    return subject._replace(pronoun="").later_mention(is_clear=False) if is_brief else None


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
