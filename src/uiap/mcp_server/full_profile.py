"""The tools that only the full profile has: downloads, log, storage, preview, discover and workflow.

A saved state is only named, never shown. A discovery run is summarised; the whole package is a resource.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from uiap.api.absent import to_builtins
from uiap.api.discovery import environment
from uiap.api.session_discovery import SessionDiscovery
from uiap.api.ui import Ui
from uiap.mcp_server.reply import ToolReply, failure
from uiap.mcp_server.session import AgentSession
from uiap.mcp_server.workflow_tool import WorkflowTool
from uiap.spec.discovery import DiscoveryPackage
from uiap.timeouts import DOWNLOAD_S

Arguments = Mapping[str, Any]
TARGET = ("ref", "role", "name", "scope")
RUN_S, RUN_STATES = 60.0, 30
MAX_LISTED = 30
EFFECTS = {
    "allow": "the policy allows it; acting decides again",
    "confirm": "a person has to confirm it first",
    "handoff": "a person has to do this step",
    "deny": "the policy forbids it; tell the user, there is no way around it",
}


class FullProfileTools:
    """The tools of the full profile over one session."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._runs: dict[str, SessionDiscovery] = {}
        self._workflows = WorkflowTool()

    async def call(self, tool: str, given: Arguments) -> ToolReply:
        return await self.TOOLS[tool](self, await self._session.ui(), given)

    def package(self, run: str) -> DiscoveryPackage | None:
        """Return the package of a run of this session, for the resource."""
        found = self._runs.get(run)
        return found.package if found is not None else None

    async def _downloads(self, ui: Ui, given: Arguments) -> ToolReply:
        limit_ms = given.get("timeout", DOWNLOAD_S if "after" in given else 0.0) * 1000
        found = await ui.downloads(after=given.get("after"), timeout_ms=limit_ms)
        downloads = [to_builtins(one) for one in found]
        return ToolReply(
            say=f"{len(found)} finished downloads", untrusted={"downloads": downloads} if downloads else {}
        )

    async def _log(self, ui: Ui, given: Arguments) -> ToolReply:
        names = ("level", "origin", "contains", "relevance", "limit")
        filters = {name: given[name] for name in names if name in given}
        since = given["age"] * 1000 if "age" in given else None
        log = await ui.log(given.get("what", "all"), since_ms=since, **filters)
        listed = {name: to_builtins(getattr(log, name)) for name in ("lines", "network")}
        say = f"{len(log.lines)} lines and {len(log.network)} requests; {log.hidden} more are noise or do not match"
        return ToolReply(say=say, untrusted={name: value for name, value in listed.items() if value})

    async def _storage(self, ui: Ui, given: Arguments) -> ToolReply:
        do, name = given.get("do", "list"), given.get("state")
        if do == "list":
            names = await ui.states()
            return ToolReply(
                say=f"{len(names)} saved states", untrusted={"states": list(names)} if names else {}
            )
        if name is None:
            return failure("invalid_payload", detail="name the state: state")
        if do == "save":
            await ui.save_state(name=name)
            return ToolReply(say="saved; load it in a later session")
        await ui.load_state(name=name)
        return ToolReply(say="loaded; open a page to be logged in")

    async def _preview(self, ui: Ui, given: Arguments) -> ToolReply:
        target = {name: given[name] for name in TARGET if given.get(name)}
        decision = await ui.preflight(given["do"], args=given.get("args"), **target)
        reason = {"why": decision.message} if decision.message else {}
        rules = {"rules": list(decision.matched_rules)} if decision.matched_rules else {}
        return ToolReply(
            say=EFFECTS.get(decision.effect, str(decision.effect)),
            ok=decision.effect != "deny",
            code=None if decision.effect == "allow" else decision.effect,
            untrusted={**reason, **rules},
        )

    async def _discover(self, ui: Ui, given: Arguments) -> ToolReply:
        seconds = float(given.get("seconds", RUN_S))
        if "run" in given:
            run = self._runs.get(given["run"])
            if run is None:
                return failure("not_found", detail="there is no such run in this session")
            if given.get("stop"):
                await run.stop()
            elif given.get("hold"):
                await run.pause()
                return ToolReply(say=f"paused; resume it with run {run.run_id} and hold false")
            elif given.get("hold") is False:
                await run.resume()
        else:
            url = (await ui.observe()).url
            limits = environment(url, max_states=given.get("states", RUN_STATES), max_runtime_s=seconds)
            run = await ui.explore(limits)
            self._runs[run.run_id] = run
        if not await run.wait(seconds):
            return ToolReply(
                ok=False, code="timeout", say=f"it is still running; call discover with run {run.run_id}"
            )
        return _summary(run)

    async def _workflow(self, ui: Ui, given: Arguments) -> ToolReply:
        return await self._workflows.call(ui, given)

    TOOLS: ClassVar[Mapping[str, Callable[[Any, Ui, Arguments], Awaitable[ToolReply]]]] = MappingProxyType(
        {
            "downloads": _downloads,
            "log": _log,
            "storage": _storage,
            "preview": _preview,
            "discover": _discover,
            "workflow": _workflow,
        }
    )


def _summary(run: SessionDiscovery) -> ToolReply:
    package = run.package
    if package is None:
        return failure("internal_runtime_error", detail=run.status)
    counts = package.coverage
    say = (
        f"the run {run.status}: {counts.routes_discovered} routes, {counts.elements_discovered} elements, "
        f"{counts.actions_discovered} actions, {counts.review_items} to review; the full package is uiap://discovery/{run.run_id}"
    )
    routes = [route.route_id for route in package.route_catalog.routes[:MAX_LISTED]]
    review = [item.description for item in package.review_queue.items[:MAX_LISTED]]
    listed = {"routes": routes, "review": review}
    return ToolReply(
        ok=run.status != "failed", say=say, untrusted={name: v for name, v in listed.items() if v}
    )
