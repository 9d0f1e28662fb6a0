"""Slices on a real Spark: the same bytes and the same report as the local engine's."""

import bz2
import dataclasses
import gzip
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from kgbuild.dump.filter import Filter
from kgbuild.errors import KgbuildError, OutputExistsError, UnreadableDumpError, WriteError
from kgbuild.files import part_folders
from kgbuild.slice.slice import cut
from kgbuild.slice.spark import cluster, engine
from kgbuild.slice.spec import Spec, make_spec
from kgbuild.store import manifest
from kgbuild.store.load import load
from tests.conftest import ROOT, SAMPLE, data
from tests.endpoints import free_port, wait_for

with_pyspark = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None, reason="needs pyspark"
)
has_java = shutil.which("java") or os.environ.get("JAVA_HOME")
on_spark = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None or not has_java, reason="needs pyspark and Java"
)
SPLIT = 1 << 20
"""Bytes of a split: so few that small dumps have several."""
PEOPLE = Spec(instance_of=("Q5",), hops=1)
PLACES = Spec(instance_of=("Q486972",), subclasses=True, limit=7)
"""What lies below a class is found by links; a limit takes the first of the dump."""


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield a Spark in this process, with a file system that is not the local one."""
    folder = tmp_path_factory.mktemp("far")
    conf = folder / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(
        f"spark.hadoop.fs.viewfs.mounttable.kg.link./data file://{folder}\nspark.ui.enabled false\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(conf))
        patch.chdir(ROOT)  # where Spark's workers look for modules first
        with cluster.started("local[2]") as session:
            session.conf.set("spark.sql.files.maxPartitionBytes", SPLIT)
            session.far = folder
            yield session


def compared(spark: Any, dumps: list[str], folder: Path, spec: Spec) -> engine.Report:
    """Cut a slice with both engines, compare all, and return the report."""
    here, there = folder / "local.nt", folder / "spark.nt"
    one = cut(dumps, here, spec, max_bad=0.5, force=True)
    other = engine.cut(spark, dumps, str(there), spec, max_bad=0.5, force=True)
    assert there.read_bytes() == here.read_bytes()
    # Of a dump read in splits there is no hash, and what is spooled stays with the executors.
    left = {"files": other.files, "spooled": 0}
    assert dataclasses.asdict(other) == dataclasses.asdict(dataclasses.replace(one, **left))
    rejects = [folder / f"{name}.nt.rejects.tsv" for name in ("local", "spark")]
    assert rejects[0].exists() == rejects[1].exists() == bool(one.bad)
    if one.bad:
        told = [path.read_text().splitlines() for path in rejects]  # of a name and of a URI
        assert [line.split("\t")[1:] for line in told[0]] == [
            line.split("\t")[1:] for line in told[1]
        ]
    return other


def doubled(lines: bytes) -> bytes:
    """Return text as a file of two bz2 streams, of many blocks: one can begin at each."""
    half = len(lines) // 2
    return bz2.compress(lines[:half], 1) + bz2.compress(lines[half:], 1)


PACKED = {
    "dump.nt": bytes,
    "dump.nt.bz2": doubled,
    "dump.nt.gz": gzip.compress,
    "dump [1].nt.zst": zstd.compress,  # which would be a wildcard
    "dump.txt": gzip.compress,  # names lie
}


@pytest.mark.extras
@on_spark
@pytest.mark.parametrize("name", PACKED)
def test_the_same_slice_of_any_file(spark: Any, tmp_path: Path, name: str) -> None:
    text = SAMPLE.read_bytes()
    (tmp_path / name).write_bytes(PACKED[name](text))
    report = compared(spark, [str(tmp_path / name)], tmp_path, PLACES)
    assert (report.lines, report.chosen) == (text.count(b"\n"), 7)


@pytest.mark.extras
@on_spark
def test_all_of_the_real_items_in_many_splits(spark: Any, tmp_path: Path) -> None:
    dump = gzip.decompress(data("kg/wikidata-99.truthy.nt.gz").read_bytes())
    (tmp_path / "99.nt").write_bytes(dump)
    spark.conf.set("spark.sql.files.maxPartitionBytes", 200_000)  # so tasks unite sets first
    wanted = make_spec({"lang": ["en", "de"], "property": "all"})
    compared(spark, [str(tmp_path / "99.nt")], tmp_path, wanted)
    spark.conf.set("spark.sql.files.maxPartitionBytes", SPLIT)
    # As test_fetch.py has it for an endpoint and for single items.
    fingerprints = set()
    for way in (tmp_path / "99.nt", tmp_path / "spark.nt"):
        load([str(way)], tmp_path / "kg", Filter())
        fingerprints.add(manifest.read(tmp_path / "kg").fingerprint)
    assert len(fingerprints) == 1


@pytest.mark.extras
@on_spark
def test_a_json_dump_in_splits(spark: Any, tmp_path: Path) -> None:
    dump = gzip.decompress(data("kg/wikidata-99.json.gz").read_bytes())
    (tmp_path / "99.json").write_bytes(dump)
    report = compared(spark, [str(tmp_path / "99.json")], tmp_path, Spec())
    assert report.entities == 99


@pytest.mark.extras
@on_spark
def test_the_real_slice(spark: Any, tmp_path: Path) -> None:
    films = Spec(instance_of=("Q11424",), subclasses=True)
    compared(spark, [str(data("kg/real-slice.nt.gz"))], tmp_path, films)


@pytest.mark.extras
@on_spark
def test_odd_lines_of_several_dumps(spark: Any, tmp_path: Path) -> None:
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    label = lines[0].split(b" ")[0] + b" <http://www.w3.org/2000/01/rdf-schema#label> "
    odd = [
        *(b"junk\n", b"\n", b"# a comment\n", b"   \n"),
        label + b'"no UTF-8 \xff"@en .\n',
        label + b'"a carriage\rreturn"@en .\n',
        label + b'"too long' + b"x" * (1 << 20) + b'"@en .\n',
        label + b'"a line end of Windows"@en .\r\n',
    ]
    lines[100:100] = odd
    (tmp_path / "a.nt").write_bytes(b"\xef\xbb\xbf" + b"".join(lines))
    (tmp_path / "b.nt").write_bytes(b"".join(lines[:300]) + label + b'"no line end"@en .')
    dumps = [str(tmp_path / name) for name in ("a.nt", "b.nt")]
    (tmp_path / "items").write_text("Q42\nQ999999\n")
    report = compared(spark, [dumps[1]], tmp_path, Spec(items=str(tmp_path / "items")))
    assert (report.bad, report.absent) == (4, ("Q999999",))
    report = engine.cut(spark, dumps, str(tmp_path / "both.nt.gz"), Spec(sample=0.5, seed=7))
    assert (report.bad, len(report.files)) == (8, 2)
    assert cut(dumps, tmp_path / "both.nt", Spec(sample=0.5, seed=7)).kept == report.kept
    packed = gzip.decompress((tmp_path / "both.nt.gz").read_bytes())
    assert packed == (tmp_path / "both.nt").read_bytes()


@pytest.mark.extras
@on_spark
def test_paths_that_only_spark_knows(spark: Any, tmp_path: Path) -> None:
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    (spark.far / "dumps").mkdir()
    (spark.far / "dumps" / "1.nt").write_bytes(b"".join(lines[:4000]))
    (spark.far / "dumps" / "2.nt").write_bytes(b"".join(lines[4000:]) + b"junk\n")
    out = "viewfs://kg/data/slices/out.nt.zst"
    report = engine.cut(spark, ["viewfs://kg/data/dumps"], out, PEOPLE)
    cut([str(SAMPLE)], tmp_path / "out.nt", PEOPLE)
    made = spark.far / "slices" / "out.nt.zst"
    assert zstd.decompress(made.read_bytes()) == (tmp_path / "out.nt").read_bytes()
    names = {path.name for path in made.parent.iterdir()}
    # What lies behind the other file system is a local one, which keeps its sums.
    assert {name for name in names if not name.endswith(".crc")} == {
        *("out.nt.zst", "out.nt.zst.report.json", "out.nt.zst.rejects.tsv")
    }
    with pytest.raises(OutputExistsError):
        engine.cut(spark, ["viewfs://kg/data/dumps"], out, PEOPLE)
    again = engine.cut(spark, ["viewfs://kg/data/dumps/*.nt"], out, PEOPLE, force=True)
    assert again == report


@pytest.mark.extras
@on_spark
@pytest.mark.parametrize("is_far", [False, True])
def test_a_folder_of_parts(spark: Any, tmp_path: Path, is_far: bool) -> None:
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    home = spark.far / f"{tmp_path.name}" if is_far else tmp_path
    home.mkdir(exist_ok=True)
    start = f"viewfs://kg/data/{tmp_path.name}" if is_far else str(tmp_path)
    (home / "1.nt").write_bytes(b"".join(lines[:9000]))
    (home / "2.nt").write_bytes(b"".join(lines[9000:]) + b"junk\n")
    dumps = [f"{start}/1.nt", f"{start}/2.nt"]
    report = engine.cut(spark, dumps, f"{start}/out/", PEOPLE)
    cut([str(SAMPLE)], tmp_path / "whole.nt", PEOPLE)
    parts = list(part_folders.files(str(home / "out")))
    assert len(parts) > 1
    text = b"".join(gzip.decompress(Path(part).read_bytes()) for part in parts)
    assert text == (tmp_path / "whole.nt").read_bytes()
    assert report.bytes == sum(Path(part).stat().st_size for part in parts)
    names = {path.name for path in home.iterdir() if not path.name.endswith(".crc")}
    assert names - {"whole.nt", "whole.nt.report.json"} == {
        *("1.nt", "2.nt", "out", "out.report.json", "out.rejects.tsv")
    }
    # Spark reads the parts in the same order, and refuses an incomplete folder.
    engine.cut(spark, [f"{start}/out"], f"{start}/again.nt", PEOPLE)
    assert (home / "again.nt").read_bytes() == text
    with pytest.raises(OutputExistsError):
        engine.cut(spark, dumps, f"{start}/out/", PEOPLE, force=True)
    Path(parts[-1]).unlink()
    with pytest.raises(UnreadableDumpError, match="is missing"):
        engine.cut(spark, [f"{start}/out"], f"{start}/more.nt", PEOPLE)


def _damaged() -> bytes:
    archive = bytearray(bz2.compress(SAMPLE.read_bytes()))
    archive[len(archive) // 2] ^= 255
    return bytes(archive)


FAULTS: dict[str, tuple[Callable[[], bytes] | None, str]] = {
    # The content of each dump, and what is told of it.
    "nowhere.nt": (None, "Cannot read"),
    "empty.nt": (lambda: b"", "is empty"),
    "page.nt": (lambda: b"page\n" * 20, "JSON dump: line"),
    "many.nt": (lambda: SAMPLE.read_bytes() + b"x\n" * 200, "lines are bad"),
    "short.nt.gz": (
        lambda: gzip.compress(SAMPLE.read_bytes())[:-9],
        "is cut short or damaged after",
    ),
    "short.nt.bz2": (lambda: bz2.compress(SAMPLE.read_bytes())[:-9], "is cut short: "),
    "damaged.nt.bz2": (_damaged, "Spark gave up"),
    "cut.nt": (lambda: SAMPLE.read_bytes()[:-9], "is cut short: "),
    "comments.nt": (lambda: b"# nothing\n" * 9, "is kept"),
    "people.nt": (SAMPLE.read_bytes, "None of the selected items"),
}


@pytest.mark.extras
@on_spark
@pytest.mark.parametrize("name", FAULTS)
def test_dumps_at_fault(spark: Any, tmp_path: Path, name: str) -> None:
    content, error = FAULTS[name]
    if content is not None:
        (tmp_path / name).write_bytes(content())
    (tmp_path / "out.nt").write_text("before")
    spec = Spec(instance_of=("Q999999",)) if name == "people.nt" else Spec()
    with pytest.raises(KgbuildError, match=error):
        engine.cut(spark, [str(tmp_path / name)], str(tmp_path / "out.nt"), spec, force=True)
    assert (tmp_path / "out.nt").read_text() == "before"
    left = {path.name for path in tmp_path.iterdir()} - {name, "out.nt"}
    assert left == ({"out.nt.rejects.tsv"} if name == "many.nt" else set())


@pytest.mark.extras
@on_spark
def test_an_output_that_cannot_be(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as error:
        engine.cut(spark, [str(SAMPLE)], "nothing://host/out.nt", Spec())
    assert 'No FileSystem for scheme "nothing"' in error.value.detail
    (tmp_path / "out.nt").write_text("before")
    with pytest.raises(OutputExistsError):
        engine.cut(spark, [str(SAMPLE)], str(tmp_path / "out.nt"), Spec())


CLUSTER = """
import sys
from kgbuild.slice.spark import cluster, engine
from kgbuild.store import manifest
from kgbuild.files import part_folders
from kgbuild.dump.filter import Filter
from kgbuild.store.load import load
from kgbuild.slice.spec import Spec, make_spec

with cluster.started("local-cluster[2,1,1024]") as session:
    session.conf.set("spark.sql.files.maxPartitionBytes", 1 << 18)
    print("started", flush=True)
    engine.cut(session, sys.argv[1:2], sys.argv[2], Spec())
"""


@pytest.mark.extras
@on_spark
def test_two_executors_of_which_one_is_killed(tmp_path: Path) -> None:
    # As a process, since only one Spark fits into each.
    command = [sys.executable, "-c", CLUSTER, str(SAMPLE), str(tmp_path / "spark.nt")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "started\n"
        working: list[int] = []
        while process.poll() is None and not working:
            executors = descendants(process.pid, "CoarseGrainedExecutorBackend")
            # One that has begun with the first tasks, while the other one is there to go on.
            working = [one for one in executors if descendants(one, "pyspark.daemon")]
            time.sleep(0.1)
        assert len(executors) == 2
        os.kill(working[0], signal.SIGKILL)
    assert process.returncode == 0
    cut([str(SAMPLE)], tmp_path / "local.nt", Spec())
    assert (tmp_path / "spark.nt").read_bytes() == (tmp_path / "local.nt").read_bytes()


ALONE = """
import sys
from kgbuild.errors import KgbuildError
from kgbuild.slice.spark import cluster

cluster._EXECUTOR_TIMEOUT = 1
try:
    with cluster.started(sys.argv[1]):
        pass
except KgbuildError as error:
    print(error)
"""


def descendants(pid: int, called: str) -> list[int]:
    """Return the processes below one whose command has some word."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], capture_output=True, text=True)
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    below = {pid}
    while more := {int(row[0]) for row in rows if int(row[1]) in below} - below:
        below |= more
    return [int(row[0]) for row in rows if int(row[0]) in below and called in row[2]]


@pytest.mark.extras
@on_spark
def test_the_command_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text('instance-of = ["Q5"]\n')
    said = []
    for options in ([], ["--engine", "spark", "--master", "local[2]"]):
        arguments = [str(SAMPLE), "-o", "out.nt", "--spec", "spec.toml", "--force", *options]
        command = [sys.executable, "-m", "kgbuild", "slice", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        said.append((done.returncode, done.stdout, done.stderr))
    assert said[0] == said[1]
    assert said[0][0] == 0


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(KgbuildError) as error, cluster.started("local[2]"):
        pass
    assert "needs pyspark, " in str(error.value) and "kgbuild[spark]" in str(error.value)


@pytest.mark.extras
@with_pyspark
@pytest.mark.parametrize(("version", "found"), [("1.8.0_402", "1.8.0_402"), (None, "")])
def test_a_java_that_is_too_old_or_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str | None, found: str
) -> None:
    (tmp_path / "bin").mkdir()
    if version:
        java = tmp_path / "bin" / "java"
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with (
        pytest.raises(KgbuildError, match="Spark needs Java") as error,
        cluster.started("local[2]"),
    ):
        pass
    assert found in str(error.value)


@pytest.mark.extras
@on_spark
@pytest.mark.parametrize(
    ("master", "said"),
    [
        ("spark://127.0.0.1:1", "Connection refused"),
        ("spark://127.0.0.1", "HOST:PORT"),
        ("spark://127.0.0.1:1,127.0.0.1:2", "Connection refused"),
    ],
)
def test_a_master_that_is_not_there(master: str, said: str) -> None:
    with pytest.raises(KgbuildError, match="No Spark at ") as error, cluster.started(master):
        pass
    assert said in str(error.value)


@pytest.mark.extras
@on_spark
def test_a_master_without_workers() -> None:
    # As processes, since only one Spark fits into each.
    home = Path(importlib.import_module("pyspark").__file__ or "").parent
    command = [home / "bin" / "spark-class", "org.apache.spark.deploy.master.Master"]
    port = free_port()
    options = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    with subprocess.Popen([*command, *options], stderr=subprocess.DEVNULL) as master:
        try:
            wait_for(port)
            asked = [sys.executable, "-c", ALONE, f"spark://127.0.0.1:{port}"]
            done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
        finally:
            master.kill()
    assert ": no worker provided an executor in 1 s. " in done.stdout, done.stderr
