"""Opening dumps: how they are compressed, how they are damaged, lines and their numbers."""

import bz2
import gzip
import hashlib
import io
import itertools
import lzma
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump import forms, reader
from kgbuild.dump.reader import BLOCK, LONGEST_LINE, Block
from kgbuild.errors import CorruptArchiveError, KgbuildError, UnreadableDumpError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd.compress}
TEXT = b"".join(b"<a> <b> <c%d> .\n" % n for n in range(1000))
FIRST, SECOND = TEXT[: TEXT.index(b"<a> <b> <c600>")], TEXT[TEXT.index(b"<a> <b> <c600>") :]
CUT = 200
"""Bytes that are kept of an over-long line, before an ellipsis."""


@pytest.fixture
def write(tmp_path):
    """Return a function that writes bytes to a file and returns its path."""

    def written(data: bytes, name: str = "dump") -> str:
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return written


def blocks(path: str) -> list[Block]:
    with reader.Dump(path) as opened:
        return [replace(block, position=0) for block in opened.blocks()]


def text(path: str) -> bytes:
    return b"".join(block.text for block in blocks(path))


@pytest.mark.parametrize("compress", [bytes, *COMPRESS.values()], ids=["plain", *COMPRESS])
@pytest.mark.parametrize("name", ["dump.nt", "dump.nt.gz", "dump.nt.bz2", "dump.nt.zst", "dump"])
def test_compression_is_recognised_by_content(write, compress, name):
    assert blocks(write(compress(TEXT), name)) == [Block(1, TEXT, frozenset())]


@pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
def test_archives_of_several_members_are_read_to_the_end(write, compress):
    # Parallel compressors (pigz, pbzip2, pzstd) write such files, some with empty members.
    path = write(compress(FIRST) + compress(b"") + compress(SECOND))
    assert blocks(path) == [Block(1, TEXT, frozenset())]


@pytest.mark.parametrize("first", [0x50, 0x5F])
def test_a_zst_file_with_frames_to_skip(write, first):
    # pzstd puts the size of each frame before it, in a frame of its own.
    skipped = bytes([first]) + b"\x2a\x4d\x18\x04\x00\x00\x00size"
    archive = skipped + zstd.compress(FIRST) + skipped + zstd.compress(SECOND)
    assert blocks(write(archive)) == [Block(1, TEXT, frozenset())]


def test_a_zst_file_with_a_long_window(write):
    # As "zstd --long=31" writes it; by default, windows of more than 2**27 bytes are refused.
    options = {zstd.CompressionParameter.window_log: 31}
    compressor = zstd.ZstdCompressor(options=options)
    archive = compressor.compress(TEXT) + compressor.flush()
    with pytest.raises(zstd.ZstdError):
        zstd.open(io.BytesIO(archive)).read()
    assert text(write(archive)) == TEXT


@pytest.mark.parametrize("compress", [bytes, *COMPRESS.values()], ids=["plain", *COMPRESS])
def test_lines_may_end_with_a_carriage_return_alone(write, compress):
    assert text(write(compress(TEXT.replace(b"\n", b"\r")))) == TEXT
    windows = TEXT.replace(b"\n", b"\r\n")
    assert text(write(compress(windows))) == windows


ENTITY = '{"type": "item", "id": "Q42", "labels": {"en": {"language": "en", "value": "x"}}}'
TRIPLE = "<http://www.wikidata.org/entity/Q42> <http://www.w3.org/2000/01/rdf-schema#label> "
FORMS = {
    "a text in UTF-16": [f"[{ENTITY}]".encode("utf-16"), b"\xfe\xff\0<\0a"],
    "a pointer of Git LFS": ["version https://git-lfs.github.com/spec/v1\noid sha256:0\n"],
    "a 7z archive": [b"7z\xbc\xaf" + bytes(100)],
    "a rar archive": [b"Rar!" + bytes(100)],
    "an lz4 archive": [b"\x04\x22\x4d\x18" + bytes(100)],
    "a tar archive": [b"dump.nt" + bytes(250) + b"ustar\x0000" + bytes(300)],
    "Turtle or TriG": [
        "@prefix wd: <http://www.wikidata.org/entity/> .\nwd:Q42 wd:P31 wd:Q5 .",
        "# a comment\n\n@base <http://www.wikidata.org/> .\n",
        "PREFIX wd: <http://www.wikidata.org/entity/>\n",
        "\tbase <http://www.wikidata.org/>\n",
        TRIPLE + '"x"@en ;\n    <http://a/b> "y" .\n',
        TRIPLE + '"x"@en ,\n    "y"@de .',
    ],
    "N-Quads": [
        TRIPLE + '"x . \\" <y>"@en <http://www.wikidata.org> .\n',
        TRIPLE + '"1"^^<http://a/b> _:g .',
    ],
    "XML": ["<?xml version='1.0'?>\n<rdf:RDF>\n", "<rdf:RDF xmlns:rdf='http://a/'>"],
    "a web page": ["<!DOCTYPE html>\n<html>", "\n<html lang='en'><body>503</body></html>"],
    "JSON-LD": ['{"@context": {}, "@graph": []}', '[{"@id": "http://a/b"}]'],
    "the result of a SPARQL query": [
        *('{"head": {"vars": ["s"]}, "results": {}}', '{\n "head": {}}'),
        '[{"item": "http://www.wikidata.org/entity/Q42", "itemLabel": "x"}]',
    ],
    "an entity page or another reply of Wikidata's API": [
        '{"entities": {"Q42": {}}}',
        '{\n  "entities": {\n',
        '{"success": 1, "entities": {}}',
        '{"error": {"code": "no-such-entity"}}',
    ],
    "JSON with other lines than one for each entity": [
        f"[{ENTITY},{ENTITY}]",
        f"[{ENTITY}]\n",
        f"  [ {ENTITY}, {ENTITY} ]\n",
        "[\n  {\n    'type': 'item',\n",
        '{\n "type": "item"\n}\n',
        '[{\n "type": "item"\n}]\n',
    ],
}


@pytest.mark.parametrize(
    ("name", "start"), [(name, start) for name, starts in FORMS.items() for start in starts]
)
def test_the_form_of_a_file_that_is_no_dump_is_named(write, name, start):
    with pytest.raises(KgbuildError, match="which is not read") as caught:
        blocks(write(start if isinstance(start, bytes) else start.encode()))
    assert f" is {name}, which is not read: " in str(caught.value)


def test_json_is_to_be_written_by_a_program_that_suits_its_form():
    named = [forms.unread(text) for text in (b"{\n", b"[\n  {\n", b"[{}]")]
    advice = [form.advice.rpartition(" by ")[2] for form in named if form]
    assert advice == ["'jq -c .'", *["\"jq -c '.[]'\""] * 2]


def test_a_zip_archive_is_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "dump.zip", "w") as archive:
        archive.writestr("dump.nt", TEXT)
    with pytest.raises(KgbuildError, match=r"dump\.zip is a zip archive, which is not read"):
        blocks(str(tmp_path / "dump.zip"))


@pytest.mark.parametrize(
    "start",
    [
        f"[\n{ENTITY},\n{ENTITY}\n]\n",
        f"[{ENTITY},\n{ENTITY}]\n",  # as Python joins them
        f"[\n{ENTITY}\n,{ENTITY}\n]",
        f"{ENTITY}\n{ENTITY}",
        TRIPLE + '"x ; y"@en .\n',
        TRIPLE + '"x <http://a/b> ."@en .\n',
        "# @prefix a: <http://a/> .\n" + TRIPLE + '"x"@en .\n',
    ],
)
def test_a_dump_has_no_other_form(start):
    assert forms.unread(start.encode()) is None


@pytest.mark.parametrize("kind", COMPRESS)
def test_junk_that_begins_like_an_archive(write, kind):
    first_bytes = COMPRESS[kind](b"")[:10]
    with pytest.raises(KgbuildError, match="begins like a compressed file, but no line of it"):
        blocks(write(first_bytes + random.Random(1).randbytes(10_000)))


def test_an_archive_that_ends_in_its_first_line_is_cut_short(write):
    with pytest.raises(CorruptArchiveError, match="is cut short or damaged: ") as caught:
        blocks(write(gzip.compress(TEXT)[:30]))
    assert type(caught.value) is CorruptArchiveError


@pytest.mark.parametrize("compress", [bytes, *COMPRESS.values()], ids=["plain", *COMPRESS])
def test_position_and_digest(write, compress):
    archive = compress(TEXT)
    with reader.Dump(write(archive)) as opened:
        assert opened.size == len(archive)
        assert opened.position == 0
        list(opened.blocks())
        assert opened.position == len(archive)
        assert opened.digest == hashlib.sha256(archive).hexdigest()


@pytest.mark.parametrize("compress", [bytes, *COMPRESS.values()], ids=["plain", *COMPRESS])
def test_an_empty_dump_has_no_lines(write, compress):
    assert blocks(write(compress(b""))) == []


@pytest.mark.parametrize("compress", [bytes, *COMPRESS.values()], ids=["plain", *COMPRESS])
@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        (b"<a> <b> <c> .", b"<a> <b> <c> .\n"),  # no newline at the end
        (b"a\nb", b"a\nb\n"),
        (b"\n", b"\n"),
        (b"\n\n", b"\n\n"),
        (b"\xef\xbb\xbf<a> <b> <c> .\n", b"<a> <b> <c> .\n"),  # a byte order mark
        (b"\xef\xbb\xbf", b""),
        (b"a\n\xef\xbb\xbfb\n", b"a\n\xef\xbb\xbfb\n"),  # that is one only at the start
        (b"a\r\nb\r\n", b"a\r\nb\r\n"),  # the line's end is the business of the slice
        (b"\x1f", b"\x1f\n"),  # shorter than what tells an archive
        (b"BZ", b"BZ\n"),
    ],
)
def test_the_edges_of_a_text(write, compress, given_text, expected):
    assert text(write(compress(given_text))) == expected


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gz"])
def test_standard_input(compress, tmp_path):
    script = (
        "import sys; from kgbuild.dump import reader\n"
        "with reader.Dump('-') as opened:\n"
        "    blocks = list(opened.blocks())\n"
        "    print(opened.name, opened.size, opened.position, sep='|')\n"
        "    print(b''.join(block.text for block in blocks).decode(), end='')\n"
    )
    archive = compress(TEXT)
    done = subprocess.run([sys.executable, "-c", script], input=archive, capture_output=True)
    first, rest = done.stdout.split(b"\n", 1)
    assert first == b"standard input|None|%d" % len(archive)
    assert rest == TEXT


def test_standard_input_can_be_named_twice_but_is_read_once():
    script = (
        "from kgbuild.dump import reader\n"
        "for _ in range(2):\n"
        "    with reader.Dump('-') as opened:\n"
        "        print([bytes(block.text) for block in opened.blocks()])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], input=b"a\nb\n", capture_output=True)
    assert done.stdout == b"[b'a\\nb\\n']\n[]\n"


def test_standard_input_that_is_closed():
    script = (
        "from kgbuild.dump import reader; from kgbuild.errors import UnreadableDumpError\n"
        "try: reader.Dump('-')\n"
        "except UnreadableDumpError as error: print(error.path, error.detail, sep='|')\n"
    )
    done = subprocess.run(
        f'exec "{sys.executable}" -c "{script}" <&-', shell=True, capture_output=True, text=True
    )
    assert done.stdout == "standard input|it is closed\n"


@pytest.mark.parametrize("what", ["missing", "directory", "under a file"])
def test_files_that_cannot_be_opened(tmp_path, what):
    (tmp_path / "file").touch()
    path, detail = {
        "missing": (tmp_path / "none.nt", "No such file or directory"),
        "directory": (tmp_path, "Is a directory"),
        "under a file": (tmp_path / "file" / "dump.nt", "Not a directory"),
    }[what]
    with pytest.raises(UnreadableDumpError) as caught:
        blocks(str(path))
    assert (caught.value.path, caught.value.detail) == (str(path), detail)


def test_a_name_that_is_no_utf8_can_be_shown(write):
    with reader.Dump(write(b"a\n", "caf\udce9.nt")) as opened:  # as Python reads a Latin-1 name
        assert Path(opened.name).name == "caf\\xe9.nt"
        assert [block.text for block in opened.blocks()] == [b"a\n"]


DAMAGED = {
    "cut in the middle": lambda archive: archive[: len(archive) // 2],
    "last byte missing": lambda archive: archive[:-1],
    "cut in the header": lambda archive: archive[:4],
    "a byte changed": lambda archive: _flipped(archive, len(archive) // 2),
    "magic number only": lambda archive: archive[:3] if archive[:1] == b"B" else archive[:4],
}


def _flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def _checked_zst(data: bytes) -> bytes:
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


CHECKED = {**COMPRESS, "zst": _checked_zst}
"""Formats with a checksum: zstd has one if asked, as the command line tool does."""


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("compress", CHECKED.values(), ids=CHECKED)
def test_a_damaged_archive_is_an_error(write, compress, damage):
    path = write(damage(compress(TEXT)))
    with pytest.raises(CorruptArchiveError) as caught:
        blocks(path)
    assert caught.value.path == path
    # Decompressors give out their text in large pieces: none may have come out before.
    assert 0 <= caught.value.line <= 1000
    assert caught.value.detail


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("compress", CHECKED.values(), ids=CHECKED)
def test_damage_in_a_later_member_is_an_error_too(write, compress, damage):
    with pytest.raises(CorruptArchiveError):
        blocks(write(compress(FIRST) + damage(compress(SECOND))))


@pytest.mark.parametrize("compress", [bz2.compress, _checked_zst], ids=["bz2", "zst"])
def test_lines_before_the_damage_are_counted(write, compress):
    # Not so of gz: its reader is ahead of what it gives out.
    damaged = _flipped(compress(SECOND), 12)
    with pytest.raises(CorruptArchiveError) as caught:
        blocks(write(compress(FIRST) + damaged))
    assert caught.value.line == 600


@pytest.mark.parametrize("compress", CHECKED.values(), ids=CHECKED)
def test_bytes_after_an_archive_must_be_an_archive(write, compress):
    with pytest.raises(CorruptArchiveError):
        blocks(write(compress(TEXT) + b"<html>503 Service Unavailable</html>"))


@pytest.mark.parametrize("compress", CHECKED.values(), ids=CHECKED)
def test_a_cut_archive_reports_the_lines_before_the_cut(write, compress, monkeypatch):
    monkeypatch.setattr(reader, "BLOCK", 1 << 21)
    line = b"<a> <b> <c> .".ljust(99) + b"\n"
    archive = compress(line * (4 * reader.BLOCK // 100))
    seen = []
    with reader.Dump(write(archive[:-20])) as opened, pytest.raises(CorruptArchiveError) as caught:
        seen.extend(block.text.count(b"\n") for block in opened.blocks())
    assert caught.value.line == sum(seen)
    assert sum(seen) >= reader.BLOCK // 100  # at least the first block came out


@settings(max_examples=30)
@given(st.sampled_from(sorted(CHECKED)), st.data())
def test_no_changed_byte_gives_other_lines_in_silence(tmp_path_factory, form, data):
    archive = CHECKED[form](TEXT)
    place = data.draw(st.integers(4, len(archive) - 1))
    path = tmp_path_factory.mktemp("flipped") / "dump"
    path.write_bytes(_flipped(archive, place))
    try:
        found = text(str(path))
    except CorruptArchiveError:
        return
    assert found == TEXT  # such bytes as the file name or the time in a gz header


def chunks(whole: bytes) -> st.SearchStrategy[list[bytes]]:
    """Return ways to cut a text in pieces."""
    places = st.sets(st.integers(3, max(3, len(whole) - 1)), max_size=8)
    return places.map(
        lambda cuts: [
            whole[a:b]
            for a, b in itertools.pairwise([0, *sorted(cuts - {len(whole)}), len(whole)])
            if a < b
        ]
    )


def reading(chunks: Iterable[bytes]) -> Callable[[int], bytes]:
    """Return a function that reads one of the chunks, or as much of it as is wanted."""
    waiting = iter(chunks)
    chunk = b""

    def read(size: int) -> bytes:
        nonlocal chunk
        chunk = chunk or next(waiting, b"")
        data, chunk = chunk[:size], chunk[size:]
        return data

    return read


def numbered(chunks: list[bytes]) -> tuple[list[bytes], list[int], list[int]]:
    """Return lines, the numbers of the first line of each block, and of those that were cut."""
    # The first line of a file decides about its marks and line ends.
    lines, firsts, long = [], [], []
    for block in reader.numbered(reader.whole_lines(reading([b"#\n", *chunks]))):
        assert block.text.endswith(b"\n")
        firsts.append(len(lines) + 1)
        assert block.first == len(lines) + 1
        long += sorted(block.overlong)
        lines += block.text.split(b"\n")[:-1]
    firsts = [max(1, first - 1) for first in firsts] if lines[1:] else []
    return lines[1:], firsts, [line - 1 for line in long]


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b""))), st.data())
def test_lines_come_back_the_same_in_any_chunks(lines, data):
    whole = b"".join(line + b"\n" for line in lines)
    expected = whole.split(b"\n")[:-1]
    if expected and expected[-1] and data.draw(st.booleans()):
        whole = whole[:-1]  # a last line without a newline is a line too
    found, firsts, long = numbered(data.draw(chunks(whole)))
    assert found == expected
    assert firsts[:1] == [1][: len(found)]
    assert not long


@pytest.mark.parametrize("size", [LONGEST_LINE - 1, LONGEST_LINE])
def test_a_line_of_the_greatest_length_is_whole(size):
    line = b"x" * size
    assert numbered([b"a\n" + line + b"\nb\n"]) == ([b"a", line, b"b"], [1], [])


@pytest.mark.parametrize("extra", [1, 1000])
def test_a_longer_line_is_cut_and_its_neighbours_are_not(extra):
    long = b"x" * (LONGEST_LINE + extra)
    lines, _, cut = numbered([b"a\n" + long + b"\nb\n" + long + b"\nc\n"])
    short = b"x" * CUT + "…".encode()
    assert lines == [b"a", short, b"b", short, b"c"]
    assert cut == [2, 4]


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=6), st.data())
def test_long_lines_are_cut_in_any_chunks(shapes, data):
    lines = [b"%d" % n * (LONGEST_LINE + 1 if long else n) for long, n in shapes]
    whole = b"".join(line + b"\n" for line in lines)
    found, _, cut = numbered(data.draw(chunks(whole)))
    assert [line.split("…".encode())[0] for line in found] == [
        line if len(line) <= LONGEST_LINE else line[:CUT] for line in lines
    ]
    assert cut == [n for n, line in enumerate(lines, 1) if len(line) > LONGEST_LINE]


def test_a_line_of_many_blocks_is_not_kept_in_memory():
    # Twenty blocks without a newline, then a line.
    parts = itertools.chain((b"x" * BLOCK for _ in range(20)), [b"\nlast\n"])
    (found,) = reader.numbered(reader.whole_lines(reading(parts)))
    assert found == Block(1, b"x" * CUT + "…".encode() + b"\nlast\n", frozenset({1}))


def test_a_long_line_over_several_blocks_of_a_file(write):
    before, after = b"<a> <b> <c> .\n" * 3, b"<d> <e> <f> .\n" * 2
    path = write(gzip.compress(before + b"y" * (2 * BLOCK + 5) + b"\n" + after, 1))
    found = blocks(path)
    assert b"".join(block.text for block in found) == (
        before + b"y" * CUT + "…".encode() + b"\n" + after
    )
    assert [block.first for block in found] == [1, 4]  # the long line opens a block of its own
    assert frozenset().union(*(block.overlong for block in found)) == {4}


def test_line_numbers_go_on_from_block_to_block(write):
    lines = [b"%07d" % n + b"." * 92 for n in range(3 * BLOCK // 100)]
    found = blocks(write(b"\n".join(lines)))
    assert len(found) > 1
    for block in found:
        # The first line of a block is what its number says.
        assert block.text.startswith(lines[block.first - 1])
    assert sum(block.text.count(b"\n") for block in found) == len(lines)


def test_nothing_is_lost_between_blocks_that_are_read_in_odd_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "BLOCK", 2500)
    data = bytes(range(256)) * 50
    file = io.BytesIO(data)
    # A decompressor may return 1,000 bytes at a time.
    texts = reader.whole_lines(lambda size: file.read1(min(size, 1000)))
    assert b"".join(texts) == data + b"\n"
