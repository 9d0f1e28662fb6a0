"""Let a language model judge replies, against the true answers at every level, and test it.

The prompt is our own. Known weaknesses: those of ``evaluate.judge_replies``; a model that knows
better than the store may accept answers that are true, but not in the list.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola.scoring.truths import Reached, TrueAnswer, Truth
from kgbuild.evaluate import judge_replies
from kgbuild.evaluate.bootstrap import Share
from kgbuild.evaluate.judge_replies import grade, justification, request
from kgbuild.models.chat import Failure, Request
from kgbuild.text.replies import answer_of

WRONG, ABSTAINS = "wrong", "abstains"
"""The grades of replies without a level."""
_ABSTAINED, _WRONG = "A", "W"
"""The verdicts of people on replies without a level."""
_TASK = """\
Somebody replied to a question. The true answers to it have levels: those of level 1 are the \
finest, those of later levels are coarser and true as well. Grade what the reply commits to in the \
end: a corrected or denied answer does not count. Its grade is the number of the first level with \
a true answer that it gives, in any wording or language, or that follows from what it says: a day \
of 1931 is level 1 if the finest answer is 1931, and a part of a town counts as the town. A reply \
that gives another answer is wrong, also if a coarser true answer stands beside it, as in "Lyon, \
France" for Paris; so is one that leaves the choice between a true and a false answer, that gives \
no answer, or that only repeats the question. A false detail that is not asked for does not count. \
A reply abstains if it says that it does not know or will not tell, or asks back, and gives no \
answer."""


def grading_request(reply: str, truth: Truth) -> Request:
    """Return the request to grade a reply."""
    levels = [" / ".join(names) for names in truth.levels]
    inputs = {
        "Question": truth.question,
        "True answers by level": levels,
        "Reply": answer_of(reply),
    }
    return request(_TASK, inputs, _grades(truth))


def graded(cases: Sequence[tuple[str, Truth]], ask: Ask, source: str) -> list[Reached | Failure]:
    """Return the outcome of each reply as a model grades it, or why there is none.

    ``source`` is the name of the model.
    """
    replies = ask([grading_request(reply, truth) for reply, truth in cases])
    outcomes: list[Reached | Failure] = []
    for (_, truth), reply in zip(cases, replies, strict=True):
        found = grade(reply, _grades(truth))
        if isinstance(found, Failure):
            outcomes.append(found)
            continue
        reason = justification(reply) or found
        level = int(found) if found.isdigit() else None
        matched = truth.levels[level - 1][0] if level else ""
        abstained = found == ABSTAINS
        outcomes.append(Reached(level, abstained, matched=matched, reason=reason, source=source))
    return outcomes


def _grades(truth: Truth) -> list[str]:
    return [*map(str, range(1, len(truth.levels) + 1)), WRONG, ABSTAINS]


def verdict(outcome: Reached) -> str:
    """Return an outcome as people wrote their verdicts: the level, A or W."""
    return str(outcome.level or (_ABSTAINED if outcome.abstained else _WRONG))


def truth(record: Mapping[str, Any]) -> Truth:
    """Return the true answers to the question of a judged reply."""
    kinds, aliases = record.get("kinds", {}), record.get("aliases", {})
    answers = [
        TrueAnswer(level, kinds.get(text, ""), text, aliases.get(text, []))
        for level, texts in enumerate(record["levels"], 1)
        for text in texts
    ]
    return Truth(record["question"], answers)


def agreement(ask: Ask) -> Share:
    """Return how many of the replies a model grades as people did."""
    return judge_replies.agreement(ask, "datasets/granola/scoring/control.jsonl", _case)


def _case(record: Mapping[str, Any]) -> tuple[Request, str]:
    judged = str(record["verdict"])
    right = {_ABSTAINED: ABSTAINS, _WRONG: WRONG}.get(judged, judged)
    return grading_request(record["reply"], truth(record)), right
