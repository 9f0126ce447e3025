"""A plain MCP client: a model in a loop with the tools of `uiap mcp`. Confirm its actions with `uiap approve`.

Run it: python examples/mcp_client.py http://localhost:8000/videos/new
"""

import asyncio
import os
import re
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

ARGS = ["-m", "uiap.cli.main", "mcp"]
UIAP = StdioServerParameters(command=sys.executable, args=ARGS, env=dict(os.environ))
CREATED = {"kind": "toast.contains", "text": "created"}


def model(url, replies):
    """Stand in for a language model: return the next call after these replies, or None when done."""
    if replies and replies[-1].get("action"):  # a person has to confirm: wait for it
        return "wait", {"action": replies[-1]["action"], "timeout": 60}
    if len(replies) == 0:
        return "open", {"url": url}
    if len(replies) == 1:
        ref = re.search(r'\[(\w+)\] textbox "Title"', replies[0]["untrusted"]["page"])[1]
        return "act", {"do": "ui.enterText", "ref": ref, "args": {"text": "Made by an agent"}}
    if len(replies) == 2:
        return "find", {"text": "Create video", "role": "button"}
    if len(replies) == 3:
        ref = replies[2]["untrusted"]["matches"][0]["ref"]
        return "act", {"do": "ui.activate", "ref": ref, "expect": [CREATED]}
    return None


async def main(url):
    replies = []
    async with Client(stdio_client(UIAP)) as client:
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
        while call := model(url, replies):
            name, arguments = call
            result = await client.call_tool(name, arguments)
            print(f"{name}: {result.content[0].text.splitlines()[0]}", flush=True)
            replies.append(result.structured_content)
    return 0 if replies[-1]["ok"] else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
