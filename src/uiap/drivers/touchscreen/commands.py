"""The commands of a device besides touches, as application actions with an id: `app.invoke` of `android.restart`, …

They have the same lifecycle and policy as a press: their effect is observed, not assumed.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from uiap.errors import UiapError


class DeviceCommand(NamedTuple):
    call: Callable[..., Awaitable[Any]]
    title: str
    destructive: bool = False


class DeviceCommands:
    """The commands of one device, by id. A command takes the arguments that its descriptor names."""

    def __init__(self, commands: Mapping[str, DeviceCommand]) -> None:
        self._commands = commands

    def __contains__(self, id: str) -> bool:
        return id in self._commands

    def descriptors(self) -> list[dict[str, Any]]:
        """Return the descriptors of all commands, as an application declares its actions."""
        return [
            {
                "id": id,
                "title": command.title,
                "args": _arguments(command.call),
                "risk": {"level": "confirm", **({"tags": ["destructive"]} if command.destructive else {})},
            }
            for id, command in self._commands.items()
        ]

    async def run(self, id: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Run a command and return its result; raise `UiapError` for wrong arguments."""
        call = self._commands[id].call
        try:
            inspect.signature(call).bind(**args)
        except TypeError as error:
            raise UiapError(f"`{id}`: {error}") from error
        return await call(**args) or {}


def _arguments(call: Any) -> list[dict[str, Any]]:
    return [
        {"name": parameter.name, "type": "string", "required": parameter.default is parameter.empty}
        for parameter in inspect.signature(call).parameters.values()
    ]
