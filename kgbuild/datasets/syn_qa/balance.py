"""Keep the pairs of a path in balance, so that only knowledge distinguishes true from false."""

from collections import Counter
from collections.abc import Callable


class Balance:
    """Counts features by which true questions could be recognised without knowledge.

    Each item should be as often a subject as a replacement. The subject should be as often more
    popular as less popular than its replacement, and its name as often longer as shorter.
    """

    def __init__(self, popularity: Callable[[str], int], label: Callable[[str], str]):
        self._popularity = popularity
        self._label = label
        self.uses = Counter[str]()  # as a replacement
        self._uses_as_subject = Counter[str]()
        # The sums of the signs of popularity and length; 0 is balance.
        self._sums = (0, 0)

    def add(self, subject: str, replacement: str) -> None:
        """Count a pair."""
        self._uses_as_subject[subject] += 1
        self.uses[replacement] += 1
        popularity, length = self._signs(subject, replacement)
        self._sums = (self._sums[0] + popularity, self._sums[1] + length)

    def excess(self, subject: str) -> int:
        """Return how much more often an item was a subject than a replacement."""
        return self._uses_as_subject[subject] - self.uses[subject]

    def cost(self, subject: str, replacement: str) -> int:
        """Return the imbalance that a pair would add; less than 0 if it restores balance."""
        is_overused = self.uses[replacement] >= self._uses_as_subject[replacement]
        signs = self._signs(subject, replacement)
        changes = (
            abs(total + sign) - abs(total) for total, sign in zip(self._sums, signs, strict=True)
        )
        return (1 if is_overused else -1) + sum(changes)

    def _signs(self, subject: str, replacement: str) -> tuple[int, int]:
        """Return 1, 0 or -1 for more, equal or less: of popularity, and of the length of names."""
        popularity = self._popularity(subject) - self._popularity(replacement)
        length = len(self._label(subject)) - len(self._label(replacement))
        return _sign(popularity), _sign(length)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
