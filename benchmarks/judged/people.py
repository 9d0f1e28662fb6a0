"""Read files of answers and replies that people judged."""

import argparse
import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.measure import put

Record = Mapping[str, Any]


def read(path: Path) -> list[Record]:
    """Return the records of a compressed file of JSON Lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def run(
    name: str, description: str | None, measured: Callable[[Path, Path], str], start: str, end: str
) -> None:
    """Run the benchmark ``name`` on two files that the user names, and print its section.

    With ``-o``, the section takes the place of the text between the marks of a document.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("questions", type=Path, help="answers with references and correct")
    parser.add_argument("replies", type=Path, help="replies with knowledge and faithful")
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    chosen = parser.parse_args()
    for path in (chosen.questions, chosen.replies):
        if not path.is_file():
            parser.error(f"there is no file {path}")
    text = measured(chosen.questions, chosen.replies)
    print(text)
    if chosen.output:
        put(chosen.output, text, start, end)
