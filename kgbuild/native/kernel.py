"""Kernels: functions on arrays that run as machine code, compiled once for a machine.

The first call of a kernel loads its machine code from a cache, which takes a hundredth of a
second. If the code is missing, ``machine_code`` compiles it in separate processes, since importing
numba takes longer than most commands.

A kernel takes numbers and C-ordered arrays, to which it may write, and returns a whole number
or nothing. Its annotations are its signature: ``int`` has 64 bits, ``Annotated[ARRAY, 2]`` is
an array of two dimensions. A kernel allocates no memory. The plain functions that it calls are
compiled with it.
"""

import ctypes
import functools
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Annotated, Any, NamedTuple, ParamSpec, TypeVar, cast, get_args, get_origin

import numpy as np
import numpy.typing as npt

P = ParamSpec("P")
R = TypeVar("R")

KERNELS: list["Kernel"] = []
"""The kernels of all modules that were imported so far."""

_LOADING = threading.Lock()
_NUMBERS = {
    np.dtype(np.int64).char: ctypes.c_int64,
    np.dtype(np.uint64).char: ctypes.c_uint64,
    np.dtype(np.float64).char: ctypes.c_double,
}


class Parameter(NamedTuple):
    """The type of a parameter; a number has no dimensions."""

    dtype: np.dtype[Any]
    dimensions: int


class Kernel:
    """A function that runs as machine code."""

    def __init__(self, function: FunctionType):
        functools.update_wrapper(self, function)
        self.function = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        types = dict(function.__annotations__)
        types.pop("return")
        self.parameters = tuple(map(_parameter, types.values()))
        self._run: Callable[..., int] | None = None

    def __call__(self, *arguments: Any) -> int:
        """Run the machine code.

        Raises:
            TypeError: an array has another type or layout than its annotation says.
        """
        run = self._run or self._load()
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        native: list[Any] = []
        for parameter, argument in zip(self.parameters, arguments, strict=True):
            if parameter.dimensions:
                native += _array(parameter, argument)
            else:
                native.append(parameter.dtype.type(argument).item())
        if run(ctypes.byref(result), ctypes.byref(error), *native):
            raise RuntimeError(f"{self.name} failed")
        return result.value

    def _load(self) -> Callable[..., int]:
        from kgbuild.native import machine_code

        with _LOADING:
            if self._run is None:
                types = [t for parameter in self.parameters for t in _native_types(parameter)]
                pointers = (ctypes.c_void_p, ctypes.c_void_p)
                prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *pointers, *types)
                self._run = prototype(machine_code.address(self, KERNELS))
        return self._run


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Make a kernel from a function (a decorator)."""
    new = Kernel(cast(FunctionType, function))
    KERNELS.append(new)
    return cast(Callable[P, R], new)


def load_word(text: npt.NDArray[np.uint8], at: int) -> int:
    """Return the eight bytes from ``at`` on as one number; compiled, this is one instruction."""
    return int(text[at : at + 8].view(np.uint64)[0])


def _parameter(annotation: Any) -> Parameter:
    dimensions = 1
    if get_origin(annotation) is Annotated:
        annotation, dimensions = get_args(annotation)
    if not get_args(annotation):
        return Parameter(np.dtype(annotation), 0)
    while arguments := get_args(annotation):  # an alias of NumPy from 2.5 on, before an ndarray
        annotation = arguments[-1]
    return Parameter(np.dtype(annotation), dimensions)


def _array(parameter: Parameter, array: npt.NDArray[Any]) -> tuple[int, ...]:
    """Return the arguments that numba passes for an array."""
    if array.dtype != parameter.dtype or array.ndim != parameter.dimensions:
        raise TypeError(f"expected {parameter}, got {array.dtype} of {array.ndim} dimensions")
    if not array.flags.c_contiguous:
        raise TypeError("the array is not contiguous")
    # Two owners, which may be null, the length, the size of an element, the address of the first
    # one, and for each dimension its length and its stride.
    return (0, 0, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides)


def _native_types(parameter: Parameter) -> list[Any]:
    if parameter.dimensions:
        return [ctypes.c_void_p] * 2 + [ctypes.c_int64] * (3 + 2 * parameter.dimensions)
    return [_NUMBERS[parameter.dtype.char]]
