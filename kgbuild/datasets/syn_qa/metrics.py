"""Score the detection of false assumptions, as in section 3.1 of the Syn-(QA)² paper.

A model is asked whether each question of a pair contains a false assumption: the right answer is
yes for one and no for the other.
"""

from collections import defaultdict
from collections.abc import Sequence

from kgbuild.datasets.syn_qa.verdicts import NO, REFUSED, YES, verdict
from kgbuild.evaluate.answers import Answer
from kgbuild.evaluate.bootstrap import Counted, Estimate, Share, estimates

BIAS = "bias"


def score(answers: Sequence[Answer]) -> dict[str, Estimate]:
    """Score the answers of one model to different questions; the bootstrap draws pairs.

    ``accuracy``: the share of right answers; an unparsed one is wrong, as in the paper, where a
    model that gives no label has the accuracy 0. How to game it: with as many false assumptions
    as true ones, the same answer to all gives 0.5.

    ``on_true``, ``on_false``: the accuracy on questions without and with a false assumption.
    How to game them: always no, and always yes. Neither means anything without the other.

    ``bias``: the share of parsed answers that are yes, minus the share of parsed questions that
    have a false assumption; from -1 to 1. At 0 yes is as frequent as it is right; above, the model
    sees false assumptions where there are none; below, it overlooks them. The second share is
    subtracted so that uneven files can be compared. It measures what section 3.3 of the paper
    describes. How to game it: a coin has no bias either.

    ``paired_accuracy``: the share of pairs with both questions right, of those with both answered.
    The same answer to all gives 0, and a coin 0.25, so it shows what the accuracy hides; it goes
    with the minimal pairs of section 1. How to game it: leave out one question of hard pairs, so
    ``incomplete`` is the share of pairs with one answer.

    ``unparsed``: the share of answers that are neither yes nor no. ``refused``: the share of
    answers that refuse; the other unparsed answers are undecided.
    """
    pairs = defaultdict(list)
    for answer in answers:
        pairs[answer.asked].append((answer.false_assumption, verdict(answer.text)))
    return estimates([_count(verdicts) for verdicts in pairs.values()], unbounded=[BIAS])


def _count(verdicts: Sequence[tuple[bool, str]]) -> Counted:
    """Return the counts of a pair, from the truth and the verdict of each of its questions."""
    right = [said == (YES if truth else NO) for truth, said in verdicts]
    of_true, of_false = (
        [one for one, (truth, _) in zip(right, verdicts, strict=True) if truth is kind]
        for kind in (False, True)
    )
    parsed = [(truth, said == YES) for truth, said in verdicts if said in (YES, NO)]
    complete = len(verdicts) == len((False, True))
    return {
        "accuracy": Share(sum(right), len(right)),
        "on_true": Share(sum(of_true), len(of_true)),
        "on_false": Share(sum(of_false), len(of_false)),
        BIAS: Share(sum(is_yes - truth for truth, is_yes in parsed), len(parsed)),
        "paired_accuracy": Share(all(right), 1) if complete else Share(0, 0),
        "incomplete": Share(not complete, 1),
        "unparsed": Share(len(verdicts) - len(parsed), len(verdicts)),
        "refused": Share(sum(said == REFUSED for _, said in verdicts), len(verdicts)),
    }
