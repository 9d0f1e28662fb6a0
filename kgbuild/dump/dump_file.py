"""The name, size and hash of a dump file, as manifests keep them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DumpFile:
    """A dump file: its size in bytes and its SHA-256 are those of the file as stored."""

    name: str
    bytes: int
    sha256: str
    modified: str
