"""Options that several commands share, and checks of the values of options."""

import inspect
import os
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from kgbuild import calls

if TYPE_CHECKING:
    # The type of the value of ``db_option``. Its import takes half a second.
    from kgbuild.datasets.base import AnyDataset
    from kgbuild.graph.open import Store
    from kgbuild.tables.database import Database as Database

Command = TypeVar("Command", bound=Callable[..., None])
PathLike = TypeVar("PathLike", Path, str)

SLICE_ENDINGS = (".nt", ".nt.gz", ".nt.zst")


class _NonemptyPath(click.Path):
    """A path of the right kind that is not empty; click takes an empty one for this folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check the path that a user typed."""
        if not os.fspath(value):
            self.fail("the path is empty.", param, ctx)
        if not self.file_okay and Path(value).is_file():
            self.fail(f"'{value}' is a file. Name a folder.", param, ctx)
        if not self.dir_okay and Path(value).is_dir():
            self.fail(f"'{value}' is a folder. Name a file.", param, ctx)
        return super().convert(value, param, ctx)


INPUT_FILE = _NonemptyPath(exists=True, dir_okay=False, path_type=Path)
INPUT_FOLDER = _NonemptyPath(exists=True, file_okay=False, path_type=Path)
INPUT_PATH = _NonemptyPath(exists=True, path_type=Path)
INPUT_NAME = _NonemptyPath(path_type=str)
"""The path of a file, or what else a command reads: a URL, or - for standard input."""
OUTPUT_FILE = _NonemptyPath(dir_okay=False, path_type=Path)
OUTPUT_FOLDER = _NonemptyPath(file_okay=False, path_type=Path)
ANY_PATH = _NonemptyPath(path_type=Path)


class _DatabasePath(_NonemptyPath):
    """The path of a database, which is a file, or nothing yet."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check the path that a user typed: opening a pipe would wait without end."""
        path = super().convert(value, param, ctx)
        if path.exists() and not path.is_file():
            self.fail(f"'{value}' is no regular file. Name the file of a database.", param, ctx)
        return path


class _Checked:
    """A number that is checked as one of this ``kind``, an annotation of ``calls``, in Python."""

    kind: Any
    is_wide: bool
    """Whether its limits are far from all values in use, so that the help does not show them."""

    def _describe_range(self) -> str:
        return "" if self.is_wide else str(super()._describe_range())  # type: ignore[misc]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the number that a user typed."""
        try:
            number = super().convert(value, param, ctx)  # type: ignore[misc]
            return calls.fitted(number, self.kind)
        except (click.BadParameter, ValueError) as error:
            message = f"it must be {calls.describe(self.kind)}, not '{value}'."
            raise click.BadParameter(message, ctx, param) from error


class _Whole(_Checked, click.IntRange):
    """A whole number."""


class _Decimal(_Checked, click.FloatRange):
    """A number that is finite."""


def type_of(kind: Any) -> Any:
    """Return the type of an option for values of a ``kind``, an annotation of ``calls``."""
    if typing.get_origin(kind) in calls.UNIONS:
        kind = typing.get_args(kind)[0]  # the others are None, or a text for a path
    plain, rule = kind, calls.Range()
    if typing.get_origin(kind) is typing.Annotated:
        plain, rule = typing.get_args(kind)
    if isinstance(rule, calls.OneOf):
        return click.Choice([*map(str, rule.choices)])
    if plain not in (int, float):
        return click.types.convert_type(plain)
    classes: dict[Any, Any] = {int: _Whole, float: _Decimal}
    number = classes[plain](*rule)
    number.kind, number.is_wide = kind, rule == calls.Range() or (rule.max or 0) >= 2**31 - 1
    return number


def option_of(
    function: Callable[..., Any], name: str, text: str, **settings: Any
) -> Callable[[Command], Command]:
    """Return the option that sets a parameter of a function, or of a class, as it is annotated.

    The default is that of the parameter; ``text`` is the help text.
    """
    parameter = inspect.signature(function).parameters[name]
    kind = type_of(calls.parameter_kinds(function)[name])
    settings = {"type": kind, "default": parameter.default, **settings}
    return click.option(f"--{name.replace('_', '-')}", name, help=text, **settings)


class DatasetName(click.Choice[str]):
    """The name of a dataset, syn-qa or syn_qa, also of the user's; the value is the ``Dataset``.

    ``suits`` returns whether a command can work on a dataset.
    """

    def __init__(self, suits: "Callable[[AnyDataset], object]" = bool):
        self._suits = suits
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # of what is known now
        """The names of the datasets."""
        return (*self._datasets(),)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the dataset; a value that is no text is one already."""
        if not isinstance(value, str):
            return value
        return self._datasets()[super().convert(value.replace("_", "-"), param, ctx)]

    def _datasets(self) -> "dict[str, AnyDataset]":
        from kgbuild.datasets import all_datasets

        return {dataset.command: dataset for dataset in filter(self._suits, all_datasets())}


COUNT = type_of(calls.Count)


def _database(_context: click.Context, _parameter: click.Parameter, path: Path) -> "Database":
    from kgbuild.cli import output
    from kgbuild.datasets import database

    return database(path, notice=output.notify)


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print a list of objects instead of a table."
)
store_option = click.option(
    "--store",
    type=OUTPUT_FOLDER,
    envvar="KGBUILD_STORE",
    default=Path("data/kg"),
    show_envvar=True,
    help="The folder of the store.",
)
endpoint_option = click.option(
    "--endpoint",
    metavar="URL",
    envvar="KGBUILD_ENDPOINT",
    show_envvar=True,
    help="Ask a SPARQL endpoint instead of the store.",
)
_DATABASE: dict[str, Any] = {
    "type": _DatabasePath(dir_okay=False, path_type=Path),
    "envvar": "KGBUILD_DB",
    "default": Path("data/datasets.duckdb"),
    "show_envvar": True,
    "help": "The database of the datasets.",
}
db_option = click.option("--db", callback=_database, **_DATABASE)
# For commands that seldom need the database, whose import is slow.
db_path_option = click.option("--db", **_DATABASE)


def combine(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds these options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


source_options = combine(store_option, endpoint_option, json_option)


def relations_option(metavar: str, help_text: str) -> Callable[[Command], Command]:
    """Return the option ``--relations``; ``metavar`` shows examples of its value."""
    return click.option(
        "--relations",
        multiple=True,
        callback=lambda *arguments: split_names(*arguments) or None,
        metavar=metavar,
        help=help_text,
    )


def seed_option(help_text: str) -> Callable[[Command], Command]:
    """Return the option ``--seed`` with this help text."""
    return click.option("--seed", type=type_of(calls.Seed), default=0, help=help_text)


def port_option(help_text: str, default: int) -> Callable[[Command], Command]:
    """Return the option ``--port`` with this help text."""
    return click.option("--port", type=click.IntRange(0, 65535), default=default, help=help_text)


dataset_options = combine(
    seed_option("Seed of choice and order."), json_option, store_option, db_option
)


since_option = click.option(
    "--since",
    type=INPUT_PATH,
    metavar="OLDER",
    help="An older store, dump or slice: build only from statements that it does not have.",
)


build_options = combine(
    click.option(
        "--splits",
        is_flag=True,
        help="For training: 80 % of the subjects in train, 10 % each in dev and test.  [default: "
        "5 % in dev, all others in test]",
    ),
    dataset_options,
)


def output_option(
    name: str, text: str, endings: Sequence[str] = (), **settings: Any
) -> Callable[[Command], Command]:
    """Return the option ``-o``, whose value is a file by default.

    ``name`` is the parameter of the command's function that receives the value. If there are
    ``endings``, the help lists them, and the name of the file must have one.
    """
    settings = {"type": OUTPUT_FILE, **settings}
    if endings:
        text = f"{text}: {', '.join(endings)}."
        settings["callback"] = lambda _, __, value: value and require_ending(value, endings)
    return click.option("-o", "--output", name, cls=OutputOption, help=text, **settings)


def json_lines_option(name: str, text: str, **settings: Any) -> Callable[[Command], Command]:
    """Return the option ``-o`` of a command that writes JSON Lines: see ``output_option``."""

    def check(_: click.Context, parameter: click.Parameter, value: Path | None) -> Any:
        if value and value.suffix not in ("", ".jsonl", ".ndjson", ".json"):
            detail = f"'{value}': the output is JSON Lines. Name a file that ends with .jsonl."
            raise click.BadParameter(detail, param=parameter)
        return value

    return output_option(name, f"{text}, as JSON Lines.", callback=check, **settings)


class OutputOption(click.Option):
    """An option whose value is a file or folder to write, which never replaces data.

    The value is where links lead; - is standard output.
    """

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Parse the value; reject it if the output would replace data: see ``outputs.target``."""
        from kgbuild.errors import WrongCallError
        from kgbuild.files import outputs

        value, args = super().handle_parse_result(ctx, opts, args)
        if isinstance(value, str | Path):  # not if it is not set
            path = Path("/dev/fd/1" if str(value) == "-" else value)
            try:
                target = outputs.target(path, self._others(ctx, opts))
            except WrongCallError as error:
                raise click.BadParameter(str(error), ctx, self) from error
            if target != Path(value):
                value = ctx.params[str(self.name)] = type(value)(target)
        return value, args

    def _others(self, ctx: click.Context, opts: Mapping[str, Any]) -> Iterator[Path]:
        """Yield the files, and folders of files, that all other parameters name or default to."""
        for context, parsed in ((ctx.find_root(), {}), (ctx, opts)):
            for parameter in context.command.params:
                is_path = isinstance(parameter.type, click.Path) and parameter.type.file_okay
                if is_path and parameter is not self:
                    value, _ = parameter.consume_value(context, parsed)
                    for name in value if isinstance(value, list | tuple) else [value]:
                        if name and isinstance(name, str | Path):
                            yield Path(name)


def query_argument(is_query: Callable[[str], object]) -> Callable[[Command], Command]:
    """Return the argument for a query: the text itself if it ``is_query``, a file, or - ."""

    def read(context: click.Context, parameter: click.Parameter, value: str) -> str:
        try:
            if value != "-" and is_query(value):
                return value
            content = sys.stdin.buffer.read() if value == "-" else Path(value).read_bytes()
            return content.decode("utf-8-sig")
        except OSError as error:
            raise click.BadParameter(f"'{value}': {error.strerror}.", context, parameter) from error
        except UnicodeDecodeError as error:
            raise click.BadParameter(f"'{value}' is not UTF-8.", context, parameter) from error

    return click.argument(
        "query", type=click.Path(path_type=str), metavar="FILE|QUERY", callback=read
    )


def split_names(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> list[str]:
    """Split the values of a repeatable option at their commas; reject an empty name."""
    parts = [part.strip() for text in value for part in text.split(",")]
    if not all(parts):
        raise click.BadParameter("a name is missing.", context, parameter)
    return parts


def split_choices(choices: Iterable[str]) -> Callable[..., list[str]]:
    """Return a callback that does as ``split_names``, and rejects what is none of the choices."""
    choice = click.Choice([*choices])

    def split(context: click.Context, parameter: click.Parameter, value: Any) -> list[str]:
        names = split_names(context, parameter, value)
        return [choice.convert(name, parameter, context) for name in names]

    return split


def is_on_command_line(option: str) -> bool:
    """Return whether the user typed this option; ``option`` is the name of its parameter."""
    context = click.get_current_context()
    return context.get_parameter_source(option) is ParameterSource.COMMANDLINE


def refuse_unused(is_mode: object, mode: str, *names: str) -> None:
    """Reject options that the user typed, but that a mode, if it is the chosen one, does not read.

    ``mode`` says which one it is, such as "with --agreement"; ``names`` are names of parameters.
    """
    for parameter in click.get_current_context().command.params if is_mode else ():
        if parameter.name in names and is_on_command_line(parameter.name):
            raise click.UsageError(f"{parameter.opts[0]} has no effect {mode}.")


def refuse_format(path: Path | None, *names: str) -> None:
    """Reject options that name a format, by their parameters, beside the file of ``-o``."""
    refuse_unused(path, "with -o: the ending of the file names the format", *names)


def choose_endpoint(endpoint: str | None) -> str | None:
    """Return the URL of the endpoint, or None for the store.

    A typed --store takes precedence over an endpoint from the environment.
    """
    if is_on_command_line("store") and is_on_command_line("endpoint"):
        raise click.UsageError("Pass a --store or an --endpoint, not both.")
    if endpoint is not None:
        require_endpoint(endpoint)
    return None if is_on_command_line("store") else endpoint


def open_if_there(stack: ExitStack, store: Path, without: str) -> "Store | None":
    """Open a store until the stack ends; tell what is so ``without`` it if there is none.

    Raises:
        NoStoreError: there is none, and the user has named it.
    """
    from kgbuild.cli import output
    from kgbuild.errors import NoStoreError
    from kgbuild.graph.open import open_store

    try:
        return stack.enter_context(open_store(store))
    except NoStoreError:
        if is_on_command_line("store"):
            raise
        output.notify(f"No store at {store}: {without}.")
        return None


def require_endpoint(url: str) -> None:
    """Reject an empty URL, which a script with an unset variable passes."""
    if not url.strip():
        raise click.BadParameter("it is empty.", param_hint="--endpoint")


def require_language(code: str) -> None:
    """Reject a text that is not a language code, such as en or de-at."""
    if not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", code):
        raise click.BadParameter(
            f"'{code}' is not a language code, such as en.", param_hint="--lang"
        )


def require_ending(path: PathLike, endings: Sequence[str]) -> PathLike:
    """Return the path of an output if it has one of the endings, else reject it."""
    if not str(path).endswith(tuple(endings)) or Path(path).name in endings:
        raise click.BadParameter(f"it must end with {', '.join(endings)}.", param_hint="-o")
    return path
