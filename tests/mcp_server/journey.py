"""The Videoland journey of a scripted client that only uses the tools of the default profile."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import Callable
from typing import Any

from mcp.client.client import Client

Person = Callable[..., "subprocess.CompletedProcess[str]"]


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its structure; its text must say the same."""
    result = await client.call_tool(tool, arguments)
    structure: dict[str, Any] = result.structured_content
    assert result.is_error is not structure["ok"]
    assert structure["say"] in result.content[0].text.splitlines()[0]
    return structure


def ref_of(page: str, words: str) -> str:
    """Return the ref before these words in an outline."""
    found = re.search(rf"\[(\w+)\] {re.escape(words)}", page)
    assert found is not None, page
    return found[1]


async def create_a_video(client: Client, url: str, title: str, person: Person) -> dict[str, Any]:
    """Open, observe, write, press and wait for the person; return the last reply."""
    opened = await ask(client, "open", url=f"{url}/videos/new?as=admin&lang=en")
    assert opened["ok"], opened
    page = opened["untrusted"]["page"]
    written = await ask(
        client, "act", do="ui.enterText", ref=ref_of(page, 'textbox "Title"'), args={"text": title}
    )
    assert written["ok"], written
    assert written["sideEffect"] == "applied"
    assert len(written["untrusted"]["page"]) < 600  # only what changed
    (button,) = (await ask(client, "find", text="Create video", role="button"))["untrusted"]["matches"]
    press = ask(
        client,
        "act",
        do="ui.activate",
        ref=button["ref"],
        expect=[
            {"kind": "route.changed", "pattern": "/videos/:id"},
            {"kind": "toast.contains", "text": "created"},
        ],
    )
    pressed = asyncio.ensure_future(press)
    waiting = await _wait_until_pending(client)
    assert "Create video" in waiting["untrusted"]["pending"][0]["does"]
    session = re.search(r"uiap approve --session (\S+)", waiting["say"])
    assert session is not None
    granted = await asyncio.to_thread(person, "approve", "--yes", "--session", session[1])
    assert granted.returncode == 0, granted
    async with asyncio.timeout(60):
        done = await pressed
    while done.get("code") == "confirmation_pending":
        done = await ask(client, "wait", action=done["action"], timeout=30)
    return done


async def _wait_until_pending(client: Client) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            pending = await ask(client, "pending")
            if "untrusted" in pending:
                return pending
