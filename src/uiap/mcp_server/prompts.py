"""Prompts: ways of working that a person can pick in their client."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

TASK = (
    "Do this in the web application at {url}: {task}\n\n"
    "Open it, look before you act, and use refs. Give every action that matters an `expect`. If a person has to "
    "confirm, say so and wait. At the end tell what you did, what was seen of it, and what you could not do."
)
CHECK = (
    "Check that this is so in the web application at {url}: {claim}\n\n"
    "Change nothing. Use open, observe, find, read and expect only, and answer yes or no with what you saw."
)
EXPLORE = (
    "Learn how the web application at {url} works: {goal}\n\n"
    "Open it and look. If there is a discover tool, use it; otherwise follow links and read, and press nothing that "
    "may write. Then tell what there is: pages, what can be done on each, and what only a person may do."
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
                description=told,
                arguments=[types.PromptArgument(name=argument, required=True) for argument in arguments],
            )
            for name, (told, _text, arguments) in PROMPTS.items()
        ]
    )


async def get_prompt(_ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    if params.name not in PROMPTS:
        message = f"no prompt `{params.name[:100]}`; there are {', '.join(PROMPTS)}"
        raise MCPError(code=types.INVALID_PARAMS, message=message)
    told, text, arguments = PROMPTS[params.name]
    given = params.arguments or {}
    lacking = [name for name in arguments if not given.get(name)]
    if lacking:
        message = f"the prompt `{params.name}` needs {' and '.join(lacking)}"
        raise MCPError(code=types.INVALID_PARAMS, message=message)
    filled = text.format(**{name: given[name] for name in arguments})
    message_ = types.PromptMessage(role="user", content=types.TextContent(text=filled))
    return types.GetPromptResult(description=told, messages=[message_])
