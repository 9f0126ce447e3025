"""What the tools of the wider profile do, as messages of the protocol: downloads, storage state, previews, discovery.

A state is named and never shown; what a run found is told in short, and whole as a resource.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET

from uiap.api.discovery import environment
from uiap.api.session_discovery import SessionDiscovery
from uiap.api.ui import Ui
from uiap.mcp_server.reply import ToolReply, failure
from uiap.mcp_server.session import AgentSession
from uiap.spec.discovery import DiscoveryPackage
from uiap.timeouts import DOWNLOAD_S

Arguments = Mapping[str, Any]
TARGET = ("ref", "role", "name", "scope")
RUN_S, RUN_STATES = 60.0, 30
SHOWN = 30
EFFECTS = {
    "allow": "the rules allow it; it is decided again when it is done",
    "confirm": "a person would be asked first",
    "handoff": "it would be left to a person",
    "deny": "the rules forbid it; tell the user, there is no way around it",
}


class FullProfileTools:
    """The tools over one visit."""

    def __init__(self, visit: AgentSession) -> None:
        self._visit = visit
        self._runs: dict[str, SessionDiscovery] = {}

    async def call(self, tool: str, given: Arguments) -> ToolReply:
        return await self.TOOLS[tool](self, await self._visit.ui(), given)

    def package(self, run: str) -> DiscoveryPackage | None:
        """What a run of this visit found, for the resource."""
        known = self._runs.get(run)
        return known.package if known is not None else None

    async def _downloads(self, ui: Ui, given: Arguments) -> ToolReply:
        limit = given.get("timeout", DOWNLOAD_S if "after" in given else 0.0) * 1000
        found = await ui.downloads(after=given.get("after"), timeout_ms=limit)
        shown = [msgspec.to_builtins(one) for one in found]
        return ToolReply(
            say=f"{len(found)} downloads have ended", untrusted={"downloads": shown} if shown else {}
        )

    async def _log(self, ui: Ui, given: Arguments) -> ToolReply:
        names = ("level", "origin", "contains", "relevance", "limit")
        asked = {name: given[name] for name in names if name in given}
        since = given["age"] * 1000 if "age" in given else None
        told = await ui.log(given.get("what", "all"), since_ms=since, **asked)
        shown = {name: msgspec.to_builtins(getattr(told, name)) for name in ("lines", "network")}
        say = f"{len(told.lines)} lines and {len(told.network)} requests; {told.hidden} more are noise or not asked for"
        return ToolReply(say=say, untrusted={name: value for name, value in shown.items() if value})

    async def _storage(self, ui: Ui, given: Arguments) -> ToolReply:
        do, name = given.get("do", "list"), given.get("state")
        if do == "list":
            names = await ui.states()
            return ToolReply(
                say=f"{len(names)} states are kept", untrusted={"states": list(names)} if names else {}
            )
        if name is None:
            return failure("invalid_payload", detail="say which: state")
        if do == "save":
            await ui.save_state(name=name)
            return ToolReply(say="kept; load it in a later session")
        await ui.load_state(name=name)
        return ToolReply(say="loaded; open a page to be there as then")

    async def _preview(self, ui: Ui, given: Arguments) -> ToolReply:
        target = {name: given[name] for name in TARGET if given.get(name)}
        decision = await ui.preflight(given["do"], args=given.get("args"), **target)
        why = {} if decision.message is UNSET else {"why": decision.message}
        rules = {"rules": list(decision.matched_rules)} if decision.matched_rules else {}
        return ToolReply(
            say=EFFECTS.get(decision.effect, str(decision.effect)),
            ok=decision.effect != "deny",
            code=None if decision.effect == "allow" else decision.effect,
            untrusted={**why, **rules},
        )

    async def _discover(self, ui: Ui, given: Arguments) -> ToolReply:
        seconds = float(given.get("seconds", RUN_S))
        if "run" in given:
            run = self._runs.get(given["run"])
            if run is None:
                return failure("not_found", detail="no such run in this session")
            if given.get("stop"):
                await run.stop()
            elif given.get("hold"):
                await run.pause()
                return ToolReply(say=f"it is held; let it go on with run {run.run_id} and hold false")
            elif given.get("hold") is False:
                await run.resume()
        else:
            here = (await ui.observe()).url
            asked = environment(here, max_states=given.get("states", RUN_STATES), max_runtime_s=seconds)
            run = await ui.explore(asked)
            self._runs[run.run_id] = run
        if not await run.wait(seconds):
            return ToolReply(ok=False, code="timeout", say=f"it goes on; call discover with run {run.run_id}")
        return _found(run)

    TOOLS: ClassVar[Mapping[str, Callable[[Any, Ui, Arguments], Awaitable[ToolReply]]]] = MappingProxyType(
        {
            "downloads": _downloads,
            "log": _log,
            "storage": _storage,
            "preview": _preview,
            "discover": _discover,
        }
    )


def _found(run: SessionDiscovery) -> ToolReply:
    package = run.package
    if package is None:
        return failure("internal_runtime_error", detail=run.status)
    counts = package.coverage
    say = (
        f"the run {run.status}: {counts.routes_discovered} routes, {counts.elements_discovered} elements, "
        f"{counts.actions_discovered} actions, {counts.review_items} to review; all of it in uiap://discovery/{run.run_id}"
    )
    routes = [route.route_id for route in package.route_catalog.routes[:SHOWN]]
    review = [item.description for item in package.review_queue.items[:SHOWN]]
    shown = {"routes": routes, "review": review}
    return ToolReply(
        ok=run.status != "failed", say=say, untrusted={name: v for name, v in shown.items() if v}
    )
