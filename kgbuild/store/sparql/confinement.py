"""Run ``PROGRAM …`` without connections: ``python -m kgbuild.store.sparql.confinement PROGRAM …``.

A query with SERVICE makes an engine ask other servers, and Oxigraph's server has no switch against
it. So the kernel refuses: a filter of system calls, which a process sets for itself and cannot
remove, lets ``connect`` fail. Accepting connections still works. Linux has such filters.

The program also ends with the process that started it, even if that one is killed.
"""

import ctypes
import errno
import os
import select
import signal
import struct
import sys

UNSUPPORTED = 3
"""The exit code if this system has no such filters."""
# The number of the system call ``connect`` on each kind of machine that is supported.
_CONNECT = {"x86_64": 42, "aarch64": 203}
# Options of prctl(2), and a mode of seccomp(2).
_DEATH_SIGNAL, _SET_FILTER, _NO_NEW_PRIVILEGES, _FILTER = 1, 22, 38, 2
# Instructions of a filter: load a word, compare it, return a verdict.
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000


def refuse_connections() -> None:
    """Make each later ``connect`` of this process fail, also in the programs that it becomes.

    Raises:
        OSError: this machine has no such filters.
    """
    if sys.platform != "linux" or os.uname().machine not in _CONNECT:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    instructions = [
        (_LOAD, 0, 0, 0),  # the number of the system call
        (_JUMP_IF_EQUAL, 0, 1, _CONNECT[os.uname().machine]),
        (_RETURN, 0, 0, _FAIL | errno.EACCES),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *row) for row in instructions))
    program = struct.pack("@HP", len(instructions), ctypes.addressof(code))
    _prctl(_NO_NEW_PRIVILEGES, 1)
    _prctl(_SET_FILTER, _FILTER, ctypes.c_char_p(program))


def _prctl(option: int, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    values = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in arguments]
    if libc.prctl(option, *values, *[ctypes.c_ulong(0)] * (4 - len(values))):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _run(arguments: list[str]) -> None:
    """Become the program; a leading ``--service`` leaves its connections alone."""
    os.setsid()  # the parent process handles Ctrl-C
    if sys.platform == "linux":
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if select.select([sys.stdin], [], [], 0)[0]:  # it has been killed already
            sys.exit(1)
    if arguments[0] == "--service":
        del arguments[0]
    else:
        try:
            refuse_connections()
        except OSError:
            sys.exit(UNSUPPORTED)
    os.execv(arguments[0], arguments)  # noqa: S606


if __name__ == "__main__":
    _run(sys.argv[1:])
