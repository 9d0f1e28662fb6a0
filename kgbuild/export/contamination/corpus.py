"""Search the files of a folder for texts, in one pass and little memory."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgbuild.errors import CorruptArchiveError, UnreadableDumpError, WrongCallError
from kgbuild.export.contamination.phrases import Phrases
from kgbuild.export.contamination.words import MAX_WINDOW, hash_words, normalise
from kgbuild.files import compression
from kgbuild.rows import Progress, no_progress
from kgbuild.tables.files import read_texts

_BLOCK = 4 << 20
"""Number of bytes that are searched at a time."""
_EXCERPT = 200
"""Maximum number of bytes of an excerpt."""


class Occurrence(NamedTuple):
    """The first occurrence of a text: the file, and normalised words that end with it."""

    file: str
    excerpt: str


@dataclass
class Findings:
    """What a search found: the first occurrence and the number of windows of each text.

    ``searchable`` has the numbers of the texts that can be found, ``bytes`` is the size of the
    searched files without compression; ``left_out`` are files in formats that are not read.
    """

    first: dict[int, Occurrence] = field(default_factory=dict)
    windows: Counter[int] = field(default_factory=Counter)
    searchable: frozenset[int] = frozenset()
    bytes: int = 0
    left_out: list[Path] = field(default_factory=list)


def search(folder: Path, texts: Sequence[str], progress: Progress = no_progress) -> Findings:
    """Search all files of a folder (or one file) for texts; results are by number of the text.

    Files may be compressed (gz, bz2, xz, zst), or Parquet. In JSON, escapes are read as what they
    mean.

    Raises:
        WrongCallError: there is no file that can be read.
        UnreadableDumpError, CorruptArchiveError, TableFileError: a file cannot be read.
    """
    phrases = Phrases(texts)
    findings = Findings(searchable=phrases.searchable)
    everything = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    files = [file for file in everything if file.is_file()]
    unread = (".zip", ".7z", ".pdf")
    findings.left_out = [file for file in files if file.suffix.lower() in unread]
    readable = [file for file in files if file not in findings.left_out]
    if not readable:
        raise WrongCallError(
            f"{folder} has no file that can be searched. Texts may be plain, JSON, Parquet or "
            "compressed."
        )
    total, done = sum(file.stat().st_size for file in readable), 0
    for file in readable:
        name = file.name if file == folder else file.relative_to(folder).as_posix()
        _search_file(file, name, phrases, findings, lambda: progress(name, done, total))  # noqa: B023
        done += file.stat().st_size
    return findings


def _search_file(
    file: Path, name: str, phrases: Phrases, findings: Findings, tick: Callable[[], None]
) -> None:
    # Windows may begin in the block before.
    history, tail = np.empty(0, np.uint64), b""
    is_json = any(suffix in (".json", ".jsonl", ".ndjson") for suffix in file.suffixes)
    for block in _rows(file) if file.suffix.lower() == ".parquet" else _blocks(file):
        tick()
        findings.bytes += len(block)
        text = normalise(block, is_json)
        words, ends = hash_words(text)
        hashes = np.concatenate([history, words])
        for index, number in phrases.find(hashes):
            at = index - len(history)
            if at < 0:
                continue  # it ended in the block before
            findings.windows[number] += 1
            if number not in findings.first:
                end = int(ends[at])
                excerpt = (tail + text[:end])[-_EXCERPT:]
                findings.first[number] = Occurrence(
                    name, excerpt.decode("utf-8", "replace").strip()
                )
        history, tail = hashes[-(MAX_WINDOW - 1) :], text[-_EXCERPT:]


def _rows(file: Path) -> Iterator[bytes]:
    block = bytearray()
    for texts in read_texts(file):
        block += "\n".join([*texts, ""]).encode("utf-8", "replace")
        if len(block) >= _BLOCK:
            yield bytes(block)
            block.clear()
    yield bytes(block)


def _blocks(file: Path) -> Iterator[bytes]:
    """Yield the decompressed text of a file in blocks that end between two words."""
    try:
        with file.open("rb") as raw:
            source, rest = compression.decompressed(raw), b""  # type: ignore[arg-type]
            while data := source.read1(_BLOCK):
                block = rest + data
                cut = max(block.rfind(b" "), block.rfind(b"\n")) + 1
                rest = block[cut:]
                if cut:
                    yield block[:cut]
            yield rest
    except compression.DAMAGE as error:
        raise CorruptArchiveError(str(file), 0, str(error)) from error
    except OSError as error:
        raise UnreadableDumpError(str(file), error.strerror or str(error)) from error
