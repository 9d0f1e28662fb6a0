"""Load the machine code of kernels into memory; compile it first if necessary.

It is compiled once, and kept in a cache. A file of the cache has a SHA-256, and then the object
code of a kernel (see ``kernel``). The name of the file has a hash of everything that the code
depends on: the bytecode of the kernel and of the functions that it calls, their constants, the
processor, and the versions of the compilers.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from kgbuild import native
from kgbuild.errors import no_native_code
from kgbuild.native import full_name

_START_SECONDS, _SECONDS_PER_BYTE = 1.5, 1 / 2000
"""Estimated seconds for the start of a compiler, and for each byte of Python's bytecode."""
_ANNOUNCED_SECONDS = 3
"""Estimated seconds from which on a compilation is announced."""
_DIGEST_SIZE = 32
"""Number of bytes of a SHA-256."""
_CALL = 3
"""The version of the way in which machine code is called."""

_compiled: dict[str, bytes] = {}
"""The object codes that this process has compiled, by kernel; the cache may lack them."""


def address(kernel: FunctionType, others: Sequence[FunctionType]) -> int:
    """Return the address of the machine code of a kernel.

    If it must be compiled, the ``others`` that are not in the cache are compiled with it.

    Raises:
        KgbuildError: there is too little memory, or the compiler fails.
    """
    if (code := _code(kernel)) is None:
        _compile([candidate for candidate in others if _code(candidate) is None])
        code = _compiled[full_name(kernel)]
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return int(engine.get_function_address(full_name(kernel)))


def _code(kernel: FunctionType) -> bytes | None:
    return _compiled.get(full_name(kernel)) or _read(kernel)


def target() -> Any:
    """Return LLVM's description of this machine, for which it generates code."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
    )


@functools.cache
def _engine() -> Any:
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), target())


def _compile(kernels: Sequence[FunctionType]) -> None:
    """Compile kernels in parallel processes, and write them to the cache."""
    groups = _groups(kernels)
    seconds = _START_SECONDS + _SECONDS_PER_BYTE * max(sum(map(_size, group)) for group in groups)
    if seconds > _ANNOUNCED_SECONDS:
        native.announce(_announcement(seconds))
    processes = [_start_compiler(group) for group in groups]
    for process, (codes, message) in [(started, started.communicate()) for started in processes]:
        if process.returncode:
            reason = message.decode(errors="replace").strip().rpartition("\n")[2]
            raise no_native_code(reason or f"the compiler ended with {process.returncode}")
        _compiled.update(pickle.loads(codes))  # noqa: S301
    for kernel in kernels:
        _write(kernel, _compiled[full_name(kernel)])


def _announcement(seconds: float) -> str:
    if is_kept():
        return f"Compiling once for this machine (about {seconds:.0f} s); later runs use the cache."
    return (
        f"Compiling (about {seconds:.0f} s), as every run does while no cache can be written: "
        "set XDG_CACHE_HOME to a folder that can."
    )


def _start_compiler(kernels: Sequence[FunctionType]) -> subprocess.Popen[bytes]:
    package = str(Path(native.__file__).parents[2])
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([package, *sys.path]),
        "NUMBA_OPT": "0",  # LLVM optimises all functions together later
        "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1",  # highlighting takes a tenth of the time
    }
    names = [full_name(kernel) for kernel in kernels]
    command = [sys.executable, "-m", "kgbuild.native.compiler", *names]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe)  # noqa: S603


def _groups(kernels: Sequence[FunctionType]) -> list[Sequence[FunctionType]]:
    """Divide kernels into a group per core, which take about the same time."""
    by_size = sorted(kernels, key=_size, reverse=True)
    count = min(len(kernels), os.cpu_count() or 1)
    return [by_size[n::count] for n in range(count)]


def _size(kernel: FunctionType) -> int:
    """Return the number of bytes of Python's bytecode of a kernel."""
    return sum(len(code) for code, *_ in dependencies(kernel).values())


def _read(kernel: FunctionType) -> bytes | None:
    """Return the object code of a kernel, or None if it must be compiled."""
    try:
        content = _path(kernel).read_bytes()
    except OSError:
        return None
    digest, code = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    return code if hashlib.sha256(code).digest() == digest else None


def _write(kernel: FunctionType, code: bytes) -> None:
    """Write object code to the cache, completely or not at all: the disk may be full."""
    file = _path(kernel)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=file.parent) as folder:
            partial = Path(folder, file.name)
            partial.write_bytes(hashlib.sha256(code).digest() + code)
            partial.replace(file)


@functools.cache
def _path(kernel: FunctionType) -> Path:
    """Return the path of a kernel's file in the cache."""
    machine = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    versions = (_CALL, sys.implementation.cache_tag, llvmlite.__version__, np.__version__)
    text = repr((machine, versions, dependencies(kernel)))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return _folder() / f"{full_name(kernel)}-{digest[:24]}.o"


def _folder() -> Path:
    """Return the folder of the cache."""
    root = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(root) / "kgbuild"


def is_kept() -> bool:
    """Return whether the cache can be written for later runs."""
    with contextlib.suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True)
    return os.access(_folder(), os.W_OK)


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
                if full_name(value) not in dependencies:
                    waiting.append(value)
            elif isinstance(value, np.ndarray | np.generic | int | float | tuple):
                constants.append((name, np.asarray(value).tobytes()))
        dependencies[full_name(function)] = (code.co_code, code.co_consts, code.co_names, constants)
    return dependencies
