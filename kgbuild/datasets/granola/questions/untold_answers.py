"""Leave out coarser answers that the question tells: where the University of New Mexico is."""

import re
from collections.abc import Callable, Sequence

from kgbuild.datasets.granola.levels.order import Candidate, Levels


def untold(question: str, level: Callable[[Sequence[str]], Levels], texts: Sequence[str]) -> Levels:
    """Return the levels of ``level(texts)`` without coarser answers whose words the question has.

    These are a place in the name of the subject, and the noun of "Name a play that …".
    """
    answers, dropped = level(texts)
    kept = [one for one in answers if one.level == 1 or not _is_in(question, one.candidate)]
    if len(kept) == len(answers):
        return answers, dropped
    numbers = {n: new for new, n in enumerate(sorted({one.level for one in kept}), 1)}
    told = [(one.candidate.text, "in the question") for one in answers if one not in kept]
    return [one._replace(level=numbers[one.level]) for one in kept], [*dropped, *told]


def _is_in(question: str, answer: Candidate) -> bool:
    """Return whether a question has a name of an answer, whose first word may be an article."""
    names = (answer.text.removeprefix("the "), *answer.aliases)
    return any(
        name in question and re.search(rf"\b{re.escape(name)}\b", question) for name in names
    )
