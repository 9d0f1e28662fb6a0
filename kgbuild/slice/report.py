"""The report of a slice: its origin, and the numbers of kept, dropped and bad lines."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kgbuild import __version__, wikidata
from kgbuild.dump import bitmaps
from kgbuild.dump.bitmaps import Bitmap
from kgbuild.dump.dump_file import DumpFile
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.dump.tally import Tally
from kgbuild.slice.spec import Spec


@dataclass(frozen=True)
class Report:
    """The counts and the origin of a slice.

    ``lines`` is the sum of ``kept``, ``bad`` and all numbers of ``dropped`` (see ``Tally``).
    ``items`` is the number of items with lines in the slice; the spec selects ``chosen`` of them.
    ``leaving`` is the number of items without lines to which statements of the slice lead.
    ``absent`` has the ids that the spec lists although the dumps have no lines about them.
    ``complete`` is false if a limit ended the reading. ``bytes`` is the size of the slice,
    ``spooled`` the size of the temporary files.
    """

    kgbuild_version: str
    files: tuple[DumpFile, ...]
    spec: dict[str, Any]
    complete: bool
    lines: int
    entities: int
    kept: int
    bad: int
    dropped: dict[str, int]
    items: int
    chosen: int
    leaving: int
    absent: tuple[str, ...]
    bytes: int
    sha256: str
    spooled: int

    def as_json(self) -> str:
        """Return the text of the report's file."""
        return json_text(dataclasses.asdict(self))


def json_text(content: Mapping[str, Any]) -> str:
    """Return the text of a report's file."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


@dataclass
class Coverage:
    """The items that are subjects and objects in a slice."""

    subjects: Bitmap = field(default_factory=bitmaps.bitmap)
    objects: Bitmap = field(default_factory=bitmaps.bitmap)

    def add(self, scanned: Scanned) -> None:
        """Add the items of kept lines."""
        bitmaps.add(self.subjects, scanned.subject)
        bitmaps.add(self.objects, scanned.object)


@dataclass
class Selected:
    """The result of selecting items; ``spooled`` is the number of bytes of temporary files."""

    tally: Tally
    chosen: Bitmap
    coverage: Coverage
    spooled: int = 0


def make_report(spec: Spec, files: Sequence[DumpFile], tally: Tally, selected: Selected) -> Report:
    """Return the report of a complete slice, without its size and hash."""
    counts = tally.counts | selected.tally.counts
    subjects, objects = selected.coverage.subjects, selected.coverage.objects
    top = max(map(bitmaps.top, (subjects, objects)))
    return Report(
        kgbuild_version=__version__,
        files=tuple(files),
        spec=spec.keys,
        complete=True,
        lines=tally.lines,
        entities=tally.entities,
        kept=selected.tally.kept,
        bad=tally.bad,
        dropped=replace(tally, counts=counts).dropped,
        items=bitmaps.count(subjects, top),
        chosen=bitmaps.count(subjects, top, selected.chosen),
        leaving=bitmaps.count(objects, top) - bitmaps.count(objects, top, subjects),
        absent=_absent(spec, subjects),
        bytes=0,
        sha256="",
        spooled=selected.spooled,
    )


def _absent(spec: Spec, subjects: Bitmap) -> tuple[str, ...]:
    """Return the listed ids without lines; () if a limit or a sample also leaves items out."""
    if spec.items is None or spec.limit is not None or spec.sample is not None:
        return ()
    listed = list(dict.fromkeys(spec.listed))
    have_lines = bitmaps.has(subjects, np.array(list(map(wikidata.number, listed))))
    return tuple(np.array(listed)[~have_lines].tolist())
