"""The functions that Spark's tasks run on a part of a dump.

They use the functions of the local engine. Input and output are record batches of Arrow; the input
has a single column (see ``inputs`` for that of the first task). Broadcast arguments are values that
Spark sent to all machines; the sets of items among them are packed (see ``bitmaps``).
"""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from kgbuild.dump import bitmaps
from kgbuild.dump.bitmaps import Bitmap
from kgbuild.dump.blocks import TripleBlock, read_triples
from kgbuild.dump.filter import sift
from kgbuild.dump.reader import Block
from kgbuild.dump.rejects import Fault
from kgbuild.dump.scanning.rules import Rules
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.dump.tally import Tally
from kgbuild.errors import KgbuildError
from kgbuild.files import compression
from kgbuild.native.arrays import Positions
from kgbuild.slice import selection
from kgbuild.slice import slice as slicing
from kgbuild.slice.report import Coverage
from kgbuild.slice.selection import Part, Seeds
from kgbuild.slice.spark.inputs import Batches, PartOfDump
from kgbuild.slice.spec import Spec

COLUMNS = ("text", "links", "seeds", "subjects", "objects", "account")
SCHEMA = ", ".join(f"{name} binary" for name in COLUMNS)
"""The schema of the rows of a part.

The row of a block has the kept lines, compressed, since Java takes longer to keep and pass on lines
than Python to compress them; their links; and the items that they choose, in order. The last row is
about the whole part: it has the sets of subjects and objects of its kept lines, and the account.
"""
LINES = "text binary"
"""The schema of rows of lines without the last line end: Spark's writer adds it."""
ITEMS = "items binary"
"""The schema of rows with a packed set of items."""
_MAX_FAULTS = 1000
"""Maximum number of bad lines of a part that are reported."""


@dataclass
class Account(Tally):
    """The tally of a part of a dump.

    ``dump`` is the index of the dump; ``physical_lines`` is the number of lines of the part, of
    which ``faults`` are the first bad ones. If reading failed, ``error`` is the reason.
    """

    dump: int = 0
    physical_lines: int = 0
    faults: list[Fault] = field(default_factory=list)
    last_line_is_bad: bool = False
    error: KgbuildError | None = None

    def add(self, block: TripleBlock, scanned: Scanned) -> list[Fault]:
        """Count a block, and return its bad lines."""
        faults = super().add(block, scanned)
        converted = block.converted
        self.physical_lines = converted.end if converted else block.lines.first + scanned.lines - 1
        self.last_line_is_bad = bool(faults) and faults[-1].number == self.physical_lines
        self.faults += faults[: _MAX_FAULTS - len(self.faults)]
        return faults

    def append(self, later: "Account") -> None:
        """Add the account of the part that follows."""
        self.unite(later)
        self.physical_lines += later.physical_lines
        self.last_line_is_bad = later.last_line_is_bad if later.lines else self.last_line_is_bad


ExecutorChoice: TypeAlias = tuple[Spec, frozenset[str]]
"""The arguments of ``Chooser``."""


def sifted(
    batches: Batches, number: int, part: PartOfDump, rules: Any, choice: ExecutorChoice | None
) -> Iterator[Any]:
    """Filter the lines of a part of the dump with the index ``number`` by broadcast rules."""
    candidates = slicing.candidates(*choice) if choice else None
    triples = read_triples(
        part.read(batches), part.name, rules.value, part.is_whole, candidates=candidates
    )
    yield from _filtered(triples, rules.value, number, choice)


def sifted_again(batches: Batches, spec: Spec, subjects: Any, objects: Any) -> Iterator[Any]:
    """Filter the kept lines by the chosen items and their objects (broadcast)."""
    rules = spec.filter.rules((_unpacked(subjects.value), _unpacked(objects.value)))
    blocks = (Block(1, compression.unpacked(text)) for text in _values(batches))
    yield from _filtered(map(TripleBlock, blocks), rules, 0, None)


def _filtered(
    blocks: Iterable[TripleBlock], rules: Rules, number: int, choice: ExecutorChoice | None
) -> Iterator[Any]:
    account, coverage = Account(dump=number), Coverage()
    chooser = slicing.Chooser(*choice) if choice else None
    try:
        for block in blocks:
            scanned = sift(block.lines, rules)
            account.add(block, scanned)
            if not len(scanned.ends):
                continue
            row = {"text": compression.packed(scanned.text.data)}
            if chooser:
                row |= {"links": selection.links(scanned), "seeds": _bytes(chooser.add(scanned))}
            else:
                coverage.add(scanned)
            yield _row(row)
    except KgbuildError as error:  # returned: if it is raised, Spark runs the task again
        account.error = error
    sets = {"subjects": coverage.subjects, "objects": coverage.objects}
    packed_sets = {} if chooser else {name: bitmaps.packed(bits) for name, bits in sets.items()}
    yield _row({"account": pickle.dumps(account), **packed_sets})


def lines(batches: Batches) -> Iterator[Any]:
    """Yield the kept lines of blocks, decompressed."""
    for text in _values(batches):
        yield _row({"text": compression.unpacked(text)[:-1]}, ("text",))


def stepped(batches: Batches, sources: Any) -> Iterator[Any]:
    """Yield the items that the ``sources`` (broadcast) point to."""
    targets = bitmaps.bitmap()
    selection.step(_parts(batches), _unpacked(sources.value), targets)
    yield _items(bitmaps.packed(targets))


def grown(
    batches: Batches, before: Any, predicates: Sequence[int], is_backward: bool
) -> Iterator[Any]:
    """Yield the items that ``selection.grow`` adds to the set ``before`` (broadcast)."""
    bits = _unpacked(before.value)
    selection.grow(_parts(batches), bits, predicates, is_backward)
    bitmaps.remove(bits, before.value)
    yield _items(bitmaps.packed(bits))


def _unpacked(data: bytes) -> Bitmap:
    return bitmaps.union([data])[0]


def instances(batches: Batches, classes: Any, spec: Spec) -> Iterator[Any]:
    """Yield the instances of classes (broadcast), in the order of the links."""
    seeds, members = Seeds(spec.limit, spec.sample, spec.seed), _unpacked(classes.value)
    for part in _parts(batches):
        yield _items(_bytes(seeds.add(selection.instances(part, members))))


def _bytes(numbers: Positions) -> bytes:
    """Return numbers as bytes, from which ``numbers`` reads them."""
    return numbers.astype(np.uint32).tobytes()


def numbers(data: bytes) -> Positions:
    """Return the numbers in bytes from ``_bytes``, in the same order."""
    return np.frombuffer(data, np.uint32).astype(np.int64)


def united(batches: Batches) -> Iterator[Any]:
    """Yield the union of packed sets."""
    yield _items(bitmaps.packed(*bitmaps.union(_values(batches))))


def _parts(batches: Batches) -> Iterator[Part]:
    return map(selection.part, _values(batches))


def _values(batches: Batches) -> Iterator[bytes]:
    return (value.as_py() for batch in batches for value in batch.column(0))


def _items(numbers: bytes) -> Any:
    """Return a batch of a single row with the schema ITEMS."""
    return _row({"items": numbers}, ("items",))


def _row(values: dict[str, bytes], names: Sequence[str] = COLUMNS) -> Any:
    import pyarrow

    arrays = [pyarrow.array([values.get(name)], pyarrow.binary()) for name in names]
    return pyarrow.RecordBatch.from_arrays(arrays, names)
