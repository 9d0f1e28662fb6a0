"""Check that a title can be replaced, and that the question then assumes what is false.

Each check raises ``Rejected`` with a reason of ``reasons``.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.mentions import around, is_alternative
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import Record
from kgbuild.datasets.syn_qa.hotpotqa.resemblance import Resemblance, Resemblances
from kgbuild.datasets.syn_qa.hotpotqa.text import Span, Text, stems, words
from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import DEATH, PRESENT
from kgbuild.rows import Rejected


class Choice(NamedTuple):
    """A passage whose title stands in the question at ``spans``, and one to replace it.

    ``bridge`` is the other supporting passage; ``is_named`` says whether the question names it.
    """

    subject: Passage
    spans: Sequence[Span]
    bridge: Passage
    is_named: bool
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
    if not subject.is_like(replacement) or not _fits_life(question, subject, replacement):
        kinds = f"{subject.kind or 'unknown'}, {replacement.kind or 'unknown'}"
        raise Rejected("wrong kind", kinds)
    if linker:
        items = linker.link(subject), linker.link(replacement)
        if items[0] and items[1] and not linker.share_a_kind(items[0], items[1]):
            raise Rejected("wrong kind", f"{items[0]}, {items[1]}")
    name = Text(replacement.name)
    for other in (subject, choice.bridge):
        if name.has(other.name) or Text(other.name).has(replacement.name):
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
    if replacement.text.spans(bridge.name):
        raise Rejected("holds", f"its passage names {bridge.title}")
    if bridge.text.spans(replacement.name):
        raise Rejected("holds", f"the passage of {bridge.title} names it")
    statements = linker.statements(replacement, bridge) if linker else []
    if statements:
        raise Rejected("holds", " ".join(statements[0]))
    # Without the name of the bridge, the question must say something that only it fits.
    foreign = resemblances.information(_foreign_stems(question, choice))
    if not choice.is_named and foreign < resemblances.identifying:
        raise Rejected("may hold", f"{foreign:.1f} nats")


def _fits_life(question: Text, subject: Passage, replacement: Passage) -> bool:
    """Tell whether a question about the dead is not asked about the living, nor the reverse."""
    if subject.kind != "person" or subject.is_dead == replacement.is_dead:
        return True
    if replacement.is_dead:
        return subject.is_dead is None or not PRESENT & set(question.words)
    return replacement.is_dead is None or not DEATH & set(question.words)


def _foreign_stems(question: Text, choice: Choice) -> frozenset[str]:
    """Return the stems of the question that its passages have and the replacement's lacks."""
    own = stems(words("".join(around(question.text, choice.spans))))
    return own & (choice.subject.stems | choice.bridge.stems) - choice.replacement.stems
