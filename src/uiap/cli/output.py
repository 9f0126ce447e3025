"""Output and options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

if TYPE_CHECKING:
    from uiap.host.bundles.bundle import Bundle
    from uiap.spec.authoring import BuildContext

Command = TypeVar("Command", bound=Callable[..., Any])
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")


def print_json(value: Any) -> None:
    data = msgspec.json.format(msgspec.json.encode(value), indent=2)
    sys.stdout.write(data.decode() + "\n")


def autonomy_option(default: str) -> Callable[[Command], Command]:
    """Return the option `--autonomy`, whose default is a level or the value of UIAP_AUTONOMY."""
    return click.option(
        "--autonomy",
        type=click.Choice(["observe", "ask", "assist", "trusted"]),
        help="Steps that go without a question: observe reads, ask asks before every write, assist asks before what "
        f"matters, trusted asks nothing (default: UIAP_AUTONOMY, the highest level, or {default}).",
    )


def reach_options(command: Command) -> Command:
    """Add `--allow` and `--public-only`, the addresses that an agent's browser may reach.

    The reasons are in docs/adr/0008-one-way-out.md.
    """
    for option in (
        click.option(
            "--public-only",
            is_flag=True,
            help="Refuse addresses of this machine too, unless --allow names them.",
        ),
        click.option(
            "--allow",
            multiple=True,
            metavar="ADDRESS",
            help="A private address that pages may have and reach: a name, 10.0.0.0/8, or `private`. Default: the "
            "public internet, and this machine while only local clients can connect.",
        ),
    ):
        command = option(command)
    return command


def allowed_addresses(allow: tuple[str, ...], public_only: bool, *, shared: bool) -> tuple[str, ...]:
    """Return the allowed addresses: this machine too, unless clients of other machines can connect (`shared`)."""
    return allow if public_only or shared else ("localhost", *allow)


CONTEXT_KEYS = ("profile", "tenant", "environment", "locale", "appVersion")


def read_context(words: Sequence[str]) -> BuildContext:
    """Return the context that `--context KEY=VALUE` describes. Raise UsageError for another key."""
    from uiap.host.bundles.session_terms import running_context

    given = {}
    for word in words:
        key, separator, value = word.partition("=")
        if key not in CONTEXT_KEYS or not separator or not value:
            raise click.UsageError(f"--context `{word}`: write KEY=VALUE; keys: {', '.join(CONTEXT_KEYS)}")
        given["app_version" if key == "appVersion" else key] = value
    return running_context(**given)


context_option = click.option(
    "--context",
    multiple=True,
    metavar="KEY=VALUE",
    help="Where the session runs: profile, tenant, environment, locale or appVersion. A bundle for another context is "
    "refused, and a profile limits the agent to its grants.",
)


def bundle_options(command: Command) -> Command:
    """Add `--bundle`, `--trust` and `--allow-older` to a command that runs sessions."""
    for option in (
        click.option("--allow-older", is_flag=True, help="Accept a bundle older than the one used before."),
        click.option(
            "--trust",
            multiple=True,
            metavar="KEY|FILE",
            help="A public key that must have signed the bundle.",
        ),
        click.option(
            "--bundle", metavar="FILE", help="The application's compiled bundle; see: uiap build --help."
        ),
        context_option,
    ):
        command = option(command)
    return command


def load_bundle_option(
    bundle: str | None, trust: tuple[str, ...], allow_older: bool, context: tuple[str, ...], data: Path
) -> Bundle | None:
    """Return the verified bundle of `bundle_options`, or None."""
    running = read_context(context)
    if bundle is None:
        if context:
            raise click.UsageError("--context is for a bundle; add --bundle")
        if trust:
            raise click.UsageError("--trust names the key of a bundle; add --bundle")
        return None
    from uiap.host.bundles.bundle import open_app_bundle

    return open_app_bundle(
        Path(bundle),
        trust=list(trust) or None,
        running=running,
        seen=data / "bundles.json",
        allow_older=allow_older,
    )
