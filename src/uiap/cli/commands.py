"""The click group behind `uiap`. It reads the command table and imports a command's module only to run it."""

from __future__ import annotations

import importlib

import click

from uiap import __version__
from uiap.cli.command_table import COMMANDS as COMMANDS


class LazyGroup(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        entry = COMMANDS.get(name)
        if entry is None or entry.in_session:
            return None
        command = importlib.import_module(entry.module).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].summary) for name in self.list_commands(ctx)])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command `{args[0]}`; the commands are {', '.join(sorted(COMMANDS))}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="UI Agent Protocol: agents act on real user interfaces, and success means the effect was observed.",
)
@click.version_option(__version__, prog_name="uiap")
def root() -> None:
    pass
