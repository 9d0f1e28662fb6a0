"""Groups of commands that are imported when they are called, so that help comes at once."""

import difflib
import importlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import click

Homes: TypeAlias = Mapping[str, tuple[str, str]]
"""The module that holds each command, and what the command does."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called; ``groups`` are by title."""

    def __init__(self, *arguments: Any, groups: Mapping[str, Homes], **options: Any):
        super().__init__(*arguments, **options)
        self.groups = groups
        self.homes = {name: home for homes in groups.values() for name, home in homes.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.homes)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, imported from its module."""
        if name not in self.homes:
            return None
        module = importlib.import_module(self.homes[name][0])
        command: click.Command = getattr(module, name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called; of a typo, name the nearest one."""
        if args and args[0] not in self.homes and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], self.homes, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else f" See '{ctx.command_path} --help'."
            raise click.UsageError(f"No such command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each group, without importing them."""
        widest = max(map(len, self.homes))
        for title, homes in self.groups.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:<{widest}}", summary) for name, (_, summary) in homes.items()]
                )
