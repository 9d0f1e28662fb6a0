"""Count the kept, dropped and bad lines of a dump."""

import re
from collections import Counter
from dataclasses import dataclass, field, fields

from kgbuild.dump import reader
from kgbuild.dump.blocks import TripleBlock
from kgbuild.dump.filter import by_reason
from kgbuild.dump.rejects import Fault
from kgbuild.dump.scanner import Scanned

# A line in which each backslash begins a valid escape, such as \n or \u00E9.
_VALID_ESCAPES = re.compile(rb"(?:[^\\]|\\[tbnrf\"'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*")


@dataclass
class Tally:
    """The numbers of lines that are kept, bad or dropped.

    ``lines`` is their sum. In an N-Triples dump, it counts the lines; in a JSON dump, it counts the
    triples and the JSON lines without triples. ``counts`` has the number of dropped triples for
    each (reason, predicate); ``empty`` is the number of JSON lines without an entity, which are
    dropped, too. ``stored`` is the number of lines in the file; ``faulty`` of them are bad, at
    least in part, and ``entities`` of them have an entity.
    """

    lines: int = 0
    kept: int = 0
    bad: int = 0
    stored: int = 0
    faulty: int = 0
    empty: int = 0
    entities: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, block: TripleBlock, scanned: Scanned) -> list[Fault]:
        """Count the lines of a block, and return its bad lines."""
        faults = _faults(block, scanned)
        lines, stored, faulty = scanned.lines, scanned.lines, len(faults)
        if converted := block.converted:
            lines += len(converted.faults) + converted.empty + converted.dropped.total()
            self.counts.update(converted.dropped)
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
        """The number of dropped lines for each reason, sorted by the name of the reason."""
        counts = by_reason(self.counts)
        counts["not_triple"] += self.empty
        return dict(sorted((+counts).items()))  # + removes the counts of 0


def _faults(block: TripleBlock, scanned: Scanned) -> list[Fault]:
    """Return the bad lines of a block, in order."""
    faults = list(block.converted.faults) if block.converted else []
    for index, start, end in scanned.bad.tolist():
        number, text = block.line_numbers[index], bytes(block.lines.text[start:end])
        faults.append(Fault(number, _reason(text, number in block.lines.overlong), text))
    return sorted(faults, key=lambda fault: fault.number)


def _reason(text: bytes, is_long: bool) -> str:
    """Return the reason why a line is bad."""
    if is_long:
        return f"longer than {reader.LONGEST_LINE} bytes"
    try:
        text.decode()
    except UnicodeDecodeError:
        return "not UTF-8"
    if text.startswith((b"<", b"_:")) and not _VALID_ESCAPES.fullmatch(text):
        return "invalid escape in an N-Triples line"
    return "not an N-Triples line"
