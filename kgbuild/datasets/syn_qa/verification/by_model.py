"""Verify assumptions by a language model, which may answer that it does not know."""

import re
from collections.abc import Iterator, Sequence

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.syn_qa.verification.assumptions import (
    ABSENT,
    HOLDS,
    UNKNOWN,
    UNVERIFIED,
    Assumption,
    Finding,
    batches,
)
from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.rows import Progress

_MOST_TOKENS = 1024
"""Room for the thoughts of a model; the answer is one word."""
_WRITTEN = 1000
"""Findings that are written together."""
_TASK = """\
Is the following true, as far as you know? It counts as true if it was true at any time. Answer \
with one word: yes, no, or unknown if you are not sure.

{statement}
Answer:"""
_VERDICTS = {"yes": HOLDS, "no": ABSENT, "unknown": UNKNOWN}
_ANSWER = re.compile(r"^\W*(yes|no|unknown)\b", re.IGNORECASE | re.MULTILINE)
_KEPT = 1000
"""Characters of a reply that are kept."""


class ModelSource:
    """A language model of that name; ``ask`` sends requests to it."""

    kind = "model"
    resumes = False

    def __init__(self, name: str, ask: Ask):
        self.name = name
        self._ask = ask

    def findings(
        self, assumptions: Sequence[Assumption], progress: Progress
    ) -> Iterator[list[Finding]]:
        """Yield what the model says of assumptions. Replies are kept where ``ask`` keeps them.

        Raises:
            KgbuildError: the model cannot be asked at all.
        """
        replies = self._ask([request(one) for one in assumptions])
        findings = [_finding(*pair) for pair in zip(assumptions, replies, strict=True)]
        for batch in batches(findings, _WRITTEN):
            yield [*batch]


def request(assumption: Assumption) -> Request:
    """Return the request to judge what a question assumes, without the question."""
    text = _TASK.format(statement=_statement(assumption))
    return Request((Message("user", text),), _MOST_TOKENS)


def _statement(one: Assumption) -> str:
    """Return an assumption as lines of a statement, each text on one line."""
    if one.path is None:
        question = " ".join(one.question.split())
        return f"What this question takes for granted: {question}"
    subject = one.subject.label
    if one.path.first:
        bridge = one.path.first.bridge or f"the {one.path.first.label} of {{subject}}"
        subject = bridge.replace("{subject}", subject)
    lines = {"Subject": subject, "Property": one.path.last.label, "Value": one.object.label}
    return "\n".join(f"{name}: {' '.join(text.split())}" for name, text in lines.items())


def _finding(assumption: Assumption, reply: Reply | Failure) -> Finding:
    if isinstance(reply, Failure):
        return Finding(assumption, UNVERIFIED, evidence=f"{reply.reason}: {reply.detail}")
    return Finding(assumption, parse(reply.spoken), evidence=reply.text.strip()[:_KEPT])


def parse(text: str) -> str:
    """Return the verdict of an answer: of what follows the last "Answer:", if it has one.

    Yes, no or unknown must begin a line. An answer with none of them, or several, tells nothing.

    >>> parse("Answer: No.")
    'absent'
    >>> parse("I do not know.")
    'unknown'
    """
    words = {word.lower() for word in _ANSWER.findall(text.rpartition("Answer:")[2])}
    return _VERDICTS[words.pop()] if len(words) == 1 else UNKNOWN
