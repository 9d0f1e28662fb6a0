"""Run a query of a user in a process of its own: ``python -m kgbuild.store.user_query``.

Oxigraph has no time limit and cannot be interrupted, but a process can be killed. This one ends
with its standard input, so also if the process that started it is killed.
"""

import contextlib
import errno
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn, cast

from kgbuild.dump import child_processes
from kgbuild.errors import (
    DamagedStoreError,
    KgbuildError,
    QueryEndedError,
    SlowQueryError,
    SparqlError,
    WriteError,
)
from kgbuild.store import sparql_text, terms
from kgbuild.store.oxigraph import TripleStore

if TYPE_CHECKING:
    from kgbuild.store.terms import Bound, Solutions

_FAILED = 3
"""The exit code of a process that has written an error to its standard error."""


def write(
    graph: Path,
    text: str,
    bind: "Mapping[str, Bound]",
    form: str | None,
    file: IO[bytes],
    timeout: float,
    may_federate: bool = False,
) -> None:
    """Write the result of a query on the database in the folder ``graph`` to a file of the disk.

    ``bind`` has values of variables, and ``form`` is a format of ``terms.write_result``. If
    ``may_federate``, a SERVICE may ask other servers.

    Raises:
        SparqlError: the query, a value or the format is wrong.
        SlowQueryError: it takes longer than ``timeout`` seconds.
        QueryEndedError: the process was killed.
        DamagedStoreError: the database cannot be read.
    """
    bound = terms.bound_terms(bind)
    sparql_text.check(text, bound, may_federate=may_federate)
    with tempfile.TemporaryFile() as messages:
        process = child_processes.start(
            "kgbuild.store.user_query", stdout=file.fileno(), stderr=messages.fileno()
        )
        try:
            request = cast(IO[bytes], process.stdin)
            pickle.dump((graph, text, bound, form, may_federate), request)
            request.flush()
            code = process.wait(timeout)
        except BrokenPipeError:
            code = process.wait()
        except subprocess.TimeoutExpired as error:
            raise SlowQueryError(timeout) from error
        finally:
            process.kill()
            process.communicate()
        messages.seek(0)
        if code == _FAILED:
            raise pickle.load(messages)  # noqa: S301
    if code:
        raise QueryEndedError
    file.seek(0)


def solutions(graph: Path, text: str, bind: "Mapping[str, Bound]", timeout: float) -> "Solutions":
    """Return the result of a query; the errors are those of ``write``."""
    with tempfile.TemporaryFile() as file:
        write(graph, text, bind, None, file, timeout)
        return terms.read_result(file)


def _run() -> None:
    """Run the query that standard input has; write its result, or an error."""
    from kgbuild.store import confinement

    graph, text, bound, form, may_federate = pickle.load(sys.stdin.buffer)  # noqa: S301
    child_processes.end_with_parent()
    try:
        if not may_federate:
            with contextlib.suppress(OSError):  # on all systems, the text was checked before
                confinement.refuse_connections()  # also of the threads that start later
        store = TripleStore(graph)
        store.answer(text, bound, form, sys.stdout.buffer)
        sys.stdout.flush()
    except KgbuildError as error:
        _fail(error)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            _fail(WriteError(Path(tempfile.gettempdir()), os.strerror(errno.ENOSPC)))
        if may_federate:
            _fail(SparqlError(f"The query cannot be completed: {error}."))
        _fail(DamagedStoreError(graph, str(error)))


def _fail(error: KgbuildError) -> NoReturn:
    pickle.dump(error, sys.stderr.buffer)
    sys.stderr.flush()
    sys.exit(_FAILED)


if __name__ == "__main__":
    _run()
