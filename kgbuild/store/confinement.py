"""Keep a process from opening connections.

A query with SERVICE makes Oxigraph ask other servers. So the kernel refuses: a filter of system
calls, which a process sets for itself and cannot remove, lets ``connect`` fail. Linux has such
filters.
"""

import ctypes
import errno
import os
import struct
import sys

# The number of the system call ``connect`` on each kind of machine that is supported.
_CONNECT = {"x86_64": 42, "aarch64": 203}
# Options of prctl(2), and a mode of seccomp(2).
_SET_FILTER, _NO_NEW_PRIVILEGES, _FILTER = 22, 38, 2
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
