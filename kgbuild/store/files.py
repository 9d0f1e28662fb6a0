"""Write the files beside the graph of a generation, from its lines."""

from collections.abc import Callable
from pathlib import Path

from kgbuild.dump.scanner import Scanned
from kgbuild.store import manifest
from kgbuild.store.columns import ColumnsWriter
from kgbuild.store.entries import read_entries
from kgbuild.store.fingerprint import Survey
from kgbuild.store.names import NamesWriter
from kgbuild.store.postings import PostingsWriter


class Files:
    """Collects distinct lines, in the form that Oxigraph writes, and writes the files.

    ``language`` is that of the labels. Temporary files are in the folder ``unfinished``.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, folder: Path, unfinished: Path, language: str):
        self._place = (folder, unfinished, language)
        self.survey = Survey()
        self._names = NamesWriter(folder / manifest.NAMES, unfinished)
        self._index = PostingsWriter(folder / manifest.POSTINGS, unfinished)
        self._columns = ColumnsWriter(folder / manifest.COLUMNS, language, unfinished)

    def add(self, lines: Scanned) -> None:
        """Add lines."""
        self.survey.add(lines)
        self._index.add(lines)
        for entries in read_entries(lines):
            self._columns.add(entries)
            self._names.add(entries)

    def write(self, report: Callable[[], None]) -> None:
        """Write the files; call ``report`` after each."""
        self._names.write(self.survey.fingerprint)
        report()
        self._index.write(self.survey.fingerprint)
        report()
        self._columns.write(self.survey.fingerprint)
        report()

    def empty(self) -> "Files":
        """Return new files in place of these, which are written already."""
        return Files(*self._place)

    def close(self) -> None:
        """Remove the temporary files."""
        self._names.close()
        self._index.close()
        self._columns.close()
