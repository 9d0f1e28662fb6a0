"""Cut the power during loads, builds, releases and slices, and look at what the disk holds.

Each command runs once, under strace. Then the disk is made anew, as it can be after a power cut
before any of the recorded operations. A store, database, release or slice must have its old or its
new content; after the last operation, the new one. The same command must work again, and leave the
files of a run without a cut.
"""

import argparse
import contextlib
import hashlib
import itertools
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from click.testing import CliRunner

from benchmarks import measure
from benchmarks.measure import put
from benchmarks.truth.disk_model import Loss, Recording
from benchmarks.truth.disk_trace import record
from kgbuild.cli import cli
from kgbuild.dump.sample import sample
from kgbuild.errors import KgbuildError, NoDatasetsError, NoStoreError
from kgbuild.export.atomic_folder import SUMS, sums
from kgbuild.files.atomic_files import report_beside
from kgbuild.graph.open import open_store
from kgbuild.store import manifest
from kgbuild.store.postings import open_postings
from kgbuild.tables.database import Database

START, END = "<!-- measured: power cuts -->", "<!-- end: power cuts -->"
NOTHING = "nothing"
"""The content of a folder without a store, database, release or slice."""
_STORE, _DATABASE = Path("data/kg"), Path("data/datasets.duckdb")
_NAME = "Canada"
"""The name of an item that all stores have."""
_RELEASE, _SLICE = Path("release/syn-qa"), Path("slices/people.nt.gz")
_ROWS = (
    "FROM syn_qa_pairs ORDER BY rowid",
    "FROM rejections ORDER BY rowid",
    "SELECT dataset, relation, seed, rows, rejected FROM builds ORDER BY rowid",
)
"""SQL of all that a build writes, without times."""


class DamageError(Exception):
    """A power cut lost or damaged something."""


@dataclass(frozen=True)
class Scenario:
    """A command of kgbuild that the power cut interrupts, after earlier commands.

    ``content`` returns a text that tells the content of the output from any other, or NOTHING.
    ``again`` are options for the next run, which replaces what is there.
    """

    title: str
    earlier: Sequence[Sequence[str]]
    command: Sequence[str]
    content: Callable[[Path], str]
    again: Sequence[str] = ()


def _load(dump: Path) -> tuple[str, ...]:
    return "load", str(dump), "--store", str(_STORE)


def scenarios(folder: Path) -> dict[str, Scenario]:
    """Return all scenarios by name; ``folder`` gets a small dump."""
    small, large = folder / "small.nt", sample()
    lines = large.read_bytes().splitlines(keepends=True)
    small.write_bytes(b"".join(lines[: len(lines) // 4]))
    first, second = (
        ("syn-qa", "--relations", relations, "--store", str(_STORE), "--db", str(_DATABASE))
        for relations in ("P26", "P26,P40")
    )
    export = ("export", "syn-qa", "-o", str(_RELEASE), "--db", str(_DATABASE))
    cut = ("slice", str(large), "-o", str(_SLICE), "--instance-of", "Q5")
    return {
        "load": Scenario("first load", [], _load(large), store_content),
        "reload": Scenario("load over a store", [_load(small)], _load(large), store_content),
        "build": Scenario("first build", [_load(large)], first, database_content),
        "rebuild": Scenario(
            "build into a database", [_load(large), first], second, database_content
        ),
        "export": Scenario("release", [_load(large), first], export, release_content),
        "slice": Scenario("first slice", [], cut, slice_content, ["--force"]),
        "reslice": Scenario(
            "slice over a slice", [(*cut, "--limit", "5")], (*cut, "--force"), slice_content
        ),
    }


def store_content(folder: Path) -> str:
    """Return the content of a store; check that all its parts can be read and belong together."""
    digest = hashlib.sha256()
    try:
        with open_store(folder / _STORE) as store:
            fingerprint = store.manifest.fingerprint
            open_postings(store.folder / manifest.POSTINGS, fingerprint)
            list(store.lookup(_NAME))
            lines: list[bytes] = []
            store.graph.lines(lines.extend)
            if len(lines) != store.manifest.triples:
                raise DamageError(f"{len(lines)} triples instead of {store.manifest.triples}")
            for line in sorted(lines):
                digest.update(line)
            for name in (manifest.NAMES, manifest.POSTINGS):
                digest.update((store.folder / name).read_bytes())
    except NoStoreError:
        return NOTHING
    return f"{fingerprint} {digest.hexdigest()}"


def database_content(folder: Path) -> str:
    """Return the rows of a database."""
    try:
        with Database(folder / _DATABASE) as db:
            rows = [db.sql(query).rows for query in _ROWS]
    except NoDatasetsError:
        return NOTHING
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def release_content(folder: Path) -> str:
    """Return the hashes of a release; check that its files have them."""
    release = folder / _RELEASE
    if not release.exists():
        return NOTHING
    listed = (release / SUMS).read_text(encoding="utf-8")
    real = "".join(f"{hash_}  {name}\n" for name, hash_ in sums(release).items() if name != SUMS)
    if listed != real:
        raise DamageError("the files of the release do not have their hashes")
    return listed


def slice_content(folder: Path) -> str:
    """Return the hash of a slice; check that the report is about this slice, if there is one."""
    out = folder / _SLICE
    if not out.exists():
        return NOTHING
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    report = report_beside(out)
    if report.exists() and f'"{digest}"' not in report.read_text(encoding="utf-8"):
        raise DamageError("the report is about another slice")
    return digest


def files(folder: Path) -> list[str]:
    """Return the paths of all files and folders, without numbers that change with each run."""
    paths = (path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    numbered = (re.sub(r"generation-\d+", "generation-N", path) for path in paths)
    return sorted({re.sub(r"/graph/.*", "/graph", path) for path in numbered})


def run(folder: Path, arguments: Sequence[str]) -> int:
    """Run a command of kgbuild in a folder, and return its exit code."""
    with contextlib.chdir(folder):
        result = CliRunner().invoke(cli, arguments, prog_name="kgbuild")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code


@dataclass(frozen=True)
class Experiment:
    """A recorded scenario: the contents before and after, and the files after it."""

    scenario: Scenario
    recording: Recording
    old: str
    new: str
    files: Sequence[str]

    def cuts(self, random: Random) -> list[tuple[int, Loss]]:
        """Return all moments and losses in random order; the first are at the end of the run."""
        end = len(self.recording.operations)
        cuts = list(itertools.product(range(end), Loss))
        random.shuffle(cuts)
        return [*((end, loss) for loss in Loss), *cuts]

    def check(self, moment: int, loss: Loss, random: Random) -> str:
        """Cut the power, check the disk and run the command again; return "old" or "new".

        Raises:
            DamageError: something is lost or damaged.
        """
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.recording.after_cut(moment, loss, random).write(folder)
            try:
                content = self.scenario.content(folder)
                if content not in (self.old, self.new):
                    raise DamageError("the content is neither the old nor the new one")
                if content == self.old and moment == len(self.recording.operations):
                    raise DamageError("the command ended, but its result is lost")
                code = run(folder, [*self.scenario.command, *self.scenario.again])
                if code and content != self.new:  # a release is not replaced
                    raise DamageError(f"the next run ends with {code}")
                if self.scenario.content(folder) != self.new:
                    raise DamageError("the next run has another result")
            except (KgbuildError, OSError) as error:
                raise DamageError(str(error)) from error
            if leftovers := set(self.files) ^ set(files(folder)):
                raise DamageError(f"the next run leaves or lacks {sorted(leftovers)}")
        return "old" if content == self.old else "new"


def experiment(scenario: Scenario, folder: Path) -> Experiment:
    """Record a scenario in an empty folder."""
    for command in scenario.earlier:
        if code := run(folder, command):
            raise RuntimeError(f"{command} ends with {code}")
    old = scenario.content(folder)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "kgbuild", *scenario.command]
    recording = record(command, folder, environment)
    return Experiment(scenario, recording, old, scenario.content(folder), files(folder))


def _rows(names: Sequence[str], cuts: int, seed: int) -> Iterator[tuple[str, int, Counter[str]]]:
    """Yield the title of each scenario, its operations, and how many cuts had which result."""
    for name in names:
        with tempfile.TemporaryDirectory() as work:
            scenario = scenarios(Path(work))[name]
            (folder := Path(work, "disk")).mkdir()
            recorded, random = experiment(scenario, folder), Random(seed)
            results: Counter[str] = Counter()
            for moment, loss in recorded.cuts(random)[:cuts]:
                try:
                    results[recorded.check(moment, loss, random)] += 1
                except DamageError as error:
                    results["damaged"] += 1
                    measure.tell(f"{name}, before operation {moment}, lost: {loss.value}: {error}")
            yield scenario.title, len(recorded.recording.operations), results


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.truth.power_cuts", description=__doc__
    )
    names = ["load", "reload", "build", "rebuild", "export", "slice", "reslice"]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all")
    parser.add_argument("--cuts", type=int, default=100, help="number of cuts of each command")
    parser.add_argument("--seed", type=int, default=0, help="seed of the moments and losses")
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    options = parser.parse_args(arguments)
    lines = ["| command | operations | cuts | old | new | damaged |", "| --- |" + " --: |" * 5]
    for title, operations, results in _rows(options.names or names, options.cuts, options.seed):
        counts = " | ".join(f"{results[key]:,}" for key in ("old", "new", "damaged"))
        lines.append(f"| {title} | {operations:,} | {results.total():,} | {counts} |")
    text = "\n".join(lines)
    print(text)
    if options.output:
        put(options.output, text, START, END)


if __name__ == "__main__":
    main()
