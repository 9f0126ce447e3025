"""What a device can do besides touches, as actions of its own: `app.invoke` of `android.restart`, `android.link`, …

They go through the same lifecycle and policy as a press; what they changed is observed, not believed.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from uiap.drivers.android.applications import Applications
from uiap.drivers.android.screen import Screen
from uiap.drivers.android.touch import Touch
from uiap.errors import UiapError

_TURNS = {"portrait": 0, "landscape": 1, "upside-down": 2, "landscape-left": 3}


class Commands:
    """By id; each takes the arguments that its descriptor names."""

    def __init__(self, apps: Applications, screen: Screen, touch: Touch, component: str) -> None:
        self._apps, self._screen, self._touch, self._component = apps, screen, touch, component
        self._known: dict[str, tuple[Callable[..., Awaitable[Any]], str, bool]] = {
            "android.start": (self._start, "Start an application", False),
            "android.stop": (self._stop, "Stop an application", False),
            "android.restart": (self._restart, "Stop an application and start it again", False),
            "android.reset": (self._reset, "Delete all data of an application", True),
            "android.install": (self._install, "Install an application from a file of this computer", True),
            "android.uninstall": (self._uninstall, "Remove an application", True),
            "android.installed": (self._installed, "List the installed applications", False),
            "android.grant": (self._grant, "Give an application a permission", True),
            "android.revoke": (self._revoke, "Take a permission from an application", False),
            "android.link": (self._link, "Open a link as if it had been pressed", False),
            "android.back": (self._back, "Go back", False),
            "android.home": (self._home, "Go to the home screen", False),
            "android.rotate": (self._rotate, "Turn the screen: portrait, landscape, or auto", False),
            "android.copy": (self._copy, "Put a text on the clipboard", False),
            "android.paste": (self._paste, "Paste the clipboard into what has the focus", False),
        }

    def __contains__(self, id: str) -> bool:
        return id in self._known

    def described(self) -> list[dict[str, Any]]:
        return [
            {
                "id": id,
                "title": title,
                "args": _arguments(call),
                "risk": {"level": "confirm", "tags": ["destructive"]} if risky else {"level": "confirm"},
            }
            for id, (call, title, risky) in self._known.items()
        ]

    async def run(self, id: str, args: Mapping[str, Any]) -> dict[str, Any]:
        call = self._known[id][0]
        try:
            inspect.signature(call).bind(**args)
        except TypeError as wrong:
            raise UiapError(f"`{id}`: {wrong}") from wrong
        return await call(**args) or {}

    async def _start(self, app: str = "") -> Any:
        await self._apps.start(self._one(app))

    async def _stop(self, app: str = "") -> Any:
        await self._apps.stop(self._one(app).partition("/")[0])

    async def _restart(self, app: str = "") -> Any:
        await self._apps.restart(self._one(app))

    async def _reset(self, app: str = "") -> Any:
        await self._apps.reset(self._one(app).partition("/")[0])

    async def _install(self, path: str) -> Any:
        await self._apps.install(Path(path))

    async def _uninstall(self, app: str) -> Any:
        await self._apps.uninstall(app)

    async def _installed(self) -> Any:
        return {"applications": list(await self._apps.installed())}

    async def _grant(self, permission: str, app: str = "") -> Any:
        await self._apps.grant(self._one(app).partition("/")[0], permission)

    async def _revoke(self, permission: str, app: str = "") -> Any:
        await self._apps.revoke(self._one(app).partition("/")[0], permission)

    async def _link(self, url: str, app: str = "") -> Any:
        await self._apps.follow(url, app)

    async def _back(self) -> Any:
        await self._touch.press("GoBack")

    async def _home(self) -> Any:
        await self._touch.press("GoHome")

    async def _rotate(self, to: str) -> Any:
        if to != "auto" and to not in _TURNS:
            raise UiapError(f"`{to}` is no way to turn a screen; there are auto, {', '.join(_TURNS)}")
        await self._screen.rotate(_TURNS.get(to))

    async def _copy(self, text: str) -> Any:
        await self._touch.copy(text)

    async def _paste(self) -> Any:
        await self._touch.paste()

    def _one(self, app: str) -> str:
        if not (app or self._component):
            raise UiapError("name an application: this session was opened without one")
        return app or self._component


def _arguments(call: Any) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "type": "string", "required": one.default is one.empty}
        for one in inspect.signature(call).parameters.values()
    ]
