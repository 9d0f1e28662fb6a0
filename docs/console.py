"""Run commands for the documentation, on a store made of the sample, and print what they print."""

import functools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
RELATIONS = "P26,P40,P22,P69,P19"
"""The relations that the shown datasets are built of."""


@functools.cache
def _environment() -> dict[str, str]:
    """Return an environment with a store and datasets, made once."""
    home = Path(tempfile.mkdtemp())
    environment = {
        **os.environ,
        "KGBUILD_STORE": str(home / "kg"),
        "KGBUILD_DB": str(home / "datasets.duckdb"),
        "COLUMNS": "110",
        "PYTHONPATH": str(ROOT),
    }
    for command in (
        f"load {ROOT / 'dumps/sample.nt'}",
        f"syn-qa --relations {RELATIONS}",
        "granola",
        "biokalma",
    ):
        _run(f"kgbuild {command}", environment)
    return environment


def _run(command: str, environment: dict[str, str]) -> str:
    arguments = [sys.executable, "-m", "kgbuild", *shlex.split(command)[1:]]
    done = subprocess.run(  # noqa: S603
        arguments, env=environment, check=True, capture_output=True, text=True, cwd=_desk()
    )
    return done.stdout


def console(*commands: str) -> str:
    """Return a block of Markdown with commands and what they print."""
    shown = [f"$ {command}\n{_run(command, _environment())}" for command in commands]
    return "```console\n" + "\n".join(shown) + "```"


def answered(query: str, said: str, name: str) -> str:
    """Put an answer to the question that a query finds into a file for commands, and return it.

    The query gives what an answer needs beside its text. The file is JSON Lines, and so is the
    block of Markdown.
    """
    (asked,) = json.loads(_run(f"kgbuild sql --json {shlex.quote(query)}", _environment()))
    line = json.dumps({**asked, "answer": said}, ensure_ascii=False)
    (_desk() / name).write_text(f"{line}\n", encoding="utf-8")
    return f"```json\n{line}\n```"


@functools.cache
def _desk() -> Path:
    """Return a folder in which commands find dumps/ and docs/ and may leave files."""
    desk = Path(tempfile.mkdtemp())
    for name in ("dumps", "docs"):
        (desk / name).symlink_to(ROOT / name)
    return desk


def desk(*commands: str) -> str:
    """Return a block of Markdown with commands that write files, and what they tell."""
    shown = []
    for command in commands:
        arguments = [sys.executable, "-m", "kgbuild", *shlex.split(command)[1:]]
        done = subprocess.run(  # noqa: S603
            arguments,
            env={**os.environ, "COLUMNS": "110", "PYTHONPATH": str(ROOT)},
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=_desk(),
        )
        shown.append(f"$ {command}\n{re.sub(r' in [0-9.]+ s', ' in … s', done.stdout)}")
    return "```console\n" + "\n".join(shown) + "```"


def commands() -> str:
    """Return a table of Markdown with what each command does, and links to its help."""
    from kgbuild.cli import cli

    with click.Context(cli, info_name="kgbuild") as top:
        rows = ["| command | what it does |", "| --- | --- |"]
        for name in cli.list_commands(top):
            command = cli.get_command(top, name)
            if command is not None:
                told = command.get_short_help_str(limit=200)
                rows.append(f"| [`{name}`](docs/commands.md#kgbuild-{name}) | {told} |")
    return "\n".join(rows)


def reference() -> str:
    """Return the help of every command, as Markdown."""
    from kgbuild.cli import cli

    wide = {"terminal_width": 96, "max_content_width": 96}
    with click.Context(cli, info_name="kgbuild", **{**cli.context_settings, **wide}) as top:
        parts = [f"```\n{cli.get_help(top)}\n```"]
        for name in cli.list_commands(top):
            command = cli.get_command(top, name)
            if command is not None:
                parts += _help(command, name, top)
    return "\n\n".join(parts)


def _help(command: click.Command, name: str, parent: click.Context) -> list[str]:
    """Return the help of a command, and of those below it."""
    with click.Context(command, info_name=name, parent=parent) as context:
        parts = [f"## {context.command_path}\n\n```\n{command.get_help(context)}\n```"]
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                below = command.get_command(context, inner)
                parts += _help(below, inner, context) if below else []
    return parts
