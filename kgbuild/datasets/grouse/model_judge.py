"""Judge answers by a language model: make requests about an answer, and read grades in replies.

The model receives one request for each of four metrics: relevancy, completeness, usefulness and
faithfulness. Usefulness is defined only for refusals. Faithfulness is undefined for refusals that
add nothing. The grades of positive acceptance and negative rejection follow from whether relevancy
and completeness are defined. Without a true answer, completeness is not requested, and these two
grades are undefined. The prompts are our own.

Known weaknesses: those of ``evaluate.judge_replies``. A model that knows the answer may also accept
claims that the references do not support.

Source: the six metrics of GroUSE (docs/grouse.md).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.grouse.prompt_folder import PromptFolder
from kgbuild.datasets.grouse.rows import (
    LIKERT,
    METRICS,
    UNGRADED,
    Grade,
    Grades,
    GrouseSample,
    Judgement,
    acceptance,
    dependent,
)
from kgbuild.evaluate.judge_replies import grade, justification, missing, request
from kgbuild.models.chat import Failure, Reply, Request

Read: TypeAlias = Callable[[str, Reply | Failure], Grade]
"""A function that reads the grade of a metric in a reply."""

_LIKERT = ("1", "2", "3", "4", "5", UNGRADED)
_YES_OR_NO = ("0", "1", UNGRADED)

_SET_UP = """\
A system was given a question and numbered references, and was to answer from the references alone \
and to cite them by number, as in [1]. Where they hold no answer it was to say so; then it could \
add what they tell of the subject."""

_RELEVANCY = f"""\
{_SET_UP} Grade how well what it says fits the question, whether or not it is true, and whatever \
is missing. 5: all of it answers exactly what was asked. 4: it answers, and what does not answer \
exactly is still about what was asked. 3: it answers, and also says things that nobody needs for \
the answer. 2: a little of it has to do with the question, most has not. 1: it does not answer at \
all, such as by the right kind of fact about somebody else. Undefined: it says that the references \
do not answer the question, whatever it adds to that."""
_COMPLETENESS = f"""\
{_SET_UP} Compare its answer with the true answer, and grade how much of what the question asks \
for, and the true answer tells, it covers. Something told with a wrong value or citation is \
covered: that is graded elsewhere. 5: all of it. 4: nearly all. 3: about half. 2: a little. 1: \
nothing, as when it says that the references hold no answer although the true answer has one. \
Undefined: the true answer itself says that the references do not answer the question."""
_USEFULNESS = f"""\
{_SET_UP} Grade what it adds to saying that there is no answer. 1: what it adds has on the whole \
to do with the question, and helps to understand its subject. 0: what it adds has nothing to do \
with the question. Undefined: it does not say that the references lack an answer, or it says so \
and adds nothing."""
_FAITHFULNESS = f"""\
{_SET_UP} Check each thing that its answer claims against the references that it cites for it, and \
against nothing else: what you know yourself does not count, and what a reference says holds, \
however absurd. 1: each claim cites a reference, and the cited ones say it. 0: a claim cites none, \
or cites one that does not say it, or says something else than that one does. That the references \
hold no answer is no claim. Undefined: it claims nothing, as when it says no more than that."""


def judge(
    samples: Sequence[GrouseSample], ask: Ask, prompts: PromptFolder | None = None
) -> list[Judgement | Failure]:
    """Return the judgement of each answer, or the failure of a request that got no reply.

    ``prompts`` replace the prompts of this module.
    """
    make_requests, read, explain = (
        (prompts.requests, prompts.read, prompts.justification)
        if prompts
        else (requests, read_grade, lambda _metric, reply: justification(reply))
    )
    requests_by_sample = [make_requests(sample) for sample in samples]
    all_requests = [request for group in requests_by_sample for request in group.values()]
    all_replies = iter(ask(all_requests))
    judged: list[Judgement | Failure] = []
    for by_metric in requests_by_sample:
        replies = {metric: next(all_replies) for metric in by_metric}
        failures = (missing(reply) for reply in replies.values())
        failure = next((failure for failure in failures if failure), None)
        if failure:
            judged.append(failure)
            continue
        answer_grades = grades(replies, read)
        # A grade that is undefined by the rules needs no justification.
        justifications = {
            metric: explain(metric, reply)
            for metric, reply in replies.items()
            if getattr(answer_grades, metric) is not None or read(metric, reply) is None
        }
        judged.append(Judgement(answer_grades, justifications))
    return judged


def requests(sample: GrouseSample) -> dict[str, Request]:
    """Return the requests about an answer, by metric."""
    question = {"Question": sample.input}
    references = {"References": sample.references}
    answer = {"Answer": sample.actual_output}
    by_metric = {
        "answer_relevancy": request(_RELEVANCY, question | answer, _LIKERT),
        "usefulness": request(_USEFULNESS, question | answer, _YES_OR_NO),
        "faithfulness": request(_FAITHFULNESS, question | references | answer, _YES_OR_NO),
    }
    if sample.expected_output is not None:
        truth = {"True answer": sample.expected_output}
        by_metric["completeness"] = request(_COMPLETENESS, question | truth | answer, _LIKERT)
    return by_metric


def read_grade(metric: str, reply: Reply | Failure) -> Grade:
    """Return the grade in a reply to a request of this module, or a failure if it has none."""
    text = grade(reply, _LIKERT if metric in LIKERT else _YES_OR_NO)
    if isinstance(text, Failure):
        return text
    return None if text == UNGRADED else int(text)


def grades(replies: Mapping[str, Reply | Failure], read: Read = read_grade) -> Grades:
    """Return the grades in the replies to the requests about an answer.

    A grade that cannot be read is a failure, and so are the grades that follow from it.
    """
    relevancy, completeness, usefulness, faithfulness = (
        read(metric, replies[metric]) if metric in replies else None for metric in METRICS[:4]
    )
    usefulness, faithfulness = dependent(relevancy, usefulness, faithfulness)
    failures = [grade for grade in (relevancy, completeness) if isinstance(grade, Failure)]
    last_two: tuple[Grade, Grade]
    if "completeness" not in replies:
        last_two = acceptance(refuses=False, is_answerable=None)
    elif failures:
        last_two = (failures[0], failures[0])
    else:
        last_two = acceptance(refuses=relevancy is None, is_answerable=completeness is not None)
    return Grades(relevancy, completeness, usefulness, faithfulness, *last_two)
