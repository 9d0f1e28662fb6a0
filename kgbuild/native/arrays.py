"""Names of the types of arrays, which a kernel takes exactly as it is annotated."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Flags: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = npt.NDArray[np.int32]
"""Numbers of items, and of rows and keys of an index: they are kept, so they have 32 bits."""
Positions: TypeAlias = npt.NDArray[np.int64]
"""Positions, and all numbers of 64 bits, with which compiled code computes."""
Words: TypeAlias = npt.NDArray[np.uint64]
