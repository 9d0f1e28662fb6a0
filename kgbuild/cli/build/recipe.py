"""The commands ``build``, which runs a recipe, and ``recipe``, which writes one.

A recipe is a TOML file. An entry of one of its tables has the options of a command: ``[[build]]``
those of the command of its ``dataset``, ``[[release]]`` those of ``export``, and ``[[ask]]``,
``[[score]]`` and ``[report]`` those of ``ask``, ``score`` and ``report``. So all checks of values
are those of the commands.
"""

import contextlib
import difflib
import hashlib
import itertools
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from kgbuild import __version__, datasets
from kgbuild.cli import OWN_FILE, environment, options, output
from kgbuild.dump.filter import Filter
from kgbuild.errors import KgbuildError, list_first, shorten
from kgbuild.export import atomic_folder
from kgbuild.export.provenance import group_builds, read_builds
from kgbuild.export.recipe import recipe as text_of_recipe
from kgbuild.files.outputs import MANIFEST
from kgbuild.net import urls
from kgbuild.store import manifest
from kgbuild.tables.reviews import find_table


class _Table(NamedTuple):
    """What the entries of a table of a recipe run: a ``command``, and after it their dataset.

    ``ours`` are the keys that are no options of the command. ``needed`` is an attribute that a
    dataset must have.
    """

    command: Sequence[str]
    ours: Sequence[str] = ("dataset",)
    needed: str = "command"


_TABLES = {
    "build": _Table([], ("dataset", "store", "since", "relations_file")),
    "release": _Table(["export"], ("dataset", "compare")),
    "ask": _Table(["ask"], needed="requests"),
    "score": _Table(["score"], needed="scoring"),
    "report": _Table(["report"], ()),
}
_SHARED = ("store", "relations_file")
"""Keys of the recipe itself that all its builds have."""
_DATABASE = "datasets.duckdb"
_RUN_BY_BUILD = ("db", "as_json", "folder", "name", "has_password", "batch_in", "batch_out")
"""Parameters of commands that no recipe sets."""


class _Recipe(NamedTuple):
    """A recipe: its path, its content, the folder of the files that it names, and the output."""

    path: Path
    content: Mapping[str, Any]
    files: Path
    target: Path

    def fail(self, fault: str) -> click.BadParameter:
        """Return the error for a fault of the recipe."""
        return click.BadParameter(f"{self.path}: {fault}", param_hint="RECIPE")

    def file(self, name: Any) -> Path:
        """Return the path of a file that the recipe names."""
        if not isinstance(name, str) or not (path := self.files / name).exists():
            raise self.fail(f"there is no {name} in {self.files}. Name its folder by --files.")
        return path

    def output(self, name: object) -> Path:
        """Return the path of a file that the recipe names, to be written."""
        if Path(str(name)).name != name:
            raise self.fail(f"{name} would not be in {self.target}. Name a file without a folder.")
        return self.target / str(name)


class _Step(NamedTuple):
    """A command to run: its words, its arguments, and the options of its entry in the recipe."""

    command: Sequence[str]
    arguments: Sequence[str]
    entry: Mapping[str, Any]

    def __str__(self) -> str:
        return shlex.join(["kgbuild", *self.command, *self.arguments])


@click.command()
@click.argument("recipe", type=options.INPUT_FILE)
@click.option(
    "--files",
    type=options.INPUT_FOLDER,
    metavar="DIR",
    help="The folder of the files that the recipe names.  [default: that of the recipe]",
)
@options.output_option(
    "target",
    "The folder for stores, database, releases and pages.",
    type=options.OUTPUT_FOLDER,
    required=True,
    metavar="DIR",
)
def build(recipe: Path, files: Path | None, target: Path) -> None:
    """Build the datasets and releases of a recipe, a TOML file, and compare models by them.

    Each [[build]] has a dataset and the options of its command; its store is the folder of one, or
    a list of dumps to load into a new one. Each [[release]] has a dataset and options of 'kgbuild
    export'. Every release has a recipe of its own: if what is built from that has other bytes, this
    is an error.

    Each [[ask]] and [[score]] has a dataset and the options of 'kgbuild ask' or 'kgbuild score', a
    [report] those of 'kgbuild report'; a list of datasets or models is an entry for each. They run
    before the releases, and all of them even if some fail. Then the exit code is 1, and a second
    run asks for what is missing.

    \b
    Example:
      echo 'build = {dataset = "granola", relations = ["P19", "P69"]}' > recipe.toml
      echo 'ask = {dataset = "granola", model = ["a", "b"], limit = 30}' >> recipe.toml
      echo 'score = {dataset = "granola"}' >> recipe.toml
      echo 'report = {output = "report.html"}' >> recipe.toml
      kgbuild build recipe.toml -o study
      kgbuild build release/granola/recipe.toml --files dumps -o again
      kgbuild sql --db study/datasets.duckdb "SELECT question FROM granola_questions LIMIT 5"
    """
    read = _read(recipe, files or recipe.absolute().parent, target)
    steps = {
        table: [_step(read, table, entry) for entry in _entries(read, table)] for table in _TABLES
    }
    loaded = _stores_to_load(read, steps["build"])
    _check_origin(read)
    for dumps, store in loaded.items():
        if not (store / MANIFEST).exists():
            _invoke(["load"], [f"--store={store}", "--", *dumps])
    first: dict[str, Path] = {}
    for step in steps["build"]:
        stores = {
            name: loaded[_files(read, value)] if isinstance(value, list) else read.file(value)
            for name, value in _stores(step)
        }
        _run(read, step, stores)
        first = first or {name: path for name, path in stores.items() if name == "store"}
    _run_all(read, [*steps["ask"], *steps["score"], *steps["report"]], first)
    for step in steps["release"]:
        _run(read, step, first)
        if step.entry.get("compare"):
            _compare(recipe.absolute().parent, _release_folder(read, step.entry))


@click.command()
@options.output_option("path", "The file to write.  [default: standard output]", metavar="FILE")
@options.db_option
def recipe(path: Path | None, db: "options.Database") -> None:
    """Write the recipe of all rows in the database, for 'kgbuild build'.

    \b
    Example:
      kgbuild recipe -o recipe.toml
    """
    known = {dataset.name: dataset for dataset in datasets.all_datasets()}
    with db.reading() as select:
        has_builds = select(find_table("builds"), {})
        built = {name: read_builds(select, name) if has_builds else [] for name in known}
    found = [(known[name], group_builds(builds)) for name, builds in built.items() if builds]
    if not found:
        raise click.UsageError(f"{db.path} has no rows yet. Build a dataset first.")
    output.write(text_of_recipe(found), path)


def _read(path: Path, files: Path, target: Path) -> _Recipe:
    """Return a recipe whose tables are known and have the right types."""
    read = _Recipe(path, {}, files, target)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise read.fail(f"it is no recipe: {error}.") from error
    read = read._replace(content=content)
    for name in content:
        _require_known(read, name, [*_TABLES, "sha256", "kgbuild", *_SHARED], "the recipe")
    if not content.get("build"):
        raise read.fail('it has no [[build]], such as one with dataset = "granola".')
    hashes = content.get("sha256", {})
    if not isinstance(hashes, dict) or not all(isinstance(one, str) for one in hashes.values()):
        raise read.fail("sha256 is a table of hashes by name of file.")
    return read


def _check_origin(read: _Recipe) -> None:
    """Check that the files of a recipe are those of which it knows the SHA-256."""
    for name, digest in read.content.get("sha256", {}).items():
        if _sha256(read.file(name)) != digest:
            raise read.fail(f"{read.files / name} is another file: its SHA-256 differs.")
    if (version := read.content.get("kgbuild", __version__)) != __version__:
        output.notify(f"The recipe is of kgbuild {version}, and this is {__version__}.")


def _entries(read: _Recipe, table: str) -> list[dict[str, Any]]:
    """Return the entries of a table of the recipe: one for each of its datasets and models."""
    entries = read.content.get(table, [])
    entries = [entries] if isinstance(entries, dict) else entries
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise read.fail(f"{table} is no table. Write [[{table}]], and its options below.")
    entries = [{key.replace("-", "_"): entry[key] for key in entry} for entry in entries]
    if "dataset" not in _TABLES[table].ours:
        return entries
    entries = [
        {**entry, **dict(zip(keys, values, strict=True))}
        for entry in entries
        for keys in [[key for key in ("dataset", "model") if isinstance(entry.get(key), list)]]
        for values in itertools.product(*(entry[key] for key in keys))
    ]
    needed = _TABLES[table].needed
    names = [one.command for one in datasets.all_datasets() if getattr(one, needed)]
    for entry in entries:
        entry["dataset"] = str(entry.get("dataset", "")).replace("_", "-")
        if entry["dataset"] not in names:
            raise read.fail(f"a [[{table}]] needs a dataset: one of {', '.join(names)}.")
    return entries


def _step(read: _Recipe, table: str, entry: Mapping[str, Any]) -> _Step:
    """Return the step of an entry, whose options are checked; the folder of a release is free."""
    about = _TABLES[table]
    if table == "build":
        shared = {key: read.content[key] for key in _SHARED if key in read.content}
        entry = {**shared, **entry}
        for key in {"store", "since", "relations_file"} & entry.keys():
            value = entry[key]
            for file in value if isinstance(value, list) else [value]:
                read.file(file)
    words = [*about.command, *([entry["dataset"]] if "dataset" in about.ours else [])]
    chosen = {key: value for key, value in entry.items() if key not in about.ours}
    arguments = _arguments(read, words, chosen)
    if table == "release":
        release = _release_folder(read, entry)
        atomic_folder.require_free(release)
        arguments.append(f"--output={release}")
    with _context(words, [*arguments, f"--db={read.target / _DATABASE}"]):
        return _Step(words, arguments, entry)


def _release_folder(read: _Recipe, entry: Mapping[str, Any]) -> Path:
    return read.target / "release" / str(entry["dataset"])


def _command(words: Sequence[str]) -> tuple[click.Command, list[str]]:
    """Return the command that the first of some words name, and the other words."""
    root = click.get_current_context().find_root()
    command, others = root.command, [*words]
    while isinstance(command, click.Group):
        command = command.get_command(root, others.pop(0))  # type: ignore[assignment]
    return command, others


def _context(words: Sequence[str], arguments: Sequence[str]) -> click.Context:
    command, others = _command(words)
    root = click.get_current_context().find_root()
    return command.make_context(words[0], [*others, *arguments], parent=root)


def _arguments(read: _Recipe, words: Sequence[str], entry: Mapping[str, Any]) -> list[str]:
    """Return the options of an entry, named as in the shell or in Python, as arguments."""
    parameters = {
        key: parameter
        for parameter in _command(words)[0].params
        if isinstance(parameter, click.Option) and parameter.name not in _RUN_BY_BUILD
        for key in (parameter.name, parameter.opts[-1].lstrip("-").replace("-", "_"))
    }
    arguments = []
    for key, value in entry.items():
        _refuse_secret(read, key, value)
        _require_known(read, key, parameters, f"kgbuild {' '.join(words)}")
        parameter = parameters[key]
        if parameter.is_flag:
            arguments += [parameter.opts[-1]] if value else []
            continue
        members = value if isinstance(value, list) else [value]
        if len(members) > 1 and not parameter.multiple:
            raise read.fail(f"{key} of kgbuild {' '.join(words)} has one value, not several.")
        for member in members:
            if isinstance(parameter, options.OutputOption):
                member = read.output(member)
            elif isinstance(parameter.type, click.Path):
                member = read.file(member)
            arguments.append(f"--{parameter.opts[-1].lstrip('-')}={member}")
    return arguments


def _refuse_secret(read: _Recipe, key: str, value: object) -> None:
    if key == "api_key" or (key == "base_url" and urls.secrets(str(value))):
        raise read.fail(
            f"{key} has a secret, which does not belong into a file. Set OPENAI_API_KEY, or "
            "OPENAI_BASE_URL, before you run the recipe."
        )


def _require_known(
    read: _Recipe, key: str, known: Mapping[str, Any] | Sequence[str], of: str
) -> None:
    if key not in known:
        similar = difflib.get_close_matches(key, [*known], n=1)
        hint = f"Did you mean {similar[0]}?" if similar else f"Known are {', '.join(known)}."
        raise read.fail(f"{of} has no {key!r}. {hint}")


def _stores(step: _Step) -> list[tuple[str, Any]]:
    """Return the options of a step that name a store, or a list of dumps, with their values."""
    return [(name, step.entry[name]) for name in ("store", "since") if name in step.entry]


def _files(read: _Recipe, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(read.file(name)) for name in names)


def _stores_to_load(read: _Recipe, steps: Sequence[_Step]) -> dict[tuple[str, ...], Path]:
    """Return the folders of the stores of dumps; one that is there already is of the same dumps."""
    folders: dict[tuple[str, ...], Path] = {}
    for value in (value for step in steps for _, value in _stores(step) if isinstance(value, list)):
        number = f"-{len(folders) + 1}" if folders else ""
        folders.setdefault(_files(read, value), read.target / f"kg{number}")
    for dumps, store in folders.items():
        if (store / MANIFEST).exists() and not _is_loaded(store, dumps):
            raise read.fail(
                f"{store} is a store of other dumps, which stays. Write store = "
                f'"{store.absolute()}" into the recipe to build from it, or name another folder '
                "with -o."
            )
    return folders


def _is_loaded(store: Path, dumps: Sequence[str]) -> bool:
    """Return whether a store was loaded from these very dumps, and as a recipe loads them."""
    loaded, keep = manifest.read(store), Filter()
    paths = [Path(dump) for dump in dumps]
    return (
        (loaded.languages, loaded.everything) == (keep.languages, keep.everything)
        and [file.name for file in loaded.files] == [path.name for path in paths]
        and [file.bytes for file in loaded.files] == [path.stat().st_size for path in paths]
        and [file.sha256 for file in loaded.files] == [_sha256(path) for path in paths]
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _run(read: _Recipe, step: _Step, stores: Mapping[str, Path]) -> None:
    """Run a step with its relations, and with the stores and the database if it reads them."""
    known = {parameter.name for parameter in _command(step.command)[0].params}
    paths = {**stores, "db": read.target / _DATABASE}
    arguments = [f"--{name}={path}" for name, path in paths.items() if name in known]
    with contextlib.ExitStack() as stack:
        if "relations_file" in step.entry:
            own = read.file(step.entry["relations_file"]).absolute()
            stack.enter_context(environment(OWN_FILE, str(own)))
        _invoke(step.command, [*arguments, *step.arguments])


def _run_all(read: _Recipe, steps: Sequence[_Step], stores: Mapping[str, Path]) -> None:
    """Run the steps that compare models, all of them even if some fail."""
    failed = []
    for step in steps:
        output.notify(f"\n{step}")
        try:
            _run(read, step, stores)
        except (KgbuildError, click.ClickException) as error:
            output.notify(f"Error: {error}")
            failed.append(shorten(str(step)))
    if failed:
        raise click.ClickException(
            f"{len(failed)} of {len(steps)} commands failed, and the others are done: "
            f"{list_first(failed)}. Run the recipe again: replies are kept, so only what is "
            "missing is asked for."
        )


def _invoke(words: Sequence[str], arguments: Sequence[str]) -> None:
    with (
        _context(words, arguments) as inner,
        contextlib.suppress(BrokenPipeError),  # nobody reads what a step prints at its end
    ):
        inner.command.invoke(inner)


def _compare(old: Path, new: Path) -> None:
    """Tell whether a release has the bytes of the one whose recipe was used."""
    sums = old / atomic_folder.SUMS
    if not sums.exists():
        output.notify(f"There is no {sums}, so no bytes are compared.")
        return
    # Files that the old folder got later, such as what Python compiles of tasks, do not matter.
    released = {line.partition("  ")[2] for line in sums.read_text(encoding="utf-8").splitlines()}
    before, after = atomic_folder.sums(old), atomic_folder.sums(new)
    names = sorted(released | after.keys())
    if differing := [name for name in names if before.get(name) != after.get(name)]:
        raise click.ClickException(
            f"{new} has other bytes than {old}: {list_first(differing)}. Another version of "
            "kgbuild, or of its libraries, may be why: compare the files PROVENANCE.json."
        )
    output.notify(f"The same bytes as in {old}.")
