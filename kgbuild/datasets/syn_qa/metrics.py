"""Score the detection of false assumptions, as in section 3.1 of the Syn-(QA)² paper.

A model is asked of each question of a pair whether it contains a false assumption: the right
answer is yes to the one and no to the other.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from kgbuild.evaluate.answers import Answer, final
from kgbuild.evaluate.bootstrap import Counted, Estimate, Share, estimates

BIAS = "bias"

_VERDICT = re.compile(
    r"""
    \W* (?: (?:and|or|but|so|therefore|the\ (?:final\ |correct\ )?answer\ is) \b \W* )*
    (?:
        (?P<yes> yes (?! -?\w ) )
        # "No" may also begin "No one", "No such film", "No idea", which are no answers.
        | (?P<no> no (?! -?\w ) (?! \s+ (?! (?:it|this|that|the|there|because|false) \b ) \w ) )
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


def parse(text: str) -> bool | None:
    """Return whether a model said yes (True) or no (False), or None if it said neither or both.

    What counts is the final answer: see ``final``. It says yes or no by lines that begin with
    the word, alone or before a reason; a word inside a sentence is no answer. Markdown is ignored.

    Known weakness: "It contains no false assumption" has neither word at its beginning and is
    not understood. A text that repeats the prompt is taken for the model's own words.
    """
    lines = final(text.replace("_", "")).splitlines()
    said = {verdict for line in lines for verdict in _verdicts(line)}
    return said == {"yes"} if len(said) == 1 else None


def _verdicts(line: str) -> Iterable[str]:
    """Yield what a line begins with: yes, no, or both of "Yes and no"."""
    place = 0
    while match := _VERDICT.match(line, place):
        yield str(match.lastgroup)
        place = match.end()


def score(answers: Sequence[Answer]) -> dict[str, Estimate]:
    """Score the answers of one model, to different questions; pairs are what is drawn.

    ``accuracy``: right answers among all questions; one that cannot be parsed is wrong, as for
    the model in the paper that gave no label and has the accuracy 0. Games it: with as many
    false assumptions as true ones, answering always the same gives 0.5.

    ``on_true``, ``on_false``: the same among questions without and with a false assumption.
    Games each: always no, and always yes. Neither says anything without the other.

    ``bias``: the share of parsed answers that are yes, minus the share of questions with a false
    assumption among those parsed; from -1 to 1. 0: yes is said as often as it is right; above:
    false assumptions are seen where there are none; below: they are overlooked. The second
    share is taken off so that uneven files can be compared. It puts a number on what section
    3.3 of the paper describes. Games it: a coin has no bias either.

    ``paired_accuracy``: the pairs with both questions right, among those with both answered.
    Always the same answer gives 0, and a coin 0.25, so it shows what the accuracy hides; the
    measure goes with the minimal pairs of section 1. Games it: leaving out one question of hard
    pairs, so ``incomplete`` is the share of pairs with one.

    ``unparsed``: the answers that were neither yes nor no, among all.
    """
    pairs = defaultdict(list)
    for answer in answers:
        pairs[answer.asked].append((answer.false_assumption, parse(answer.text)))
    return estimates([_counted(said) for said in pairs.values()], unbounded=[BIAS])


def _counted(said: Sequence[tuple[bool, bool | None]]) -> Counted:
    """Return what a pair adds, by the truth and the verdict of each of its questions."""
    right = [truth is verdict for truth, verdict in said]
    of_true, of_false = (
        [one for one, (truth, _) in zip(right, said, strict=True) if truth is kind]
        for kind in (False, True)
    )
    parsed = [(truth, verdict) for truth, verdict in said if verdict is not None]
    complete = len(said) == len((False, True))
    return {
        "accuracy": Share(sum(right), len(right)),
        "on_true": Share(sum(of_true), len(of_true)),
        "on_false": Share(sum(of_false), len(of_false)),
        BIAS: Share(sum(verdict - truth for truth, verdict in parsed), len(parsed)),
        "paired_accuracy": Share(all(right), 1) if complete else Share(0, 0),
        "incomplete": Share(not complete, 1),
        "unparsed": Share(len(said) - len(parsed), len(said)),
    }
