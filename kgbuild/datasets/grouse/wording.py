"""How references and answers say what they say: in other words, or in the same, one by one or not.

An answer whose sentences are those of the references would be graded by comparing texts; so
people are spoken of by pronouns and short names, clauses become one sentence, and some are said
by other words.
"""

import functools
import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import NamedTuple

from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.datasets.biokalma.sentences import Predicate, Subject, clause

FILE = "words.toml"
_SUBJECT = "{he} "


class PropertyWords(NamedTuple):
    """How a property is said otherwise, and what it is called: the file tells more."""

    noun: str
    otherwise: str
    unlike: str = ""
    absurd: tuple[str, ...] = ()


@functools.cache
def property_words() -> Mapping[str, PropertyWords]:
    """Return what the file says, by property."""
    text = (resources.files("kgbuild.datasets.grouse") / FILE).read_text(encoding="utf-8")
    return {
        pid: PropertyWords(**{**table, "absurd": tuple(table.get("absurd", ()))})
        for pid, table in tomllib.loads(text).items()
    }


class Statement(NamedTuple):
    """A fact, of whom it is, and what is said of them: as a reference says it, and otherwise."""

    fact: Fact
    subject: Subject
    said: Predicate
    otherwise: Predicate

    @property
    def place(self) -> int:
        """The place of the property in the order in which people tell of a life."""
        return self.said.wording.place

    @property
    def text(self) -> str:
        """The sentence of a reference."""
        return told([Claim(self)])


class Style(NamedTuple):
    """How an answer is worded.

    ``is_joined``: two clauses make one sentence; ``is_free``: other words than the references';
    ``is_brief``: it calls people by their short names from the beginning.
    """

    is_joined: bool = True
    is_free: bool = False
    is_brief: bool = False


class Claim(NamedTuple):
    """A statement as it stands in an answer, with the number of the reference that it cites."""

    statement: Statement
    cites: int | None = None

    @property
    def mark(self) -> str:
        """The citation, with the blank before it."""
        return "" if self.cites is None else f" [{self.cites}]"


_PLAIN = Style()


def told(claims: Sequence[Claim], style: Style = _PLAIN, opening: str = "") -> str:
    """Return claims as sentences; ``opening`` is what the first goes on with: "They say that"."""
    texts = []
    before: Claim | None = None
    for together in _grouped(claims, style):
        first, *others = together
        naming = _naming(first, before, style.is_brief and not opening)
        sentence = _clause(first, _said(first, style), naming)
        for other in others:
            sentence += _going_on(first, other, style)
        texts.append(sentence)
        before = together[-1]
    if opening:
        texts[0] = f"{opening} {texts[0]}"
    return " ".join(map(_sentence, texts))


def _clause(claim: Claim, said: Predicate, naming: Mapping[str, str] | None) -> str:
    return f"{clause(claim.statement.subject, said, naming)}{claim.mark}"


def _going_on(first: Claim, claim: Claim, style: Style) -> str:
    """Return the second clause of a sentence: without the subject, and the verb if it is the same.

    So it is "born in Rome on 1 May 1901", and "born in Rome and died on 1 May 1970".
    """
    said, before = _said(claim, style), _said(first, style)
    verb = _verb(said)
    is_same = verb == _verb(before)
    left = said.wording.says.removeprefix(_SUBJECT)
    shortened = said.wording._replace(says=left.removeprefix(verb).strip() if is_same else left)
    naming = _naming(claim, first, is_brief=False)
    return f" {'' if is_same else 'and '}{_clause(claim, said._replace(wording=shortened), naming)}"


def _verb(said: Predicate) -> str:
    """Return what a sentence about a birth or a death begins with after its subject."""
    found = _VERB.match(said.wording.says)
    return found[1] if found else said.wording.says


_VERB = re.compile(r"\{he\} (was born|died)\b")


def _grouped(claims: Sequence[Claim], style: Style) -> list[list[Claim]]:
    """Return claims in sentences of one or two."""
    groups: list[list[Claim]] = []
    for claim in claims:
        last = groups[-1] if groups else []
        if style.is_joined and len(last) == 1 and _go_together(last[0], claim, style):
            last.append(claim)
        else:
            groups.append([claim])
    return groups


def _go_together(one: Claim, other: Claim, style: Style) -> bool:
    """Tell whether two claims can be one sentence.

    One without a citation shares none with one that has any, which would seem to be of both; and
    nobody is said to have died and been born.
    """
    says = [_said(claim, style).wording.says for claim in (one, other)]
    return (
        one.statement.subject == other.statement.subject
        and one.statement.place < other.statement.place
        and (one.cites is None) == (other.cites is None)
        and all(text.startswith(_SUBJECT) for text in says)
    )


def _said(claim: Claim, style: Style) -> Predicate:
    return claim.statement.otherwise if style.is_free else claim.statement.said


def _naming(claim: Claim, before: Claim | None, is_brief: bool) -> Mapping[str, str] | None:
    """Return what stands for the subject: a pronoun once it has been named, if that is clear."""
    subject = claim.statement.subject
    if before and before.statement.subject == subject:
        return subject.later_mention(not before.statement.said.of_people)
    return subject._replace(pronoun="").later_mention(is_clear=False) if is_brief else None


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
