"""The name, size and hash of a dump file, for manifests and reports."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DumpFile:
    """A dump file. The size and the SHA-256 are those of the stored (compressed) file.

    ``modified`` is an ISO date, or empty if it is unknown.
    """

    name: str
    bytes: int
    sha256: str
    modified: str
