"""The options about a language model, and what commands print when they ask it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
_OPTIONS = (
    click.option(
        "--base-url", metavar="URL", help="Its server.  [default: OPENAI_BASE_URL, or OpenAI's own]"
    ),
    click.option("--budget", type=options.COUNT, help="Maximum number of tokens to use."),
    click.option(
        "--replies",
        type=options.OUTPUT_FILE,
        metavar="FILE",
        help="Where its replies are kept.  [default: replies.sqlite beside the database]",
    ),
)


@dataclass(frozen=True)
class ChosenModel:
    """The language model that a user named: its server, budget of tokens, and file of replies."""

    name: str
    base_url: str | None
    budget: int | None
    replies: Path

    @cached_property
    def ask(self) -> Ask:
        """The function that asks the model and shows progress; the command ends with a summary."""
        from kgbuild.models.llm import Model

        def notify(failure: Failure) -> None:
            reason = f"{failure.reason}: {failure.detail}"
            output.notify(f"{self.name}: {reason}. It is asked again.")

        model = Model(self.name, self.replies, self.base_url or "", self.budget, notice=notify)

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
            **values: Any,
        ) -> None:
            if "" in (model, base_url) or not (model or "").isprintable():
                raise click.UsageError("--model and --base-url want a name.")
            if model is None and (base_url or budget or replies):
                raise click.UsageError(
                    "--base-url, --budget and --replies are about a model: name it: --model."
                )
            cache = replies or values["db"].path.parent / "replies.sqlite"
            command(llm=model and ChosenModel(model, base_url, budget, cache), **values)

        model_option = click.option("--model", metavar="NAME", required=required, help=text)
        return options.combine(model_option, *_OPTIONS)(call)

    return add


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
