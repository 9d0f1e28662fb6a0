"""Judge by a model whether answers to questions of pairs are acceptable.

The judging model sees what the question assumes, and whether this is true. The prompts are our own;
the criterion is the criterion of the paper, where people judge.

Known weaknesses: see ``evaluate.grading``. If a pair has no right answer, the judge sees only the
assumption, so it cannot distinguish a wrong date from a right date.

Source: section 3.1 of the paper, its generative evaluation by binary acceptability.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.scoring import AnswerSet, ScoreColumn, Scores, ScoreTable, columns
from kgbuild.datasets.syn_qa.rows import assumed
from kgbuild.datasets.syn_qa.scoring import SCORING
from kgbuild.evaluate.answers import OF_A_PAIR, OPTIONAL, Answer
from kgbuild.evaluate.bootstrap import Counted, Share, estimates
from kgbuild.evaluate.grading import grade, judged_until, justification, missing, request
from kgbuild.models.chat import Failure, Request
from kgbuild.text.replies import answer_of

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_METRICS = ("acceptable", "on_true", "on_false", "paired_acceptable", "unparsable")
GENERATIVE = replace(
    SCORING,
    predictions="SELECT item_id AS pair_id, false_assumption, text AS answer, model, protocol,"
    " finish_reason FROM predictions WHERE dataset = 'syn_qa'"
    " AND regexp_full_match(protocol, 'generative(@[^+]*)?')",
    tables=(ScoreTable((ScoreColumn("answers", "acceptable", ""), *columns(*_METRICS))),),
    notes=lambda _: (),
)
"""The scoring of ``SCORING``, but for answers by the protocol "generative"."""

_VERDICTS = ("yes", "no")
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


def judge(answer_set: AnswerSet, db: "Database", name: str, ask: Ask) -> Scores:
    """Score answers to the questions of pairs by the verdicts of the model ``name``.

    An answer without a text is not acceptable; the judge does not see it.

    Raises:
        KgbuildError: no request for a verdict was answered.
    """
    pairs = {record["pair_id"]: record for record in db.read("FROM syn_qa_pairs").records}
    texts = [answer_of(answer.text) for answer in answer_set.answers]
    requests = [
        _request(pairs[answer.asked], answer.false_assumption, text)
        for answer, text in zip(answer_set.answers, texts, strict=True)
        if text
    ]
    replies = iter(ask(requests))
    verdicts: list[str | Failure | None] = []
    reasons: list[str] = []
    is_judged: list[bool | None] = []  # None for answers without a text
    for text in texts:
        if not text:
            is_judged.append(None)
            verdicts.append("no")
            reasons.append("")
            continue
        reply = next(replies)
        is_missing = missing(reply) is not None
        is_judged.append(not is_missing)
        verdicts.append(None if is_missing else grade(reply, _VERDICTS))
        reasons.append(justification(reply))
    # If the budget ended early, empty answers after the last judged one do not count.
    end = judged_until(is_judged)
    verdicts[end:] = [None] * (len(verdicts) - end)
    remaining = iter(verdicts)
    groups = [
        (group, estimates(_counted(answers, [*islice(remaining, len(answers))])))
        for group, answers in answer_set.groups
    ]
    judgements = [
        {
            **answer.identity(OF_A_PAIR, OPTIONAL),
            "acceptable": None if isinstance(verdict, Failure | None) else verdict == "yes",
            "justification": reason,
        }
        for answer, verdict, reason in zip(answer_set.answers, verdicts, reasons, strict=True)
    ]
    return Scores(answer_set, groups, name, lambda: judgements)


def _request(pair: Mapping[str, Any], is_false: bool, text: str) -> Request:
    question = pair["false_question" if is_false else "question"]
    subject, object_ = (pair[f"{end}_label"] for end in assumed(pair, is_false))
    parts = [subject, pair["relation_label"], object_]
    assumption = " – ".join(parts) if all(parts) else f"what it says of {subject}"
    inputs: dict[str, str] = {"Question": question, "Takes for granted": assumption}
    if is_false:
        true = (pair["subject_label"], pair["relation_label"], pair["object_label"])
        inputs["True instead"] = " – ".join(filter(None, true))
    elif pair["answer"]:
        inputs["Right answer"] = pair["answer"]
    return request(
        _TASK_ON_FALSE if is_false else _TASK_ON_TRUE, {**inputs, "Answer": text}, [*_VERDICTS]
    )


def _counted(answers: Sequence[Answer], verdicts: Sequence[str | Failure | None]) -> list[Counted]:
    """Return the shares of each pair; answers without a verdict do not count."""
    pairs: dict[str, list[tuple[bool, str | Failure]]] = defaultdict(list)
    for answer, verdict in zip(answers, verdicts, strict=True):
        if verdict is not None:
            pairs[answer.asked].append((answer.false_assumption, verdict))
    return [_count(pair_verdicts) for pair_verdicts in pairs.values()]


def _count(verdicts: Sequence[tuple[bool, str | Failure]]) -> Counted:
    """Return the shares of a pair, whose verdicts come with whether the assumption is false."""
    readable = [(is_false, text) for is_false, text in verdicts if not isinstance(text, Failure)]
    on_true = [text == "yes" for is_false, text in readable if not is_false]
    on_false = [text == "yes" for is_false, text in readable if is_false]
    accepted, count = sum(on_true) + sum(on_false), len(on_true) + len(on_false)
    is_complete = count == SCORING.questions_per_item
    return {
        "acceptable": Share(accepted, count),
        "on_true": Share(sum(on_true), len(on_true)),
        "on_false": Share(sum(on_false), len(on_false)),
        "paired_acceptable": Share(accepted == count, 1) if is_complete else Share(0, 0),
        "unparsable": Share(len(verdicts) - count, len(verdicts)),
    }
