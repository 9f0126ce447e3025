"""What a device can do besides touches, as actions of its own, by id: `app.invoke` of `android.restart`, …

They go through the same lifecycle and policy as a press; what they changed is observed, not believed.
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
    """Each takes the arguments that its descriptor names."""

    def __init__(self, known: Mapping[str, DeviceCommand]) -> None:
        self._known = known

    def __contains__(self, id: str) -> bool:
        return id in self._known

    def described(self) -> list[dict[str, Any]]:
        return [
            {
                "id": id,
                "title": command.title,
                "args": _arguments(command.call),
                "risk": {"level": "confirm", **({"tags": ["destructive"]} if command.destructive else {})},
            }
            for id, command in self._known.items()
        ]

    async def run(self, id: str, args: Mapping[str, Any]) -> dict[str, Any]:
        call = self._known[id].call
        try:
            inspect.signature(call).bind(**args)
        except TypeError as wrong:
            raise UiapError(f"`{id}`: {wrong}") from wrong
        return await call(**args) or {}


def _arguments(call: Any) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "type": "string", "required": one.default is one.empty}
        for one in inspect.signature(call).parameters.values()
    ]
