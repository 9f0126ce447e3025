"""The inspector's command line does the journey: each call is a process, in one resident session.

The package is fetched with npm into .uiap/inspector by `UIAP_INSPECTOR=1 make test`; until then this is skipped.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from apps.videoland import Server
from tests.mcp_server.conftest import ENTRY, truth
from tests.mcp_server.journey import Person, ref_of

PACKAGE = "@modelcontextprotocol/inspector-cli"
PINNED = f"{PACKAGE}@0.15.0"
INSTALLED = Path(__file__).parents[2] / ".uiap" / "inspector"
ENTRY_POINT = INSTALLED / "node_modules" / PACKAGE / "build" / "index.js"
INSTALL_S = 90


@pytest.fixture(scope="module")
def inspector() -> list[str]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("the inspector needs Node and npm")
    if not ENTRY_POINT.exists() and not os.environ.get("UIAP_INSPECTOR"):
        pytest.skip("the inspector is not here; `UIAP_INSPECTOR=1 make test` fetches it")
    if not ENTRY_POINT.exists():
        words = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(INSTALLED), PINNED]
        try:
            subprocess.run(words, check=True, capture_output=True, timeout=INSTALL_S)
        except (subprocess.SubprocessError, OSError):
            pytest.skip(f"{PINNED} cannot be installed here")
    return [node, str(ENTRY_POINT)]


@pytest.mark.browser
@pytest.mark.timeout(300)
async def test_the_inspectors_command_line_does_the_journey(
    inspector: list[str], videoland: Server, environ: dict[str, str], uiap: Person
):
    before = truth(videoland)["videos"]
    opened = await asyncio.to_thread(uiap, "open", f"{videoland.url}/videos/new?as=admin&lang=en")
    assert opened.returncode == 0, opened.stderr
    server = [*ENTRY, "mcp", "--session", "default"]

    async def ask(tool: str, **given: Any) -> dict[str, Any]:
        pairs = [f"{name}={v if isinstance(v, str) else json.dumps(v)}" for name, v in given.items()]
        words = ["--method", "tools/call", "--tool-name", tool, *(["--tool-arg", *pairs] if pairs else [])]
        process = await asyncio.create_subprocess_exec(
            *inspector, sys.executable, *words, "--", *server, env=environ, stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(100):
            printed, _ = await process.communicate()
        assert process.returncode == 0, printed
        structure: dict[str, Any] = json.loads(printed)["structuredContent"]
        return structure

    try:
        page = (await ask("observe"))["untrusted"]["page"]
        written = await ask(
            "act", do="ui.enterText", ref=ref_of(page, 'textbox "Title"'), args={"text": "By the inspector"}
        )
        assert written["ok"], written
        created = [{"kind": "toast.contains", "text": "created"}]
        press = ask("act", do="ui.activate", ref=ref_of(page, 'button "Create video"'), expect=created)
        pressed = asyncio.ensure_future(press)
        async with asyncio.timeout(60):
            while (await asyncio.to_thread(uiap, "approve", "--yes")).returncode != 0:
                assert not pressed.done()
        done = await pressed
        assert done["ok"], done
    finally:
        await asyncio.to_thread(uiap, "close")
    assert truth(videoland)["videos"] == before + 1
