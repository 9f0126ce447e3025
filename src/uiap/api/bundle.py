"""The methods of a session about the bundle of the application: read it, load another one, unload it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from uiap.api.absent import none_for_absent
from uiap.client.caller import Caller
from uiap.errors import UiapError
from uiap.host.bundles.bundle import Bundle, Trust
from uiap.spec import tools

UseBundle: TypeAlias = "Callable[[str | Path | Bundle | None, Trust | None, bool], Awaitable[None]]"


class UiBundle:
    """The part of `Ui` about the bundle of the application."""

    _caller: Caller
    _use_bundle: UseBundle | None = None
    """Loads a bundle into the session. Only the program that opened the session has it."""

    async def bundle(self) -> tools.ToolsBundleToldPayload:
        """Return the application's bundle of this session, and the key that signed it."""
        payload = tools.ToolsBundlePayload()
        reply = await self._caller.call("x.uiap.tools.bundle", payload, tools.ToolsBundleToldPayload)
        return none_for_absent(reply)

    async def use_bundle(
        self,
        bundle: str | Path | Bundle | None,
        *,
        trust: Trust | None = None,
        allow_older: bool = False,
    ) -> None:
        """Use another bundle from now on, or none. `capabilities.changed` announces it.

        Rules only become stricter during a session: the policies of an unloaded bundle stay in force.
        """
        if self._use_bundle is None:
            raise UiapError("this session takes no bundle; use a session of `uiap.open`")
        await self._use_bundle(bundle, trust, allow_older)
