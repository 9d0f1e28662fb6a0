"""The command ``sparql``: it runs a query in SPARQL on the store."""

import contextlib
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from kgbuild.cli import options, output
from kgbuild.errors import WrongCallError, replace_controls
from kgbuild.wikidata import Value, with_prefix

if TYPE_CHECKING:
    from kgbuild.store.sparql.terms import Solutions

_FORMATS = ("table", "csv", "tsv", "json", "nt", "ttl")
_ENDINGS = (*(f".{form}" for form in _FORMATS[1:]), ".parquet")
_INTEGER = re.compile("[+-]?[0-9]{1,18}")


def _is_query(value: str) -> bool:
    return not value or "{" in value or bool(re.search(r"\s", value) and not Path(value).exists())


def _read_bindings(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    bindings: dict[str, str] = {}
    for text in values:
        name, equals, value = text.partition("=")
        name = name.lstrip("?$")
        if not (equals and re.fullmatch(r"\w+", name)):
            raise click.BadParameter(f"'{text}' is not NAME=VALUE.", context, parameter)
        if name in bindings:
            raise click.BadParameter(f"?{name} has two values.", context, parameter)
        bindings[name] = value
    return bindings


@click.command()
@options.query_argument(_is_query)
@click.option(
    "--bind",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_read_bindings,
    help="Give a variable a value; repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="table",
    help="Format on standard output.",
)
@options.output_option("path", "Write to a file", _ENDINGS)
@click.option("--timeout", type=options.COUNT, default=60, help="Maximum number of seconds.")
@click.option("--service", is_flag=True, help="Let SERVICE in the query ask other servers.")
@options.store_option
@options.endpoint_option
def sparql(
    query: str,
    bind: dict[str, str],
    form: str,
    path: Path | None,
    timeout: int,
    service: bool,
    store: Path,
    endpoint: str | None,
) -> None:
    """Run a query in SPARQL on the store, which it can only read.

    The query is the argument itself, a file, or - for standard input. The prefixes wd, wdt, wdtn,
    wdno, wikibase, rdf, rdfs, owl, skos, schema, xsd and geo are known; those of the query win.

    A VALUE is the id of an item or a property (P26 is wdt:P26), a name such as wd:P26, an IRI in
    <>, a number, or a text in quotes as "text", "text"@en or "text"^^xsd:date. What is in the
    quotes needs no escapes. The outermost SELECT must return the variable.

    SELECT and ASK give a table, CSV, TSV, JSON or Parquet, CONSTRUCT and DESCRIBE a table,
    N-Triples, Turtle or Parquet. In tables and Parquet, columns of numbers have numbers.

    \b
    Example:
      kgbuild sparql "SELECT ?item ?spouse { ?item wdt:P26 ?spouse }" --bind item=Q7186
      kgbuild sparql queries/one_hop.rq --bind item=Q42 -o adams.csv
    """
    from kgbuild.store import manifest, user_query

    if path is not None:
        options.refuse_format(path, "form")
        form = path.suffix.removeprefix(".")
    url = options.choose_endpoint(endpoint)
    if url is not None and bind:
        raise click.UsageError(
            "--bind is for a store, as --store names one: an endpoint takes no values."
        )
    # A table and Parquet are made of the form that has everything.
    exact = None if form in ("table", "parquet") else form
    with tempfile.TemporaryFile() as file:
        with output.progress("running the query"):
            if url is not None:
                _ask_endpoint(url, query, exact, file, timeout, service)
            else:
                with manifest.checked(store) as (_, folder):
                    graph = folder / manifest.GRAPH
                    user_query.write(graph, query, bind, exact, file, timeout, service)
        _deliver(file, form, path)


def _ask_endpoint(
    url: str, query: str, form: str | None, file: IO[bytes], timeout: int, service: bool
) -> None:
    from kgbuild.net.http import Client
    from kgbuild.store.sparql import query_text
    from kgbuild.store.sparql.endpoint import Endpoint

    if not service:
        query_text.refuse_services(query)
    with contextlib.closing(Client(notice=output.notify, silence=timeout, limit=timeout)) as client:
        Endpoint(url, client).answer(query, form, file)


def _deliver(file: IO[bytes], form: str, path: Path | None) -> None:
    """Print the result that is in a file, or write it to the path that the user named."""
    from kgbuild.store.sparql.terms import read_result

    if form == "table":
        result = read_result(file)
        columns = _columns(result)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        output.show(rows, False, result.columns)
    elif path is None:
        _print(file)
    else:
        with output.replacing(path) as partial:
            if form == "parquet":
                from kgbuild.tables.file_formats import write_columns

                columns = _columns(read_result(file))
                if not columns:
                    raise WrongCallError("The result has no variables, and Parquet needs a column.")
                write_columns(partial, columns)
            else:
                with partial.open("wb") as copy:
                    shutil.copyfileobj(file, copy)


def _print(file: IO[bytes]) -> None:
    """Print a file as it is, but on a terminal without characters that could control it."""
    if sys.stdout.isatty():
        for line in file:
            fields = line.decode("utf-8", "replace").rstrip("\r\n").split("\t")
            click.echo("\t".join(map(replace_controls, fields)))
    else:
        shutil.copyfileobj(file, sys.stdout.buffer)


def _columns(result: "Solutions") -> dict[str, list[str | int | float | None]]:
    """Return the values of each variable: numbers if all are numbers, otherwise texts."""
    return {
        name: _plain([row[index] for row in result.rows])
        for index, name in enumerate(result.columns)
    }


def _plain(values: Sequence[Value | None]) -> list[str | int | float | None]:
    bound = [value for value in values if value is not None]
    if not bound or any(value.kind != "quantity" for value in bound):
        return [None if value is None else _text(value) for value in values]
    if all(_INTEGER.fullmatch(value.text) for value in bound):
        return [None if value is None else int(value.text) for value in values]
    return [None if value is None else float(value.text) for value in values]


def _text(value: Value) -> str:
    if value.kind == "link":
        return with_prefix(value.text)
    return "unknown value" if value.kind == "unknown" else value.text
