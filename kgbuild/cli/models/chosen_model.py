"""The language model that a user chose, and the messages of commands that send it requests."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import output
from kgbuild.datasets.asking import Ask
from kgbuild.errors import KgbuildError
from kgbuild.models.budget import CHARACTERS_PER_TOKEN, Prices
from kgbuild.models.chat import LOCAL, Failure, Reply, Request, no_answers

if TYPE_CHECKING:  # slow to import
    from kgbuild.models.llm import Model
    from kgbuild.models.local.model import LocalModel


@dataclass(frozen=True)
class ChosenModel:
    """The language model that the user chose, with its settings.

    ``settings`` replace fields of ``models.settings.Settings``, ``connection`` parameters of
    ``llm.Model``; both contain only the options that the user typed. ``batch_out`` and ``batch_in``
    are the files that take the place of a connection.
    """

    name: str
    base_url: str | None
    replies: Path
    settings: Mapping[str, Any]
    connection: Mapping[str, Any]
    budget: int | None
    prices: Prices | None
    batch_out: Path | None
    batch_in: Path | None

    @cached_property
    def ask(self) -> Ask:
        """A function that sends requests to the model and shows progress.

        A summary of the use of the model is printed at the end of the command.
        """
        from kgbuild.models.llm import Model

        model = self._client()

        def ask(requests: Sequence[Request]) -> list[Reply | Failure]:
            if isinstance(model, Model) and self.batch_in:
                return model.read_batch(self.batch_in, requests, output.notify)
            if isinstance(model, Model) and self.batch_out:
                self._write_batch([*model.batch(requests)], self.batch_out)
            with output.progress("asking") as progress:
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
                    f"{used.cached:,} cached replies. Replies are cached in {self.replies}: "
                    "the same command asks for the others only."
                )

        click.get_current_context().call_on_close(report_use)  # also after an error
        return ask

    def _client(self) -> "Model | LocalModel":
        from kgbuild.models.llm import Model
        from kgbuild.models.local.model import LocalModel
        from kgbuild.models.settings import Settings

        settings = Settings(**self.settings)
        if self.name.startswith(LOCAL):
            return LocalModel(self.name, self.replies, self.budget, settings, **self.connection)

        def notify(failure: Failure) -> None:
            reason = f"{failure.reason}: {failure.detail}"
            output.notify(f"{self.name}: {reason}. It is asked again.")

        return Model(
            self.name,
            self.replies,
            self.base_url or "",
            self.budget,
            settings=settings,
            notice=notify,
            **self.connection,
        )

    def _write_batch(self, lines: Sequence[str], path: Path) -> None:
        """Write a batch and end the command; without a line, there is nothing to send."""
        if lines:
            output.write("".join(lines), path)
            output.notify(
                f"It has {len(lines):,} requests. Send it to the server as a batch; then run the "
                "command again, with --batch-in and the file of results."
            )
            click.get_current_context().exit()

    def make_asker(self, noun: str) -> Ask:
        """Return a function that asks the model, and prints an estimate and the missing replies.

        ``noun`` is the plural noun for the replies in messages, such as "verdicts".
        """
        from kgbuild.evaluate.judge_replies import missing

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

    def _unsent(self, requests: Sequence[Request]) -> Collection[Request]:
        """Return the requests, with the user's settings, whose replies are not cached."""
        from kgbuild.models.reply_cache import without_reply
        from kgbuild.models.settings import Settings

        cache_key = self.connection.get("cache_key", "")
        _, requests_by_key = Settings(**self.settings).by_key(requests, self.name, cache_key)
        return without_reply(self.replies, requests_by_key).values()

    def report_estimate(self, requests: Sequence[Request], origin: str = "") -> None:
        """Print the estimated tokens and cost of requests; ``origin`` explains their number."""
        if requests:
            output.notify(
                f"{self.name}: {len(requests):,} requests{origin} of some "
                f"{_estimated_tokens(requests):,.0f} tokens "
                f"(characters / {CHARACTERS_PER_TOKEN}), and its answers. Requests with a cached "
                "reply are not sent again."
            )
            if self.prices:
                unsent = self._unsent(requests)
                tokens = _estimated_tokens(unsent)
                tokens_out = sum(request.max_tokens for request in unsent)
                low, high = self.prices.cost(tokens, 0), self.prices.cost(tokens, tokens_out)
                output.notify(
                    f"The others cost between {low:,.4f} (without answers) and {high:,.4f} (if "
                    "each answer has the maximum number of tokens)."
                )


def _estimated_tokens(requests: Iterable[Request]) -> float:
    """Estimate the tokens of requests, with two digits."""
    length = sum(request.characters for request in requests)
    return float(f"{length / CHARACTERS_PER_TOKEN:.2g}")


def report_missing(kind: str, total: int, failures: Sequence[Failure]) -> None:
    """Print how many of ``total`` judgements are missing, and why; ``kind`` is their plural.

    Raises:
        KgbuildError: all are missing.
    """
    if failures and len(failures) == total:
        raise no_answers(total, failures[0])
    report_left_out(failures, f"{kind} missing")
    if failures:
        output.notify("  Run it again to ask for them.")


allow_missing_option = click.option(
    "--allow-missing", is_flag=True, help="End with exit code 0 even if answers are missing."
)


def require_answers(failures: Sequence[Failure], total: int, allow_missing: bool) -> None:
    """Print how many of ``total`` requests failed."""
    report_left_out(failures)
    if failures and not allow_missing:
        raise KgbuildError(
            f"{len(failures):,} of {total:,} requests got no answer, and the answers to the "
            "others are written. Run the command again to ask for them, or pass --allow-missing "
            "to do without."
        )


def report_left_out(failures: Sequence[Failure], outcome: str = "left out") -> None:
    """Print how many requests failed, by reason, with the first detail of each reason."""
    details = dict(reversed(failures))
    for reason, count in Counter(failure.reason for failure in failures).most_common():
        detail = details[reason]
        output.notify(f"  {count:,} {outcome}: {reason}: {detail}.")
