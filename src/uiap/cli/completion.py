"""`uiap completion`: print a static script that completes commands and options in a shell."""

from __future__ import annotations

import argparse
from typing import NamedTuple

import click

from uiap.cli.commands import COMMANDS, root
from uiap.cli.output import json_option, print_json
from uiap.cli.session import session_parser


class CommandCompletions(NamedTuple):
    """The summary of a command, with its subcommands and options."""

    summary: str
    options: tuple[str, ...]


def command_completions() -> dict[str, CommandCompletions]:
    """Return every command with its options, read from the parsers."""
    context = click.Context(root)
    parsers = next(a for a in session_parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
    found = {}
    for name, entry in sorted(COMMANDS.items()):
        if name in parsers:
            options = [o for action in parsers[name]._actions for o in action.option_strings]
        else:
            command = root.get_command(context, name)
            assert command is not None
            parts = list(command.commands) if isinstance(command, click.Group) else []
            given = [p for p in command.get_params(context) if isinstance(p, click.Option)]
            options = [*parts, *(o for p in given for o in p.opts)]
        long = tuple(o for o in options if not o.startswith("-") or o.startswith("--"))
        found[name] = CommandCompletions(entry.summary, long)
    return found


def bash(words: dict[str, CommandCompletions]) -> str:
    cases = "\n".join(f'    {name}) words="{" ".join(found.options)}" ;;' for name, found in words.items())
    return f"""\
_uiap() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" words="{" ".join(words)}"
  [ "$COMP_CWORD" -gt 1 ] && case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _uiap uiap
"""


def zsh(words: dict[str, CommandCompletions]) -> str:
    names = "\n".join(f"      '{name}:{_plain(found.summary)}'" for name, found in words.items())
    cases = "\n".join(
        f"      {name}) compadd -- {' '.join(found.options)} ;;" for name, found in words.items()
    )
    return f"""\
#compdef uiap
_uiap() {{
  if (( CURRENT == 2 )); then
    local -a names=(
{names}
    )
    _describe command names
  else
    case $words[2] in
{cases}
    esac
    _files
  fi
}}
compdef _uiap uiap
"""


def fish(words: dict[str, CommandCompletions]) -> str:
    lines = ["complete -c uiap -f -n __fish_use_subcommand"]
    for name, found in words.items():
        lines.append(f"complete -c uiap -n __fish_use_subcommand -a {name} -d '{_plain(found.summary)}'")
        prefix = f"complete -c uiap -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{prefix} -l {o[2:]}" if o.startswith("--") else f"{prefix} -a {o}" for o in found.options]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return text.replace("'", "").replace(":", "")


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


@click.command(
    help="Print a completion script for SHELL (bash, zsh, fish), e.g. uiap completion bash >> ~/.bashrc"
)
@click.argument("shell", type=click.Choice(sorted(SHELLS)))
@json_option
def command(shell: str, as_json: bool) -> int:
    script = SHELLS[shell](command_completions())
    print_json({"shell": shell, "script": script}) if as_json else click.echo(script, nl=False)
    return 0
