"""A group of commands that are imported only when they run, so that --help is fast."""

import difflib
import importlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import click

Commands: TypeAlias = Mapping[str, tuple[str, str]]
"""For each name of a command: the module that defines it, and a one-line summary for the help."""


class LazyGroup(click.Group):
    """A group of commands that are imported when they run; ``sections`` are those of its help."""

    def __init__(self, *arguments: Any, sections: Mapping[str, Commands], **options: Any):
        super().__init__(*arguments, **options)
        self.sections = sections
        self.summaries = {k: v for commands in sections.values() for k, v in commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, imported from its module."""
        if name not in self.summaries:
            return None
        module = importlib.import_module(self.summaries[name][0])
        command: click.Command = getattr(module, name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command to run; for an unknown name, raise an error with the most similar."""
        if args and args[0] not in self.summaries and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], self.summaries, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else f" See '{ctx.command_path} --help'."
            raise click.UsageError(f"No such command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each section, without importing them."""
        width = max(map(len, self.summaries))
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:<{width}}", summary) for name, (_, summary) in commands.items()]
                )
