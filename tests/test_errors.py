"""What all errors have: a sentence, an exit code, and a way through a process's pipe."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from kgbuild import errors
from kgbuild.errors import KgbuildError, WrongCallError

AT = Path("place")
ERRORS: list[tuple[KgbuildError, int, str]] = [
    (KgbuildError("It\n  failed."), 1, "It failed."),
    (WrongCallError("No such thing."), 2, "No such thing."),
    (errors.out_of_memory("x does not fit"), 1, "too little memory: x does not fit. What"),
    (errors.no_native_code("no compiler"), 1, "cannot be compiled: no compiler. If"),
    (errors.missing_extra("llm", "aiohttp"), 1, "pip install 'kgbuild[llm]'."),
    (errors.NoModelError("nothing", ""), 2, "There is no model 'nothing' on this machine. "),
    (errors.NoModelError("nothing", "no tokenizer"), 2, "used as a model: no tokenizer."),
    (errors.port_taken(8765, "in use"), 1, "port 8765: in use. Name another"),
    (errors.UnreadableDumpError("a.nt", "Permission denied"), 2, "read a.nt: Permission denied."),
    (errors.DumpError("http://h/a.nt", "no answer"), 1, "read http://h/a.nt: no answer."),
    (errors.CorruptArchiveError("a.gz", 12345, "x"), 1, "damaged after line 12,345: x. Fetch"),
    (errors.CorruptArchiveError("a.gz", 0, "x", False), 1, "a.gz begins like a compressed file, "),
    (errors.NothingKeptError("Nothing is kept."), 1, "Nothing is kept."),
    (errors.SpecError("sample", "is no number"), 2, "'sample' is no number."),
    (errors.SpecError("smaple", "is no key: sample?"), 2, "'smaple' is no key: sample?"),
    (errors.OutputExistsError(AT, False), 2, "place exists already. Replace it with --force"),
    (errors.OutputExistsError("/", True), 2, "/ is a folder, which is not replaced."),
    (errors.OutputBusyError(AT), 1, "Another process is writing place."),
    (errors.WriteError(AT, "Disk full"), 1, "write place: Disk full. What was there before is"),
    (errors.NoStoreError("No store."), 2, "No store."),
    (errors.DamagedStoreError(AT, "it is missing"), 1, "place: it is missing. Load the dump again"),
    (errors.slow_query(1200), 1, "more than 1,200 s. Raise --timeout."),
    (errors.MalformedIdError("Curie", "item"), 2, "'Curie' is not the id of an item, such as Q42"),
    (errors.MalformedIdError("x", "property"), 2, "'x' is not the id of a property, such as P26"),
    (errors.RelationsFileError("a.toml", "P26", "no label"), 2, "a.toml: P26: no label."),
    (errors.wrong_dataset("capitals", "it has no rows"), 2, "capitals is wrong: it has no rows."),
    (errors.unknown_choice("a", "option", "b", []), 2, "a has no option 'b', only: none."),
    (errors.unknown_choice("a", "field", "b", ["c", "d"]), 2, "field 'b', only: c, d."),
    (errors.NothingBuiltError("Nothing was built.", None), 1, "Nothing was built."),
    (errors.NoDatasetsError(AT), 2, "No datasets at place. Build some"),
    (errors.NoDatasetsError(AT, is_file=True), 2, "place is not a DuckDB database. Name the"),
    (errors.DatabaseBusyError(AT, "python (PID 7)"), 1, "place is held by python (PID 7). While"),
    (errors.DamagedDatabaseError(AT, "no database"), 1, "used as a database: no database"),
    (errors.foreign_tables(AT, "no table x"), 1, "this version of kgbuild: no table x. Name"),
    (errors.SqlError("Parser Error\n\nLINE 1:\tSE\x1b"), 2, "Error\n\nLINE 1: SE\ufffd"),
    (errors.UnknownTableError("place has no table x."), 2, "place has no table x."),
    (errors.TableFileError(AT, "it has no answers"), 2, "Cannot read place: it has no answers."),
]


def subclasses(base: type[KgbuildError]) -> set[type[KgbuildError]]:
    return {base}.union(*map(subclasses, base.__subclasses__()))


@pytest.mark.parametrize(("error", "exit_code", "part"), ERRORS, ids=repr)
def test_an_error_has_a_sentence_and_an_exit_code(
    error: KgbuildError, exit_code: int, part: str
) -> None:
    assert part in str(error) and error.exit_code == exit_code


def test_every_class_of_errors_is_tested_here() -> None:
    assert {type(error) for error, _, _ in ERRORS} == subclasses(KgbuildError)


@pytest.mark.parametrize("error", [error for error, _, _ in ERRORS], ids=repr)
def test_an_error_comes_whole_out_of_another_process(error: KgbuildError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), vars(copy), str(copy)) == (type(error), vars(error), str(error))


def test_a_hostile_text_does_not_control_the_terminal() -> None:
    shown = str(errors.MalformedIdError("Evil\x1b]0;x\x07 na\nme\u202e" + "x" * 99, "item"))
    assert shown.startswith("'Evil\ufffd]0;x\ufffd na me\ufffdxxx")
    assert "x…' is not the id" in shown  # cut after eighty characters


@pytest.mark.parametrize(
    ("count", "listed"), [(0, ""), (5, "1, 2, 3, 4, 5"), (6, "1, 2, 3, 4, 5, and 1 more")]
)
def test_of_many_members_the_first_are_listed(count: int, listed: str) -> None:
    assert errors.list_first([str(n + 1) for n in range(count)]) == listed


def test_reasons_are_described_by_their_number() -> None:
    counts = {"b": 1, "a": 1, "c": 1232}
    described = errors.describe_counts(counts, {"c": "too far"})
    assert described == "1,232 × too far, 1 × a, 1 × b"


def test_errors_rest_on_the_standard_library_only() -> None:
    code = (
        "import sys; import kgbuild.errors\n"
        "print(*(n for n in sys.modules if n.startswith('kgbuild')), 'dataclasses' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["kgbuild", "kgbuild.errors", "False"]
