"""The interface of classes that read the statements between items."""

from collections.abc import Sequence
from typing import Protocol


class Links(Protocol):
    """The statements between items, by property."""

    def values(self, qid: str, pid: str) -> Sequence[str]:
        """Return the values of a property of an item that are items."""

    def subjects(self, qid: str, pid: str) -> Sequence[str]:
        """Return the items whose property has an item as a value."""

    def holds(self, subject: str, pid: str, value: str) -> bool:
        """Return whether there is a statement."""
