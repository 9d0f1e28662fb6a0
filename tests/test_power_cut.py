"""What a power cut leaves: the model of the disk, the recorder, and cuts during each command."""

import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.truth import disk_trace, power_cuts
from benchmarks.truth.disk_model import (
    ROOT,
    Loss,
    Names,
    Operation,
    Recording,
    Resize,
    Sync,
    Tree,
    Write,
)
from benchmarks.truth.disk_trace import TraceError, record
from benchmarks.truth.power_cuts import Experiment, experiment, scenarios

FILE, FOLDER = 1, 2
PAGE = b"x" * 4096

needs_strace = pytest.mark.skipif(
    not disk_trace.is_available(), reason="strace is missing, or may not trace processes here"
)


def disk(*operations: Operation, loss: Loss = Loss.ALL, before: bytes | None = None) -> dict:
    """Return the contents by path after a power cut that follows the operations."""
    tree = Tree()
    if before is not None:
        tree.folders[ROOT]["file"] = FILE
        tree.files[FILE] = bytearray(before)
    recording = Recording(tree, operations, frozenset([ROOT, FOLDER]))
    return dict(recording.after_cut(len(operations), loss, Random(0)).paths())


def name(text: str, node: int | None, folder: int = ROOT) -> Names:
    return Names(((folder, text, node),))


def test_a_file_needs_a_sync_of_its_content_and_of_its_name():
    written = [name("file", FILE), Write(FILE, 0, b"text")]
    assert disk(*written) == {}
    assert disk(*written, Sync(FILE, 2)) == {}
    assert disk(*written, Sync(ROOT, 2)) == {"file": b""}
    assert disk(*written, Sync(FILE, 2), Sync(ROOT, 2)) == {"file": b"text"}
    assert disk(*written, Sync(None, 2)) == {"file": b"text"}


def test_a_sync_covers_what_was_written_before_it_began():
    assert disk(Write(FILE, 0, b"a"), Write(FILE, 1, b"b"), Sync(FILE, 1), before=b"") == {
        "file": b"a"
    }


def test_each_loss_keeps_its_part_of_a_rename_of_unsynced_content():
    written = [name("new", 3), Write(3, 0, b"new"), Names(((ROOT, "new", None), (ROOT, "file", 3)))]
    assert disk(*written, before=b"old", loss=Loss.ALL) == {"file": b"old"}
    assert disk(*written, before=b"old", loss=Loss.DATA) == {"file": b""}
    assert disk(*written, before=b"old", loss=Loss.NAMES) == {"file": b"old"}


def test_a_folder_without_its_name_takes_its_files_along():
    written = [name("folder", FOLDER), name("file", FILE, FOLDER), Sync(FOLDER, 2)]
    assert disk(*written) == {}
    assert disk(*written, Sync(ROOT, 3)) == {"folder": None, "folder/file": b""}


def test_a_torn_write_keeps_whole_pages():
    content = disk(Write(FILE, 100, PAGE * 40), before=b"", loss=Loss.SOME)["file"]
    # The first and the last page begin or end in the middle of a page of the disk.
    pages = [content[start : start + 4096] for start in range(0, len(content), 4096)]
    assert {*map(bytes, pages[1:-1])} == {PAGE, bytes(4096)}
    assert disk(Write(FILE, 0, PAGE), Resize(FILE, 10), Sync(FILE, 2), before=b"") == {
        "file": PAGE[:10]
    }


operations = st.lists(
    st.one_of(
        st.builds(Write, st.just(FILE), st.integers(0, 9), st.binary(max_size=9)),
        st.builds(Resize, st.just(FILE), st.integers(0, 9)),
        st.sampled_from(["a", "b"]).map(lambda text: name(text, FILE)),
        st.sampled_from(["a", "b"]).map(lambda text: name(text, None)),
    ),
    max_size=8,
)


@given(operations, st.sampled_from(Loss), st.integers())
def test_nothing_that_was_synced_is_lost(done: list[Operation], loss: Loss, seed: int):
    whole = Tree()
    for operation in done:
        whole.apply(operation)
    recording = Recording(Tree(), [*done, Sync(None, len(done))], frozenset([ROOT]))
    after = recording.after_cut(len(done) + 1, loss, Random(seed))
    assert dict(after.paths()) == dict(whole.paths())


PROGRAM = r"""
import os, shutil, threading
from pathlib import Path
os.makedirs("a <b>/ü\n")
with open("a <b>/ü\n/text", "w+b", buffering=0) as file:
    file.write(b'\0"\\>\xff')
    file.seek(2)
    os.write(os.dup(file.fileno()), b"over")
    os.pwrite(file.fileno(), b"far", 5000)
    os.writev(file.fileno(), [b"one", b"two"])
    os.fsync(file.fileno())
    file.truncate(5001)
with open("before", "ab") as file:
    file.write(b"appended")
shutil.copy("before", "copied")
os.rename("a <b>/ü\n/text", "moved")
os.rename("moved", os.path.abspath("copied"))
def write(n):
    for m in range(50):
        Path(f"{n}-{m}").write_bytes(b"thread" * n)
        os.unlink(f"{n}-{m}") if m % 2 else None
threads = [threading.Thread(target=write, args=(n,)) for n in range(1, 4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
os.mkdir("tree")
Path("tree/leaf").touch()
shutil.rmtree("tree")
if os.fork() == 0:
    Path("child").write_text("of a process")
    os._exit(0)
os.wait()
"""


@needs_strace
def test_the_recorder_sees_all_changes(tmp_path: Path):
    (tmp_path / "before").write_bytes(b"old ")
    recording = record([sys.executable, "-c", PROGRAM], tmp_path)
    # Without a loss, the disk has the files that the program left.
    after = recording.after_cut(len(recording.operations), Loss.ALL, Random(0))
    assert dict(after.paths()) == {"before": b"old "}  # only one file was synced, and no folder
    everything = [*recording.operations, Sync(None, len(recording.operations))]
    whole = Recording(recording.before, everything, recording.folders)
    paths = dict(whole.after_cut(len(everything), Loss.ALL, Random(0)).paths())
    assert paths == dict(Tree.read(tmp_path).paths())
    assert paths["before"] == b"old appended"
    assert paths["copied"][:9] == b'\0"overone'
    assert sum(isinstance(operation, Sync) for operation in recording.operations) == 1


@needs_strace
def test_writes_through_shared_memory_are_an_error(tmp_path: Path):
    (tmp_path / "file").write_bytes(bytes(4096))
    program = "import mmap; file = open('file', 'r+b'); mmap.mmap(file.fileno(), 0)[:1] = b'x'"
    with pytest.raises(TraceError, match="shared memory"):
        record([sys.executable, "-c", program], tmp_path)


@pytest.fixture
def recorded(tmp_path: Path, request: pytest.FixtureRequest) -> Experiment:
    (folder := tmp_path / "disk").mkdir()
    return experiment(scenarios(tmp_path)[request.param], folder)


@needs_strace
@pytest.mark.parametrize(
    "recorded", ["load", "reload", "rebuild", "export", "reslice"], indirect=True
)
def test_a_power_cut_leaves_the_old_or_the_new_content(recorded: Experiment):
    random = Random(1)
    cuts = recorded.cuts(random)
    assert recorded.old != recorded.new
    assert recorded.check(*cuts[0], random) == "new"  # everything unsynced is lost at the end
    for cut in cuts[len(Loss) :][:2]:
        recorded.check(*cut, random)


@needs_strace
def test_a_load_that_syncs_nothing_fails(tmp_path: Path):
    """The cuts find what they are for: without its syncs, a load loses the store."""
    (folder := tmp_path / "disk").mkdir()
    whole = experiment(scenarios(tmp_path)["reload"], folder)
    operations = [item for item in whole.recording.operations if not isinstance(item, Sync)]
    recording = Recording(whole.recording.before, operations, whole.recording.folders)
    careless = Experiment(whole.scenario, recording, whole.old, whole.new, whole.files)
    with pytest.raises(power_cuts.DamageError):
        careless.check(len(operations), Loss.DATA, Random(0))
    with pytest.raises(power_cuts.DamageError, match="its result is lost"):
        careless.check(len(operations), Loss.ALL, Random(0))
