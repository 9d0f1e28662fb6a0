"""Keep the pairs of a path in balance, so that nothing but knowledge tells true from false."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence


class Queue:
    """The statements to examine, in order; another one of some subject can be preferred."""

    def __init__(self, ends: Sequence[tuple[str, str]]):
        self._waiting = deque(ends)
        self._preferred: deque[tuple[str, str]] = deque()
        self._of_subject: dict[str, deque[tuple[str, str]]] = defaultdict(deque)
        for x, y in ends:
            self._of_subject[x].append((x, y))
        self._examined: set[tuple[str, str]] = set()
        self._is_preferred = False

    def __iter__(self) -> Iterator[tuple[str, str]]:
        while self._preferred or self._waiting:
            self._is_preferred = bool(self._preferred)
            statement = (self._preferred or self._waiting).popleft()
            if statement not in self._examined:
                self._examined.add(statement)
                yield statement

    def prefer(self, subject: str) -> None:
        """Examine a statement of a subject next, since it stands in a false question.

        Where the last statement was itself preferred, the order goes on: else a chain of similar
        items would take the place of all others.
        """
        if not self._is_preferred and self._of_subject[subject]:
            self._preferred.append(self._of_subject[subject].popleft())


class Balance:
    """Counts what the pairs of a path would teach somebody who knows nothing.

    Each item should be as often right as wrong; the subject should be as often more popular than
    its replacement as less, and its name as often longer as shorter.
    """

    def __init__(self, popularity: Callable[[str], int], label: Callable[[str], str]):
        self._popularity = popularity
        self._label = label
        self.uses = Counter[str]()
        self._right = Counter[str]()
        self._sums = (0, 0)

    def add(self, subject: str, replacement: str) -> None:
        """Count a pair."""
        self._right[subject] += 1
        self.uses[replacement] += 1
        popularity, length = self._signs(subject, replacement)
        self._sums = (self._sums[0] + popularity, self._sums[1] + length)

    def cost(self, subject: str, replacement: str) -> int:
        """Return how much a pair would add to the imbalance; less than 0 if it restores balance."""
        of_use = 1 if self.uses[replacement] >= self._right[replacement] else -1
        signs = self._signs(subject, replacement)
        sums = zip(self._sums, signs, strict=True)
        return of_use + sum(abs(total + sign) - abs(total) for total, sign in sums)

    def _signs(self, subject: str, replacement: str) -> tuple[int, int]:
        popularity = self._popularity(subject) - self._popularity(replacement)
        length = len(self._label(subject)) - len(self._label(replacement))
        return _sign(popularity), _sign(length)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
