"""A plain MCP client: a model in a loop with the tools of `uiap mcp`. What may write waits for you: `uiap approve`.

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


def model(url, said):
    """Stands for a language model: reads what the tools said so far and names the next call, or None when done."""
    if said and said[-1].get("action"):  # a person has to confirm: wait for it
        return "wait", {"action": said[-1]["action"], "timeout": 60}
    if len(said) == 0:
        return "open", {"url": url}
    if len(said) == 1:
        ref = re.search(r'\[(\w+)\] textbox "Title"', said[0]["untrusted"]["page"])[1]
        return "act", {"do": "ui.enterText", "ref": ref, "args": {"text": "Made by an agent"}}
    if len(said) == 2:
        return "find", {"text": "Create video", "role": "button"}
    if len(said) == 3:
        ref = said[2]["untrusted"]["matches"][0]["ref"]
        return "act", {"do": "ui.activate", "ref": ref, "expect": [CREATED]}
    return None


async def main(url):
    said = []
    async with Client(stdio_client(UIAP)) as client:
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
        while call := model(url, said):
            name, arguments = call
            result = await client.call_tool(name, arguments)
            print(f"{name}: {result.content[0].text.splitlines()[0]}", flush=True)
            said.append(result.structured_content)
    return 0 if said[-1]["ok"] else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
