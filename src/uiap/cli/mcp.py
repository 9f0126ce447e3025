"""`uiap mcp`: serve an agent's tools over the Model Context Protocol."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import click

from uiap import settings
from uiap.cli.output import (
    allowed_addresses,
    autonomy_option,
    bundle_options,
    json_option,
    load_bundle_option,
    reach_options,
)
from uiap.errors import Unavailable


@click.command(
    help="Serve the MCP tools over standard input and output, or with --http on a port of this machine."
)
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of standard input and output.")
@click.option("--host", default="127.0.0.1", help="Address to listen on, loopback only (with --http).")
@click.option("--port", default=8931, type=click.IntRange(0, 65535), help="Port to listen on (with --http).")
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with the bearer token clients must send; created if it does not exist (with --http).",
)
@click.option(
    "--profile", type=click.Choice(["default", "full"]), default="default", help="The set of tools to offer."
)
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option("--session", metavar="NAME", help="Use this session of `uiap open` instead of a new browser.")
@click.option("--connect", metavar="URL", help="Use a session on a `uiap serve` server (ws:// or http://).")
@click.option(
    "--connect-token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the token of that server.",
)
@click.option(
    "--no-elicitation",
    is_flag=True,
    help="Never ask a person through the client. Use it if the model itself could answer there.",
)
@autonomy_option("assist")
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False),
    help="A policy file instead of a level; with --autonomy the stricter decides.",
)
@click.option(
    "--uploads",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose files may be uploaded to pages; without it no file may.",
)
@click.option(
    "--downloads",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder for downloads; without it downloads are refused.",
)
@click.option(
    "--state",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Start logged in, with a state saved by `uiap open --save-state`.",
)
@click.option(
    "--states",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder in which the agent may save and load states by name (full profile).",
)
@bundle_options
@json_option
@reach_options
@click.option(
    "--app",
    "applications",
    multiple=True,
    metavar="ADDRESS",
    help="An application that may be opened too: desktop:COMMAND, android:PACKAGE, appium:CAPABILITIES; a final * "
    "matches anything.",
)
def command(
    http: bool,
    host: str,
    port: int,
    token_file: Path | None,
    profile: str,
    headed: bool,
    session: str | None,
    connect: str | None,
    connect_token_file: Path | None,
    no_elicitation: bool,
    autonomy: str | None,
    policy: str | None,
    uploads: tuple[Path, ...],
    downloads: Path | None,
    state: Path | None,
    states: Path | None,
    bundle: str | None,
    trust: tuple[str, ...],
    allow_older: bool,
    context: tuple[str, ...],
    as_json: bool,
    allow: tuple[str, ...],
    public_only: bool,
    applications: tuple[str, ...],
) -> int:
    if session and connect:
        raise click.UsageError("choose one: --session or --connect")
    only_new = {
        "--allow": allow,
        "--public-only": public_only,
        "--bundle": bundle,
        "--context": context,
        "--state": state or states,
        "--autonomy": autonomy,
        "--policy": policy,
    }
    given = next((name for name, value in only_new.items() if value), None)
    if (session or connect) and given is not None:
        raise click.UsageError(f"{given} is for a new browser; leave it out with --session or --connect")
    from uiap.cli.approval_page import ApprovalAddresses
    from uiap.drivers.reach import Reach
    from uiap.host.consent.policy_file import rules_for
    from uiap.host.sessions.session_folder import SessionFolder, claim_free_name
    from uiap.mcp_server.session import (
        AgentSession,
        OwnBrowserOptions,
        existing_session,
        own_browser,
        resident_address,
    )
    from uiap.mcp_server.tool_calls import ToolCalls
    from uiap.transports.address import is_loopback

    if http and not is_loopback(host):
        raise Unavailable(f"MCP is served on loopback only, not on `{host}`; use 127.0.0.1, or `uiap serve`")
    Reach(allow)  # a wrong address must fail now, not when the first page opens
    config = settings.read()
    if connect:
        token = connect_token_file.read_text().strip() if connect_token_file else None
        agent_session = AgentSession(
            existing_session(connect, token), approve="their own session on the server", at_once=True
        )
    elif session:
        address = resident_address(config.runtime, session)
        agent_session = AgentSession(
            existing_session(address),
            approve=f"uiap approve --session {session}",
            at_once=True,
            folder=None if no_elicitation else SessionFolder(config.runtime, session),
            approval_page=ApprovalAddresses(session),
        )
    else:
        folder = claim_free_name(config.runtime, "mcp")
        how = OwnBrowserOptions(
            settings=config,
            folder=folder,
            headed=headed,
            rules=rules_for(autonomy, policy, ceiling=config.autonomy, default="assist"),
            uploads=tuple(folder.resolve() for folder in uploads),
            downloads=downloads.resolve() if downloads else None,
            state=state.absolute() if state else None,
            states=states.absolute() if states else None,
            bundle=load_bundle_option(bundle, trust, allow_older, context, config.data),
            applications=applications,
            allow=allowed_addresses(allow, public_only, shared=False),
        )
        agent_session = AgentSession(
            own_browser(how),
            approve=f"uiap approve --session {folder.name}",
            folder=None if no_elicitation else folder,
            approval_page=ApprovalAddresses(folder.name),
            bundle=how.bundle,
        )
    calls = ToolCalls(agent_session)
    if http:
        asyncio.run(_http(calls, profile, host, port, token_file or config.data / "mcp.token", as_json))
        return 0
    from uiap.mcp_server.stdio import serve

    asyncio.run(serve(calls, profile))  # type: ignore[arg-type]
    return 0


async def _http(calls: object, profile: str, host: str, port: int, token_file: Path, as_json: bool) -> None:
    from uiap.mcp_server.http import serving_tools
    from uiap.server.admission import RequestAdmission
    from uiap.server.tokens import read_or_create_secret, single_token

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    admission = RequestAdmission(single_token(read_or_create_secret(token_file), "mcp"))
    async with serving_tools(calls, profile, admission, host=host, port=port) as address:  # type: ignore[arg-type]
        ready = {"http": address, "tokenFile": str(token_file)}
        line = json.dumps(ready) if as_json else f"ready: {address}, token in {token_file}"
        print(line, file=sys.stderr, flush=True)
        await stopped.wait()
