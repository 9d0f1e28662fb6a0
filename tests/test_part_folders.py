"""Slices that are folders of parts."""

import gzip
import json
import shutil

import pytest

from kgbuild.dump.filter import Filter
from kgbuild.errors import KgbuildError, UnreadableDumpError
from kgbuild.files import part_folders
from kgbuild.slice.slice import cut
from kgbuild.slice.spec import Spec
from kgbuild.store.load import load
from tests.conftest import SAMPLE


@pytest.fixture
def folder(tmp_path):
    """Return the sample as a folder of parts whose names are not in order."""
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    parts = {"part-b.nt.gz": lines[:5000], "part-a.nt.gz": lines[5000:]}
    path = tmp_path / "sample"
    path.mkdir()
    for name, part in parts.items():
        (path / name).write_bytes(gzip.compress(b"".join(part)))
    sizes = {name: (path / name).stat().st_size for name in parts}
    (path / part_folders.LIST).write_text(part_folders.listing(sizes))
    return path


def test_a_folder_is_read_like_a_file_in_the_order_of_its_list(folder, tmp_path):
    spec = Spec(instance_of=("Q5",))
    report = cut([str(folder)], tmp_path / "parts.nt", spec)
    cut([str(SAMPLE)], tmp_path / "whole.nt", spec)
    assert (tmp_path / "parts.nt").read_bytes() == (tmp_path / "whole.nt").read_bytes()
    assert [file.name for file in report.files] == ["part-b.nt.gz", "part-a.nt.gz"]
    stores = [load([str(dump)], tmp_path / "kg", Filter()) for dump in (folder, SAMPLE)]
    assert stores[0].fingerprint == stores[1].fingerprint
    assert stores[0].lines == stores[1].lines


def test_other_files_in_the_folder_are_not_read(folder, tmp_path):
    (folder / "_SUCCESS").write_text("")
    (folder / "notes.txt").write_text("not a part")
    assert [path.rpartition("/")[2] for path in part_folders.files(str(folder))] == [
        "part-b.nt.gz",
        "part-a.nt.gz",
    ]


def test_an_incomplete_folder_is_refused(folder, tmp_path):
    part = folder / "part-a.nt.gz"
    content = part.read_bytes()
    part.write_bytes(content[:-1])
    with pytest.raises(UnreadableDumpError, match=r"part-a\.nt\.gz has another size than _parts"):
        load([str(folder)], tmp_path / "kg", Filter())
    part.unlink()
    with pytest.raises(UnreadableDumpError, match=r"part-a\.nt\.gz is missing, which _parts"):
        cut([str(folder)], tmp_path / "out.nt", Spec())
    part.write_bytes(content)
    (folder / part_folders.LIST).unlink()  # it is written last
    with pytest.raises(UnreadableDumpError) as caught:
        load([str(folder)], tmp_path / "kg", Filter())
    assert str(caught.value) == (
        f"Cannot read {folder}: it is a folder without _parts.json, which a slice by Spark has. "
        "Pass its files instead, such as parts/*.gz."
    )
    assert not (tmp_path / "kg" / "manifest.json").exists()
    assert not (tmp_path / "out.nt").exists()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", json.dumps({"parts": 1}), json.dumps({"parts": [1]}), "\xff"]
)
def test_a_list_that_is_none_is_refused(folder, text):
    (folder / part_folders.LIST).write_bytes(text.encode("latin-1"))
    with pytest.raises(UnreadableDumpError):
        list(part_folders.files(str(folder)))


def test_a_list_names_files_of_its_folder_only(folder):
    (folder / part_folders.LIST).write_text(json.dumps({"parts": {"../outside.nt": 1}}))
    with pytest.raises(UnreadableDumpError, match="is no list of parts"):
        list(part_folders.files(str(folder)))


def test_a_disk_that_is_too_small_for_the_parts_is_noticed(folder, tmp_path, monkeypatch):
    size = sum((folder / f"part-{name}.nt.gz").stat().st_size for name in "ab")
    spec = {"lang": ["en"], "datatype": ["item"]}
    report = {"kept": 15_170, "bytes": size, "spec": spec}
    (tmp_path / "sample.report.json").write_text(json.dumps(report))
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(KgbuildError, match="The load needs about"):
        load([str(folder)], tmp_path / "kg", Filter())
