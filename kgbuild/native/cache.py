"""The cache of machine code, which is compiled once and loaded by later runs.

A file has the SHA-256 of the object code of one kernel, and then the code. Its name has a hash of
all that the code depends on: the bytecode of the kernel and of the functions that it calls, their
constants, the processor, and the versions of the compilers.
"""

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

_DIGEST = 32
"""Number of bytes of a SHA-256."""


def read(kernel: Kernel) -> bytes | None:
    """Return the object code of a kernel, or None if it must be compiled."""
    try:
        content = path(kernel).read_bytes()
    except FileNotFoundError:
        return None
    digest, code = content[:_DIGEST], content[_DIGEST:]
    return code if hashlib.sha256(code).digest() == digest else None


def write(path: Path, code: bytes) -> None:
    """Write object code to a file of the cache, completely or not at all."""
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(hashlib.sha256(code).digest() + code)
    partial.replace(path)


@functools.cache
def path(kernel: Kernel) -> Path:
    """Return the path of a kernel's file in the cache."""
    machine = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    versions = (sys.implementation.cache_tag, llvmlite.__version__, np.__version__)
    text = repr((machine, versions, dependencies(kernel.function)))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return folder() / f"{kernel.name}-{digest[:24]}.o"


@functools.cache
def folder() -> Path:
    """Return the folder of the cache, or a temporary folder if that cannot be written."""
    root = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    chosen = Path(root) / "kgbuild"
    try:
        chosen.mkdir(parents=True, exist_ok=True)
        is_writable = os.access(chosen, os.W_OK)
    except OSError:
        is_writable = False
    return chosen if is_writable else Path(_temporary().name)


def is_kept() -> bool:
    """Return whether the cache is kept for later runs."""
    folder()
    return _temporary.cache_info().currsize == 0


@functools.cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="kgbuild-")


def dependencies(function: FunctionType) -> dict[str, tuple[Any, ...]]:
    """Return the bytecode and the constants of a function and of those that it calls, by name."""
    dependencies: dict[str, tuple[Any, ...]] = {}
    waiting = [function]
    while waiting:
        function = waiting.pop()
        code = function.__code__
        values = [(name, function.__globals__.get(name)) for name in code.co_names]
        modules = [module for _, module in values if isinstance(module, ModuleType)]
        ours = [vars(module) for module in modules if module.__name__.startswith("kgbuild.")]
        values += [(name, names[name]) for names in ours for name in code.co_names if name in names]
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
