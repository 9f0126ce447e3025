"""The commands by name, with the line `uiap --help` shows for each. Adding one is one file and one row here."""

from __future__ import annotations

import importlib
from typing import NamedTuple

import click

from uiap import __version__


class CommandEntry(NamedTuple):
    module: str
    summary: str


COMMANDS: dict[str, CommandEntry] = {
    "act": CommandEntry("uiap.cli.session", "Act, and report success only if its effect was observed."),
    "approve": CommandEntry("uiap.cli.session", "Answer, as the person, what waits for a confirmation."),
    "audit": CommandEntry("uiap.cli.audit", "What was decided, by whom, and what came of it; verified."),
    "build": CommandEntry("uiap.cli.build", "Compile a package into one reviewed bundle."),
    "cancel": CommandEntry("uiap.cli.session", "Give up an action that is under way."),
    "capabilities": CommandEntry("uiap.cli.session", "What can be done here, and with which arguments."),
    "close": CommandEntry("uiap.cli.session", "End an open session and its browser."),
    "completion": CommandEntry("uiap.cli.completion", "Complete commands and options in your shell."),
    "conformance": CommandEntry(
        "uiap.cli.conformance", "The requirement ledger and how much of it is proved."
    ),
    "demo": CommandEntry("uiap.cli.demo", "The product in one minute, on the example application."),
    "dialog": CommandEntry("uiap.cli.session", "Look at the page's own dialog, or answer it."),
    "diff": CommandEntry("uiap.cli.diff", "What changed in meaning between two bundles."),
    "discover": CommandEntry("uiap.cli.discover", "Explore an application safely into a package to review."),
    "doctor": CommandEntry("uiap.cli.doctor", "What this machine has, what is missing, and how to get it."),
    "downloads": CommandEntry("uiap.cli.session", "What was downloaded into the folder you declared."),
    "expect": CommandEntry("uiap.cli.session", "Are these signals seen? Since a revision, or as it is."),
    "explain": CommandEntry("uiap.cli.explain", "Which file, import or overlay gave this value."),
    "find": CommandEntry("uiap.cli.session", "Elements that fit a text, best first."),
    "handoff": CommandEntry("uiap.cli.session", "Say, as the person, how a step went that was left to you."),
    "heal": CommandEntry("uiap.cli.heal", "Propose matchers from what runs recognised, for review."),
    "init": CommandEntry("uiap.cli.init", "Make a package that builds."),
    "key": CommandEntry("uiap.cli.key", "Make a key to sign bundles with."),
    "log": CommandEntry("uiap.cli.session", "What the application wrote and requested of late."),
    "mcp": CommandEntry("uiap.cli.mcp", "Serve an agent's tools over the Model Context Protocol."),
    "metrics": CommandEntry("uiap.cli.metrics", "Success, first attempts, retries, latency and tokens."),
    "observe": CommandEntry("uiap.cli.session", "What is on the page, as a model reads it."),
    "open": CommandEntry("uiap.cli.open", "Open a web application in a browser that stays."),
    "policy": CommandEntry("uiap.cli.policy", "Check rules, preview decisions, compare two sets."),
    "preview": CommandEntry("uiap.cli.session", "What the rules would say to an action, without doing it."),
    "publish": CommandEntry("uiap.cli.publish", "Put a bundle that passed its gates into a registry."),
    "replay": CommandEntry("uiap.cli.replay", "Feed a journal to fresh machines and compare what they do."),
    "screenshot": CommandEntry("uiap.cli.session", "A picture of the page, with references on it if wanted."),
    "serve": CommandEntry("uiap.cli.serve", "Serve sessions over WebSocket and HTTP, in a pool of browsers."),
    "skill": CommandEntry("uiap.cli.skill", "A skill file that teaches a coding agent these commands."),
    "state": CommandEntry("uiap.cli.session", "Keep who is logged in under a name, or be so again."),
    "tabs": CommandEntry("uiap.cli.session", "List the tabs, or open, show or close one."),
    "trace": CommandEntry("uiap.cli.session", "What an action caused, and what only happened beside it."),
    "validate": CommandEntry("uiap.cli.validate", "Everything that is wrong with a package, at once."),
    "wait": CommandEntry("uiap.cli.session", "Wait for a change, for signals, or until nothing loads."),
}


class LazyGroup(click.Group):
    """A group that knows its commands' names without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        row = COMMANDS.get(name)
        if row is None:
            return None
        command = importlib.import_module(row.module).command
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
    help="UI Agent Protocol: agents act on real user interfaces, and success is what was observed.",
)
@click.version_option(__version__, prog_name="uiap")
def root() -> None:
    pass
