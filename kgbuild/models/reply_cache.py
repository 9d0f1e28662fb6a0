"""Cache the replies of language models in a file, so that no request is paid for twice."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from kgbuild.errors import KgbuildError
from kgbuild.files import outputs
from kgbuild.models.budget import Used
from kgbuild.models.chat import Failure, Reply, Request, better
from kgbuild.models.settings import Settings

_APPLICATION_ID = 0x6B67_6C6D
"""The application id in the header of an SQLite file, which marks it as a reply cache."""
_TABLE = """
CREATE TABLE IF NOT EXISTS chat_replies (
    key TEXT PRIMARY KEY, text TEXT, finish_reason TEXT, tokens_in INTEGER, tokens_out INTEGER,
    seconds REAL, reasoning TEXT, model TEXT, parameters TEXT, confidence REAL
) WITHOUT ROWID
"""


def replies_beside(database: Path) -> Path:
    """Return the path of the cache of replies that belongs to a database.

    Raises:
        KgbuildError: it is a symbolic link. Only a cache that the user names may be one.
    """
    path = database.with_name("replies.sqlite")
    if path.is_symlink():
        raise _unusable(path, "it is a symbolic link, which is followed only if it is named")
    return path


def _unusable(path: Path, detail: str) -> KgbuildError:
    return KgbuildError(
        f"{path} cannot be used to cache the replies of models: {detail}. It keeps the replies "
        "that it has: free some space if its disk is full, or name another file."
    )


def complete(
    path: Path,
    requests: Mapping[str, Request],
    used: Used,
    answer: Callable[[Mapping[str, Request], Callable[[str, Reply | Failure], None]], None],
    progress: Callable[[int, int], None],
) -> dict[str, Reply | Failure]:
    """Return the reply to each request, by key: that of the cache ``path``, or a new one.

    ``answer`` is called with the requests without a cached reply, and with a function that takes
    the key and the reply of each; a reply is cached at once. ``used`` counts the cached ones.
    ``progress`` is called with the number of requests that are done, and of all.
    """
    with contextlib.closing(ReplyCache(path)) as cache:
        replies: dict[str, Reply | Failure] = {**cache.get(requests)}
        used.cached += len(replies)
        progress(len(replies), len(requests))

        def keep(key: str, reply: Reply | Failure) -> None:
            if isinstance(reply, Reply):
                cache.put(key, reply)
            replies[key] = reply
            progress(len(replies), len(requests))

        if missing := {key: requests[key] for key in requests if key not in replies}:
            answer(missing, keep)
    return replies


def without_reply(path: Path, requests: Mapping[str, Request]) -> dict[str, Request]:
    """Return the requests, by key, whose replies are not in the cache ``path``."""
    with contextlib.closing(ReplyCache(path)) as cache:
        cached = cache.get(requests)
    return {key: request for key, request in requests.items() if key not in cached}


def only_kept(path: Path, model: str) -> Callable[[Sequence[Request]], list[Reply | Failure]]:
    """Return what answers requests to a model, with the default settings, by a cache alone.

    Its function raises a KgbuildError if the cache ``path`` cannot be read.
    """

    def ask(requests: Sequence[Request]) -> list[Reply | Failure]:
        keys, requests_by_key = Settings().by_key(requests, model, "")
        with contextlib.closing(ReplyCache(path)) as cache:
            replies = cache.get(requests_by_key)
        return [replies.get(key, Failure("no answer", "the cache has none")) for key in keys]

    return ask


class ReplyCache:
    """Replies by the key of their request, in an SQLite file.

    Each reply is written at once, so it survives if the process is killed. Several processes may
    use the file concurrently.

    Raises:
        KgbuildError: the file cannot be opened, read or written, or it is the database of
            another program, which is left unchanged.
    """

    def __init__(self, path: Path):
        self._path = path
        outputs.refuse_store(path.resolve().parent, path)
        with self._translate_errors(), contextlib.ExitStack() as stack:
            path.parent.mkdir(parents=True, exist_ok=True)
            # It waits at most a minute while another process writes.
            self._db = sqlite3.connect(path, timeout=60, isolation_level=None)
            stack.callback(self.close)
            self._prepare()
            stack.pop_all()

    def get(self, keys: Iterable[str]) -> dict[str, Reply]:
        """Return the cached replies, by key."""
        columns = ", ".join(Reply._fields)
        sql = f"SELECT {columns} FROM chat_replies WHERE key = ?"  # noqa: S608
        replies = {}
        with self._translate_errors():
            for key in keys:
                for row in self._db.execute(sql, (key,)):
                    replies[key] = Reply(*row)
        return replies

    def put(self, key: str, reply: Reply) -> None:
        """Store a reply, unless there is one that is as good: see ``chat.better``."""
        parameters = ", ".join("?" * (1 + len(reply)))
        sql = f"REPLACE INTO chat_replies VALUES ({parameters})"  # noqa: S608
        with self._translate_errors(), self._db:
            self._db.execute("BEGIN IMMEDIATE")  # no other process writes in between
            if better(self.get([key]).get(key), reply) is reply:
                self._db.execute(sql, (key, *reply))

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _prepare(self) -> None:
        """Create the table in a new file; reject the database of another program."""
        if self._application_id() != _APPLICATION_ID:
            self._db.execute("BEGIN IMMEDIATE")  # only one process initialises the file
            if self._application_id() != _APPLICATION_ID:
                if (
                    self._application_id()
                    or self._db.execute("SELECT name FROM sqlite_master").fetchall()
                ):
                    raise _unusable(self._path, "it is another program's database")
                self._db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            self._db.execute("COMMIT")
        self._db.execute(_TABLE)
        # With a write-ahead log, readers and a writer do not block each other, and a write does not
        # wait for the disk; the operating system completes the writes of a killed process.
        with contextlib.suppress(sqlite3.OperationalError):  # another process is setting the mode
            self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _application_id(self) -> int:
        return int(self._db.execute("PRAGMA application_id").fetchone()[0])

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise _unusable(self._path, str(error)) from error
