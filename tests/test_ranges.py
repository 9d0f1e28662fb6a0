"""The lines of a range of a file."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump import reader
from kgbuild.errors import UnreadableDumpError
from kgbuild.slice.spark.inputs import range_of


def read(path: Path, split: int) -> tuple[bytes, list[int]]:
    """Read a file in ranges; return its text, and the number of lines of each range."""
    text, counts = b"", []
    for start in range(0, path.stat().st_size, split):
        before = len(text)
        for block in range_of(path, start, min(path.stat().st_size, start + split)):
            assert block.first == text[before:].count(b"\n") + 1
            text += block.text
        counts.append(text[before:].count(b"\n"))
    return text, counts


@settings(max_examples=200)
@given(
    st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b""))), st.integers(1, 9)
)
def test_each_line_is_in_one_range(tmp_path_factory: pytest.TempPathFactory, lines, split):
    path = tmp_path_factory.mktemp("dump") / "dump.nt"
    content = b"x" + b"\n".join(lines)
    path.write_bytes(content)
    text, counts = read(path, split)
    whole = content if content.endswith(b"\n") else content + b"\n"
    assert text == whole
    starts = [0, *(n + 1 for n, byte in enumerate(whole[:-1]) if byte == ord("\n"))]
    assert counts == [
        sum(split * n <= start < split * (n + 1) for start in starts) for n in range(len(counts))
    ]


def test_long_lines_are_cut_in_each_range(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "BLOCK", 100)
    monkeypatch.setattr(reader, "LONGEST_LINE", 300)
    path = tmp_path / "dump.nt"
    path.write_bytes(b"first\n" + b"x" * 100_000 + b"\nlast\n")
    whole = list(range_of(path, 0, 50))
    assert max(len(block.text) for block in whole) < 500  # of the line of 100,000 bytes
    assert [bytes(block.text) for block in range_of(path, 50, 60_000)] == []
    assert [bytes(block.text) for block in range_of(path, 60_000, 200_000)] == [b"last\n"]


def test_blocks_are_whole_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "BLOCK", 10)
    (tmp_path / "dump.nt").write_bytes(b"\xef\xbb\xbfone\ntwo\nthree four five\nsix\n")
    blocks = [(block.first, bytes(block.text)) for block in range_of(tmp_path / "dump.nt", 0, 99)]
    assert blocks == [(1, b"one\ntwo\n"), (3, b"three four five\nsix\n")]
    with pytest.raises(UnreadableDumpError, match="No such file"):
        list(range_of(tmp_path / "nothing.nt", 0, 1))
