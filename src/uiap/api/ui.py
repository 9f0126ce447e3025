"""A user interface in your hands: see it, find in it, act on it, and know what came of it.

Everything here is a message of the protocol over a session; there is no other way in.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from uiap.api import requests
from uiap.api.found import ElementMatch as ElementMatch
from uiap.api.found import Expected, PageOutline, Waited
from uiap.api.graph import Graph
from uiap.api.result import Result
from uiap.api.session_discovery import SessionDiscovery
from uiap.api.trace import Trace
from uiap.client.caller import Caller
from uiap.errors import RuntimeFault, Timeout, UiapError
from uiap.graph.picking import is_clear_best
from uiap.host.execution.app_actions import AppActions, Handler
from uiap.host.handlers.session_files import read_state, write_state
from uiap.spec import tools
from uiap.spec.action import (
    ActionAcceptedPayload,
    ActionCancelledPayload,
    ActionCancelPayload,
    ActionConfirmationDenyPayload,
    ActionConfirmationGrantPayload,
    ActionConfirmationRequestPayload,
    ActionRequestPayload,
    ActionResultPayload,
    PresentationHints,
    VerificationPolicy,
)
from uiap.spec.capability import (
    ActionDescriptor,
    CapabilityDocument,
    ExecutionMode,
    SuccessSignal,
)
from uiap.spec.core import CapabilitiesListedPayload, CapabilitiesListPayload, SessionInitializedPayload
from uiap.spec.discovery import DiscoveryEnvironment, DiscoverySeed
from uiap.spec.policy import (
    PolicyDecision,
    PolicyDecisionPayload,
    PolicyDocumentPayload,
    PolicyEvaluatePayload,
    PolicyGetPayload,
)
from uiap.spec.tools import TabDescription
from uiap.spec.web import WebStateGetPayload, WebStateSnapshotPayload
from uiap.timeouts import ACTION_MS, CONFIRMATION_S, REPLY_S


class Ui:
    """An open session. Leave its `async with`, or close it: nothing is left running."""

    def __init__(self, caller: Caller, stack: AsyncExitStack) -> None:
        self._caller, self._stack = caller, stack
        self.person: Ui | None = None
        """Where this session is an agent's: the session of the person who runs the program, who may answer for it."""
        self._apps: AppActions | None = None
        self._results: dict[str, asyncio.Future[ActionResultPayload]] = {}
        self._early: dict[str, ActionResultPayload] = {}
        self._stop = caller.listen("action.result", self._heard)

    async def __aenter__(self) -> Ui:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._stack.aclose()

    @property
    def session(self) -> SessionInitializedPayload:
        """What was agreed when the session was opened."""
        assert self._caller.session is not None
        return self._caller.session

    # -- seeing ---------------------------------------------------------------------------------------------

    async def observe(self) -> Graph:
        """The page now. `print(graph.outline())` is what a model reads."""
        reply = await self._caller.call("web.state.get", WebStateGetPayload(), WebStateSnapshotPayload)
        return Graph(reply.graph)

    async def outline(
        self, *, scope: str | None = None, since: str | None = None, budget: int | None = None
    ) -> str:
        """The page as text; with `since=REVISION` only what changed."""
        return (await self.page_outline(scope=scope, since=since, budget=budget)).text

    async def page_outline(
        self, *, scope: str | None = None, since: str | None = None, budget: int | None = None
    ) -> PageOutline:
        """Return the text of `outline` and the revision it describes."""
        asked = tools.ToolsOutlinePayload(scope=scope or UNSET, since=since or UNSET, budget=budget or UNSET)
        reply = await self._caller.call("x.uiap.tools.outline", asked, tools.ToolsOutlinedPayload)
        return PageOutline(reply.text, reply.revision)

    async def find(
        self,
        text: str,
        *,
        role: Any = None,
        scope: str | None = None,
        near: str | None = None,
        limit: int = 10,
        scroll: bool = False,
    ) -> list[ElementMatch]:
        """Elements that fit, best first, with how sure that is; `scroll` also finds what a list has not drawn yet."""
        asked = tools.ToolsFindPayload(
            text=text,
            role=role or UNSET,
            scope=scope or UNSET,
            near=near or UNSET,
            limit=limit,
            scroll=scroll or UNSET,
        )
        reply = await self._caller.call("x.uiap.tools.find", asked, tools.ToolsFoundPayload, timeout=60.0)
        return [ElementMatch.of(match) for match in reply.matches]

    async def capabilities(self) -> CapabilityDocument:
        reply = await self._caller.call(
            "capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload
        )
        assert reply.document is not UNSET
        return reply.document

    async def screenshot(self, *, annotated: bool = False) -> bytes:
        """A PNG of what is on the screen; `annotated` draws the references of the controls on it."""
        asked = tools.ToolsCapturePayload(annotated=annotated or UNSET)
        reply = await self._caller.call("x.uiap.tools.capture", asked, tools.ToolsCapturedPayload)
        return base64.b64decode(reply.data)

    async def tabs(
        self, do: Literal["list", "open", "show", "close"] = "list", tab: str | None = None
    ) -> tuple[TabDescription, ...]:
        """The tabs there are, after a blank one was opened, or one shown or closed."""
        asked = tools.ToolsTabsPayload(do=do, tab=tab or UNSET)
        reply = await self._caller.call("x.uiap.tools.tabs", asked, tools.ToolsTabsListedPayload)
        return reply.tabs

    async def dialog(
        self, accept: bool | None = None, text: str | None = None
    ) -> tools.ToolsDialogToldPayload:
        """The page's own dialog that stands open, answered first if `accept` is given."""
        answer = accept if accept is not None else UNSET
        asked = tools.ToolsDialogPayload(accept=answer, text=text if text is not None else UNSET)
        return await self._caller.call("x.uiap.tools.dialog", asked, tools.ToolsDialogToldPayload)

    async def pending(self) -> tuple[ActionConfirmationRequestPayload, ...]:
        """What waits for a person. Seeing it grants nothing."""
        asked = tools.ToolsPendingPayload()
        reply = await self._caller.call("x.uiap.tools.pending.list", asked, tools.ToolsPendingListedPayload)
        return reply.confirmations

    async def evaluate(self, expression: str) -> Any:
        """For people and tests only; an agent's session is refused."""
        asked = tools.ToolsEvaluatePayload(expression=expression)
        reply = await self._caller.call("x.uiap.tools.evaluate", asked, tools.ToolsEvaluatedPayload)
        return reply.value

    # -- what the session keeps -----------------------------------------------------------------------------

    async def save_state(self, file: str | Path | None = None, *, name: str | None = None) -> None:
        """Keep who is logged in: in a file of yours, or under a name in the folder declared for states."""
        told = await self._storage("save", name=name)
        if file is not None:
            await asyncio.to_thread(write_state, Path(file), told.content or {})

    async def load_state(self, file: str | Path | None = None, *, name: str | None = None) -> None:
        """Be logged in as when it was saved, from the next page on."""
        content = await asyncio.to_thread(read_state, Path(file)) if file is not None else None
        await self._storage("load", name=name, content=content)

    async def states(self) -> tuple[str, ...]:
        """The names under which states were saved."""
        return (await self._storage("list")).names

    async def _storage(
        self,
        do: Literal["list", "save", "load"],
        *,
        name: str | None = None,
        content: dict[str, Any] | None = None,
    ) -> tools.ToolsStorageToldPayload:
        asked = tools.ToolsStoragePayload(
            do=do, name=name or UNSET, content=UNSET if content is None else content
        )
        return await self._caller.call("x.uiap.tools.storage", asked, tools.ToolsStorageToldPayload)

    async def downloads(
        self, *, after: int | None = None, timeout_ms: float | None = None
    ) -> tuple[tools.DownloadDescription, ...]:
        """What was downloaded, oldest first; with `after`, as soon as there are more than so many."""
        asked = tools.ToolsDownloadsPayload(
            after=UNSET if after is None else after, timeout_ms=UNSET if timeout_ms is None else timeout_ms
        )
        reply = await self._caller.call(
            "x.uiap.tools.downloads",
            asked,
            tools.ToolsDownloadsListedPayload,
            timeout=requests.reply_timeout_s(timeout_ms),
        )
        return reply.downloads

    async def bundle(self) -> tools.ToolsBundleToldPayload:
        """The application's contract that this session runs under, and who signed it."""
        asked = tools.ToolsBundlePayload()
        return await self._caller.call("x.uiap.tools.bundle", asked, tools.ToolsBundleToldPayload)

    async def explore(
        self, environment: DiscoveryEnvironment, *, seeds: Sequence[DiscoverySeed] = (), start: bool = True
    ) -> SessionDiscovery:
        """Discover the application this session shows, on its own page; see `uiap.api.discovery`.

        With `start=False` the run is planned alone: `planned` tells of its seeds, `start()` begins it.
        """
        run = await SessionDiscovery.plan(self._caller, environment, seeds)
        if start:
            await run.start()
        return run

    # -- verifying and waiting ------------------------------------------------------------------------------

    async def expect(
        self,
        signals: Sequence[SuccessSignal | Mapping[str, Any]],
        *,
        since: str | None = None,
        policy: Literal["any", "all"] | None = None,
        timeout_ms: float | None = None,
    ) -> Expected:
        """Are these seen? Since a revision, or of the page as it is; at most so long. True in a condition if so."""
        asked = tools.ToolsExpectPayload(
            signals=requests.signals(signals),
            policy=policy or UNSET,
            since=since or UNSET,
            timeout_ms=timeout_ms if timeout_ms is not None else UNSET,
        )
        limit = requests.reply_timeout_s(timeout_ms)
        reply = await self._caller.call(
            "x.uiap.tools.expect", asked, tools.ToolsExpectedPayload, timeout=limit
        )
        return Expected(reply)

    async def wait(
        self,
        *,
        since: str | None = None,
        until: Sequence[SuccessSignal | Mapping[str, Any]] = (),
        idle: bool = False,
        timeout_ms: float | None = None,
    ) -> Waited:
        """Until something changed since a revision (what already landed counts), signals are seen, nothing loads."""
        asked = tools.ToolsWaitPayload(
            since=since or UNSET,
            until=requests.signals(until) or UNSET,
            idle=idle or UNSET,
            timeout_ms=timeout_ms if timeout_ms is not None else UNSET,
        )
        limit = requests.reply_timeout_s(timeout_ms)
        reply = await self._caller.call("x.uiap.tools.wait", asked, tools.ToolsWaitedPayload, timeout=limit)
        return Waited(reply)

    async def trace(self, of: Result | str) -> Trace:
        """Everything an action caused, and what only happened beside it."""
        handle = of if isinstance(of, str) else of.payload.action_handle
        asked = tools.ToolsTracePayload(action_handle=handle)
        reply = await self._caller.call("x.uiap.tools.trace", asked, tools.ToolsTracedPayload)
        return Trace(reply.trace)

    async def log(
        self,
        what: Literal["lines", "network", "all"] = "all",
        *,
        level: Literal["error", "warning", "info"] | None = None,
        origin: Literal["app", "system"] | None = None,
        contains: str | None = None,
        since_ms: float | None = None,
        relevance: float | None = None,
        limit: int = 50,
    ) -> tools.ToolsLoggedPayload:
        """What the application said and asked for of late; noise is counted only, unless `relevance=0`."""
        asked = tools.ToolsLogPayload(
            what=UNSET if what == "all" else what,
            level=level or UNSET,
            origin=origin or UNSET,
            contains=contains or UNSET,
            since_ms=UNSET if since_ms is None else since_ms,
            relevance=UNSET if relevance is None else relevance,
            limit=limit,
        )
        return await self._caller.call("x.uiap.tools.log", asked, tools.ToolsLoggedPayload)

    async def traces(self, limit: int = 20) -> tuple[tools.TraceSummary, ...]:
        """The latest actions, the last one first."""
        asked = tools.ToolsTraceListPayload(limit=limit)
        reply = await self._caller.call("x.uiap.tools.trace.list", asked, tools.ToolsTraceListedPayload)
        return reply.traces

    # -- acting ---------------------------------------------------------------------------------------------

    async def navigate(self, url: str, *, timeout_ms: float | None = None) -> Result:
        return await self.act("nav.navigate", args={"url": url}, timeout_ms=timeout_ms)

    async def act(
        self,
        action: str,
        *,
        ref: str | None = None,
        stable_id: str | None = None,
        role: Any = None,
        name: str | None = None,
        text: str | None = None,
        scope: str | None = None,
        near: str | None = None,
        args: Mapping[str, Any] | None = None,
        expect: Sequence[SuccessSignal | Mapping[str, Any]] = (),
        policy: VerificationPolicy | None = None,
        timeout_ms: float | None = None,
        verify_ms: float | None = None,
        idempotency_key: str | None = None,
        modes: Sequence[ExecutionMode] | None = None,
        present: PresentationHints | Mapping[str, Any] | bool | None = None,
        trace: Sequence[Literal["outline", "screenshot"]] = (),
        on_progress: Callable[[Any], None] | None = None,
    ) -> Result:
        """Do it, and report success only if the effect was observed.

        `trace` names what its trace keeps of the page before and after: "outline", "screenshot". `present` shows a
        person what is done: True, or `{"ghostCursor": True, "highlight": "spotlight", "narration": "…", "pace":
        "humanized"}`; it never changes what comes of it.
        """
        if text is not None or near is not None:
            ref = await self._pick(text or name or "", role=role, scope=scope, near=near)
        request = ActionRequestPayload(
            action_id=action,
            target=requests.target(ref, stable_id, role, name, scope),
            args=dict(args) if args is not None else UNSET,
            preferred_execution_modes=tuple(modes) if modes is not None else UNSET,
            verification=requests.verification(expect, policy, verify_ms),
            presentation=requests.presentation(present),
            timeout_ms=timeout_ms if timeout_ms is not None else UNSET,
            idempotency_key=idempotency_key or UNSET,
            metadata={"trace": list(trace)} if trace else UNSET,
        )
        stop = self._caller.listen("action.progress", on_progress) if on_progress else None
        try:
            return Result(await self._run(request), self.trace)
        finally:
            if stop is not None:
                stop()

    def register(
        self,
        id: str,
        handler: Handler,
        *,
        descriptor: ActionDescriptor | Mapping[str, Any] | None = None,
    ) -> Callable[[], None]:
        """Offer a function of this program as an action; the returned function takes it back.

        It is called with the action's arguments by name, and may be async. `descriptor` says how risky it is and what
        proves it (`success`); without one it counts as something to be confirmed.
        """
        apps = self._apps
        if apps is None:
            raise UiapError("functions can be registered only where the session was opened, by `uiap.open`")
        given = {"id": id, "kind": "domain", "targetKinds": ["none"], "executionModes": ["appAction"]}
        if isinstance(descriptor, Mapping):
            descriptor = msgspec.convert({**given, **descriptor}, ActionDescriptor)
        apps.register(id, handler, descriptor)
        return lambda: apps.unregister(id)

    def on_confirmation(self, ask: Callable[[Any], None]) -> Callable[[], None]:
        """Hear what waits for a person; the returned function stops it."""
        return self._caller.listen("action.confirmation.request", ask)

    async def grant(self, handle: str) -> None:
        """Say yes, as the person this session belongs to."""
        payload = ActionConfirmationGrantPayload(action_handle=handle)
        await self._caller.send("action.confirmation.grant", payload)

    async def hand_back(self, handle: str, *, done: bool = True) -> None:
        """Say, as the person, that a step that was left to you is done, or that you will not do it."""
        asked = tools.ToolsHandoffEndPayload(action_handle=handle, outcome="done" if done else "declined")
        await self._caller.call("x.uiap.tools.handoff.end", asked, tools.ToolsHandoffEndedPayload)

    async def waiting(self) -> tools.ToolsPendingListedPayload:
        """Everything that waits for a person: questions with what they are bound to, and steps to be done."""
        asked = tools.ToolsPendingPayload()
        return await self._caller.call("x.uiap.tools.pending.list", asked, tools.ToolsPendingListedPayload)

    async def policies(self) -> PolicyDocumentPayload:
        """The rules in force, with their revision."""
        return await self._caller.call("uiap.policy.get", PolicyGetPayload(), PolicyDocumentPayload)

    async def preflight(
        self, action: str, *, args: Mapping[str, Any] | None = None, **target: Any
    ) -> PolicyDecision:
        """What policy would say, without doing it; advice only, it is decided again when it is done."""
        found = requests.target(
            target.get("ref"),
            target.get("stable_id"),
            target.get("role"),
            target.get("name"),
            target.get("scope"),
        )
        asked = PolicyEvaluatePayload(
            operation="act",
            action_id=action,
            target=UNSET if found is UNSET else found.ref,
            args=dict(args) if args is not None else UNSET,
        )
        reply = await self._caller.call("uiap.policy.evaluate", asked, PolicyDecisionPayload)
        return reply.decision

    async def deny(self, handle: str, reason: str | None = None) -> None:
        """Say no."""
        payload = ActionConfirmationDenyPayload(action_handle=handle, reason=reason or UNSET)
        await self._caller.send("action.confirmation.deny", payload)

    async def cancel(self, handle: str, reason: str | None = None) -> None:
        """Give up an action that is under way; its result still comes, and says what may have happened."""
        asked = ActionCancelPayload(action_handle=handle, reason=reason or UNSET)
        await self._caller.call("action.cancel", asked, ActionCancelledPayload)

    async def _pick(self, text: str, *, role: Any, scope: str | None, near: str | None) -> str:
        """`text` and `near` go through find: one clear best match, or a refusal with what was found."""
        found = await self.find(text, role=role, scope=scope, near=near, limit=5)
        if not found:
            raise RuntimeFault("target_not_found", f"nothing on the page fits `{text or near}`")
        if not is_clear_best([match.confidence for match in found]):
            shown = ", ".join(f'{f.instance_id} {f.role} "{f.name}"' for f in found)
            detail = {"candidates": [msgspec.to_builtins(f) for f in found]}
            message = f"several elements fit `{text or near}`: {shown}; say which by ref="
            raise RuntimeFault("target_ambiguous", message, detail=detail)
        return found[0].instance_id

    async def _run(self, request: ActionRequestPayload) -> ActionResultPayload:
        accepted = await self._caller.call("action.request", request, ActionAcceptedPayload)
        handle = accepted.action_handle
        early = self._early.pop(handle, None)
        if early is not None:
            return early
        waiting = self._results.setdefault(handle, asyncio.get_running_loop().create_future())
        limit = (
            (ACTION_MS if request.timeout_ms is UNSET else request.timeout_ms) / 1000
            + CONFIRMATION_S
            + REPLY_S
        )
        try:
            async with asyncio.timeout(limit):
                return await waiting
        except TimeoutError:
            raise Timeout(f"no result for `{handle}` within {limit:g} s") from None
        finally:
            self._results.pop(handle, None)

    def _heard(self, result: ActionResultPayload) -> None:
        waiting = self._results.get(result.action_handle)
        if waiting is None:
            self._early[result.action_handle] = result
        elif not waiting.done():
            waiting.set_result(result)
