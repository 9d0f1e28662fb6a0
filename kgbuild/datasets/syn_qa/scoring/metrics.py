"""Score the detection of false assumptions, as in section 3.1 of the Syn-(QA)² paper.

A model is asked whether each question of a pair contains a false assumption: the right answer is
yes for one and no for the other.
"""

from collections import defaultdict
from collections.abc import Sequence

from kgbuild.datasets.syn_qa.scoring.verdicts import NO, REFUSED, YES, verdict
from kgbuild.evaluate.answers import Answer
from kgbuild.evaluate.bootstrap import Counted, Estimate, Share, estimates

BIAS = "bias"
QUESTIONS_OF_PAIR = 2


def score(answers: Sequence[Answer]) -> dict[str, Estimate]:
    """Score the answers of a model to different questions; the bootstrap samples pairs.

    ``accuracy``: the share of right answers. An unparsed answer is wrong, as in the paper, where a
    model without labels has the accuracy 0. How to game it: the same answer to all questions gives
    0.5, if half of them have a false assumption.

    ``on_true``, ``on_false``: the accuracy on questions without and with a false assumption.
    How to game them: always no, and always yes. Each is meaningful only beside the other.

    ``bias``: the share of parsed answers that are yes, minus the share of parsed questions that
    have a false assumption; from -1 to 1. It is 0 if yes is as frequent as false assumptions. A
    model with a positive bias reports false assumptions where there are none; a model with a
    negative bias overlooks them. The second share is subtracted so that files with different
    shares of false assumptions can be compared. Section 3.3 of the paper describes this bias. How
    to game it: random answers have no bias either.

    ``paired_accuracy``: among pairs with two answers, the share with two right answers. The same
    answer to all questions gives 0 and random answers give 0.25, unlike the accuracy. Section 1 of
    the paper explains the minimal pairs. How to game it: leave out a question of hard pairs, so
    ``incomplete`` is the share of pairs with one answer.

    ``unparsed``: the share of answers that are neither yes nor no. ``refused``: the share of
    answers that refuse or do not know, see ``refuses``; the other unparsed ones are undecided.
    """
    pairs = defaultdict(list)
    for answer in answers:
        pairs[answer.asked].append((answer.false_assumption, verdict(answer.text)))
    return estimates([_count(verdicts) for verdicts in pairs.values()], unbounded=[BIAS])


def _count(verdicts: Sequence[tuple[bool, str]]) -> Counted:
    """Return the shares of a pair, whose verdicts come with whether the assumption is false."""
    right = [(is_false, answer == (YES if is_false else NO)) for is_false, answer in verdicts]
    on_true = [is_right for is_false, is_right in right if not is_false]
    on_false = [is_right for is_false, is_right in right if is_false]
    parsed = [(is_false, answer == YES) for is_false, answer in verdicts if answer in (YES, NO)]
    is_complete = len(verdicts) == QUESTIONS_OF_PAIR
    all_right = all(is_right for _, is_right in right)
    return {
        "accuracy": Share(sum(on_true) + sum(on_false), len(right)),
        "on_true": Share(sum(on_true), len(on_true)),
        "on_false": Share(sum(on_false), len(on_false)),
        BIAS: Share(sum(is_yes - is_false for is_false, is_yes in parsed), len(parsed)),
        "paired_accuracy": Share(all_right, 1) if is_complete else Share(0, 0),
        "incomplete": Share(not is_complete, 1),
        "unparsed": Share(len(verdicts) - len(parsed), len(verdicts)),
        "refused": Share(sum(answer == REFUSED for _, answer in verdicts), len(verdicts)),
    }
