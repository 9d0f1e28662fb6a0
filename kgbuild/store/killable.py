"""Run a function in a process of its own: ``python -m kgbuild.store.killable``.

What Oxigraph does cannot be interrupted, but a process can be killed. This one ends with its
standard input, so also if the process that started it is killed.
"""

import contextlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

from kgbuild.dump import child_processes
from kgbuild.errors import KgbuildError

_FAILED = 3
"""The exit code of a process that has written an error to its standard error."""


@contextlib.contextmanager
def running(
    function: Callable[..., None], *arguments: Any, stdout: int | None = None
) -> Iterator[Callable[[float | None], None]]:
    """Run a function of a module while the block runs, and kill its process at the end.

    Yields a function that waits for the end, for a number of seconds at most. It raises the
    KgbuildError of the function, a TimeoutExpired, or a ChildProcessError if the process was
    killed. ``stdout`` is that of ``Popen``.
    """
    process = child_processes.start("kgbuild.store.killable", stdout=stdout, stderr=subprocess.PIPE)

    def wait(seconds: float | None) -> None:
        code = process.wait(seconds)
        if code == _FAILED:
            raise pickle.load(cast(IO[bytes], process.stderr))  # noqa: S301
        if code:
            raise ChildProcessError("the process was killed, perhaps because memory was full")

    try:
        with contextlib.suppress(BrokenPipeError):  # it has been killed already
            request = cast(IO[bytes], process.stdin)
            pickle.dump((function, arguments), request)
            request.flush()
        yield wait
    finally:
        process.kill()
        process.communicate()


def _run() -> None:
    """Run the function that standard input has; write its error."""
    function, arguments = pickle.load(sys.stdin.buffer)  # noqa: S301
    child_processes.end_with_parent()
    try:
        function(*arguments)
    except KgbuildError as error:
        pickle.dump(error, sys.stderr.buffer)
        sys.stderr.flush()
        sys.exit(_FAILED)


if __name__ == "__main__":
    _run()
