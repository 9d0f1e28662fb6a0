"""Run queries of users, which have a limit of time."""

import contextlib
import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from kgbuild.errors import DamagedStoreError, KgbuildError, WriteError, WrongCallError, slow_query
from kgbuild.store import killable
from kgbuild.store.oxigraph import TripleStore
from kgbuild.store.sparql import confinement, query_text, terms

if TYPE_CHECKING:
    from kgbuild.store.sparql.terms import Bound, Solutions, Term


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
        WrongCallError: the query, a value or the format is wrong.
        KgbuildError: it takes longer than ``timeout`` seconds, or its process was killed.
        DamagedStoreError: the database cannot be read.
    """
    bound = terms.bound_terms(bind)
    query_text.check(text, bound, may_federate=may_federate)
    request = (graph, text, bound, form, may_federate)
    with killable.running(_answer, *request, stdout=file.fileno()) as wait:
        try:
            wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise slow_query(timeout) from error
        except ChildProcessError as error:
            raise KgbuildError(
                "The process that runs the query ended, perhaps because memory was full. Make "
                "the query smaller, for example with LIMIT."
            ) from error
    file.seek(0)


def solutions(graph: Path, text: str, bind: "Mapping[str, Bound]", timeout: float) -> "Solutions":
    """Return the result of a query; the errors are those of ``write``."""
    with tempfile.TemporaryFile() as file:
        write(graph, text, bind, None, file, timeout)
        return terms.read_result(file)


def _answer(
    graph: Path, text: str, bound: "Mapping[str, Term]", form: str | None, may_federate: bool
) -> None:
    """Write the result of a query to the standard output."""
    try:
        if not may_federate:
            with contextlib.suppress(OSError):  # on all systems, the text was checked before
                confinement.refuse_connections()  # also of the threads that start later
        TripleStore(graph).answer(text, bound, form, sys.stdout.buffer)
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            detail = os.strerror(errno.ENOSPC)
            raise WriteError(Path(tempfile.gettempdir()), detail) from error
        if may_federate:
            raise WrongCallError(f"The query cannot be completed: {error}.") from error
        raise DamagedStoreError(graph, str(error)) from error
