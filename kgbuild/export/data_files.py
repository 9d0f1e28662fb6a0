"""Write the data files of a release: each table by split, in three formats."""

from pathlib import Path

from kgbuild.export.release import Release, canary
from kgbuild.tables.snapshot import Snapshot

_FORMATS = ("parquet", "jsonl", "csv")
_FORMULA = r"^[=+@\t\r-]"
"""A regular expression of the characters with which a text may be a formula."""


def write(tables: Snapshot, release: Release, target: Path) -> None:
    """Write a file for each table, split and format.

    Each row contains the canary, a unique text by which leaked test data can be found.
    """
    text = canary(release.dataset)
    for part in release.parts:
        query = f"SELECT *, '{text}' AS canary FROM {part.table} WHERE split = '{part.split}'"  # noqa: S608
        columns = release.columns[part.table]
        cells = ", ".join(
            f'{_csv_cell(name, columns[name], release.safe_csv)} AS "{name}"' for name in columns
        )
        csv_query = f"SELECT {cells} FROM ({query})"  # noqa: S608
        for ending in _FORMATS:
            file = target / part.file(ending)
            file.parent.mkdir(parents=True, exist_ok=True)
            tables.write(csv_query if ending == "csv" else query, file)


def _csv_cell(name: str, kind: str, is_safe: bool) -> str:
    """Return the SQL for a column in CSV: lists and records become JSON, NUL is replaced.

    If ``is_safe``, an apostrophe precedes the signs with which a formula begins, by
    https://owasp.org/www-community/attacks/CSV_Injection.
    """
    if kind.endswith(("[]", ")")):
        return f'to_json("{name}")'
    if kind == "VARCHAR":  # many CSV readers stop at a NUL or reject it
        text = f"replace(\"{name}\", chr(0), '\N{REPLACEMENT CHARACTER}')"
        return f"regexp_replace({text}, '{_FORMULA}', '''\\0')" if is_safe else text
    return f'"{name}"'
