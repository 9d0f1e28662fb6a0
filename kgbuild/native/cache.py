"""The cache of machine code, which is compiled once and loaded by later runs.

A file of the cache has a SHA-256, and then the object code of a kernel (see ``kernel``). The name
of the file has a hash of everything that the code depends on: the bytecode of the kernel and of the
functions that it calls, their constants, the processor, and the versions of the compilers.
"""

import contextlib
import functools
import hashlib
import os
import sys
import tempfile
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from kgbuild.native.kernel import Kernel

_DIGEST_SIZE = 32
"""Number of bytes of a SHA-256."""
_CALL = 3
"""The version of the way in which machine code is called."""


def read(kernel: Kernel) -> bytes | None:
    """Return the object code of a kernel, or None if it must be compiled."""
    try:
        content = path(kernel).read_bytes()
    except OSError:
        return None
    digest, code = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    return code if hashlib.sha256(code).digest() == digest else None


def write(kernel: Kernel, code: bytes) -> None:
    """Write object code to the cache, completely or not at all: the disk may be full."""
    file = path(kernel)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=file.parent) as folder:
            partial = Path(folder, file.name)
            partial.write_bytes(hashlib.sha256(code).digest() + code)
            partial.replace(file)


@functools.cache
def path(kernel: Kernel) -> Path:
    """Return the path of a kernel's file in the cache."""
    machine = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    versions = (_CALL, sys.implementation.cache_tag, llvmlite.__version__, np.__version__)
    text = repr((machine, versions, dependencies(kernel.function)))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return folder() / f"{kernel.name}-{digest[:24]}.o"


def folder() -> Path:
    """Return the folder of the cache."""
    root = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(root) / "kgbuild"


def is_kept() -> bool:
    """Return whether the cache can be written for later runs."""
    with contextlib.suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True)
    return os.access(folder(), os.W_OK)


def dependencies(function: FunctionType) -> dict[str, tuple[Any, ...]]:
    """Return the bytecode and the constants of a function and of the functions that it calls.

    The keys are the names of the functions.
    """
    dependencies: dict[str, tuple[Any, ...]] = {}
    waiting = [function]
    while waiting:
        function = waiting.pop()
        code = function.__code__
        values = [(name, function.__globals__.get(name)) for name in code.co_names]
        modules = [module for _, module in values if isinstance(module, ModuleType)]
        namespaces = [vars(module) for module in modules if module.__name__.startswith("kgbuild.")]
        values += [
            (name, namespace[name])
            for namespace in namespaces
            for name in code.co_names
            if name in namespace
        ]
        constants = []
        for name, value in values:
            if isinstance(value, FunctionType):
                if _name(value) not in dependencies:
                    waiting.append(value)
            elif isinstance(value, np.ndarray | np.generic | int | float | tuple):
                constants.append((name, np.asarray(value).tobytes()))
        dependencies[_name(function)] = (code.co_code, code.co_consts, code.co_names, constants)
    return dependencies


def _name(function: FunctionType) -> str:
    return f"{function.__module__}.{function.__qualname__}"
