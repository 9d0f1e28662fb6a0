"""Count the kept, dropped and bad lines of a dump."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from kgbuild import wikidata
from kgbuild.dump import reader
from kgbuild.dump.blocks import TripleBlock
from kgbuild.dump.kinds import REASONS
from kgbuild.dump.rejects import Fault, shown
from kgbuild.dump.scanning.rules import VERDICTS
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.errors import KgbuildError, NothingKeptError, describe_counts, shorten

# A line in which each backslash begins a valid escape, such as \n or \u00E9.
_VALID_ESCAPES = re.compile(rb"(?:[^\\]|\\[tbnrf\"'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*")


@dataclass
class Tally:
    """The numbers of lines that are kept, bad or dropped.

    ``lines`` is their sum. In an N-Triples dump, it counts the lines; in a JSON dump, it counts the
    triples and the JSON lines without triples. ``counts`` has the number of dropped triples for
    each reason; ``empty`` is the number of JSON lines without an entity, which are dropped, too.
    ``stored`` is the number of lines in the file; ``faulty`` of them are bad, at least in part, and
    ``entities`` of them have an entity.
    """

    lines: int = 0
    kept: int = 0
    bad: int = 0
    stored: int = 0
    faulty: int = 0
    empty: int = 0
    entities: int = 0
    counts: Counter[str] = field(default_factory=Counter)

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
        self.counts.update(dict(zip(VERDICTS, scanned.dropped.tolist(), strict=True)))
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
        counts = self.counts + Counter(not_triple=self.empty)  # without the counts of 0
        return dict(sorted(counts.items()))


def require_dump(name: str, lines: int, is_cut: bool, first: Fault | None) -> None:
    """Check a dump that was read to its end, by its number of lines.

    ``is_cut`` is whether its last line is bad and has no end, ``first`` its first line if all are
    bad.

    Raises:
        KgbuildError: it is empty, cut short, or no dump.
    """
    if not lines:  # a download or a pipe that failed
        raise KgbuildError(f"{name} is empty; what was there before is unchanged.")
    if is_cut and not (first and _is_json(first.text)):
        raise reader.cut_short(name, "the last line is incomplete")
    if first:
        raise not_a_dump(name, first)


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def not_a_dump(name: str, first: Fault) -> KgbuildError:
    """Return the error for a file that is not a dump; ``first`` is its first bad line."""
    text = shown(first.text)
    is_json = text.lstrip().startswith(("[", "{"))
    return KgbuildError(
        f"{name} is {'not a' if is_json else 'neither N-Triples nor a'} JSON dump: line "
        f"{first.number} is '{shorten(text)}'. "
        f"{'A JSON dump has one complete entity per line. ' * is_json}"
        "What was there before is unchanged."
    )


def too_many_bad(tally: Tally, max_bad: float, rejects: Path | str) -> KgbuildError:
    """Return the error that more than the fraction ``max_bad`` of the stored lines is bad."""
    return KgbuildError(
        f"{tally.faulty:,} of {tally.stored:,} lines are bad, more than --max-bad {max_bad:.2%} "
        f"allows. They are listed in {rejects}; all else that was there before is unchanged."
    )


def nothing_kept(
    dumps: Sequence[str],
    dropped: Mapping[str, int],
    bad: int,
    rejects: Path | None = None,
    first_line: str = "",
) -> NothingKeptError:
    """Return the error that the filter keeps no line.

    ``rejects`` lists the bad lines. If no line is about an item, ``first_line`` shows which IRIs
    there are.
    """
    listed = f" (see {rejects})" if rejects else ""
    lost = [describe_counts(dropped, REASONS), f"{bad:,} lines are bad{listed}" if bad else ""]
    advice = (
        "To keep other languages, use --lang; see also --all of 'kgbuild load', and --property and "
        "--datatype of 'kgbuild slice'."
    )
    if first_line:
        advice = (
            f"Items of Wikidata have IRIs such as <{wikidata.ENTITY}Q42>; the first line is "
            f"'{shorten(first_line)}'."
        )
    elif dropped.keys() <= {"not_triple"}:
        advice = "There is nothing else."
    return NothingKeptError(
        f"Nothing in {', '.join(dumps)} is kept: {'; '.join(filter(None, lost))}. {advice}"
    )


def _faults(block: TripleBlock, scanned: Scanned) -> list[Fault]:
    faults = list(block.converted.faults) if block.converted else []
    for index, start, end in scanned.bad.tolist():
        number, text = block.line_numbers[index], bytes(block.lines.text[start:end])
        faults.append(Fault(number, _reason(text, number in block.lines.overlong), text))
    return sorted(faults, key=lambda fault: fault.number)


def _reason(text: bytes, is_long: bool) -> str:
    if is_long:
        return f"longer than {reader.LONGEST_LINE} bytes"
    try:
        text.decode()
    except UnicodeDecodeError:
        return "not UTF-8"
    if text.startswith((b"<", b"_:")) and not _VALID_ESCAPES.fullmatch(text):
        return "invalid escape in an N-Triples line"
    return "not an N-Triples line"
