"""What the commands that ask a language model share."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import click

from kgbuild.cli import screen
from kgbuild.datasets.asking import Ask
from kgbuild.errors import NoAnswersError
from kgbuild.models.chat import Failure, Reply, Request

_Command = TypeVar("_Command", bound=Callable[..., None])
_SOME = 3
_TOKEN = 4
"""Characters of a token, about."""


def about_a_model(command: _Command) -> _Command:
    """Add the options of a command that may ask a model: its server, budget and replies."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--base-url", metavar="URL", help="Its server.  [default: OPENAI_BASE_URL, or OpenAI's own]"
    ),
    click.option("--budget", type=screen.COUNT, help="Most tokens that it may use."),
    click.option(
        "--replies",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Where its replies are kept.  [default: replies.sqlite beside the database]",
    ),
)


def require_named(
    option: str, name: str | None, base_url: str | None, budget: int | None, replies: Path | None
) -> None:
    """Refuse options about a model that ``option`` does not name, and empty names.

    Raises:
        UsageError: that is so.
    """
    if "" in (name, base_url):
        raise click.UsageError(f"{option} and --base-url want a name.")
    if name is None and (base_url or budget or replies):
        raise click.UsageError(
            f"--base-url, --budget and --replies are about a model: name it: {option}."
        )


def ask_model(name: str, base_url: str | None, budget: int | None, replies: Path) -> Ask:
    """Return what asks a model, shows how far it is, and says what it took.

    ``base_url`` is that of its server, None for the usual one; ``budget`` is in tokens, and
    ``replies`` the file in which its replies are kept.
    """
    from kgbuild.models.llm import Model

    def notice(failure: Failure) -> None:
        screen.say(f"{name}: {failure.reason}: {failure.detail}. It is asked again.")

    model = Model(name, replies, base_url or "", budget, notice=notice)

    def ask(requests: Sequence[Request]) -> list[Reply | Failure]:
        with screen.progress() as bar:
            task = bar.add_task(f"asking {name}", total=len(requests), detail="")

            def tell(done: int, of: int) -> None:
                bar.update(task, completed=done, total=of, detail=f"{model.used.tokens:,} tokens")

            return model.ask(requests, tell)

    def tell_used() -> None:
        used = model.used
        if not used.requests + used.cached:
            return  # nothing came of the command before it would have asked
        spent = f"{used.requests:,} requests, {used.tokens:,} tokens"
        kept = f"Replies are kept in {replies}."
        screen.say(f"{name}: {spent}, {used.cached:,} answers from before. {kept}")

    click.get_current_context().call_on_close(tell_used)  # however the command ends
    return ask


def tell_estimate(name: str, requests: Sequence[Request]) -> None:
    """Say what will be sent to a model, at most, before it is."""
    if not requests:
        return
    length = sum(len(turn.content) for request in requests for turn in request.messages)
    tokens = float(f"{length / _TOKEN:.2g}")  # more digits would be made up
    screen.say(
        f"{name}: {len(requests):,} requests of some {tokens:,.0f} tokens (characters / {_TOKEN}), "
        "and its answers. What it answered before is not sent again."
    )


def report_missing(what: str, of: int, failures: Sequence[Failure]) -> None:
    """Say how many of so many judgements, named by ``what``, are missing, and why.

    Raises:
        NoAnswersError: all are.
    """
    if failures and len(failures) == of:
        raise NoAnswersError(of, *failures[0])
    for (reason, detail), count in Counter(failures).most_common(_SOME):
        screen.say(f"{count:,} {what} missing: {reason}: {detail}. Run it again to ask for them.")
