"""Count the kept, dropped and bad lines of a dump."""

import re
from collections import Counter
from dataclasses import dataclass, field, fields

from kgbuild.dump import reader
from kgbuild.dump.blocks import Read
from kgbuild.dump.filter import by_reason
from kgbuild.dump.json_entities import Fault
from kgbuild.dump.scanner import Scanned

_ESCAPE = re.compile(rb"(?:[^\\]|\\[tbnrf\"'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*")


@dataclass
class Tally:
    """The numbers of lines that are kept, bad or dropped.

    ``lines`` is the sum: of an N-Triples dump its lines, of a JSON dump its triples and the JSON
    lines without triples. ``counts`` has the dropped lines by reason and predicate; ``empty`` JSON
    lines (without an entity) are dropped, too. ``stored`` is the number of lines in the file;
    ``faulty`` of them are bad at least in part, and ``entities`` of them have an entity.
    """

    lines: int = 0
    kept: int = 0
    bad: int = 0
    stored: int = 0
    faulty: int = 0
    empty: int = 0
    entities: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, read: Read, scanned: Scanned) -> list[Fault]:
        """Count the lines of a block, and return its bad lines."""
        faults = _faults(read, scanned)
        lines, stored, faulty = scanned.lines, scanned.lines, len(faults)
        if converted := read.converted:
            lines += len(converted.faults) + converted.empty
            stored, faulty = converted.stored, converted.faulty
            self.empty += converted.empty
            self.entities += converted.entities
        self.lines += lines
        self.kept += len(scanned.ends)
        self.bad += len(faults)
        self.stored += stored
        self.faulty += faulty
        return faults

    def unite(self, other: "Tally") -> None:
        """Add the counts of another tally."""
        for count in fields(Tally):
            setattr(self, count.name, getattr(self, count.name) + getattr(other, count.name))

    @property
    def dropped(self) -> dict[str, int]:
        """The number of dropped lines by reason, sorted by the name of the reason."""
        counts = by_reason(self.counts)
        counts["not_triple"] += self.empty
        return dict(sorted((+counts).items()))


def _faults(read: Read, scanned: Scanned) -> list[Fault]:
    """Return (line number, fault, text) of the bad lines of a block."""
    faults = list(read.converted.faults) if read.converted else []
    for index, start, end in scanned.bad.tolist():
        number, text = read.origin[index], bytes(read.block.text[start:end])
        faults.append((number, _fault(text, number in read.block.overlong), text))
    return sorted(faults, key=lambda fault: fault[0])


def _fault(text: bytes, is_long: bool) -> str:
    if is_long:
        return f"longer than {reader.LONGEST_LINE} bytes"
    try:
        text.decode()
    except UnicodeDecodeError:
        return "not UTF-8"
    if text.startswith((b"<", b"_:")) and not _ESCAPE.fullmatch(text):
        return "invalid escape in an N-Triples line"
    return "not an N-Triples line"
