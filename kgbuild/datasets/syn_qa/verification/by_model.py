"""Verify assumptions by a language model, which may answer that it does not know."""

import re
from collections.abc import Iterator, Sequence

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.syn_qa.verification.assumptions import (
    ABSENT,
    HOLDS,
    UNKNOWN,
    Assumption,
    Finding,
)
from kgbuild.datasets.verifying import UNVERIFIED
from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.rows import Progress

_MAX_TOKENS = 1024
"""Maximum number of tokens of a reply: reasoning, and an answer of one word."""
_TASK = """\
Is the following true, as far as you know? It counts as true if it was true at any time. Answer \
with one word: yes, no, or unknown if you are not sure.

{statement}
Answer:"""
_VERDICTS = {"yes": HOLDS, "no": ABSENT, "unknown": UNKNOWN}
_ANSWER = re.compile(r"^\W*(yes|no|unknown)\b", re.IGNORECASE | re.MULTILINE)
_MAX_EVIDENCE = 1000
"""Maximum number of characters of a reply that are stored as evidence."""


class ModelSource:
    """A language model as a source; ``name`` is its name, and ``ask`` sends requests to it."""

    kind = "model"
    resumes = False

    def __init__(self, name: str, ask: Ask):
        self.name = name
        self._ask = ask

    def findings(
        self, assumptions: Sequence[Assumption], progress: Progress
    ) -> Iterator[list[Finding]]:
        """Yield all findings of the model at once; ``ask`` caches replies.

        Raises:
            KgbuildError: the model cannot be used.
        """
        replies = self._ask([request(assumption) for assumption in assumptions])
        yield [*map(_finding, assumptions, replies)]


def request(assumption: Assumption) -> Request:
    """Return the request to judge an assumption as a statement, without its question."""
    text = _TASK.format(statement=_statement(assumption))
    return Request((Message("user", text),), _MAX_TOKENS)


def _statement(assumption: Assumption) -> str:
    """Return the lines for subject, property and value; labels cannot add lines."""
    path = assumption.path
    if path is None:
        question = " ".join(assumption.question.split())
        return f"What this question takes for granted: {question}"
    subject = assumption.subject.label
    if path.first:
        bridge = path.first.bridge or f"the {path.first.label} of {{subject}}"
        subject = bridge.replace("{subject}", subject)
    lines = {"Subject": subject, "Property": path.last.label, "Value": assumption.object.label}
    return "\n".join(f"{name}: {' '.join(text.split())}" for name, text in lines.items())


def _finding(assumption: Assumption, reply: Reply | Failure) -> Finding:
    if isinstance(reply, Failure):
        return Finding(assumption, UNVERIFIED, evidence=f"{reply.reason}: {reply.detail}")
    return Finding(assumption, parse(reply.spoken), evidence=reply.text.strip()[:_MAX_EVIDENCE])


def parse(text: str) -> str:
    """Return the verdict of a reply: of a line that begins with yes, no or unknown.

    If the reply has "Answer:", only the text after the last one counts. The verdict is unknown if
    no line begins so, or if several lines differ.

    >>> parse("Answer: No.")
    'absent'
    >>> parse("I do not know.")
    'unknown'
    """
    words = {word.lower() for word in _ANSWER.findall(text.rpartition("Answer:")[2])}
    return _VERDICTS[words.pop()] if len(words) == 1 else UNKNOWN
