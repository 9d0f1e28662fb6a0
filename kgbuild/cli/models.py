"""The options about a language model, and what commands print when they ask it."""

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

_TOKEN = 4
"""Approximate number of characters per token."""


def _read_body(_context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    """Return the fields in the value of ``--extra-body``."""
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


_OPTIONS = (
    click.option(
        "--base-url", metavar="URL", help="Its server.  [default: OPENAI_BASE_URL, or OpenAI's own]"
    ),
    click.option("--budget", type=options.COUNT, help="Maximum number of tokens to use."),
    click.option(
        "--max-tokens",
        type=options.COUNT,
        help="Maximum number of tokens of a reply, with its reasoning.  [default: 2048]",
    ),
    click.option("--top-p", type=options.Number(0, 1, min_open=True), help="Nucleus sampling."),
    click.option("--reasoning-effort", metavar="NAME", help="Such as low, of reasoning models."),
    click.option(
        "--extra-body",
        metavar="JSON",
        callback=_read_body,
        help='Further fields to send, such as \'{"top_k": 20, "seed": 7}\'.',
    ),
    click.option(
        "--concurrency",
        type=click.IntRange(1, 1024),
        help="Maximum number of requests at once; fewer if the server does not get faster.  "
        "[default: 64]",
    ),
    click.option(
        "--timeout",
        type=options.Number(0, 86_400, min_open=True),
        help="Seconds to wait for a reply.  [default: 600]",
    ),
    click.option(
        "--retries", type=click.IntRange(0, 100), help="Further tries of a request.  [default: 4]"
    ),
    click.option(
        "--replies",
        type=options.OUTPUT_FILE,
        metavar="FILE",
        help="Where its replies are kept.  [default: replies.sqlite beside the database]",
    ),
    click.option(
        "--cache-key",
        metavar="TEXT",
        help="Tells models of the same name apart among the kept replies, such as two servers.",
    ),
)


@dataclass(frozen=True)
class ChosenModel:
    """The language model that a user named, and how it is asked.

    ``settings`` are the values that replace those of its requests, ``connection`` those that
    ``llm.Model`` takes by the same name; both have only what the user chose.
    """

    name: str
    base_url: str | None
    budget: int | None
    replies: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    connection: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def ask(self) -> Ask:
        """The function that asks the model and shows progress; the command ends with a summary."""
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
                    lambda done, of: progress(
                        f"asking {self.name}, {model.used.tokens:,} tokens", done, of
                    ),
                )

        def report_use() -> None:
            used = model.used
            if used.requests + used.cached:
                output.notify(
                    f"{self.name}: {used.requests:,} requests, {used.tokens:,} tokens, "
                    f"{used.cached:,} answers from before. Replies are kept in {self.replies}."
                )

        click.get_current_context().call_on_close(report_use)  # also after an error
        return ask

    def grade(self, kind: str) -> Ask:
        """Return ``ask`` with an estimate before it, and the missing grades of a kind after it."""
        from kgbuild.evaluate.grading import missing

        def ask(requests: Sequence[Request]) -> Sequence[Reply | Failure]:
            self.report_estimate(requests)
            replies = self.ask(requests)
            report_missing(kind, len(requests), [*filter(None, map(missing, replies))])
            return replies

        return ask

    def with_settings(self, **settings: Any) -> "ChosenModel":
        """Return the model with further settings: those that are not None or empty."""
        chosen = {name: value for name, value in settings.items() if value not in (None, "")}
        return replace(self, settings={**self.settings, **chosen})

    def report_estimate(self, requests: Sequence[Request], origin: str = "") -> None:
        """Print an upper bound of what will be sent to the model, and where it comes from."""
        if requests:
            length = sum(len(turn.content) for request in requests for turn in request.messages)
            tokens = float(f"{length / _TOKEN:.2g}")  # two digits, since it is only an estimate
            output.notify(
                f"{self.name}: {len(requests):,} requests{origin} of some {tokens:,.0f} tokens "
                f"(characters / {_TOKEN}), and its answers. What it answered before is not sent "
                "again."
            )


def model_options(
    text: str, required: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the options about a language model, which a command gets as one ``llm``, or None.

    ``text`` is the help text of ``--model``. The command has the option ``--db``, too.
    """

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(
            model: str | None,
            base_url: str | None,
            budget: int | None,
            replies: Path | None,
            retries: int | None,
            **values: Any,
        ) -> None:
            settings = _chosen(values, "max_tokens", "top_p", "reasoning_effort", "extra_body")
            connection = _chosen(values, "concurrency", "timeout", "cache_key")
            if retries is not None:
                connection["pauses"] = _pauses(retries)
            if "" in (model, base_url) or not (model or "").isprintable():
                raise click.UsageError("--model and --base-url want a name.")
            if model is None and (base_url or budget or replies or settings or connection):
                raise click.UsageError(
                    "--base-url, --budget, --replies and the like are about a model: name it: "
                    "--model."
                )
            cache = replies or values["db"].path.parent / "replies.sqlite"
            chosen = model and ChosenModel(model, base_url, budget, cache, settings, connection)
            command(llm=chosen, **values)

        model_option = click.option("--model", metavar="NAME", required=required, help=text)
        return options.combine(model_option, *_OPTIONS)(call)

    return add


def _chosen(values: dict[str, Any], *names: str) -> dict[str, Any]:
    """Remove options from the values of a command, and return those that the user chose."""
    chosen = {name: values.pop(name) for name in names}
    return {name: value for name, value in chosen.items() if value not in (None, "", {})}


def _pauses(retries: int) -> list[float]:
    """Return the pauses of so many further tries; the longest one is repeated."""
    from kgbuild.net.waits import PAUSES

    return [*PAUSES, *PAUSES[-1:] * retries][: retries + 1]


def report_missing(kind: str, of: int, failures: Sequence[Failure]) -> None:
    """Print how many judgements of a kind are missing, and why.

    Raises:
        NoAnswersError: all of them are.
    """
    if failures and len(failures) == of:
        raise NoAnswersError(of, *failures[0])
    report_left_out(failures, f"{kind} missing")


def report_left_out(failures: Sequence[Failure], outcome: str = "left out") -> None:
    """Print how many requests failed, by reason, with the first detail of each reason."""
    details = dict(reversed(failures))
    for reason, count in Counter(failure.reason for failure in failures).most_common():
        detail = details[reason]
        output.notify(f"  {count:,} {outcome}: {reason}: {detail}. Run it again to ask for them.")
