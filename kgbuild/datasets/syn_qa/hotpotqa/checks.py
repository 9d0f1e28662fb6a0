"""Check that a title can be replaced, and that the question then assumes what is false.

Each check raises ``Rejected`` with a reason of ``reasons``.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.kinds import CLAUSE_END, kind_of, kind_of_words
from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.mentions import around, is_alternative
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import Record
from kgbuild.datasets.syn_qa.hotpotqa.resemblance import Resemblance, Resemblances
from kgbuild.datasets.syn_qa.hotpotqa.text import WORD, Span, Text, stems, words
from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import DEATH, PRESENT, STOP_WORDS
from kgbuild.rows import Rejected

_BEFORE = re.compile(r"((?:\b[\w-]+ ){1,4})[\"'“‘]?$")
_APPOSITION = re.compile(r"[\"”]?(?:,| is| was| are| were) (?:the|an?) ([^,?]*)")
_FULL_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)+")
_WORDS, _NAME = 20, 9
"""The information in nats that words must have to tell what is false without a name, and a name
of several words to join two passages that both have it."""
_MOSTLY = 0.5
"""The share of what a question says that the passage of a replacement may say, too."""


class Choice(NamedTuple):
    """A passage whose title stands in the question at ``spans``, and one to replace it.

    ``bridge`` is the other supporting passage.
    """

    subject: Passage
    spans: Sequence[Span]
    bridge: Passage
    replacement: Passage
    resemblance: Resemblance


def check_record(question: Text, record: Record, spans: Mapping[str, list[Span]]) -> None:
    """Check that a title of a record can be replaced; ``spans`` are where each stands."""
    if record.type == "comparison" or is_alternative(question, spans):
        raise Rejected("comparison")
    if words(record.answer) in (["yes"], ["no"]):
        raise Rejected("yes or no")
    if not any(spans.values()):
        raise Rejected("no title")
    if not record.distractors:
        raise Rejected("no distractor")


def check_replacement(question: Text, choice: Choice, linker: Linker | None) -> None:
    """Check that the question makes sense with the replacement in it."""
    subject, replacement = choice.subject, choice.replacement
    if not subject.is_like(replacement) or not _fits_time(question, choice):
        kinds = f"{subject.kind or 'unknown'}, {replacement.kind or 'unknown'}"
        raise Rejected("wrong kind", kinds)
    _check_words_beside(question, choice)
    if linker:
        items = linker.link(subject), linker.link(replacement)
        if items[0] and items[1] and not linker.share_a_kind(items[0], items[1]):
            raise Rejected("wrong kind", f"{items[0]}, {items[1]}")
    name = Text(replacement.name)
    for other in (subject, choice.bridge):
        # People of one family may have in common what is asked.
        is_family = not {*replacement.family}.isdisjoint(other.family)
        if is_family or name.has(other.name) or Text(other.name).has(replacement.name):
            raise Rejected("same name", other.title)
    if question.has(replacement.name):
        raise Rejected("in the question")


def check_false(
    question: Text, answer: str, choice: Choice, linker: Linker | None, resemblances: Resemblances
) -> None:
    """Check that neither the passages nor the store suggest that the assumption is true."""
    replacement, bridge = choice.replacement, choice.bridge
    bare_answer = re.sub(r"^(the|a|an)\s+(?=\w)", "", answer, flags=re.IGNORECASE)
    if replacement.text.has(bare_answer) or Text(replacement.title).has(bare_answer):
        raise Rejected("holds", f"its passage names the answer, {answer}")
    if replacement.refers_to(bridge):
        raise Rejected("holds", f"its passage names {bridge.title}")
    if bridge.refers_to(replacement):
        raise Rejected("holds", f"the passage of {bridge.title} names it")
    statements = linker.statements(replacement, bridge) if linker else []
    if statements:
        raise Rejected("holds", " ".join(statements[0]))
    _check_claims(question, choice, resemblances)


def _check_claims(question: Text, choice: Choice, resemblances: Resemblances) -> None:
    """Check that the question says what the passages about the replacement do not say.

    This must be most of it, and a name, a number or many words: 'In which year did the arena of X
    open?' may be asked of any team.
    """
    replacement, bridge = choice.replacement, choice.bridge
    for name in filter(replacement.text.has, _FULL_NAME.findall(bridge.text.text)):
        if resemblances.information(stems(words(name))) >= _NAME:
            raise Rejected("may hold", f"both passages name {name}")
    close = [
        other.stems
        for other in resemblances.beside(replacement)
        if other not in (choice.subject, bridge)
        and (replacement.refers_to(other) or other.refers_to(replacement))
    ]
    own = replacement.stems.union(*close)
    said, names = _stems_of_question(question, choice)
    foreign = resemblances.information(said - own)
    rarest = max((resemblances.information([name]) for name in names - own), default=0)
    if rarest < resemblances.identifying and foreign < _WORDS:
        raise Rejected("may hold", f"{foreign:.1f} nats")
    held = said & replacement.stems
    if resemblances.information(held) > _MOSTLY * resemblances.information(said):
        raise Rejected("may hold", " ".join(sorted(held)))


def _fits_time(question: Text, choice: Choice) -> bool:
    """Tell whether a question about the dead is not asked about the living, nor the reverse.

    Nor does it speak of years before the replacement was, or after.
    """
    subject, replacement = choice.subject, choice.replacement
    own = words("".join(around(question.text, choice.spans)))
    years = [int(word) for word in own if re.fullmatch(r"[12]\d{3}", word)]
    if years and subject.lives_in(years) and not replacement.lives_in(years):
        return False
    if subject.kind != "person" or subject.is_dead == replacement.is_dead:
        return True
    if replacement.is_dead:
        return subject.is_dead is None or not PRESENT & set(own)
    return replacement.is_dead is None or not DEATH & set(own)


def _check_words_beside(question: Text, choice: Choice) -> None:
    """Check that what the question calls the subject can be said of the replacement."""
    subject, replacement = choice.subject, choice.replacement
    before, *parts = around(question.text, choice.spans)
    for after in parts:
        matches = _BEFORE.search(before), _APPOSITION.match(after)
        leading, apposition = (match[1] if match else "" for match in matches)
        own = itertools.takewhile(lambda word: word not in STOP_WORDS, reversed(words(leading)))
        named, apposition = [*own][::-1], CLAUSE_END.split(apposition)[0]
        kinds = {kind_of_words(named), kind_of(apposition)} - {None, "series"}
        called = stems([*named, *words(apposition)])
        if kinds - {replacement.kind} or (called & subject.traits) - replacement.traits:
            raise Rejected("wrong kind", f"the question calls it {' '.join(named) or apposition}")
        before = after


def _stems_of_question(question: Text, choice: Choice) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of the question that its passages have, and those of names and numbers."""
    own = " ".join(around(question.text, choice.spans))
    passages = (choice.subject, choice.bridge)
    texts = " ".join(f"{one.title} {one.text.text}" for one in passages)
    names = {word for word in WORD.findall(own) if not word[0].islower()} & {*WORD.findall(texts)}
    # A film is replaced by a film: the traits of the subject say nothing against another.
    said = stems(words(own)) & (passages[0].stems | passages[1].stems) - passages[0].categories
    return said, stems(words(" ".join(names)))
