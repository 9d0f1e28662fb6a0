"""The name, size and hash of a dump file, for manifests and reports."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DumpFile:
    """A dump file; the size in bytes and the SHA-256 are of the stored (compressed) file."""

    name: str
    bytes: int
    sha256: str
    modified: str
