"""Check that a title can be replaced, and that the question then assumes something false.

Each check raises ``Rejected`` with a reason of ``reasons.toml``.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.kinds import CLAUSE_END, kind_of, kind_of_words
from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.mentions import text_around
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import Record
from kgbuild.datasets.syn_qa.hotpotqa.resemblance import Resemblance, Resemblances
from kgbuild.datasets.syn_qa.hotpotqa.text import WORD, NameSpan, SearchedText, stems, words
from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import STOP_WORDS
from kgbuild.rows import Rejected

# Up to four words directly before a name: 'the American actress '
_BEFORE = re.compile(r"((?:\b[\w-]+ ){1,4})[\"'“‘]?$")
# A description directly after a name: ', an American actress'
_APPOSITION = re.compile(r"[\"”]?(?:,| is| was| are| were) (?:the|an?) ([^,?]*)")


class Choice(NamedTuple):
    """A supporting passage whose title is in the question at ``spans``, and its replacement.

    ``bridge`` is the other supporting passage: the answer needs both.
    """

    subject: Passage
    spans: Sequence[NameSpan]
    bridge: Passage
    replacement: Passage
    resemblance: Resemblance


def check_record(record: Record, spans: Mapping[str, list[NameSpan]]) -> None:
    """Check that a title of a record can be replaced; ``spans`` are the spans of each title."""
    if record.type == "comparison":
        raise Rejected("comparison")
    if words(record.answer) in (["yes"], ["no"]):
        raise Rejected("yes or no")
    if not any(spans.values()):
        raise Rejected("no title")
    if all(spans.values()):
        raise Rejected("both titles")
    if not record.distractors:
        raise Rejected("no distractor")


def check_replacement(question: SearchedText, choice: Choice) -> None:
    """Check that the question makes sense with the replacement in it."""
    subject, replacement = choice.subject, choice.replacement
    if not subject.can_be_replaced_by(replacement):
        kinds = f"{subject.kind or 'unknown'}, {replacement.kind or 'unknown'}"
        raise Rejected("another kind", kinds)
    _check_descriptions(question, choice)
    name = SearchedText(replacement.name)
    for supporting in (subject, choice.bridge):
        if name.has(supporting.name) or SearchedText(supporting.name).has(replacement.name):
            raise Rejected("same name", supporting.title)
    if question.has(replacement.name):
        raise Rejected("in the question")


def check_false(
    question: SearchedText,
    answer: str,
    choice: Choice,
    linker: Linker | None,
    resemblances: Resemblances,
) -> None:
    """Check that neither the passages nor the store suggest that the assumption is true."""
    replacement, bridge = choice.replacement, choice.bridge
    answer_name = re.sub(r"^(the|a|an)\s+(?=\w)", "", answer, flags=re.IGNORECASE)
    if replacement.text.has(answer_name) or SearchedText(replacement.title).has(answer_name):
        raise Rejected("holds", f"its passage names the answer, {answer}")
    if replacement.refers_to(bridge):
        raise Rejected("holds", f"its passage names {bridge.title}")
    if bridge.refers_to(replacement):
        raise Rejected("holds", f"the passage of {bridge.title} names it")
    statements = linker.statements(replacement, bridge) if linker else []
    if statements:
        raise Rejected("holds", " ".join(statements[0]))
    _check_relations(question, choice, resemblances)


def _check_relations(question: SearchedText, choice: Choice, resemblances: Resemblances) -> None:
    """Check that a word leads to other names or years in the passage of the replacement.

    Either the question says what the word leads to for the subject: 'the film directed by Tim
    Burton'. Or the word leads to the other supporting title, 'the director of the film', and the
    question says something rare of it: otherwise it can be asked about any film.
    """
    claims, names = _stems_of_question(question, choice)
    bridge = stems(words(choice.bridge.name))
    if names & bridge:
        raise Rejected("holds", f"the question is about {choice.bridge.title}")
    if _leads_elsewhere(choice, names, names, 1):
        return
    if not _leads_elsewhere(choice, names, bridge, len(bridge)):
        raise Rejected("may hold", "the passages do not exclude it")
    foreign = claims - choice.replacement.stems
    rarest_name = max((resemblances.information([name]) for name in foreign & names), default=0)
    information = resemblances.information(foreign)
    if rarest_name < resemblances.identifying and information < resemblances.particular:
        raise Rejected("may hold", f"{information:.1f} nats")


def _leads_elsewhere(
    choice: Choice, asked: frozenset[str], names: frozenset[str], minimum: int
) -> bool:
    """Return whether a word leads to ``minimum`` names, but not for the replacement.

    There it leads to other names, to none that is ``asked`` for, and to none in the name of the
    replacement: whose album "Chuck Berry on Stage" is, is plain.
    """
    subject, replacement = choice.subject, choice.replacement
    told = stems(words(replacement.name))
    for leading, values in subject.relations.items():
        others = replacement.relations.get(leading, frozenset())
        claimed = values & names
        is_foreign = not claimed <= replacement.stems and others.isdisjoint(claimed | asked | told)
        if len(claimed) >= minimum and others and is_foreign:
            return True
    return False


def _check_descriptions(question: SearchedText, choice: Choice) -> None:
    """Check that the words by which the question describes the subject fit the replacement."""
    subject, replacement = choice.subject, choice.replacement
    before, *parts = text_around(question.text, choice.spans)
    for after in parts:
        before_match, after_match = _BEFORE.search(before), _APPOSITION.match(after)
        title_words = words(before_match[1]) if before_match else []
        while not STOP_WORDS.isdisjoint(title_words):  # of 'by the actress', 'actress' is left
            del title_words[0]
        apposition = CLAUSE_END.split(after_match[1])[0] if after_match else ""
        kinds = {kind_of_words(title_words), kind_of(apposition)} - {None, "series"}
        description = stems([*title_words, *words(apposition)])
        lacking_traits = (description & subject.traits) - replacement.traits
        if lacking_traits or kinds - {replacement.kind}:
            detail = f"the question calls it {' '.join(title_words) or apposition}"
            raise Rejected("another kind", detail)
        before = after


def _stems_of_question(
    question: SearchedText, choice: Choice
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems that the question shares with its passages: of all words, of names only.

    Numbers count as names.
    """
    rest = " ".join(text_around(question.text, choice.spans))
    subject, bridge = choice.subject, choice.bridge
    passage_words = {
        word
        for passage in (subject, bridge)
        for word in WORD.findall(f"{passage.title} {passage.text.text}")
    }
    names = {word for word in WORD.findall(rest) if not word[0].islower()} & passage_words
    claimable = subject.stems | bridge.stems
    return stems(words(rest)) & claimable, stems(words(" ".join(names)))
