"""A group of commands that are imported only when they run, so that --help is fast."""

import difflib
import importlib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import click

Commands: TypeAlias = Mapping[str, tuple[str, str]]
"""By the name of a command: its module below ``kgbuild.cli``, and a summary for the help."""


class LazyGroup(click.Group):
    """A group of commands that are imported when they run; ``sections`` order them in the help.

    ``own`` returns the commands for datasets of the user, by name.
    """

    def __init__(
        self,
        *arguments: Any,
        sections: Mapping[str, Commands],
        own: Callable[[], Mapping[str, click.Command]],
        **options: Any,
    ):
        super().__init__(*arguments, **options)
        self.sections = sections
        self._own = own
        self.commands_by_name = {
            name: entry for commands in sections.values() for name, entry in commands.items()
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return [*self.commands_by_name, *self._own()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, imported from its module; syn_qa is syn-qa."""
        name = name.replace("_", "-")
        if name not in self.commands_by_name:
            return self._own().get(name)
        module = importlib.import_module(f"kgbuild.cli.{self.commands_by_name[name][0]}")
        command: click.Command = getattr(module, name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command to run; the error for an unknown name suggests a similar name."""
        if args and not args[0].startswith("-"):
            args = [args[0].replace("_", "-"), *args[1:]]
        is_name = args and not args[0].startswith("-")
        if is_name and args[0] not in self.commands_by_name and args[0] not in self._own():
            similar = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = f"See '{ctx.command_path} --help'."
            if similar:
                hint = f"Did you mean '{similar[0]}'?"
            raise click.UsageError(f"No such command '{args[0]}'. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each section, without importing them."""
        # The names are padded, so that the summaries of all sections are aligned.
        width = max(map(len, self.list_commands(ctx)))
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:<{width}}", summary) for name, (_, summary) in commands.items()]
                )
        if own := self._own():
            with formatter.section("Your datasets"):
                formatter.write_dl(
                    [
                        (f"{name:<{width}}", command.get_short_help_str())
                        for name, command in own.items()
                    ]
                )
