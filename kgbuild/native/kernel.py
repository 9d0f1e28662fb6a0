"""Define kernels: functions on arrays that run as machine code, compiled once for each machine.

The first call of a kernel loads its machine code from a cache: 13 kernels, those of a load, take
0.04 s, where numba and its own cache take 0.44 s, which is as long as a short command. If the code
is missing, ``machine_code`` compiles it in separate processes.

The arguments of a kernel are numbers and C-ordered arrays, to which it may write. It returns an
integer or nothing, and allocates no memory. Its annotations are its signature: ``int`` has 64 bits,
an array has a single dimension, and ``Annotated[ARRAY, 2]`` is an array of two dimensions. The
Python functions that a kernel calls are compiled with it.
"""

import ctypes
import functools
import struct
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Annotated, Any, NamedTuple, ParamSpec, TypeVar, cast, get_args, get_origin

import numpy as np
import numpy.typing as npt

from kgbuild import native
from kgbuild.errors import no_native_code

P = ParamSpec("P")
R = TypeVar("R")

KERNELS: list["Kernel"] = []
"""The kernels of all modules that were imported so far."""

_LOAD_LOCK = threading.Lock()
# Formats of ``struct`` for the types of numbers that a kernel takes.
_FORMATS = {
    np.dtype(np.int64).char: "q",
    np.dtype(np.uint64).char: "Q",
    np.dtype(np.float64).char: "d",
}


class Parameter(NamedTuple):
    """The type of a parameter: a number (0 dimensions) or an array of numbers."""

    dtype: np.dtype[Any]
    dimensions: int


class Kernel:
    """A function that runs as machine code."""

    def __init__(self, function: FunctionType):
        functools.update_wrapper(self, function)
        self.function = function
        self.name = native.full_name(function)
        types = dict(function.__annotations__)
        types.pop("return")
        self.parameters = tuple(map(_parameter, types.values()))
        self._pack = struct.Struct("".join(map(_format, self.parameters))).pack
        self._run: Callable[..., int] | None = None

    def __call__(self, *arguments: Any) -> int:
        """Run the machine code; raise a TypeError if an array differs from its annotation."""
        run = self._run or self._load()
        words: list[Any] = []
        for parameter, argument in zip(self.parameters, arguments, strict=True):
            if parameter.dimensions:
                words += _words(parameter, argument)
            else:
                words.append(argument)
        result = ctypes.c_int64()
        # ctypes converts each argument, which takes longer than to pack all words.
        if run(ctypes.byref(result), self._pack(*words)):
            raise RuntimeError(f"{self.name} failed")
        return result.value

    def _load(self) -> Callable[..., int]:
        """Load or compile the machine code, once, and return it; errors as of ``address``."""
        try:
            from kgbuild.native import machine_code
        except OSError as error:  # llvmlite cannot be loaded
            raise no_native_code(str(error).partition(". ")[0]) from error

        with _LOAD_LOCK:
            if self._run is None:
                prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
                functions = [kernel.function for kernel in KERNELS]
                self._run = prototype(machine_code.address(self.function, functions))
        return self._run


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function, which becomes a kernel."""
    new_kernel = Kernel(cast(FunctionType, function))
    KERNELS.append(new_kernel)
    return cast(Callable[P, R], new_kernel)


def load_word(text: npt.NDArray[np.uint8], at: int) -> int:
    """Return the eight bytes from ``at`` on as a number; the compiled code is one instruction."""
    return int(text[at : at + 8].view(np.uint64)[0])


def matching_bytes(text: npt.NDArray[np.uint8], at: int, byte: int) -> int:
    """Return a number whose bit k is whether the byte ``at + k`` is ``byte``, for k below 64.

    The compiled code compares all 64 bytes at once.
    """
    are_equal = text[at : at + 64] == byte
    return int(np.packbits(are_equal, bitorder="little").view(np.uint64)[0])


def lowest_bit(number: int) -> int:
    """Return the index of the lowest bit that is set in a number of 64 bits, which is not 0."""
    return int(number & -number).bit_length() - 1


def bit_count(number: int) -> int:
    """Return how many of the 64 bits of a number are set."""
    return int(number).bit_count()


def _parameter(annotation: Any) -> Parameter:
    dimensions = 1
    if get_origin(annotation) is Annotated:
        annotation, dimensions = get_args(annotation)
    if not get_args(annotation):
        return Parameter(np.dtype(annotation), 0)
    # The type of the elements is the last argument: ndarray[shape, dtype[int64]]. NumPy 2.5 puts an
    # alias around it.
    while arguments := get_args(annotation):
        annotation = arguments[-1]
    return Parameter(np.dtype(annotation), dimensions)


def _words(parameter: Parameter, array: npt.NDArray[Any]) -> tuple[int, ...]:
    """Return the address and the shape of an array, which must fit the parameter."""
    if array.dtype != parameter.dtype or array.ndim != parameter.dimensions:
        raise TypeError(f"expected {parameter}, got {array.dtype} of {array.ndim} dimensions")
    if not array.flags.c_contiguous:
        raise TypeError("the array is not contiguous")
    return (_address(array), *array.shape)


def _address(array: npt.NDArray[Any]) -> int:
    if array.size and array.flags.writeable:  # this is four times as fast
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    address, _ = array.__array_interface__["data"]
    return int(address)


def _format(parameter: Parameter) -> str:
    """Return the format of the words of a parameter: a number, or an address and a shape."""
    if parameter.dimensions:
        return "P" + "q" * parameter.dimensions
    return _FORMATS[parameter.dtype.char]
