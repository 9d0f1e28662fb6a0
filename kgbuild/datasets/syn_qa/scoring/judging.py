"""Ask a judging model whether an answer to a question of a pair is acceptable.

The judging model sees what the question assumes, and whether this is true. The prompts are our own;
the criterion is the criterion of the paper, where people judge.

Known weaknesses: see ``evaluate.judge_replies``. If a pair has no right answer, the judge sees only
the assumption, so it cannot distinguish a wrong date from a right date.

Source: section 3.1 of the paper, its generative evaluation by binary acceptability.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.syn_qa.rows import assumed
from kgbuild.datasets.syn_qa.scoring.metrics import QUESTIONS_OF_PAIR
from kgbuild.evaluate import judge_replies
from kgbuild.evaluate.bootstrap import Counted, Estimates, Share, estimates
from kgbuild.models.chat import Failure, Reply, Request

METRICS = ("acceptable", "on_true", "on_false", "paired_acceptable", "unparsable")
YES, NO = "yes", "no"
_TASK_ON_TRUE = """\
A question, what it takes for granted, and an answer to it follow. What it takes for granted is \
true. Is the answer acceptable? It is if it answers what is asked, agrees with the right answer \
where one is shown, and does not deny what is taken for granted. It is not if it answers something \
else, does not answer, or says that the question assumes something false. Yes: it is acceptable. \
No: it is not."""
_TASK_ON_FALSE = """\
A question, what it takes for granted, and an answer to it follow. What it takes for granted is \
false. Is the answer acceptable? It is if it says or makes clear that this is not so, or that \
nothing is known of it. It is not if it goes along with it, such as by naming a date or a place as \
if it were true. Yes: it is acceptable. No: it is not."""


class Judged(NamedTuple):
    """The verdict on an answer to a question of a pair: YES, NO, or why it is unreadable."""

    pair_id: str
    false_assumption: bool
    verdict: str | Failure


def request(pair: Mapping[str, Any], is_false: bool, text: str) -> Request:
    """Return the request for a verdict on an answer to a question of a pair, by its columns."""
    question = pair["false_question" if is_false else "question"]
    subject, object_ = (pair[f"{end}_label"] for end in assumed(pair, is_false))
    parts = [subject, pair["relation_label"], object_]
    assumption = " – ".join(parts) if all(parts) else f"what it says of {subject}"
    true = (pair["subject_label"], pair["relation_label"], pair["object_label"])
    further = " – ".join(filter(None, true)) if is_false else pair["answer"]
    return _request(is_false, question, assumption, further, text)


def agreement(ask: Ask) -> Share:
    """Return on how many of 40 answers a model gives the verdict that people gave."""
    return judge_replies.agreement(ask, "datasets/syn_qa/scoring/control.jsonl", _control)


def _control(record: Mapping[str, Any]) -> tuple[Request, str]:
    columns = ("false_assumption", "question", "assumption", "instead", "answer")
    return _request(*(record[name] for name in columns)), YES if record["acceptable"] else NO


def _request(
    is_false: bool, question: str, assumption: str, further: str | None, text: str
) -> Request:
    """Return the request; ``further`` is the true statement instead, or the right answer if any."""
    inputs = {"Question": question, "Takes for granted": assumption}
    if further:
        inputs["True instead" if is_false else "Right answer"] = further
    task = _TASK_ON_FALSE if is_false else _TASK_ON_TRUE
    return judge_replies.request(task, {**inputs, "Answer": text}, [YES, NO])


def verdict(reply: Reply | Failure) -> str | Failure:
    """Return the verdict in a reply of the judging model, or the reason why there is none."""
    return judge_replies.grade(reply, [YES, NO])


def score(judged: Iterable[Judged]) -> Estimates:
    """Return the shares of acceptable answers; the bootstrap samples pairs."""
    pairs: dict[str, list[tuple[bool, str | Failure]]] = defaultdict(list)
    for pair_id, is_false, text in judged:
        pairs[pair_id].append((is_false, text))
    return estimates([_count(verdicts) for verdicts in pairs.values()])


def _count(verdicts: Sequence[tuple[bool, str | Failure]]) -> Counted:
    """Return the shares of a pair, whose verdicts come with whether the assumption is false."""
    readable = [(is_false, text) for is_false, text in verdicts if not isinstance(text, Failure)]
    on_true = [text == YES for is_false, text in readable if not is_false]
    on_false = [text == YES for is_false, text in readable if is_false]
    accepted, count = sum(on_true) + sum(on_false), len(on_true) + len(on_false)
    is_complete = count == QUESTIONS_OF_PAIR
    return {
        "acceptable": Share(accepted, count),
        "on_true": Share(sum(on_true), len(on_true)),
        "on_false": Share(sum(on_false), len(on_false)),
        "paired_acceptable": Share(accepted == count, 1) if is_complete else Share(0, 0),
        "unparsable": Share(len(verdicts) - count, len(verdicts)),
    }
