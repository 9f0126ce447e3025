"""Prompts that a person can choose in their client."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

TASK = (
    "Do this in the web application at {url}: {task}\n\n"
    "Open it, observe before you act, and use refs. Give every important action an `expect`. If a person has to "
    "confirm, say so and wait. At the end report what you did, which effects were observed, and what you could not do."
)
CHECK = (
    "Check this claim about the web application at {url}: {claim}\n\n"
    "Change nothing. Use only open, observe, find, read and expect, and answer yes or no with the evidence."
)
EXPLORE = (
    "Learn how the web application at {url} works: {goal}\n\n"
    "Open it and observe. If there is a discover tool, use it; otherwise follow links and read, and press nothing that "
    "may write. Then report the pages, the actions on each, and what only a person may do."
)
PROMPTS = {
    "task": ("Do a task in a web application, verified", TASK, ("url", "task")),
    "check": ("Check a claim about a web application, changing nothing", CHECK, ("url", "claim")),
    "explore": ("Learn what a web application offers, changing nothing", EXPLORE, ("url", "goal")),
}


async def list_prompts(_ctx: Any, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=description,
                arguments=[types.PromptArgument(name=argument, required=True) for argument in arguments],
            )
            for name, (description, _text, arguments) in PROMPTS.items()
        ]
    )


async def get_prompt(_ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    if params.name not in PROMPTS:
        message = f"no prompt `{params.name[:100]}`; the prompts are {', '.join(PROMPTS)}"
        raise MCPError(code=types.INVALID_PARAMS, message=message)
    description, text, arguments = PROMPTS[params.name]
    given = params.arguments or {}
    missing = [name for name in arguments if not given.get(name)]
    if missing:
        message = f"the prompt `{params.name}` needs {' and '.join(missing)}"
        raise MCPError(code=types.INVALID_PARAMS, message=message)
    filled = text.format(**{name: given[name] for name in arguments})
    prompt = types.PromptMessage(role="user", content=types.TextContent(text=filled))
    return types.GetPromptResult(description=description, messages=[prompt])
