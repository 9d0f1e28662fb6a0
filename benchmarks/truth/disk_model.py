"""What a disk holds after a power cut, by the operations of a program on files and folders.

The model is the weakest that POSIX allows: ``fsync`` of a file keeps its content, and ``fsync`` of
a folder keeps its names; anything else may be lost or kept, in any order. Only a rename is atomic.
Source: T. S. Pillai et al., All File Systems Are Not Created Equal (OSDI 2014), sections 2 and 3.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from random import Random
from typing import Self, TypeAlias

_PAGE = 4096
"""Number of bytes that a disk writes at once."""
ROOT = 0
"""The number of the recorded folder; files and folders in it have other numbers."""


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes written into a file."""

    file: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    """A file cut or extended to a size in bytes."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Names:
    """Names set in folders at once, each to the number of a file or folder, or to None: removed."""

    changes: tuple[tuple[int, str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Sync:
    """A completed fsync of a file or folder (None: of all), which began at operation ``start``."""

    node: int | None
    start: int


Operation: TypeAlias = Write | Resize | Names | Sync


class Loss(Enum):
    """Which of the operations that were not synced a power cut loses."""

    ALL = "everything unsynced"
    DATA = "unsynced content, but no names"
    NAMES = "unsynced names, but no content"
    SOME = "half of the unsynced pages and names"
    LATE = "half of the unsynced pages, and the last names"


class Tree:
    """The files and folders of a disk: their contents and names by number."""

    def __init__(self) -> None:
        self.folders: dict[int, dict[str, int]] = {ROOT: {}}
        self.files: dict[int, bytearray] = {}

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the tree of a folder on the disk."""
        tree, numbers = cls(), itertools.count(1)
        nodes = {folder: ROOT}
        for path in sorted(folder.rglob("*")):
            node = nodes[path] = tree.folders[nodes[path.parent]][path.name] = next(numbers)
            if path.is_dir():
                tree.folders[node] = {}
            else:
                tree.files[node] = bytearray(path.read_bytes())
        return tree

    def copy(self) -> "Tree":
        """Return a tree that can be changed independently of this one."""
        tree = Tree()
        tree.folders = {node: {**names} for node, names in self.folders.items()}
        tree.files = {node: bytearray(content) for node, content in self.files.items()}
        return tree

    def apply(self, operation: Operation) -> None:
        """Carry out an operation."""
        match operation:
            case Write(file, offset, data):
                content = self.files.setdefault(file, bytearray())
                content.extend(bytes(max(0, offset - len(content))))
                content[offset : offset + len(data)] = data
            case Resize(file, size):
                content = self.files.setdefault(file, bytearray())
                content.extend(bytes(max(0, size - len(content))))
                del content[size:]
            case Names(changes):
                for folder, name, node in changes:
                    names = self.folders.setdefault(folder, {})
                    if node is None:
                        names.pop(name, None)
                    else:
                        names[name] = node

    def paths(self, folder: int = ROOT, prefix: str = "") -> Iterator[tuple[str, bytearray | None]]:
        """Yield the path and content of each file that has a name; None for a folder."""
        for name, node in sorted(self.folders[folder].items()):
            if node in self.folders:
                yield prefix + name, None
                yield from self.paths(node, f"{prefix}{name}/")
            else:
                yield prefix + name, self.files.get(node, bytearray())

    def write(self, folder: Path) -> None:
        """Write all files and folders into a folder on the disk."""
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in self.paths():
            if content is None:
                (folder / path).mkdir()
            else:
                (folder / path).write_bytes(content)


@dataclass(frozen=True)
class Recording:
    """A folder before a program ran, and the program's operations in it.

    ``folders`` are the numbers of all folders, also of those that the program created.
    """

    before: Tree
    operations: Sequence[Operation]
    folders: frozenset[int]

    def after_cut(self, moment: int, loss: Loss, random: Random) -> Tree:
        """Return the disk after a power cut before the operation with the index ``moment``."""
        tree = self.before.copy()
        for folder in self.folders:
            tree.folders.setdefault(folder, {})
        operations = self.operations[:moment]
        durable = _durable(operations)
        unsynced_names = [
            n for n, operation in enumerate(operations) if _is_names(operation) and n not in durable
        ]
        first_lost = random.choice([*unsynced_names, moment])
        for n, operation in enumerate(operations):
            parts = [operation] if n in durable else _kept(operation, loss, random, n < first_lost)
            for part in parts:
                tree.apply(part)
        return tree


def _kept(operation: Operation, loss: Loss, random: Random, is_early: bool) -> list[Operation]:
    """Return the parts of an unsynced operation that a power cut keeps.

    ``is_early`` says whether LATE keeps the operation if it is one on names.
    """
    if _is_names(operation):
        is_kept = {
            Loss.ALL: False,
            Loss.DATA: True,
            Loss.NAMES: False,
            Loss.SOME: random.random() < 0.5,
            Loss.LATE: is_early,
        }
        return [operation] if is_kept[loss] else []
    if loss in (Loss.ALL, Loss.DATA):
        return []
    return [page for page in _pages(operation) if loss is Loss.NAMES or random.random() < 0.5]


def _is_names(operation: Operation) -> bool:
    return isinstance(operation, Names)


def _durable(operations: Sequence[Operation]) -> set[int]:
    """Return the indexes of the operations that were synced.

    A rename is durable as soon as the folder of the new name is synced.
    """
    starts: dict[int | None, int] = {}
    for operation in operations:
        if isinstance(operation, Sync):
            starts[operation.node] = max(starts.get(operation.node, 0), operation.start)
    of_all = starts.get(None, 0)
    return {
        n
        for n, operation in enumerate(operations)
        if not isinstance(operation, Sync) and n < max(of_all, starts.get(_node(operation), 0))
    }


def _node(operation: Write | Resize | Names) -> int:
    """Return the file or folder whose fsync makes an operation durable."""
    return operation.changes[-1][0] if isinstance(operation, Names) else operation.file


def _pages(operation: Operation) -> Iterator[Operation]:
    """Yield the parts of an operation that a disk writes one by one."""
    if not isinstance(operation, Write):
        yield operation
        return
    start, end = operation.offset, operation.offset + len(operation.data)
    while start < end:
        stop = min(end, start - start % _PAGE + _PAGE)
        data = operation.data[start - operation.offset : stop - operation.offset]
        yield Write(operation.file, start, data)
        start = stop
