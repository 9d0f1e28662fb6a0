"""Define kernels: functions on arrays that run as machine code, compiled once for each machine.

The first call of a kernel loads its machine code from a cache, which takes 0.01 seconds. If the
code is missing, ``machine_code`` compiles it in separate processes, since importing numba takes
longer than most commands.

The arguments of a kernel are numbers and C-ordered arrays, to which it may write. It returns an
integer or nothing, and allocates no memory. Its annotations are its signature: ``int`` has 64 bits,
an array has a single dimension, and ``Annotated[ARRAY, 2]`` is an array of two dimensions. The
Python functions that a kernel calls are compiled with it.
"""

import ctypes
import functools
import threading
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Annotated, Any, NamedTuple, ParamSpec, TypeVar, cast, get_args, get_origin

import numpy as np
import numpy.typing as npt

P = ParamSpec("P")
R = TypeVar("R")

KERNELS: list["Kernel"] = []
"""The kernels of all modules that were imported so far."""

_LOAD_LOCK = threading.Lock()
# Types of C for the types of numbers that a kernel takes.
_C_TYPES = {
    np.dtype(np.int64).char: ctypes.c_int64,
    np.dtype(np.uint64).char: ctypes.c_uint64,
    np.dtype(np.float64).char: ctypes.c_double,
}


_LARGE = 1 << 12
"""Minimum number of elements of an array whose arguments are kept: it is often passed again."""


class Parameter(NamedTuple):
    """The type of a parameter: a number (0 dimensions) or an array of numbers."""

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
            TypeError: the type or the layout of an array differs from its annotation.
        """
        run = self._run or self._load()
        # Numba's calling convention: the code writes its result and returns a status, 0 for
        # success.
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        c_arguments: list[Any] = []
        for parameter, argument in zip(self.parameters, arguments, strict=True):
            if parameter.dimensions:
                c_arguments += _arguments(parameter, argument)
            else:
                c_arguments.append(parameter.dtype.type(argument).item())
        if run(ctypes.byref(result), ctypes.byref(error), *c_arguments):
            raise RuntimeError(f"{self.name} failed")
        return result.value

    def _load(self) -> Callable[..., int]:
        """Load or compile the machine code, once, and return it as a function."""
        from kgbuild.native import machine_code

        with _LOAD_LOCK:
            if self._run is None:
                types = [c_type for parameter in self.parameters for c_type in _c_types(parameter)]
                pointers = (ctypes.c_void_p, ctypes.c_void_p)
                prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *pointers, *types)
                self._run = prototype(machine_code.address(self, KERNELS))
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
    """Return the parameter that an annotation describes."""
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


class _Expanded(NamedTuple):
    """The arguments that were passed for an array as this parameter."""

    array: "weakref.ref[npt.NDArray[Any]]"
    parameter: Parameter
    arguments: tuple[int, ...]


_expanded: dict[int, _Expanded] = {}
"""The arguments of large arrays, by the id of the array; those of deleted arrays are removed."""


def _arguments(parameter: Parameter, array: npt.NDArray[Any]) -> tuple[int, ...]:
    """Return the arguments that numba passes for an array; those of large arrays are kept."""
    if array.size < _LARGE:
        return _expand_array(parameter, array)
    key = id(array)
    kept = _expanded.get(key)
    if kept is None or kept.array() is not array or kept.parameter != parameter:
        reference = weakref.ref(array, lambda _: _expanded.pop(key, None))
        kept = _Expanded(reference, parameter, _expand_array(parameter, array))
        _expanded[key] = kept
    return kept.arguments


def _expand_array(parameter: Parameter, array: npt.NDArray[Any]) -> tuple[int, ...]:
    """Return the arguments that numba passes for an array."""
    if array.dtype != parameter.dtype or array.ndim != parameter.dimensions:
        raise TypeError(f"expected {parameter}, got {array.dtype} of {array.ndim} dimensions")
    if not array.flags.c_contiguous:
        raise TypeError("the array is not contiguous")
    # Numba's arguments: two owners, which may be null; the number of elements; the bytes of an
    # element; the address of the first element; and the length and the stride of each dimension.
    address, _ = array.__array_interface__["data"]  # faster than array.ctypes
    return (0, 0, array.size, array.itemsize, address, *array.shape, *array.strides)


def _c_types(parameter: Parameter) -> list[Any]:
    """Return the types of C of the arguments that numba passes for a parameter."""
    if parameter.dimensions:
        return [ctypes.c_void_p] * 2 + [ctypes.c_int64] * (3 + 2 * parameter.dimensions)
    return [_C_TYPES[parameter.dtype.char]]
