"""The entry point of `uiap`: run a command, turn every known failure into one sentence and the right exit code.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused by policy or by a person, 4 waits for a person, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout

from uiap.cli.command_table import SESSION_COMMANDS
from uiap.cli.terminal import guarded


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with redirect_stdout(guarded(sys.stdout)), redirect_stderr(guarded(sys.stderr)):
            return _run(arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _discard_output()
        return 1


def _discard_output() -> None:
    """Send the rest of the output nowhere: the reader of the pipe has gone, and the flush at exit would fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in SESSION_COMMANDS:
        from uiap.cli.session import main as session_command

        try:
            return session_command(arguments)
        except SystemExit as exit:  # argparse ends this way
            return exit.code if isinstance(exit.code, int) else 2

    import click

    from uiap.cli.commands import root
    from uiap.errors import UiapError

    try:
        outcome = root.main(arguments, prog_name="uiap", standalone_mode=False)
    except click.exceptions.Exit as exit:
        return exit.exit_code
    except click.Abort:
        print("interrupted", file=sys.stderr)
        return 130
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return error.exit_code
    except click.ClickException as error:
        print(f"uiap: {_one_sentence(error.format_message())}", file=sys.stderr)
        if isinstance(error, click.UsageError):
            where = error.ctx.command_path if error.ctx else "uiap"
            print(f"try: {where} --help", file=sys.stderr)
        return error.exit_code
    except UiapError as error:
        print(f"uiap: {error.message}", file=sys.stderr)
        return 3 if error.code in ("policy_denied", "confirmation_denied", "forbidden", "unauthorized") else 1
    except OSError as error:
        print(f"uiap: {_os_error(error)}", file=sys.stderr)
        return 1
    return outcome if isinstance(outcome, int) else 0


def _one_sentence(message: str) -> str:
    """Return click's message in the form of our errors: one line, lower case, user input in backticks."""
    line = " ".join(message.split()).replace("'", "`")
    return (line[:1].lower() + line[1:]).rstrip(".")


def _os_error(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{reason}: `{error.filename}`" if error.filename else reason


if __name__ == "__main__":
    raise SystemExit(main())
