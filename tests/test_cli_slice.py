"""The command that cuts slices, as users call it: what it says, and with which exit code."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from tests.conftest import SAMPLE, invoke
from tests.http_servers import Handler, running


def run(folder: Path, *arguments: str, input: str = "") -> subprocess.CompletedProcess[str]:  # noqa: A002
    """Run a command in a folder; in a process of its own if it reads standard input."""
    if "-" not in arguments:
        return invoke(folder, *arguments)
    command = [sys.executable, "-m", "kgbuild", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, input=input)


def test_failures(tmp_path):
    (tmp_path / "empty.nt").write_text("")
    done = run(tmp_path, "slice", "empty.nt", "-o", "x.nt")
    assert done.returncode == 1
    assert done.stderr == "Error: empty.nt is empty; what was there before is unchanged.\n"
    done = run(tmp_path, "slice", str(SAMPLE), "-o", "x.nt", "--instance-of", "Q999999")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: None of the selected items is in ")
    (tmp_path / "items.txt").write_text("Q999998\nQ42\nQ999999\n")
    done = run(tmp_path, "slice", str(SAMPLE), "-o", "x.nt", "--items", "items.txt")
    assert "  2 items of items.txt are missing: Q999998, Q999999.\n" in done.stderr
    (tmp_path / "items.txt").write_text("Q999999\n")
    done = run(tmp_path, "slice", str(SAMPLE), "-o", "y.nt", "--items", "items.txt")
    assert done.returncode == 1
    assert " Missing: Q999999. " in done.stderr
    done = run(tmp_path, "slice", "ftp://x/y", "-o", "y.nt")
    assert done.stderr == (
        "Error: Cannot read ftp://x/y: the URL must begin with http:// or https://.\n"
    )
    done = run(tmp_path, "slice", str(SAMPLE), "-o", "y.nt", "--dry-run")
    assert done.stderr == "Estimated from all of the dumps.\n"
    assert "temporary_mb" in done.stdout
    done = run(tmp_path, "slice", str(SAMPLE), "-o", "x.nt", "--dry-run")
    assert done.stderr.startswith("x.nt exists already")
    (tmp_path / "folder.nt").mkdir()
    done = run(tmp_path, "slice", str(SAMPLE), "-o", "folder.nt", "--force")
    assert "folder.nt is a folder" in done.stderr


def test_how_to_load_all_of_a_slice(tmp_path):
    options = ("--lang", "en,fr", "--datatype", "item,string", "--property", "all")
    done = run(tmp_path, "slice", str(SAMPLE), "-o", "a b.nt", *options)
    assert done.stderr.endswith("Load it with:\n  kgbuild load 'a b.nt' --lang en,fr --all\n")
    kept = (tmp_path / "a b.nt").read_text().count("\n")
    done = run(tmp_path, "load", "a b.nt", "--lang", "en,fr", "--all", "--store", "kg")
    assert done.stderr.startswith(f"{kept:,} triples")


def test_two_slices_of_one_stem_do_not_meet(tmp_path):
    (tmp_path / "bad.nt").write_text(SAMPLE.read_text() + "junk\n")
    assert run(tmp_path, "slice", "bad.nt", "-o", "y.nt").returncode == 0
    before = (tmp_path / "y.nt.rejects.tsv").read_text()
    assert run(tmp_path, "slice", str(SAMPLE), "-o", "y.nt.gz").returncode == 0
    assert (tmp_path / "y.nt.rejects.tsv").read_text() == before
    assert json.loads((tmp_path / "y.nt.report.json").read_text())["bad"] == 1
    assert json.loads((tmp_path / "y.nt.gz.report.json").read_text())["bad"] == 0


def test_an_estimate(tmp_path):
    call = ("slice", str(SAMPLE), "-o", "x.nt.gz", "--instance-of", "Q5")
    done = run(tmp_path, *call, "--dry-run", "--json")
    cutting, loading = json.loads(done.stdout)
    assert (cutting["job"], loading["job"]) == ("slice", "load")
    assert cutting["lines"] == len(SAMPLE.read_text().splitlines())  # so small, it is read whole
    run(tmp_path, *call)
    report = json.loads((tmp_path / "x.nt.gz.report.json").read_text())
    assert cutting["triples"] == loading["lines"] == report["kept"]
    assert cutting["disk_mb"] == round(report["bytes"] / 1e6, 1)
    assert {path.name for path in tmp_path.iterdir()} == {"x.nt.gz", "x.nt.gz.report.json"}


def test_an_estimate_of_a_load(tmp_path):
    done = run(tmp_path, "load", str(SAMPLE), "--store", "kg", "--dry-run", "--json")
    (loading,) = json.loads(done.stdout)
    run(tmp_path, "load", str(SAMPLE), "--store", "kg")
    assert loading["triples"] == json.loads((tmp_path / "kg/manifest.json").read_text())["triples"]


class Files(Handler, SimpleHTTPRequestHandler):
    """Serves files."""

    respond = SimpleHTTPRequestHandler.do_GET


@pytest.fixture
def served() -> Iterator[str]:
    """Return the address of a server of the sample's folder."""
    with running(partial(Files, directory=str(SAMPLE.parent)), str) as address:
        yield address


def test_a_url(tmp_path, served):
    done = run(tmp_path, "slice", f"{served}/sample.nt", "-o", "x.nt")
    assert done.returncode == 0, done.stderr
    run(tmp_path, "slice", str(SAMPLE), "-o", "y.nt")
    assert (tmp_path / "x.nt").read_bytes() == (tmp_path / "y.nt").read_bytes()
    done = run(tmp_path, "load", f"{served}/sample.nt", "--store", "kg")
    assert done.returncode == 0, done.stderr
    done = run(tmp_path, "slice", f"{served}/nothing.nt", "-o", "z.nt")
    assert done.returncode == 2
    assert done.stderr == f"Error: Cannot read {served}/nothing.nt: HTTP 404 File not found.\n"


def test_a_spec_in_a_file_standard_input_and_force(tmp_path):
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "some.toml").write_text('items = "some.txt"\nlang = "de"\nhops = 1\n')
    (tmp_path / "specs" / "some.txt").write_text("Q42  # beside the spec\n")
    text = SAMPLE.read_text()
    call = ["slice", "-", "-o", "x.nt.gz", "--spec", "specs/some.toml"]
    done = run(tmp_path, *call, "--lang", "en,fr", "--lang", "it", input=text)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    report = json.loads((tmp_path / "x.nt.gz.report.json").read_text())
    assert report["spec"]["lang"] == ["en", "fr", "it"]
    assert report["spec"]["items"] == "specs/some.txt"
    assert report["spec"]["hops"] == 1
    assert report["files"][0]["name"] == "standard input"
    assert report["lines"] == text.count("\n")
    kept = gzip.decompress((tmp_path / "x.nt.gz").read_bytes())
    assert done.stderr.startswith(
        f"{report['kept']:,} of {report['lines']:,} lines are in x.nt.gz "
        f"({report['bytes'] / 1e6:,.1f} MB): {report['items']:,} items, {report['chosen']:,} of"
    )
    for reason, count in report["dropped"].items():
        assert f"  dropped {count:>12,}  " in done.stderr, reason
    assert done.stderr.endswith(
        "  More in x.nt.gz.report.json. Load it with:\n  kgbuild load x.nt.gz --lang en,fr,it\n"
    )

    again = run(tmp_path, *call, input=text)
    assert again.returncode == 2
    assert gzip.decompress((tmp_path / "x.nt.gz").read_bytes()) == kept
    again = run(tmp_path, *call, "--force", input=text)
    assert again.returncode == 0
    assert gzip.decompress((tmp_path / "x.nt.gz").read_bytes()) != kept  # in German now
    assert {path.name for path in tmp_path.iterdir()} == {"specs", "x.nt.gz", "x.nt.gz.report.json"}
