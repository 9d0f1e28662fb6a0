"""Compile kernels: ``python -m kgbuild.native.compiler KERNEL …`` writes their code as a pickle.

Only this module imports numba. Numba translates a kernel and the functions that it calls to the
language of LLVM, and LLVM optimises them together. The machine code takes the address of the
result, and the address of the words of all arguments: a number is one word, an array is its address
and its shape.
"""

import functools
import importlib
import itertools
import pickle
import sys
from collections.abc import Sequence
from types import FunctionType
from typing import Any, cast

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from kgbuild.native import kernel as kernels
from kgbuild.native import machine_code
from kgbuild.native.kernel import KERNELS, Kernel, Parameter

_OPTIONS: Any = {
    "_nrt": False,  # kernels allocate no memory, so their code runs without numba
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
_WORD = ir.IntType(64)


def compile_kernel(kernel: Kernel) -> bytes:
    """Return the object code of a kernel, whose function has the name of the kernel."""
    dispatcher = _to_numba(kernel.function)
    signature = tuple(map(_type, kernel.parameters))
    dispatcher.compile(signature)
    symbol = dispatcher.overloads[signature].fndesc.llvm_func_name
    module = llvm.parse_assembly(dispatcher.inspect_llvm(signature))
    module.link_in(llvm.parse_assembly(_entry(kernel, symbol, module)))
    for function in module.functions:
        if not function.is_declaration and function.name != kernel.name:
            function.linkage = "internal"  # so that LLVM can inline and remove it
    machine = machine_code.target()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def _entry(kernel: Kernel, symbol: str, module: Any) -> str:
    """Return the LLVM code of the function that calls the kernel with the arguments in words."""
    pointer, status = ir.PointerType(), ir.IntType(32)
    entry = ir.Module()
    entry.triple, entry.data_layout = module.triple, module.data_layout
    function = ir.Function(entry, ir.FunctionType(status, (pointer, pointer)), kernel.name)
    builder = ir.IRBuilder(function.append_basic_block())
    result, words = function.args
    places = itertools.count()

    def read(kind: ir.Type) -> Any:
        """Return the next word."""
        place = builder.gep(words, [_WORD(next(places))], source_etype=_WORD)
        return builder.load(place, align=1, typ=kind)

    arguments = [result, result]  # an error is written in the place of the result
    for dtype, dimensions in kernel.parameters:
        if dimensions == 0:
            arguments.append(read(ir.DoubleType() if dtype.kind == "f" else _WORD))
            continue
        address, shape = read(pointer), [read(_WORD) for _ in range(dimensions)]
        # The strides of a C-ordered array, and its number of bytes.
        *strides, size = itertools.accumulate((_WORD(dtype.itemsize), *shape[::-1]), builder.mul)
        count = builder.udiv(size, _WORD(dtype.itemsize))
        owners = [ir.Constant(pointer, None)] * 2
        arguments += [*owners, count, _WORD(dtype.itemsize), address, *shape, *strides[::-1]]
    types = [argument.type for argument in arguments]
    called = ir.Function(entry, ir.FunctionType(status, types), symbol)
    builder.ret(builder.call(called, arguments))
    return str(entry)


def _type(parameter: Parameter) -> types.Type:
    scalar = numba.from_dtype(parameter.dtype)
    return types.Array(scalar, parameter.dimensions, "C") if parameter.dimensions else scalar


@functools.cache
def _to_numba(function: FunctionType) -> Any:
    """Return the numba version of a function; replace the functions that it calls, too."""
    if function in _INTRINSICS:
        return intrinsic(_INTRINSICS[function])
    names = function.__globals__
    for name in function.__code__.co_names:
        value = names.get(name)
        if isinstance(value, Kernel):
            names[name] = _to_numba(value.function)
        elif isinstance(value, FunctionType):
            names[name] = _to_numba(value)
    return numba.njit(**_OPTIONS)(function)


def _load_word(_: Any, text: Any, at: Any) -> Any:
    """Return the signature of ``load_word`` for numba, and the function that writes its code."""
    return types.uint64(text, types.intp), functools.partial(_load, _WORD)


def _matching_bytes(_: Any, text: Any, at: Any, byte: Any) -> Any:
    """Do the same for ``matching_bytes``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.IntType(8), 64)
        block = _load(vector, context, builder, signature, arguments)
        single = builder.trunc(arguments[2], ir.IntType(8))
        first = builder.insert_element(ir.Constant(vector, None), single, ir.IntType(32)(0))
        positions = ir.Constant(ir.VectorType(ir.IntType(32), 64), None)
        repeated = builder.shuffle_vector(first, first, positions)
        are_equal = builder.icmp_unsigned("==", block, repeated)
        return builder.bitcast(are_equal, ir.IntType(64))

    return types.uint64(text, types.intp, types.int64), generate


def _lowest_bit(_: Any, number: Any) -> Any:
    """Do the same for ``lowest_bit``."""
    return types.int64(types.uint64), lambda _c, builder, _s, numbers: builder.cttz(
        numbers[0], ir.IntType(1)(1)
    )


def _bit_count(_: Any, number: Any) -> Any:
    """Do the same for ``bit_count``."""
    return types.int64(types.uint64), lambda _c, builder, _s, numbers: builder.ctpop(numbers[0])


def _load(kind: Any, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Load what an array has from a position on as a value of a type."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    address = builder.gep(array.data, [arguments[1]])
    return builder.load(builder.bitcast(address, kind.as_pointer()), align=1)


_INTRINSICS: dict[FunctionType, Any] = {
    cast(FunctionType, kernels.load_word): _load_word,
    cast(FunctionType, kernels.matching_bytes): _matching_bytes,
    cast(FunctionType, kernels.lowest_bit): _lowest_bit,
    cast(FunctionType, kernels.bit_count): _bit_count,
}
"""Functions for which LLVM has instructions, by their Python versions."""


def main(names: Sequence[str]) -> None:
    """Compile kernels; write the object codes by name to the standard output."""
    for name in names:
        importlib.import_module(name.rpartition(".")[0])
    codes = {kernel.name: compile_kernel(kernel) for kernel in KERNELS if kernel.name in names}
    pickle.dump(codes, sys.stdout.buffer)


if __name__ == "__main__":
    main(sys.argv[1:])
