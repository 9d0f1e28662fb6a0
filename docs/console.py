"""Run commands for the documentation, on a store made of the sample, and show what they print."""

import contextlib
import functools
import inspect
import json
import os
import re
import shlex
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias, cast

import click
from click.testing import CliRunner

from kgbuild.cli import cli
from kgbuild.cli.models.model_options import model_options

ROOT = Path(__file__).parents[1]
BUILDS = ("syn-qa --relations P26,P40,P22,P69,P19", "granola", "biokalma")
"""What the database of the examples is built of."""
EXAMPLES = {
    "syn_qa": """
        SELECT question, false_question AS "false question", falsity FROM syn_qa_pairs
        WHERE (subject_label, object_label) IN (
            ('Karl Marx', 'Trier'), ('Tom Cruise', 'Nicole Kidman'),
            ('Steve Jobs', 'Reed College')
        )
        QUALIFY row_number() OVER (PARTITION BY relation ORDER BY pair_id) = 1
        ORDER BY falsity DESC, pair_id
    """,
    "granola": """
        SELECT question, array_to_string(list_transform(levels, lambda level:
            array_to_string(level, ' / ')), ' → ') AS "answers, from fine to coarse"
        FROM granola_levels JOIN granola_questions USING (question_id, question)
        WHERE (granola_questions.relation, subject_label) IN (
            ('P19', 'Pablo Picasso'), ('P69', 'Alfred Sisley'), ('P569', 'Camille Saint-Saëns')
        )
        ORDER BY question
    """,
    "biokalma": """
        SELECT specific_question AS question, string_agg(
            subject.label || ', ' || property_label || ': ' || "value", '; ' ORDER BY "position"
        ) AS statements
        FROM (SELECT *, unnest(subjects) AS subject FROM biokalma_questions)
        JOIN biokalma_knowledge USING (question_id)
        WHERE scope = 'specific' AND subject.qid = biokalma_knowledge.qid AND question_id IN (
            SELECT question_id FROM biokalma_questions WHERE relation = 'P26'
            ORDER BY length(specific_question), question_id LIMIT 1
        )
        GROUP BY question_id, specific_question ORDER BY question_id
    """,
}
"""Queries for some rows of each dataset, which the README shows."""


@functools.cache
def _folder() -> Path:
    """Return a folder in which commands find dumps/ and docs/ and may write files."""
    folder = Path(tempfile.mkdtemp())
    for name in ("dumps", "docs"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@functools.cache
def _environment() -> dict[str, str]:
    """Return an environment with a store and a database, which are built once."""
    home = Path(tempfile.mkdtemp())
    environment = {"KGBUILD_STORE": str(home / "kg"), "KGBUILD_DB": str(home / "datasets.duckdb")}
    for command in ("load --sample", *BUILDS):
        _output(f"kgbuild {command}", environment)
    return environment


def _output(command: str, environment: dict[str, str], with_messages: bool = False) -> str:
    """Return what a command prints, and its messages if they are wanted."""
    # The store, the database and relations of whoever runs this are not touched.
    own = {name: None for name in os.environ if name.startswith("KGBUILD_")}
    settings = {**own, "COLUMNS": "110", "KGBUILD_QUIET": "1", **environment}
    with contextlib.chdir(_folder()):
        result = CliRunner().invoke(
            cli, shlex.split(command)[1:], env=settings, prog_name="kgbuild", catch_exceptions=False
        )
    if result.exit_code:
        raise RuntimeError(f"{command}\n{result.output}")
    return result.output if with_messages else result.stdout


def run(command: str) -> str:
    """Run a command on the store and database of the examples; return what it prints.

    An example whose table has no rows is an error: it shows nothing.
    """
    text = _output(command, _environment())
    if text.rstrip().endswith("─"):
        raise RuntimeError(f"no rows: {command}")
    return text


def console(*commands: str) -> str:
    """Return a block of Markdown: commands on the examples, with their output."""
    return _block((command, run(command)) for command in commands)


def session(*commands: str) -> str:
    """Return a block of Markdown: commands that begin with nothing, with output and messages.

    Durations are masked, because they differ from run to run.
    """
    outputs = ((command, _output(command, {}, with_messages=True)) for command in commands)
    return _block((command, re.sub(r" in [0-9.]+ s", " in … s", text)) for command, text in outputs)


def _block(transcript: Iterable[tuple[str, str]]) -> str:
    shown = [f"$ {command}\n{output}" for command, output in transcript]
    return "```console\n" + "\n".join(shown) + "```"


def rows(dataset: str) -> str:
    """Return example rows of a dataset as a table of Markdown."""
    query = " ".join(EXAMPLES[dataset].split())
    records = json.loads(run(f"kgbuild sql --json {shlex.quote(query)}"))
    columns = [*records[0]]
    lines = [columns, ["---"] * len(columns), *([*record.values()] for record in records)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def example(dataset: str) -> str:
    """Return an example question of a dataset, and the list of its statements, as Markdown."""
    query = " ".join(EXAMPLES[dataset].split())
    (row,) = json.loads(run(f"kgbuild sql --json {shlex.quote(query)}"))
    statements = "\n".join(f"- {statement}" for statement in row["statements"].split("|"))
    return f"> {row['question']}\n\nThe statements to cite:\n\n{statements}"


def answer_file(query: str, answer: str, name: str) -> str:
    """Write a file with an answer to the question that a query returns; return its Markdown."""
    (question,) = json.loads(run(f"kgbuild sql --json {shlex.quote(query)}"))
    line = json.dumps({**question, "answer": answer}, ensure_ascii=False)
    (_folder() / name).write_text(f"{line}\n", encoding="utf-8")
    return f"```json\n{line}\n```"


def write_older(name: str, *edits: tuple[str, str]) -> None:
    """Write an older dump: the sample, in which regular expressions are replaced."""
    text = (ROOT / "dumps" / "sample.nt").read_text(encoding="utf-8")
    for pattern, replacement in edits:
        text = re.sub(pattern, replacement, text)
    (_folder() / name).write_text(text, encoding="utf-8")


def write_shown(page: str, name: str) -> None:
    """Write the file that a page shows: its first line has the name."""
    shown = Path(page).read_text(encoding="utf-8")
    (text,) = re.findall(rf"^```toml\n(# {name}\n.*?)^```", shown, re.MULTILINE | re.DOTALL)
    (_folder() / name).write_text(text, encoding="utf-8")


_SHARED = 3
"""An option that so many commands have, with the same help, is explained once."""
_Entry: TypeAlias = tuple[str, str]
"""An option with its value, such as --db FILE, and its explanation."""


def reference() -> str:
    """Return the options of every command, as Markdown; those of many commands come once."""
    with click.Context(cli, info_name="kgbuild", **cli.context_settings) as top:
        contexts = [top, *_contexts(top)]
        counts = Counter(entry for context in contexts for entry in _entries(context))
        shared = {entry for entry, count in counts.items() if count >= _SHARED}
        models = {entry for entry in shared if entry[0].split()[0] in _model_options()}
        others = {*shared} - models
        parts = ["## Options of many commands", _list(sorted(others, key=_name))]
        parts += ["## Options of models", _list(sorted(models, key=_name))]
        for context in contexts:
            parts += _command(context, others, models)
    return "\n\n".join(parts)


def _model_options() -> set[str]:
    """Return the options that all commands with a language model share."""
    command = model_options("")(lambda: None)
    return {option.opts[-1] for option in command.__click_params__}  # type: ignore[attr-defined]


def _contexts(parent: click.Context) -> Iterator[click.Context]:
    """Yield the contexts of all commands below one, in the order of the help."""
    group = cast("click.Group", parent.command)
    for name in group.list_commands(parent):
        if command := group.get_command(parent, name):
            context = click.Context(command, info_name=name, parent=parent)
            yield context
            if isinstance(command, click.Group):
                yield from _contexts(context)


def _entries(context: click.Context) -> list[_Entry]:
    """Return the options of a command, as its help has them."""
    options = (one for one in context.command.params if isinstance(one, click.Option))
    return [entry for option in options if (entry := option.get_help_record(context))]


def _name(entry: _Entry) -> str:
    return entry[0].split("--")[1]


def _list(entries: Iterable[_Entry]) -> str:
    return "\n".join(f"- `{_plain(name)}`: {' '.join(text.split())}" for name, text in entries)


def _plain(name: str) -> str:
    """Return an option with N or X for a number, whose range its explanation names."""
    return re.sub(r" FLOAT( RANGE)?$", " X", re.sub(r" INTEGER( RANGE)?$", " N", name))


def _command(
    context: click.Context, shared: Collection[_Entry], models: Collection[_Entry]
) -> list[str]:
    """Return the summary of a command, its arguments and its own options."""
    arguments = [
        one for one in context.command.collect_usage_pieces(context) if "OPTIONS" not in one
    ]
    usage = " ".join(arguments).removesuffix("[ARGS]...").rstrip()
    summary = inspect.cleandoc(context.command.help or "").partition("\n\n")[0]
    parts = [f"## {context.command_path} {usage}".rstrip(), summary]
    entries = _entries(context)
    if own := [entry for entry in entries if entry not in shared and entry not in models]:
        parts.append(_list(own))
    also = [f"--{_name(entry).split()[0]}" for entry in entries if entry in shared]
    listed = [f"`{' '.join(also)}`"] if also else []
    if any(entry in models for entry in entries):
        listed.append("the [options of models](#options-of-models)")
    return [*parts, f"Also {' and '.join(listed)}."] if listed else parts
