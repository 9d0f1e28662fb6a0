"""Write ZIP archives encrypted by a password (AES-256), with ``pyzipper``."""

import shutil
from pathlib import Path
from typing import Any

from kgbuild.errors import WrongCallError, missing_extra

TIME = (1980, 1, 1, 0, 0, 0)
"""The time of all files in an archive, a constant, so that builds of a release are equal."""


def require(password: str | None = None) -> Any:
    """Return the library. Call this before long work, so that faults are reported early.

    Raises:
        KgbuildError: the library is not installed.
        WrongCallError: the password is empty.
    """
    if password == "":
        raise WrongCallError("The password is empty.")
    try:
        import pyzipper
    except ImportError as error:
        raise missing_extra("export", "pyzipper") from error
    return pyzipper


def pack(folder: Path, file: Path, name: str, password: str) -> None:
    """Pack the files of a folder into the new archive ``file``, under the folder ``name``.

    Only the salt differs between two archives of the same files. The names of the files are not
    encrypted.
    """
    pyzipper = require()
    with pyzipper.AESZipFile(file, "x", pyzipper.ZIP_DEFLATED) as archive:
        archive.setpassword(password.encode())
        archive.setencryption(pyzipper.WZ_AES, nbits=256)
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = archive.zipinfo_cls(f"{name}/{path.relative_to(folder).as_posix()}", TIME)
            entry.compress_type = pyzipper.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target)
