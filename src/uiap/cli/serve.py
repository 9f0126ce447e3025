"""`uiap serve`: serve the protocol over WebSocket and HTTP, many sessions in a few browsers."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

import click

from uiap import settings
from uiap.cli.output import (
    allowed_addresses,
    autonomy_option,
    bundle_options,
    json_option,
    load_bundle_option,
    print_json,
    reach_options,
)

if TYPE_CHECKING:
    from uiap.server.app import ServerOptions


@click.command(help="Serve sessions over WebSocket and HTTP until stopped with SIGTERM or Ctrl-C.")
@click.option("--host", default="127.0.0.1", help="Address to listen on (default 127.0.0.1).")
@click.option(
    "--port", default=8930, type=click.IntRange(0, 65535), help="Port (default 8930; 0 takes a free one)."
)
@click.option(
    "--tokens",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON file with the digest and the principal of each token.",
)
@click.option("--no-auth", is_flag=True, help="Require no token; only on loopback.")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="A host name that clients may use besides loopback.",
)
@click.option("--origin", "origins", multiple=True, metavar="ORIGIN", help="A page origin that may connect.")
@click.option(
    "--app",
    "applications",
    multiple=True,
    metavar="ADDRESS",
    help="An application that sessions may open instead of a browser: desktop:COMMAND, android:PACKAGE, "
    "appium:CAPABILITIES; a final * matches anything.",
)
@click.option(
    "--browsers", default=2, type=click.IntRange(1, 64), help="Maximum number of browsers (default 2)."
)
@click.option(
    "--contexts", default=8, type=click.IntRange(1, 64), help="Maximum sessions in one browser (default 8)."
)
@click.option(
    "--recycle",
    default=50,
    type=click.IntRange(1),
    help="Replace a browser after this many sessions (default 50).",
)
@click.option(
    "--idle",
    default=600.0,
    type=float,
    metavar="SECONDS",
    help="End a session after this long without requests (default 600).",
)
@autonomy_option("ask")
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False),
    help="A policy file for every session instead of a level; with --autonomy the stricter decides.",
)
@bundle_options
@click.option(
    "--uploads",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose files may be uploaded to pages; without it no file may.",
)
@click.option(
    "--downloads",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for downloads, with a folder for each principal; without it downloads are refused.",
)
@click.option(
    "--database",
    metavar="URL",
    help="Store workflow runs in this PostgreSQL database (or SQLite file), for `uiap worker` processes with the same "
    "database. Any server with it can answer for them. Without it, a run ends with its session.",
)
@reach_options
@click.option(
    "--tls-cert",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="TLS certificate chain (PEM).",
)
@click.option(
    "--tls-key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Private key of the certificate (PEM).",
)
@click.option(
    "--openapi", "document", flag_value="openapi", help="Print the OpenAPI document of the HTTP binding."
)
@click.option(
    "--asyncapi", "document", flag_value="asyncapi", help="Print the AsyncAPI document of the WebSocket."
)
@json_option
def command(
    host: str,
    port: int,
    tokens: Path | None,
    no_auth: bool,
    names: tuple[str, ...],
    origins: tuple[str, ...],
    applications: tuple[str, ...],
    browsers: int,
    contexts: int,
    recycle: int,
    idle: float,
    autonomy: str | None,
    policy: str | None,
    bundle: str | None,
    trust: tuple[str, ...],
    allow_older: bool,
    context: tuple[str, ...],
    uploads: tuple[Path, ...],
    downloads: Path | None,
    database: str | None,
    allow: tuple[str, ...],
    public_only: bool,
    tls_cert: Path | None,
    tls_key: Path | None,
    document: str | None,
    as_json: bool,
) -> int:
    if document is not None:
        from uiap.server import contract

        print_json(contract.openapi() if document == "openapi" else contract.asyncapi())
        return 0
    if tokens and no_auth:
        raise click.UsageError("choose one: --tokens or --no-auth")
    from uiap.api.workflow_runs import database_url
    from uiap.host.consent.policy_file import rules_for
    from uiap.host.loop.allocator import mmap_large_blocks
    from uiap.server.app import ServerOptions
    from uiap.server.session_pool import SessionDefaults
    from uiap.server.tokens import read_or_create_secret, read_tokens, single_token
    from uiap.transports.address import is_loopback

    config = settings.read()
    secret = None if tokens or no_auth or not is_loopback(host) else config.data / "serve.token"
    options = ServerOptions(
        host=host,
        port=port,
        tokens=read_tokens(tokens)
        if tokens
        else single_token(read_or_create_secret(secret), "agent")
        if secret
        else None,
        names=names,
        origins=origins,
        applications=applications,
        browsers=browsers,
        contexts=contexts,
        recycle=recycle,
        idle_s=idle,
        allow=allowed_addresses(allow, public_only, shared=not is_loopback(host)),
        session_defaults=SessionDefaults(
            rules=rules_for(autonomy, policy, ceiling=config.autonomy, default="ask"),
            bundle=load_bundle_option(bundle, trust, allow_older, context, config.data),
            uploads=tuple(folder.resolve() for folder in uploads),
            downloads=downloads.absolute() if downloads else None,
        ),
        ssl_context=_tls(tls_cert, tls_key),
        database=None if database is None else database_url(database),
        bundle_path=str(Path(bundle).absolute()) if bundle else None,
    )
    mmap_large_blocks()
    asyncio.run(_serve(options, config, secret, as_json))
    return 0


async def _serve(
    options: ServerOptions, config: settings.Settings, secret: Path | None, as_json: bool
) -> None:
    from uiap.host.loop.interpreter import tune_for_serving
    from uiap.server.app import serve, wait_for_stop_signal

    async with serve(options, config) as running:
        tune_for_serving()
        address, token = running.listener.websocket_url, str(secret) if secret else None
        if as_json:
            print_json({"http": running.listener.address, "ws": address, "tokenFile": token})
        else:
            click.echo(f"ready: {address}" + (f", token in {token}" if token else ""))
        await wait_for_stop_signal()


def _tls(cert: Path | None, key: Path | None) -> ssl.SSLContext | None:
    if cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context
