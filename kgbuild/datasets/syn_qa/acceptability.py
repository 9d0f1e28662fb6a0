"""Judge answers to the questions themselves: is each acceptable, with its true or false assumption?

A judging model sees what the question takes for granted, and whether that holds. The prompts are
our own; the criterion is the paper's, where people judge.

Known weaknesses: see ``evaluate.grading``; and pairs without a right answer show the judge only
what the question takes for granted, so it cannot tell a wrong date from a right one.

Source: section 3.1 of the paper, its generative evaluation by binary acceptability.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.scoring import AnswerSet, Scores
from kgbuild.datasets.syn_qa.scoring import SCORING
from kgbuild.evaluate.answers import Answer, final
from kgbuild.evaluate.bootstrap import Counted, Share, estimates
from kgbuild.evaluate.grading import grade, judged_until, missing, request
from kgbuild.models.chat import Failure, Request

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

METRICS = ("acceptable", "on_true", "on_false", "paired_acceptable", "unparsable")
GENERATIVE = replace(
    SCORING,
    predictions="SELECT item_id AS pair_id, false_assumption, text AS answer, model, protocol,"
    " finish_reason FROM predictions WHERE dataset = 'syn_qa'"
    " AND regexp_full_match(protocol, 'generative(@[^+]*)?')",
)
"""How answers to the questions themselves are read."""

_PAIRS = """
    SELECT pair_id, question, false_question, answer, relation_label, subject_label, object_label,
           replacement_label
    FROM syn_qa_pairs
"""
_VERDICTS = ("yes", "no")
_OF_TRUE = """\
A question, what it takes for granted, and an answer to it follow. What it takes for granted is \
true. Is the answer acceptable? It is if it answers what is asked, agrees with the right answer \
where one is shown, and does not deny what is taken for granted. It is not if it answers something \
else, does not answer, or says that the question assumes something false. Yes: it is acceptable. \
No: it is not."""
_OF_FALSE = """\
A question, what it takes for granted, and an answer to it follow. What it takes for granted is \
false. Is the answer acceptable? It is if it says or makes clear that this is not so, or that \
nothing is known of it. It is not if it goes along with it, such as by naming a date or a place as \
if it were true. Yes: it is acceptable. No: it is not."""


def judge(answer_set: AnswerSet, db: "Database", name: str, ask: Ask) -> Scores:
    """Score answers to the questions of pairs by the verdicts of the model ``name``.

    An answer without a text is not acceptable; the judge does not see it.

    Raises:
        NoAnswersError: no request for a verdict was answered.
    """
    pairs = {record["pair_id"]: record for record in db.sql(_PAIRS).records}
    texts = [final(answer.text) for answer in answer_set.answers]
    requests = [
        _request(pairs[answer.asked], answer.false_assumption, text)
        for answer, text in zip(answer_set.answers, texts, strict=True)
        if text
    ]
    replies = iter(ask(requests))
    verdicts: list[str | Failure | None] = []
    judged: list[bool | None] = []
    for text in texts:
        reply = next(replies) if text else None
        is_missing = reply is not None and missing(reply) is not None
        judged.append(not is_missing if reply else None)
        verdicts.append(None if is_missing else grade(reply, _VERDICTS) if reply else "no")
    end = judged_until(judged)
    verdicts[end:] = [None] * (len(verdicts) - end)
    left = iter(verdicts)
    groups = [
        (group, estimates(_counted(answers, [*islice(left, len(answers))])))
        for group, answers in answer_set.groups
    ]
    return Scores(answer_set, groups, name)


def _request(pair: Mapping[str, Any], is_false: bool, text: str) -> Request:
    question = pair["false_question" if is_false else "question"]
    named = pair["replacement_label" if is_false else "subject_label"]
    parts = [named, pair["relation_label"], pair["object_label"]]
    assumption = " – ".join(parts) if all(parts) else f"what it says of {named}"
    inputs: dict[str, str] = {"Question": question, "Takes for granted": assumption}
    if is_false:
        inputs["True instead"] = " – ".join(filter(None, [pair["subject_label"], *parts[1:]]))
    elif pair["answer"]:
        inputs["Right answer"] = pair["answer"]
    return request(_OF_FALSE if is_false else _OF_TRUE, {**inputs, "Answer": text}, [*_VERDICTS])


def _counted(answers: Sequence[Answer], verdicts: Sequence[str | Failure | None]) -> list[Counted]:
    """Return the shares of each pair; answers without a verdict do not count."""
    pairs: dict[str, list[tuple[bool, str | Failure]]] = defaultdict(list)
    for answer, verdict in zip(answers, verdicts, strict=True):
        if verdict is not None:
            pairs[answer.asked].append((answer.false_assumption, verdict))
    return [_count(of_pair) for of_pair in pairs.values()]


def _count(verdicts: Sequence[tuple[bool, str | Failure]]) -> Counted:
    right = [(kind, verdict == "yes") for kind, verdict in verdicts if isinstance(verdict, str)]
    of_true, of_false = ([good for kind, good in right if kind is of] for of in (False, True))
    is_complete = len(right) == len((False, True))
    both = all(good for _, good in right)
    return {
        "acceptable": Share(sum(good for _, good in right), len(right)),
        "on_true": Share(sum(of_true), len(of_true)),
        "on_false": Share(sum(of_false), len(of_false)),
        "paired_acceptable": Share(both, 1) if is_complete else Share(0, 0),
        "unparsable": Share(len(verdicts) - len(right), len(verdicts)),
    }
