"""The commands ``build``, which runs a recipe, and ``recipe``, which writes one.

A recipe is a TOML file. Each ``[[build]]`` has the options of the command of its ``dataset``, and
each ``[[release]]`` those of ``export``; so all checks of values are those of the commands.
"""

import contextlib
import difflib
import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from kgbuild import __version__, datasets
from kgbuild.cli import OWN_FILE, environment, options, output
from kgbuild.errors import list_first
from kgbuild.export import atomic_folder
from kgbuild.export.provenance import group_builds, read_builds
from kgbuild.export.recipe import recipe as text_of_recipe
from kgbuild.files.outputs import MANIFEST
from kgbuild.tables.reviews import find_table

_TABLES = ("build", "release", "sha256")
_RUN_BY_BUILD = ("db", "as_json", "folder", "name", "has_password")
"""Parameters of commands that no recipe sets."""


class _Recipe(NamedTuple):
    """A recipe: its path, its content, and the folder of the files that it names."""

    path: Path
    content: Mapping[str, Any]
    files: Path

    def fail(self, fault: str) -> click.BadParameter:
        """Return the error for a fault of the recipe."""
        return click.BadParameter(f"{self.path}: {fault}", param_hint="RECIPE")

    def file(self, name: Any) -> Path:
        """Return the path of a file that the recipe names."""
        if not isinstance(name, str) or not (path := self.files / name).exists():
            raise self.fail(f"there is no {name} in {self.files}. Name its folder by --files.")
        return path


class _Step(NamedTuple):
    """A command to run: its name, its arguments, and the options of its entry in the recipe."""

    command: str
    arguments: Sequence[str]
    entry: Mapping[str, Any]


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
    "The folder for stores, database and releases.",
    type=options.OUTPUT_FOLDER,
    required=True,
    metavar="DIR",
)
@click.pass_context
def build(ctx: click.Context, recipe: Path, files: Path | None, target: Path) -> None:
    """Build the datasets and releases of a recipe, a TOML file.

    Each [[build]] has a dataset and the options of its command; its store is the folder of one, or
    a list of dumps to load into a new one. Each [[release]] has a dataset and options of 'kgbuild
    export'. Every release has a recipe of its own: if what is built from that has other bytes, this
    is an error.

    \b
    Example:
      kgbuild build recipe.toml -o study
      kgbuild build release/granola/recipe.toml --files dumps -o again
      kgbuild sql --db study/datasets.duckdb "SELECT question FROM granola_questions LIMIT 5"
    """
    read = _read(recipe, files or recipe.absolute().parent)
    steps = [_build_step(ctx, read, entry) for entry in _entries(read, "build")]
    releases = [_release_step(ctx, read, entry, target) for entry in _entries(read, "release")]
    loaded = _stores_to_load(read, steps, target)
    for name, digest in read.content.get("sha256", {}).items():
        with read.file(name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                raise read.fail(f"{read.files / name} is another file: its SHA-256 differs.")
    if (version := read.content.get("kgbuild", __version__)) != __version__:
        output.notify(f"The recipe is of kgbuild {version}, and this is {__version__}.")
    for dumps, store in loaded.items():
        _invoke(ctx, "load", [f"--store={store}", "--", *dumps])
    first: dict[str, Path] = {}
    for step in steps:
        stores = {
            name: loaded[_files(read, value)] if isinstance(value, list) else read.file(value)
            for name, value in _stores(step)
        }
        _run(ctx, read, step, target, stores)
        first = first or {name: path for name, path in stores.items() if name == "store"}
    for step in releases:
        _run(ctx, read, step, target, first)
        if step.entry.get("compare"):
            _compare(recipe.absolute().parent, _release_folder(target, step.entry))


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


def _read(path: Path, files: Path) -> _Recipe:
    """Return a recipe whose tables are known and have the right types."""
    read = _Recipe(path, {}, files)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise read.fail(f"it is no recipe: {error}.") from error
    read = read._replace(content=content)
    defaults = ("kgbuild", "store", "relations_file")
    for name in content:
        _require_known(read, name, [*_TABLES, *defaults], "the recipe")
    if not content.get("build"):
        raise read.fail('it has no [[build]], such as one with dataset = "granola".')
    hashes = content.get("sha256", {})
    if not isinstance(hashes, dict) or not all(isinstance(one, str) for one in hashes.values()):
        raise read.fail("sha256 is a table of hashes by name of file.")
    return read


def _entries(read: _Recipe, table: str) -> list[dict[str, Any]]:
    """Return the entries of a table of the recipe, each with the name of a dataset."""
    entries = read.content.get(table, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise read.fail(f"write [[{table}]] with two brackets.")
    names = [dataset.command for dataset in datasets.all_datasets()]
    for entry in entries:
        entry["dataset"] = str(entry.get("dataset", "")).replace("_", "-")
        if entry["dataset"] not in names:
            raise read.fail(f"a [[{table}]] needs a dataset: one of {', '.join(names)}.")
    return entries


def _build_step(ctx: click.Context, read: _Recipe, entry: Mapping[str, Any]) -> _Step:
    """Return the step of a [[build]], whose options are checked."""
    shared = {
        name: read.content[name] for name in ("store", "relations_file") if name in read.content
    }
    entry = {**shared, **entry}
    for key in {"store", "since", "relations_file"} & entry.keys():
        value = entry[key]
        for file in value if isinstance(value, list) else [value]:
            read.file(file)
    name = entry["dataset"]
    return _Step(name, _arguments(ctx, read, name, entry, ("relations_file",)), entry)


def _release_step(
    ctx: click.Context, read: _Recipe, entry: Mapping[str, Any], target: Path
) -> _Step:
    """Return the step of a [[release]], whose options are checked; its folder must be free."""
    release = _release_folder(target, entry)
    atomic_folder.require_free(release)
    arguments = _arguments(ctx, read, "export", entry, ("compare",))
    return _Step("export", [entry["dataset"], f"--output={release}", *arguments], entry)


def _release_folder(target: Path, entry: Mapping[str, Any]) -> Path:
    return target / "release" / str(entry["dataset"])


def _arguments(
    ctx: click.Context, read: _Recipe, name: str, entry: Mapping[str, Any], ours: Sequence[str]
) -> list[str]:
    """Return the options of an entry as arguments of a command.

    An option has the name that it has on the command line or in Python. ``ours`` are keys that
    the command does not know. Stores are left out: they may have to be loaded first.
    """
    command = ctx.find_root().command.get_command(ctx, name)  # type: ignore[attr-defined]
    parameters = {
        key: parameter
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name not in _RUN_BY_BUILD
        for key in (parameter.name, parameter.opts[-1].lstrip("-").replace("-", "_"))
    }
    arguments = []
    for key, value in entry.items():
        key = key.replace("-", "_")
        if key in ("dataset", "store", "since", *ours):
            continue
        _require_known(read, key, parameters, f"the entry of {entry['dataset']}")
        parameter = parameters[key]
        if parameter.is_flag:
            arguments += [parameter.opts[-1]] if value else []
            continue
        for member in value if isinstance(value, list) else [value]:
            if isinstance(parameter.type, click.Path):
                member = read.file(member)
            arguments.append(f"--{parameter.opts[-1].lstrip('-')}={member}")
    return arguments


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


def _stores_to_load(
    read: _Recipe, steps: Sequence[_Step], target: Path
) -> dict[tuple[str, ...], Path]:
    """Return the folders of the stores to load, by their dumps; no store may be there yet."""
    folders: dict[tuple[str, ...], Path] = {}
    for value in (value for step in steps for _, value in _stores(step) if isinstance(value, list)):
        number = f"-{len(folders) + 1}" if folders else ""
        folders.setdefault(_files(read, value), target / f"kg{number}")
    for store in folders.values():
        if (store / MANIFEST).exists():
            raise read.fail(
                f'{store} is a store already, which stays. Write store = "{store.absolute()}" '
                "into the recipe to build from it, or name another folder with -o."
            )
    return folders


def _run(
    ctx: click.Context, read: _Recipe, step: _Step, target: Path, stores: Mapping[str, Path]
) -> None:
    """Run a step with its stores and its relations."""
    paths = {**stores, "db": target / "datasets.duckdb"}
    arguments = [*step.arguments, *(f"--{name}={path}" for name, path in paths.items())]
    with contextlib.ExitStack() as stack:
        if "relations_file" in step.entry:
            own = read.file(step.entry["relations_file"]).absolute()
            stack.enter_context(environment(OWN_FILE, str(own)))
        _invoke(ctx, step.command, arguments)


def _invoke(ctx: click.Context, name: str, arguments: list[str]) -> None:
    command = ctx.find_root().command.get_command(ctx, name)  # type: ignore[attr-defined]
    with (
        command.make_context(name, arguments, parent=ctx.parent) as inner,
        contextlib.suppress(BrokenPipeError),  # nobody reads what a step prints at its end
    ):
        command.invoke(inner)


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
