"""Record the operations of a program on the files of a folder, with strace.

strace sees all system calls, in whatever language a library is written. It does not see writes
through shared memory maps and io_uring: both are errors, and so is any other difference between the
recorded operations and the files after the run.
"""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.truth.disk_model import ROOT, Names, Operation, Recording, Resize, Sync, Tree, Write

_CALLS = (
    "open,openat,creat,dup,dup2,dup3,fcntl,lseek,write,writev,pwrite64,pwritev,pwritev2,truncate,"
    "ftruncate,fallocate,sendfile,copy_file_range,splice,mmap,io_uring_setup,fsync,fdatasync,sync,"
    "syncfs,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,"
    "symlinkat"
)
_LONGEST = 1 << 28
"""Number of bytes of a write that strace prints."""
_LINE = re.compile(r"(\d+) +(?:<\.\.\. \w+ resumed>)?(.*)", re.DOTALL)
_CALL = re.compile(r"(\w+)\((.*)\) += (\d\w*)(<.*)?", re.DOTALL)
_DESCRIPTOR = re.compile(r"(\d+|AT_FDCWD)<((?:\\x..)*)>(\(deleted\))?")
_TEXT = re.compile(r'"((?:\\x..)*)"(\.\.\.)?')


class TraceError(Exception):
    """A program did what cannot be recorded."""


def is_available() -> bool:
    """Return whether strace is installed and may trace processes here."""
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], check=False).returncode == 0


def record(command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> Recording:
    """Run a command in a folder, and return its operations on the files there.

    Raises:
        CalledProcessError: the command fails.
        TraceError: the operations cannot be recorded.
    """
    folder = folder.resolve()
    before = Tree.read(folder)
    with tempfile.NamedTemporaryFile(mode="r", encoding="ascii", suffix=".strace") as file:
        options = ["-f", "-qq", "-xx", "-y", "-s", str(_LONGEST), "--seccomp-bpf"]
        strace = ["strace", *options, "-e", f"trace={_CALLS}", "-e", "signal=none", "-o", file.name]
        subprocess.run([*strace, "--", *command], cwd=folder, env=env, check=True)
        recorder = _Recorder(folder, before)
        for line in file:
            recorder.read(line.rstrip("\n"))
    real = dict(Tree.read(folder).paths())
    replayed = dict(recorder.tree.paths())
    if real != replayed:
        differing = {path for path in real | replayed if real.get(path) != replayed.get(path)}
        raise TraceError(f"The trace misses changes of {sorted(differing)}")
    return Recording(before, recorder.operations, frozenset(recorder.tree.folders))


class _Recorder:
    """Turns lines of strace into operations; ``tree`` has the files as they are then."""

    def __init__(self, folder: Path, before: Tree):
        self.tree = before.copy()
        self.operations: list[Operation] = []
        self._folder = str(folder)
        self._numbers = itertools.count(max([ROOT, *before.folders, *before.files]) + 1)
        # By the identifier of a thread: the beginning of its call, and the operations until then.
        self._unfinished: dict[str, tuple[str, int]] = {}
        # By descriptor and file: where the next write begins, and whether it appends.
        self._positions: dict[tuple[str, int], list[int]] = {}
        self._appending: set[tuple[str, int]] = set()
        self._handlers: dict[str, Callable[[str, list[str], str, int], None]] = {
            **dict.fromkeys(("open", "openat", "creat"), self._open),
            **dict.fromkeys(("dup", "dup2", "dup3", "fcntl"), self._duplicate),
            **dict.fromkeys(("write", "writev"), self._write),
            **dict.fromkeys(("pwrite64", "pwritev", "pwritev2"), self._write_at),
            **dict.fromkeys(("fsync", "fdatasync"), self._sync),
            **dict.fromkeys(("sync", "syncfs"), self._sync_all),
            **dict.fromkeys(("truncate", "ftruncate", "fallocate"), self._resize),
            **dict.fromkeys(("rename", "renameat", "renameat2"), self._rename),
            **dict.fromkeys(("unlink", "unlinkat", "rmdir"), self._remove),
            **dict.fromkeys(("mkdir", "mkdirat"), self._make_folder),
            "lseek": self._seek,
            "mmap": self._map,
            "sendfile": self._copy,
        }

    def read(self, line: str) -> None:
        """Add the operation in a line of strace, if it has one."""
        if not (match := _LINE.fullmatch(line)):
            return
        thread, text = match.groups()
        start = len(self.operations)
        if "resumed>" in line[:60]:
            beginning, start = self._unfinished.pop(thread)
            text = beginning + text
        if text.endswith("<unfinished ...>"):
            self._unfinished[thread] = text.removesuffix("<unfinished ...>").rstrip(), start
        elif call := _CALL.fullmatch(text):  # else it failed, or is a signal
            name, arguments, result, descriptor = call.groups()
            self._handle(name, arguments, result + (descriptor or ""), start)

    def _handle(self, name: str, arguments: str, result: str, start: int) -> None:
        paths = self._paths(arguments)
        if handler := self._handlers.get(name):
            handler(arguments, paths, result, start)
        elif name == "io_uring_setup" or any(self._is_inside(path) for path in paths):
            raise TraceError(f"strace cannot record {name}")

    def _paths(self, arguments: str) -> list[str]:
        """Return the paths that the arguments of a call name, or the paths of descriptors."""
        arguments, paths, folder = arguments[: 1 << 16], [], self._folder
        for match in re.finditer(rf"{_DESCRIPTOR.pattern}|{_TEXT.pattern}", arguments):
            _, path, _, text, _ = match.groups()
            if text is None:
                folder = _decoded(path)
                paths.append(folder)
            else:
                name = os.path.normpath(Path(folder, _decoded(text)))
                if match.start() and paths and arguments[: match.start()].endswith(">, "):
                    paths[-1] = name  # relative to the descriptor before it
                else:
                    paths.append(name)
        return paths

    def _is_inside(self, path: str) -> bool:
        return path == self._folder or path.startswith(f"{self._folder}/")

    def _place(self, path: str) -> tuple[int, str]:
        """Return the number of the folder of a path, and the last name of the path."""
        *folders, name = os.path.relpath(path, self._folder).split("/")
        node = ROOT
        for folder in folders:
            node = self.tree.folders[node][folder]
        return node, name

    def _node(self, path: str) -> int | None:
        """Return the number of a file or folder, or None if it is not inside or has no name."""
        if not self._is_inside(path):
            return None
        if path == self._folder:
            return ROOT
        try:
            folder, name = self._place(path)
        except KeyError:  # it was in a folder that was removed
            return None
        return self.tree.folders[folder].get(name)

    def _descriptor(self, arguments: str) -> tuple[str, int] | None:
        """Return the first descriptor and its file, or None if that is not recorded."""
        match = _DESCRIPTOR.match(arguments)
        if not match or match[3] or (node := self._node(_decoded(match[2]))) is None:
            return None
        return match[1], node

    def _add(self, operation: Operation) -> None:
        self.operations.append(operation)
        self.tree.apply(operation)

    def _set(self, *changes: tuple[tuple[int, str], int | None]) -> None:
        self._add(Names(tuple((folder, name, node) for (folder, name), node in changes)))

    def _open(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        flags = arguments.rpartition('"')[2]
        if "(deleted)" in result or not self._is_inside(path := paths[0]) or "O_TMPFILE" in flags:
            return
        node = self._node(path)
        if node is None:
            node = next(self._numbers)
            self.tree.files[node] = bytearray()
            self._set((self._place(path), node))
        elif "O_TRUNC" in flags and self.tree.files[node]:
            self._add(Resize(node, 0))
        descriptor = (result.partition("<")[0], node)
        self._positions[descriptor] = [0]
        self._appending.discard(descriptor)
        if "O_APPEND" in flags:
            self._appending.add(descriptor)

    def _duplicate(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        old = self._descriptor(arguments)
        if old in self._positions and "<" in result:
            new = (result.partition("<")[0], old[1])
            self._positions[new] = self._positions[old]

    def _seek(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        if (descriptor := self._descriptor(arguments)) in self._positions:
            self._positions[descriptor][0] = int(result)

    def _write(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        if descriptor := self._descriptor(arguments):
            position = self._positions[descriptor]
            if descriptor in self._appending:
                position[0] = len(self.tree.files[descriptor[1]])
            self._add(Write(descriptor[1], position[0], _data(arguments, int(result))))
            position[0] += int(result)

    def _write_at(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        if descriptor := self._descriptor(arguments):
            offset = int(re.split(r", ", arguments.rpartition('"')[2])[-1])
            self._add(Write(descriptor[1], offset, _data(arguments, int(result))))

    def _copy(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        """Record sendfile(target, source, [offset] => [end], count)."""
        if descriptor := self._descriptor(arguments):
            source, offset = self._node(paths[1]), re.search(r"\[(\d+)\]", arguments)
            if source is None or not offset:
                raise TraceError(f"strace shows no bytes of {paths[1]}")
            data = self.tree.files[source][int(offset[1]) :][: int(result)]
            position = self._positions[descriptor]
            self._add(Write(descriptor[1], position[0], bytes(data)))
            position[0] += int(result)

    def _resize(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        if (node := self._node(paths[0])) is None or "(deleted)" in arguments:
            return
        *_, first, last = arguments.split(", ")
        size = int(last)
        if arguments.count(", ") == 3:  # fallocate(descriptor, mode, offset, length)
            if "FALLOC_FL_KEEP_SIZE" in arguments:
                return  # it reserves space
            size = max(int(first) + size, len(self.tree.files[node]))
        if size != len(self.tree.files[node]):
            self._add(Resize(node, size))

    def _sync(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        if descriptor := self._descriptor(arguments):
            self._add(Sync(descriptor[1], start))

    def _sync_all(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        self._add(Sync(None, start))

    def _rename(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        old, new = paths
        if self._is_inside(old) != self._is_inside(new):
            raise TraceError(f"{old} is moved to {new}")
        if self._is_inside(old):
            self._set((self._place(old), None), (self._place(new), self._node(old)))

    def _remove(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        if self._is_inside(paths[0]):
            self._set((self._place(paths[0]), None))

    def _make_folder(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        if self._is_inside(paths[0]):
            node = next(self._numbers)
            self.tree.folders[node] = {}
            self._set((self._place(paths[0]), node))

    def _map(self, arguments: str, paths: list[str], result: str, start: int) -> None:
        is_shared = "MAP_SHARED" in arguments and "PROT_WRITE" in arguments
        if is_shared and any(self._is_inside(path) for path in paths):
            raise TraceError(f"{paths} is written through shared memory")


def _decoded(text: str) -> str:
    return bytes.fromhex(text.replace("\\x", "")).decode("utf-8", "surrogateescape")


def _data(arguments: str, size: int) -> bytes:
    """Return the first ``size`` bytes of the texts in the arguments of a call."""
    texts = [match[1] for match in _TEXT.finditer(arguments)]
    data = b"".join(bytes.fromhex(text.replace("\\x", "")) for text in texts)
    if len(data) < size:
        raise TraceError(f"strace shows {len(data):,} of {size:,} bytes of a write")
    return data[:size]
