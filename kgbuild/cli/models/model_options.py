"""The options about a language model, which commands share."""

import json
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from kgbuild import calls
from kgbuild.cli import options
from kgbuild.cli.models.chosen_model import ChosenModel
from kgbuild.models.budget import Prices
from kgbuild.models.chat import LOCAL
from kgbuild.models.settings import RESERVED, Api, Concurrency, Retries, Settings, Timeout
from kgbuild.net.waits import pauses

_SETTINGS = ("max_tokens", "top_p", "sampling_seed", "reasoning_effort", "extra_body")
"""The options that are fields of ``Settings``."""
_CONNECTION = ("concurrency", "timeout", "retries", "api", "cache_key")
"""The options that are parameters of ``llm.Model``."""
_FIELDS = {"sampling_seed": "seed", "retries": "pauses"}
"""The names of these fields and parameters, where they are other ones."""


def _read_body(_context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    """Parse the value of ``--extra-body``, a JSON object of fields of a request."""
    try:
        fields = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"it is not JSON: {error}.", param=parameter) from error
    if not isinstance(fields, dict):
        raise click.BadParameter('it must be an object, such as {"top_k": 20}.', param=parameter)
    if reserved := [name for name in RESERVED if name in fields]:
        raise click.BadParameter(f"kgbuild itself sets {', '.join(reserved)}.", param=parameter)
    return fields


def _read_prices(
    _context: click.Context, parameter: click.Parameter, text: str | None
) -> Prices | None:
    if text is None:
        return None
    try:
        return Prices.parse(text)
    except ValueError as error:
        message = "it must be two numbers, such as 2.5,10."
        raise click.BadParameter(message, param=parameter) from error


_OPTIONS = (
    click.option(
        "--base-url",
        metavar="URL",
        help=f"Server of the model; {LOCAL}FOLDER names a model on this machine, without one.  "
        "[default: OPENAI_BASE_URL, or OpenAI's]",
    ),
    click.option("--budget", type=options.COUNT, help="Maximum number of tokens to use."),
    click.option(
        "--prices",
        metavar="IN,OUT",
        callback=_read_prices,
        help="Print the cost, at these prices of a million tokens of requests and replies: 2.5,10.",
    ),
    options.option_of(
        Settings,
        "max_tokens",
        "Maximum number of tokens of a reply, with its reasoning.  [default: 2048]",
    ),
    options.option_of(Settings, "top_p", "Nucleus sampling."),
    click.option(
        "--sampling-seed",
        type=options.type_of(calls.parameter_kinds(Settings)["seed"]),
        help="Seed of the server; a further sample of a question has the next one.",
    ),
    click.option("--reasoning-effort", metavar="NAME", help="For reasoning models, such as low."),
    click.option(
        "--extra-body",
        metavar="JSON",
        callback=_read_body,
        help="Further fields to send, such as '{\"top_k\": 20}'.",
    ),
    click.option(
        "--concurrency",
        type=options.type_of(Concurrency),
        help="Maximum number of simultaneous requests.  [default: 64]",
    ),
    click.option(
        "--timeout",
        type=options.type_of(Timeout),
        help="Seconds to wait for a reply.  [default: 600]",
    ),
    click.option(
        "--retries",
        type=options.type_of(Retries),
        callback=lambda *arguments: None if arguments[-1] is None else pauses(arguments[-1]),
        help="Maximum number of retries of a request.  [default: 4]",
    ),
    click.option(
        "--api",
        type=options.type_of(Api),
        help="API of the server: chat completions, or responses.  [default: chat]",
    ),
    click.option(
        "--batch-out",
        cls=options.OutputOption,
        type=options.OUTPUT_FILE,
        metavar="FILE",
        help="Send nothing: write the requests to a file for the server's batch API, and stop.",
    ),
    click.option(
        "--batch-in",
        type=options.INPUT_FILE,
        metavar="FILE",
        help="Send nothing: take the replies from the results of a batch.",
    ),
    click.option(
        "--replies",
        type=options.OUTPUT_FILE,
        metavar="FILE",
        help="Cache of the model's replies.  [default: replies.sqlite beside the database]",
    ),
    click.option(
        "--cache-key",
        metavar="TEXT",
        help="Distinguishes cached replies of models with the same name, such as on two servers.",
    ),
)


def model_options(
    text: str, required: bool = False, option: str = "--model"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the options about a language model.

    The command receives them as one parameter ``llm``: a ``ChosenModel``, or None without
    ``option``, whose help text is ``text``. The command must also have ``--db``.
    """

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(
            model: str | None, base_url: str | None, replies: Path | None, **values: Any
        ) -> None:
            settings = _pop_chosen(values, _SETTINGS)
            connection = _pop_chosen(values, _CONNECTION)
            names = ("budget", "prices", "batch_out", "batch_in")
            others = {name: values.pop(name) for name in names}
            if "" in (model, base_url) or not (model or "").isprintable():
                raise click.UsageError(f"{option} needs a name, and --base-url a URL.")
            if others["batch_out"] and others["batch_in"]:
                raise click.UsageError("--batch-out and --batch-in are two steps. Pass one.")
            if model is None and any((base_url, replies, settings, connection, *others.values())):
                raise click.UsageError(
                    "--base-url, --budget, --replies and the like need a model. Pass one with "
                    f"{option}."
                )
            llm = None
            if model:
                from kgbuild.models.reply_cache import replies_beside

                cache = replies or replies_beside(values["db"].path)
                llm = ChosenModel(model, base_url, cache, settings, connection, **others)
                if model.startswith(LOCAL):
                    _reject_servers(llm)
            command(llm=llm, **values)

        model_option = click.option(
            option, "model", metavar=f"NAME|{LOCAL}FOLDER", required=required, help=text
        )
        return options.combine(model_option, *_OPTIONS)(call)

    return add


def _reject_servers(llm: ChosenModel) -> None:
    """Reject options about a server, for a model on this machine."""
    names = {*llm.settings, *llm.connection} - {"max_tokens", "top_p", "seed", "cache_key"}
    if names or llm.base_url or llm.batch_out or llm.batch_in:
        raise click.UsageError(
            f"{LOCAL} runs a model on this machine. Leave out the options about servers."
        )


def _pop_chosen(values: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Remove options from the values of a command; return those that the user typed, by field."""
    chosen = {_FIELDS.get(name, name): values.pop(name) for name in names}
    return {field: value for field, value in chosen.items() if value not in (None, "", {})}
