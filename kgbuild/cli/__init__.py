"""The command line: options, progress, tables on the screen, exit codes."""

import contextlib
import functools
import gc
import os
import re
import resource
import select
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from kgbuild import __version__, native
from kgbuild.cli import options
from kgbuild.cli.build import own
from kgbuild.cli.lazy import LazyGroup
from kgbuild.datasets import OWN_FILES, own_datasets
from kgbuild.errors import KgbuildError, out_of_memory, replace_controls
from kgbuild.files.atomic_files import replaced

OWN_FILE = "KGBUILD_RELATIONS"
"""As in ``kgbuild.catalog``, which is slow to import."""
_SECTIONS = {
    # For each section of the help: the module of each command, and its summary. A module is
    # imported when its command runs, so that the help is fast.
    "Data": {
        "load": ("data.load", "Load dumps into a fresh store."),
        "slice": ("data.slice", "Cut a slice out of a dump."),
        "fetch": ("data.fetch", "Fetch some items from Wikidata."),
        "check": ("data.check", "Look for damage in a store and a database."),
    },
    "Look": {
        "stats": ("look.store", "Describe the store and the load."),
        "relations": ("look.store", "List the relations that questions can be about."),
        "lookup": ("look.store", "Find items by label or alias."),
        "subgraph": ("look.store", "Show the statements around an item."),
        "similar": ("look.store", "Find the items most similar to an item."),
        "retrieve": ("look.retrieve", "Find the items that a question is about."),
        "risk": ("look.risk", "Assess an assumption: for, against, and the risk."),
        "sparql": ("look.sparql", "Run SPARQL on the store."),
        "serve": ("look.serve", "Serve the store as a SPARQL endpoint."),
        "sql": ("look.sql", "Run SQL on the datasets."),
    },
    "Build": {
        "build": ("build.recipe", "Build what a recipe says."),
        "recipe": ("build.recipe", "Write the recipe of what was built."),
        "syn-qa": ("build.syn_qa", "Build minimal pairs with false assumptions."),
        "granola": ("build.granola", "Build questions with answers at every granularity."),
        "biokalma": ("build.biokalma", "Build questions with minimum knowledge sets."),
        "grouse": ("build.grouse", "Build unit tests for judges of answers."),
    },
    "Models": {
        "ask": ("models.ask", "Ask a model the questions of a dataset."),
        "aggregate": ("models.aggregate", "Combine several responses into one answer."),
        "score": ("models.score", "Score models' answers to a dataset."),
        "judge": ("models.judge", "Grade answers with judges, or test judges."),
    },
    "Check and publish": {
        "report": ("publish.report", "Write a page that shows what was built."),
        "verify": ("publish.verify", "Verify false assumptions by a second source."),
        "review": ("publish.review", "Check rows by hand, on a local page."),
        "check-contamination": (
            "publish.contamination",
            "Search texts or a model for the questions.",
        ),
        "diff": ("publish.diff", "Show what a newer build changed."),
        "export": ("publish.export", "Write a release of a dataset."),
    },
}


_LONGEST_MESSAGE = 4000
"""Maximum number of characters of an error; of a longer one, the beginning and the end remain."""


def _failure(message: str, exit_code: int) -> click.ClickException:
    """Return an exception that makes click print a message and exit with a code."""
    if len(message) > _LONGEST_MESSAGE:  # it may repeat a value of a megabyte
        message = f"{message[: _LONGEST_MESSAGE // 2]} … {message[-_LONGEST_MESSAGE // 2 :]}"
    failure = click.ClickException(message)
    failure.exit_code = exit_code  # type: ignore[misc]
    return failure


INTERRUPTED = "Interrupted. Stores and datasets are as they were before this command."
"""The message after Ctrl-C, if that is so."""


_NO_THREAD = "can't start new thread"
"""The message of Python's RuntimeError if a limit of the system allows no further thread."""
_LEAST_MEMORY = 1500 << 20
"""Number of bytes of address space without which libraries end the process (on two cores)."""


def _interrupted() -> click.ClickException:
    message = INTERRUPTED
    if replaced:
        written = ", ".join(map(str, replaced))
        message = f"Interrupted. Already written: {written}. All others are as they were before."
    return _failure(message, 128 + (signal.SIGTERM if _terminated.is_set() else signal.SIGINT))


def _no_memory(detail: str) -> click.ClickException:
    """Return the failure of a command for which there is too little memory."""
    error = out_of_memory(detail or "a part of the data does not fit")
    return _failure(str(error), error.exit_code)


def _require_memory() -> None:
    """Refuse a limit of memory at which Oxigraph, DuckDB and LLVM would abort this process."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if 0 <= limit < _LEAST_MEMORY:
        allowed, needed = limit >> 20, _LEAST_MEMORY >> 20
        raise _no_memory(f"this process may use {allowed:,} MB, and kgbuild needs {needed:,} MB")


_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://.*", re.DOTALL)
"""An address in an argument: --since=http://example.org/older.nt.

Of a longer scheme, the end is found; without a limit, long words would take a quadratic time.
"""
_ADDRESSES = "kgbuild.addresses"
"""The key of the addresses on the command line in click's context."""


class _Commands(LazyGroup):
    """The group of all commands. It turns the errors of kgbuild into messages and exit codes."""

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Run a command line. Ctrl-C outside a command, such as in its imports, ends it alike."""
        is_program = settings.get("standalone_mode", True)
        try:
            result = super().main(*arguments, **{**settings, "standalone_mode": False})
            if not is_program:
                return result
            sys.exit(result)
        except click.Abort:
            error: click.ClickException = _interrupted()
        except click.ClickException as failure:
            error = failure
        if not is_program:
            raise error
        error.show()
        sys.exit(error.exit_code)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; bytes that are not UTF-8 come as lone surrogates."""
        ctx.meta[_ADDRESSES] = [found[0] for word in args if (found := _ADDRESS.search(word))]
        for argument in args:
            if any("\ud800" <= character <= "\udfff" for character in argument):
                shown = argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
                raise click.UsageError(f"The argument '{shown}' is not UTF-8.", ctx)
        try:
            return super().parse_args(ctx, args)
        except KgbuildError as error:  # of datasets of the user, which the help lists
            raise _failure(str(error), error.exit_code) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Messages repeat arguments: without control characters and secrets."""
        try:
            return self._invoke(ctx)
        except click.NoSuchOption as error:
            name = error.option_name
            if name not in (known for one in self.params for known in one.opts):
                raise
            order = f"{ctx.command_path} {name} … {ctx.invoked_subcommand} …"
            raise click.UsageError(
                f"{name} comes before the command: {order}", error.ctx
            ) from error
        except click.ClickException as error:
            from kgbuild.net import urls

            message = replace_controls(error.message)
            for address in ctx.meta[_ADDRESSES]:
                message = message.replace(address, urls.public(address))
                message = urls.redact(message, urls.secrets(address))
            error.message = message  # type: ignore[misc]
            raise

    def _invoke(self, ctx: click.Context) -> Any:
        try:
            _require_memory()
            return super().invoke(ctx)
        except KgbuildError as error:
            raise _failure(str(error), error.exit_code) from error
        except KeyboardInterrupt as error:
            raise _interrupted() from error
        except MemoryError as error:
            raise _no_memory(str(error)) from error
        except BrokenPipeError:
            _end_without_reader()
            raise
        except RuntimeError as error:
            # In Python 3.11, an error while a class is made is the cause of another one.
            # DuckDB raises the first if a signal ends a query.
            if str(error) == "Query interrupted" or isinstance(error.__cause__, KeyboardInterrupt):
                raise _interrupted() from error
            if str(error) == _NO_THREAD:
                raise _no_memory(_NO_THREAD) from error
            raise


@click.group(
    cls=_Commands,
    sections=_SECTIONS,
    own=own.build_commands,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="kgbuild")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Print a line of progress for each relation or other step.",
)
@click.option("-q", "--quiet", is_flag=True, envvar="KGBUILD_QUIET", help="Print no progress.")
@click.option(
    "--relations-file",
    type=options.INPUT_FILE,
    envvar=OWN_FILE,
    callback=lambda ctx, _, path: _set(ctx, OWN_FILE, [path] if path else []),
    expose_value=False,
    help="A file of relations of your own, which adds to relations.toml and overrides it.",
)
@click.option(
    "--dataset",
    multiple=True,
    type=options.INPUT_FILE,
    envvar=OWN_FILES,
    callback=lambda ctx, _, paths: _set(ctx, OWN_FILES, paths),
    expose_value=False,
    help="A Python file with a dataset of your own, for all commands; repeatable.",
)
def cli(verbose: bool, quiet: bool) -> None:
    """Evaluation datasets for language models from a Wikidata dump, offline.

    \b
    A dump goes in:                  kgbuild load dumps/sample.nt
    a dataset is built:              kgbuild syn-qa --relations P26,P40
    and others:                      kgbuild granola --relations P19,P69
                                     kgbuild biokalma --relations P26,P737
    and queried:                     kgbuild sql "FROM syn_qa_questions LIMIT 5"
    """
    if verbose and quiet and options.is_on_command_line("quiet"):  # and not by KGBUILD_QUIET
        raise click.UsageError("Pass --verbose or --quiet, not both.")  # output.progress reads them


def _set(ctx: click.Context, variable: str, paths: Sequence[Path]) -> None:
    """Set an environment variable to paths, before the command is looked for, and read them."""
    if paths:
        absolute = os.pathsep.join(str(path.absolute()) for path in paths)
        from kgbuild.catalog import catalog

        with contextlib.ExitStack() as stack:
            stack.enter_context(environment(variable, absolute))
            (own_datasets if variable == OWN_FILES else catalog)()
            ctx.with_resource(stack.pop_all())


@contextlib.contextmanager
def environment(name: str, value: str) -> Iterator[None]:
    """Set an environment variable, which workers inherit, while the command runs."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _end_without_reader() -> None:
    output = select.poll()
    output.register(1, 0)  # tells errors alone, of which one is that nobody reads
    if output.poll(0):
        os._exit(0)


_terminated = threading.Event()
"""Set if SIGTERM has ended the command: then the exit code is 143, as shells expect."""


def _stop(*_: object) -> None:
    """Handle SIGTERM like Ctrl-C, by the handler that is set for SIGINT at the moment."""
    _terminated.set()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell script starts its background jobs so that they ignore SIGINT.
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def main() -> None:
    """Run the command line."""
    # Python's default is far lower: it searches a large table for cycles again and again.
    gc.set_threshold(200_000)
    if sys.stdout is None:  # the caller has closed it
        raise SystemExit("Error: The output cannot be written: standard output is closed.")
    # NumPy multiplies small matrices only; more threads would wait busily for the next one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    signal.signal(signal.SIGTERM, _stop)
    # Notes about the compilation of native code go to standard error.
    native.announce = functools.partial(click.echo, err=True)
    try:
        try:
            cli()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:  # a second signal, while the first one ended the command
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        error = _interrupted()
        error.show()
        raise SystemExit(error.exit_code) from None
    except BrokenPipeError:  # the process that reads the output has ended, such as head
        os._exit(0)
    except OSError as broken:  # of standard output: commands turn all others into KgbuildError
        reason = broken.strerror or broken
        os.write(2, f"Error: The output cannot be written: {reason}.\n".encode())
        os._exit(1)
