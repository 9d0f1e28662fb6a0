"""What language models are asked, what they answer, and the file that keeps the answers."""

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from kgbuild.errors import ReplyCacheError

_OURS = 0x6B67_6C6D
"""SQLite's application id of these files, which tells them from any other."""
_PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""
_SCHEMA = f"""
CREATE TABLE replies (key TEXT PRIMARY KEY, text TEXT, was_cut INTEGER, tokens_in INTEGER,
                      tokens_out INTEGER, seconds REAL) WITHOUT ROWID;
PRAGMA application_id = {_OURS};
"""


class Message(NamedTuple):
    """A turn of a conversation; ``role`` is one of the protocol's: user, assistant, system."""

    role: str
    content: str


class Request(NamedTuple):
    """What a model is asked: to go on with a conversation, by ``most_tokens`` at most.

    ``sample`` tells apart requests that are the same otherwise, to draw several answers at a
    ``temperature`` above 0.
    """

    messages: tuple[Message, ...]
    most_tokens: int
    temperature: float = 0.0
    sample: int = 0

    def key(self, url: str, model: str) -> str:
        """Return a hash of all that is sent: this, and to whom."""
        sent = json.dumps([url, model, self])
        return hashlib.blake2b(sent.encode(), digest_size=16).hexdigest()


class Reply(NamedTuple):
    """What a model answered; ``was_cut`` tells that it had more to say than it was allowed to.

    ``tokens_in`` and ``tokens_out`` are those of the request and of the answer, as the server
    counts them or, if it doesn't, estimated; ``seconds`` is how long the answer took.
    """

    text: str
    was_cut: bool
    tokens_in: int
    tokens_out: int
    seconds: float

    @property
    def spoken(self) -> str:
        """The text without the thoughts that a model writes in ``<think>``, ended or not."""
        return self.text.rpartition("</think>")[2].partition("<think>")[0]


class Failure(NamedTuple):
    """Why there is no answer. ``detail`` is free text, ``reason`` one of these.

    "no answer": the server was down, busy, slow or broken at every try. "nonsense": it said
    something that is no answer. "refused": it doesn't take this request. "budget": the budget
    was spent before.
    """

    reason: str
    detail: str


class ReplyCache:
    """Answers by the key of their request, in an SQLite file.

    Each is written as it comes and is safe when its process is killed. Several processes may
    read and write at once.

    Raises:
        ReplyCacheError: the file cannot be opened or, later, read or written; or it is another
            program's, which is left as it is.
    """

    def __init__(self, path: Path):
        self._path = path
        with self._telling():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            with self._telling():
                self._prepare()
        except ReplyCacheError:
            self.close()
            raise

    def get(self, keys: Iterable[str]) -> dict[str, Reply]:
        """Return the answers that are known, by key."""
        sql = "SELECT text, was_cut, tokens_in, tokens_out, seconds FROM replies WHERE key = ?"
        found = {}
        with self._telling():
            for key in keys:
                for text, was_cut, *rest in self._db.execute(sql, (key,)):
                    found[key] = Reply(text, bool(was_cut), *rest)
        return found

    def put(self, key: str, reply: Reply) -> None:
        """Keep an answer."""
        with self._telling():
            self._db.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?)", (key, *reply)
            )

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _prepare(self) -> None:
        if self._owner() != _OURS:
            self._db.execute("BEGIN IMMEDIATE")  # of several processes one makes the table
            if self._owner() != _OURS:
                self._require_new()
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    self._db.execute(statement)
            self._db.execute("COMMIT")
        # Readers and a writer don't wait for each other, and a write needn't wait for the disk:
        # what a killed process has written is the system's to keep.
        with contextlib.suppress(sqlite3.OperationalError):  # another process is just doing so
            self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _owner(self) -> int:
        return int(self._db.execute("PRAGMA application_id").fetchone()[0])

    def _require_new(self) -> None:
        tables = self._db.execute("SELECT name FROM sqlite_master").fetchall()
        if tables or self._owner():
            raise ReplyCacheError(self._path, "it is another program's database")

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise ReplyCacheError(self._path, str(error)) from error
