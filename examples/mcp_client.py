"""A plain MCP client: a model in a loop with the tools of `uiap mcp`. What may write waits for you: `uiap approve`.

Run it: python examples/mcp_client.py http://localhost:8000/videos/new
"""

import asyncio
import os
import re
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

UIAP = StdioServerParameters(
    command=sys.executable, args=["-m", "uiap.cli.main", "mcp"], env=dict(os.environ)
)

CREATED = {"kind": "toast.contains", "text": "created"}


def model(url, said):
    """Stands for a language model: reads what the tools said so far and names the next call, or None when done."""
    steps = [
        lambda: ("open", {"url": url}),
        lambda: (
            "act",
            {"do": "ui.enterText", "ref": ref('textbox "Title"'), "args": {"text": "Made by an agent"}},
        ),
        lambda: ("find", {"text": "Create video", "role": "button"}),
        lambda: (
            "act",
            {"do": "ui.activate", "ref": found(), "expect": [{"kind": "toast.contains", "text": "created"}]},
        ),
    ]

    def ref(words):
        return re.search(rf"\[(\w+)\] {words}", said[0]["untrusted"]["page"])[1]

    def found():
        return said[2]["untrusted"]["matches"][0]["ref"]

    if said and said[-1].get("action"):  # a person has to confirm: wait for it
        return "wait", {"action": said[-1]["action"], "timeout": 60}
    return steps[len(said)]() if len(said) < len(steps) else None


async def main(url):
    said = []
    async with Client(stdio_client(UIAP)) as client:
        offered = [tool.name for tool in (await client.list_tools()).tools]
        print("tools:", ", ".join(offered))
        while call := model(url, said):
            name, arguments = call
            result = await client.call_tool(name, arguments)
            print(f"{name}: {result.content[0].text.splitlines()[0]}", flush=True)
            said.append(result.structured_content)
    return 0 if said[-1]["ok"] else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
