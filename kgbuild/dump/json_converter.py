"""A process that converts blocks of a JSON dump: ``python -m kgbuild.dump.json_converter``.

It imports little, because it is started for each run.
"""

import contextlib
import pickle
import sys

from kgbuild.dump.json_entities import Converter


def main() -> None:
    """Convert blocks from the standard input until it ends."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    converter = Converter(pickle.load(source))  # noqa: S301
    with contextlib.suppress(EOFError, BrokenPipeError, MemoryError):
        while True:
            converted = converter.convert(*pickle.load(source))  # noqa: S301
            pickle.dump(tuple(converted), target)
            target.flush()


if __name__ == "__main__":
    main()
