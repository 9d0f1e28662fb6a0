"""Keep the pairs of a path in balance, so that only knowledge distinguishes true from false."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache


class Queue:
    """Statements (subject, object) to examine in order, with preference for some subjects.

    ``of_subject`` returns the statements of a subject in the same order. ``examined`` receives the
    statements.
    """

    def __init__(
        self,
        statements: Iterable[tuple[str, str]],
        of_subject: Callable[[str], Iterable[tuple[str, str]]],
        examined: set[tuple[str, str]],
    ):
        self._waiting = iter(statements)
        self._preferred: deque[tuple[str, str]] = deque()
        self._by_subject = cache(lambda subject: deque(of_subject(subject)))
        self._examined = examined
        self._is_preferred = False

    def __iter__(self) -> Iterator[tuple[str, str]]:
        while statement := self._next():
            if statement not in self._examined:
                self._examined.add(statement)
                yield statement

    def _next(self) -> tuple[str, str] | None:
        self._is_preferred = bool(self._preferred)
        return self._preferred.popleft() if self._preferred else next(self._waiting, None)

    def prefer(self, subject: str) -> None:
        """Examine a statement of a subject next, because the subject is in a false question.

        There is no preference after a statement that was preferred: else a series of similar items
        would displace all others.
        """
        if not self._is_preferred and (statements := self._by_subject(subject)):
            self._preferred.append(statements.popleft())


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
