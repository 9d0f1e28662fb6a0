"""Lines that repeat one of the last lines count once."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild.dump import reader
from kgbuild.dump.filter import Filter, scan_lines
from kgbuild.store import fingerprint
from kgbuild.store.fingerprint import Survey
from kgbuild.store.load import load

ITEM = "<http://www.wikidata.org/entity/Q{}>"
PROPERTY = "<http://www.wikidata.org/prop/direct/P{}>"
OBJECTS = [ITEM.format(n) for n in (5, 55, 555)] + ['"a"@en', '"b"@en', '"ab"@en', "_:x"]

lines = st.tuples(st.sampled_from([1, 2]), st.sampled_from([31, 39]), st.sampled_from(OBJECTS))


def written(line: tuple[int, int, str]) -> bytes:
    subject, pid, value = line
    return f"{ITEM.format(subject)} {PROPERTY.format(pid)} {value} .".encode()


def distinct(batches: Sequence[Sequence[tuple[int, int, str]]]) -> Iterator[list[bytes]]:
    """Yield the lines of batches without those that are equal to one before them."""
    seen = set[tuple[int, int, str]]()
    for batch in batches:
        kept = []
        for line in batch:
            if line not in seen:
                kept.append(written(line))
            seen.add(line)
        yield kept


@given(st.lists(st.lists(lines, max_size=12), max_size=5))
@example([[(1, 31, '"a"@en')], [], [(1, 31, '"a"@en'), (1, 31, '"b"@en')], [(1, 31, '"a"@en')]])
@settings(max_examples=100)
def test_a_line_counts_once(batches: list[list[tuple[int, int, str]]]) -> None:
    survey = Survey()
    results = [survey.add(scan_lines([*map(written, batch)])) for batch in batches]
    assert survey.triples == len({line for batch in batches for line in batch})
    for scanned, kept in zip(results, distinct(batches), strict=True):
        assert [scanned.line(n) for n in range(len(scanned.ends))] == kept
        plain = scan_lines(kept)
        assert scanned.subject.tolist() == plain.subject.tolist()
        assert scanned.predicate.tolist() == plain.predicate.tolist()
        assert scanned.object.tolist() == plain.object.tolist()
        assert scanned.canonical.tolist() == plain.canonical.tolist()
        assert scanned.has_blank.tolist() == plain.has_blank.tolist()


FACTS = [
    written((1, 39, ITEM.format(5))),
    written((1, 39, ITEM.format(55))),
    written((1, 39, '"a"@en')),
    written((2, 39, ITEM.format(5))),
]


def files(store: Path) -> dict[str, bytes]:
    (generation,) = store.glob("generation-*")
    manifest = json.loads((store / "manifest.json").read_text())
    assert manifest["triples"] == len(FACTS)
    return {name: (generation / name).read_bytes() for name in ("columns", "postings", "names")}


@pytest.mark.parametrize("reads_again", [False, True])
def test_a_load_reads_the_graph_again_only_for_repeats_that_are_far(
    tmp_path: Path, reads_again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, dump = tmp_path / "plain.nt", tmp_path / "dump.nt"
    plain.write_bytes(b"".join(line + b"\n" for line in FACTS))
    dump.write_bytes(b"".join(FACTS[n] + b"\n" for n in [0, 1, 0, 2, 1, 3]))
    load([str(plain)], tmp_path / "one", Filter(everything=True))
    if reads_again:  # batches of a line or two, of which one is kept
        monkeypatch.setattr(reader, "BLOCK", len(FACTS[0]) + 2)
        monkeypatch.setattr(fingerprint, "_KEPT", 1)
    steps: set[str] = set()
    load(
        [str(dump)],
        tmp_path / "two",
        Filter(everything=True),
        progress=lambda step, done, total: steps.add(step),
    )
    assert ("reading the graph again" in steps) is reads_again
    assert files(tmp_path / "two") == files(tmp_path / "one")
