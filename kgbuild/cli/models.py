"""The options about a language model, and the messages of commands that send it requests."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.datasets.asking import Ask
from kgbuild.errors import NoAnswersError
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.models.prices import Prices

_CHARACTERS_PER_TOKEN = 4
"""Approximate number of characters per token, for estimates."""


def _read_body(_context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    """Parse the value of ``--extra-body``, a JSON object of fields of a request."""
    from kgbuild.models.settings import RESERVED

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
    """Parse the value of ``--prices``."""
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
        help="Server of the model.  [default: OPENAI_BASE_URL, or OpenAI's]",
    ),
    click.option("--budget", type=options.COUNT, help="Maximum number of tokens to use."),
    click.option(
        "--prices",
        metavar="IN,OUT",
        callback=_read_prices,
        help="Prices of a million tokens of requests and of replies, such as 2.5,10, to print the "
        "cost.",
    ),
    click.option(
        "--max-tokens",
        type=options.COUNT,
        help="Maximum number of tokens of a reply, with its reasoning.  [default: 2048]",
    ),
    click.option("--top-p", type=options.Number(0, 1, min_open=True), help="Nucleus sampling."),
    click.option(
        "--sampling-seed",
        type=click.IntRange(0),
        help="Seed that is sent to the server; a further sample of a question has the next one.",
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
        type=click.IntRange(1, 1024),
        help="Maximum number of simultaneous requests; fewer if more do not speed up the server.  "
        "[default: 64]",
    ),
    click.option(
        "--timeout",
        type=options.Number(0, 86_400, min_open=True),
        help="Seconds to wait for a reply.  [default: 600]",
    ),
    click.option(
        "--retries",
        type=click.IntRange(0, 100),
        help="Maximum number of retries of a request.  [default: 4]",
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


@dataclass(frozen=True)
class ChosenModel:
    """The language model that the user chose, with its settings.

    ``settings`` replace fields of ``models.settings.Settings``, ``connection`` parameters of
    ``llm.Model``; both contain only the options that the user typed.
    """

    name: str
    base_url: str | None
    budget: int | None
    replies: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    connection: Mapping[str, Any] = field(default_factory=dict)
    prices: Prices | None = None

    @cached_property
    def ask(self) -> Ask:
        """A function that sends requests to the model and shows progress.

        A summary of the use of the model is printed at the end of the command.
        """
        from kgbuild.models.llm import Model
        from kgbuild.models.settings import Settings

        def notify(failure: Failure) -> None:
            reason = f"{failure.reason}: {failure.detail}"
            output.notify(f"{self.name}: {reason}. It is asked again.")

        model = Model(
            self.name,
            self.replies,
            self.base_url or "",
            self.budget,
            settings=Settings(**self.settings),
            notice=notify,
            **self.connection,
        )

        def ask(requests: Sequence[Request]) -> list[Reply | Failure]:
            with output.progress() as progress:
                return model.ask(
                    requests,
                    lambda done, total: progress(
                        f"asking {self.name}, {model.used.tokens:,} tokens", done, total
                    ),
                )

        def report_use() -> None:
            used = model.used
            if used.requests + used.cached:
                cost = ""
                if self.prices:
                    cost = f"cost {self.prices.cost(used.tokens_in, used.tokens_out):,.4f}, "
                output.notify(
                    f"{self.name}: {used.requests:,} requests, {used.tokens:,} tokens, {cost}"
                    f"{used.cached:,} cached replies. Replies are cached in {self.replies}."
                )

        click.get_current_context().call_on_close(report_use)  # also after an error
        return ask

    def make_asker(self, noun: str) -> Ask:
        """Return a function that asks the model, and prints an estimate and the missing replies.

        ``noun`` is the plural noun for the replies in messages, such as "verdicts".
        """
        from kgbuild.evaluate.grading import missing

        def ask(requests: Sequence[Request]) -> Sequence[Reply | Failure]:
            self.report_estimate(requests)
            replies = self.ask(requests)
            report_missing(noun, len(requests), [*filter(None, map(missing, replies))])
            return replies

        return ask

    def with_settings(self, **settings: Any) -> "ChosenModel":
        """Return the model with further settings; None and "" are not set."""
        new_settings = {name: value for name, value in settings.items() if value not in (None, "")}
        return replace(self, settings={**self.settings, **new_settings})

    def report_estimate(self, requests: Sequence[Request], origin: str = "") -> None:
        """Print the estimated tokens and cost of requests; ``origin`` explains their number."""
        if requests:
            length = sum(len(turn.content) for request in requests for turn in request.messages)
            # Two digits, since it is only an estimate.
            tokens = float(f"{length / _CHARACTERS_PER_TOKEN:.2g}")
            output.notify(
                f"{self.name}: {len(requests):,} requests{origin} of some {tokens:,.0f} tokens "
                f"(characters / {_CHARACTERS_PER_TOKEN}), and its answers. Requests with a cached "
                "reply are not sent again."
            )
            if self.prices:
                most = self.settings.get("max_tokens")
                tokens_out = sum(most or request.max_tokens for request in requests)
                low, high = self.prices.cost(tokens, 0), self.prices.cost(tokens, tokens_out)
                output.notify(
                    f"They cost between {low:,.4f} (without answers) and {high:,.4f} (if each "
                    "answer has the maximum number of tokens)."
                )


def model_options(
    text: str, required: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the options about a language model.

    The command receives them as one parameter ``llm``: a ``ChosenModel``, or None without
    ``--model``. ``text`` is the help text of ``--model``. The command must also have ``--db``.
    """

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(
            model: str | None,
            base_url: str | None,
            budget: int | None,
            replies: Path | None,
            retries: int | None,
            prices: Prices | None,
            **values: Any,
        ) -> None:
            settings = _pop_chosen(
                values, "max_tokens", "top_p", "sampling_seed", "reasoning_effort", "extra_body"
            )
            if "sampling_seed" in settings:
                settings["seed"] = settings.pop("sampling_seed")
            connection = _pop_chosen(values, "concurrency", "timeout", "cache_key")
            if retries is not None:
                from kgbuild.net.waits import pauses

                connection["pauses"] = pauses(retries)
            if "" in (model, base_url) or not (model or "").isprintable():
                raise click.UsageError("--model needs a name, and --base-url a URL.")
            chosen = (base_url, budget, replies, settings, connection, prices)
            if model is None and any(chosen):
                raise click.UsageError(
                    "--base-url, --budget, --replies and the like need a model. Pass one with "
                    "--model."
                )
            cache = replies or values["db"].path.parent / "replies.sqlite"
            llm = model and ChosenModel(
                model, base_url, budget, cache, settings, connection, prices
            )
            command(llm=llm, **values)

        model_option = click.option("--model", metavar="NAME", required=required, help=text)
        return options.combine(model_option, *_OPTIONS)(call)

    return add


def _pop_chosen(values: dict[str, Any], *names: str) -> dict[str, Any]:
    """Remove options from the values of a command, and return the options that the user typed."""
    options_by_name = {name: values.pop(name) for name in names}
    return {name: value for name, value in options_by_name.items() if value not in (None, "", {})}


def report_missing(kind: str, total: int, failures: Sequence[Failure]) -> None:
    """Print how many of ``total`` judgements are missing, and why; ``kind`` is their plural noun.

    Raises:
        NoAnswersError: all judgements are missing.
    """
    if failures and len(failures) == total:
        raise NoAnswersError(total, *failures[0])
    report_left_out(failures, f"{kind} missing")


def report_left_out(failures: Sequence[Failure], outcome: str = "left out") -> None:
    """Print how many requests failed, by reason, with the first detail of each reason."""
    details = dict(reversed(failures))
    for reason, count in Counter(failure.reason for failure in failures).most_common():
        detail = details[reason]
        output.notify(f"  {count:,} {outcome}: {reason}: {detail}. Run it again to ask for them.")
