"""Write archives that open by a password (AES-256), with ``pyzipper``."""

import shutil
from pathlib import Path
from typing import Any

from kgbuild.errors import MissingExtraError

_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest time of the format, for all files: the same release gives the same archive."""


def require() -> Any:
    """Return the library; called before long work, so that a missing one is reported early.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import pyzipper
    except ImportError as error:
        raise MissingExtraError("export", "pyzipper") from error
    return pyzipper


def pack(folder: Path, file: Path, name: str, password: str) -> None:
    """Pack the files of a folder into a new archive, in a folder ``name``.

    Only the salt differs between two archives of the same files. The names of the files can be
    read without the password.

    Raises:
        MissingExtraError: the library is not installed.
    """
    zips = require()
    with zips.AESZipFile(file, "x", zips.ZIP_DEFLATED) as archive:
        archive.setpassword(password.encode())
        archive.setencryption(zips.WZ_AES, nbits=256)
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = archive.zipinfo_cls(f"{name}/{path.relative_to(folder).as_posix()}", _TIME)
            entry.compress_type = zips.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as plain, archive.open(entry, "w") as packed:
                shutil.copyfileobj(plain, packed)
