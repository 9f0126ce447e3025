"""An open session: observe the page, find elements, act on them, and verify the effect.

Every method sends a message of the protocol. Members that a reply leaves out are None.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from uiap.api import requests
from uiap.api.absent import absent_for_none, none_for_absent, to_builtins
from uiap.api.action_calls import ActionCalls
from uiap.api.answers import UiAnswers
from uiap.api.begun import BegunAction, begin
from uiap.api.bundle import UiBundle
from uiap.api.found import ElementMatch as ElementMatch
from uiap.api.found import Expected, PageOutline, Waited, clear_match
from uiap.api.graph import Graph
from uiap.api.result import Result
from uiap.api.session_discovery import SessionDiscovery
from uiap.api.steps import Looks
from uiap.api.trace import Trace
from uiap.api.verbs import UiVerbs, VerbOptions
from uiap.api.workflows import UiWorkflows
from uiap.client.caller import Caller
from uiap.client.har import har_document
from uiap.errors import UiapError
from uiap.host.execution.app_actions import AppActions, Handler
from uiap.host.handlers.session_files import read_state, write_state
from uiap.spec import tools
from uiap.spec.action import (
    ActionRequestPayload,
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
from uiap.spec.web import WebStateGetPayload, WebStateSnapshotPayload


class Ui(UiVerbs, UiAnswers, UiBundle, UiWorkflows):
    """An open session. Close it, or use it in `async with`; its browser ends with it."""

    def __init__(self, caller: Caller, stack: AsyncExitStack) -> None:
        self._caller, self._stack = caller, stack
        self.person: Ui | None = None
        """The session of the person who runs the program, if this one is an agent's; it may answer confirmations."""
        self._apps: AppActions | None = None
        self._actions = ActionCalls(caller)

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
        """The versions, profiles and extensions that were negotiated when the session was opened."""
        assert self._caller.session is not None
        return none_for_absent(self._caller.session)

    # -- observing ------------------------------------------------------------------------------------------

    async def observe(self) -> Graph:
        """Return a snapshot of the page; `print(graph.outline())` is the text that a model reads."""
        reply = await self._caller.call("web.state.get", WebStateGetPayload(), WebStateSnapshotPayload)
        return Graph(reply.graph)

    async def outline(
        self, *, scope: str | None = None, since: str | None = None, budget: int | None = None
    ) -> str:
        """Return the page as text; with `since=REVISION` only the changes."""
        return (await self.page_outline(scope=scope, since=since, budget=budget)).text

    async def page_outline(
        self, *, scope: str | None = None, since: str | None = None, budget: int | None = None
    ) -> PageOutline:
        """Return the text of `outline` and the revision it describes."""
        payload = tools.ToolsOutlinePayload(
            scope=scope or UNSET, since=since or UNSET, budget=budget or UNSET
        )
        reply = await self._caller.call("x.uiap.tools.outline", payload, tools.ToolsOutlinedPayload)
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
        """Return the matching elements, best first. The whole page is searched.

        Args:
            text: Text, name or value of the element.
            role: Only elements with this role.
            scope: Only elements inside this part of the page.
            near: Only elements in the row, card or section with this text.
            limit: Return at most this many.
            scroll: Also scroll lists that draw their rows on demand.
        """
        payload = tools.ToolsFindPayload(
            text=text,
            role=role or UNSET,
            scope=scope or UNSET,
            near=near or UNSET,
            limit=limit,
            scroll=scroll or UNSET,
        )
        reply = await self._caller.call("x.uiap.tools.find", payload, tools.ToolsFoundPayload, timeout=60.0)
        return [ElementMatch.of(match) for match in reply.matches]

    async def capabilities(self) -> CapabilityDocument:
        """Return the actions, roles and signals that this session supports."""
        reply = await self._call("capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload)
        assert reply.document
        return reply.document

    async def screenshot(self, *, annotated: bool = False) -> bytes:
        """Return a PNG of the visible page; `annotated` draws the refs of the controls on it."""
        payload = tools.ToolsCapturePayload(annotated=annotated or UNSET)
        reply = await self._caller.call("x.uiap.tools.capture", payload, tools.ToolsCapturedPayload)
        return base64.b64decode(reply.data)

    async def pdf(self) -> bytes:
        """Return the page as a PDF. A page that shows an agent private values is refused."""
        payload = tools.ToolsCapturePayload(format="pdf")
        reply = await self._caller.call("x.uiap.tools.capture", payload, tools.ToolsCapturedPayload)
        return base64.b64decode(reply.data)

    async def viewport(self, width: int, height: int) -> None:
        """Set the size of the page.

        Args:
            width: In CSS pixels.
            height: In CSS pixels.
        """
        payload = tools.ToolsViewportPayload(width=width, height=height)
        await self._caller.call("x.uiap.tools.viewport", payload, tools.ToolsViewportSetPayload)

    async def har(self) -> dict[str, Any]:
        """Return the traffic of the page as a HAR document, without headers, bodies and query strings."""
        log = await self.log("network", relevance=0.0, limit=1_000)
        return har_document(to_builtins(log), datetime.now(UTC))

    async def tabs(
        self, do: Literal["list", "open", "show", "close"] = "list", tab: str | None = None
    ) -> tuple[tools.TabDescription, ...]:
        """Open a blank tab, show or close one, and return all tabs."""
        payload = tools.ToolsTabsPayload(do=do, tab=tab or UNSET)
        reply = await self._call("x.uiap.tools.tabs", payload, tools.ToolsTabsListedPayload)
        return reply.tabs

    async def dialog(
        self, accept: bool | None = None, text: str | None = None
    ) -> tools.ToolsDialogToldPayload:
        """Answer the page's alert, confirm or prompt if `accept` is given, and return the dialog that is open then."""
        answer = accept if accept is not None else UNSET
        payload = tools.ToolsDialogPayload(accept=answer, text=text if text is not None else UNSET)
        return await self._call("x.uiap.tools.dialog", payload, tools.ToolsDialogToldPayload)

    async def evaluate(self, expression: str) -> Any:
        """Run a JavaScript expression in the page; for people and tests only, an agent's session is refused."""
        payload = tools.ToolsEvaluatePayload(expression=expression)
        reply = await self._call("x.uiap.tools.evaluate", payload, tools.ToolsEvaluatedPayload)
        return reply.value

    # -- state and files -------------------------------------------------------------------------------------

    async def save_state(self, file: str | Path | None = None, *, name: str | None = None) -> None:
        """Save the login to a file, or under a name in the session's folder for states."""
        saved = await self._storage("save", name=name)
        if file is not None:
            await asyncio.to_thread(write_state, Path(file), saved.content or {})

    async def load_state(self, file: str | Path | None = None, *, name: str | None = None) -> None:
        """Restore a saved login; it takes effect with the next navigation."""
        content = await asyncio.to_thread(read_state, Path(file)) if file is not None else None
        await self._storage("load", name=name, content=content)

    async def states(self) -> tuple[str, ...]:
        """Return the names of the saved states."""
        return (await self._storage("list")).names

    async def _storage(
        self,
        do: Literal["list", "save", "load"],
        *,
        name: str | None = None,
        content: dict[str, Any] | None = None,
    ) -> tools.ToolsStorageToldPayload:
        payload = tools.ToolsStoragePayload(
            do=do, name=name or UNSET, content=UNSET if content is None else content
        )
        return await self._call("x.uiap.tools.storage", payload, tools.ToolsStorageToldPayload)

    async def downloads(
        self, *, after: int | None = None, timeout_ms: float | None = None
    ) -> tuple[tools.DownloadDescription, ...]:
        """Return the downloads, oldest first; with `after`, wait until there are more than that many."""
        payload = tools.ToolsDownloadsPayload(
            after=UNSET if after is None else after, timeout_ms=UNSET if timeout_ms is None else timeout_ms
        )
        reply = await self._call(
            "x.uiap.tools.downloads",
            payload,
            tools.ToolsDownloadsListedPayload,
            timeout=requests.reply_timeout_s(timeout_ms),
        )
        return reply.downloads

    async def explore(
        self, environment: DiscoveryEnvironment, *, seeds: Sequence[DiscoverySeed] = (), start: bool = True
    ) -> SessionDiscovery:
        """Explore the application in this session's page; with `start=False` the run is only planned."""
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
        """Check that the signals are observed; the returned value is true if they are.

        Args:
            signals: The expected signals, such as `uiap.toast_contains("created")`.
            since: Count only signals after this revision; without it, judge the page as it is.
            policy: Whether `all` (default) or `any` of them must be observed.
            timeout_ms: Wait at most this long for them.
        """
        payload = tools.ToolsExpectPayload(
            signals=requests.signals(signals),
            policy=policy or UNSET,
            since=since or UNSET,
            timeout_ms=timeout_ms if timeout_ms is not None else UNSET,
        )
        limit = requests.reply_timeout_s(timeout_ms)
        reply = await self._caller.call(
            "x.uiap.tools.expect", payload, tools.ToolsExpectedPayload, timeout=limit
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
        """Wait for a change, for signals, or until nothing is loading.

        Args:
            since: Wait for a change after this revision. A change before this call counts too.
            until: Wait until these signals are observed.
            idle: Wait until nothing is loading.
            timeout_ms: Return after this time, even without a change.
        """
        payload = tools.ToolsWaitPayload(
            since=since or UNSET,
            until=requests.signals(until) or UNSET,
            idle=idle or UNSET,
            timeout_ms=timeout_ms if timeout_ms is not None else UNSET,
        )
        limit = requests.reply_timeout_s(timeout_ms)
        reply = await self._caller.call("x.uiap.tools.wait", payload, tools.ToolsWaitedPayload, timeout=limit)
        return Waited(reply)

    async def trace(self, of: Result | str) -> Trace:
        """Return the trace of an action: its stages, requests, lines and signals, each with its cause."""
        handle = of if isinstance(of, str) else of.payload.action_handle
        payload = tools.ToolsTracePayload(action_handle=handle)
        reply = await self._caller.call("x.uiap.tools.trace", payload, tools.ToolsTracedPayload)
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
        """Return recent console lines and requests; noise is only counted, unless `relevance=0`."""
        payload = tools.ToolsLogPayload(
            what=UNSET if what == "all" else what,
            level=level or UNSET,
            origin=origin or UNSET,
            contains=contains or UNSET,
            since_ms=UNSET if since_ms is None else since_ms,
            relevance=UNSET if relevance is None else relevance,
            limit=limit,
        )
        return await self._call("x.uiap.tools.log", payload, tools.ToolsLoggedPayload)

    async def traces(self, limit: int = 20) -> tuple[tools.TraceSummary, ...]:
        """Return the latest actions, newest first."""
        payload = tools.ToolsTraceListPayload(limit=limit)
        reply = await self._call("x.uiap.tools.trace.list", payload, tools.ToolsTraceListedPayload)
        return reply.traces

    # -- acting ---------------------------------------------------------------------------------------------

    async def navigate(self, url: str, *, timeout_ms: float | None = None) -> Result:
        """Go to a URL and wait for the page."""
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
        """Perform an action and return its result; it succeeds only if the effect was observed.

        Args:
            action: Its id, such as `ui.activate`, `ui.enterText` or `nav.navigate`.
            ref: The element, by its ref from an outline or `find`.
            stable_id: The element, by the application's own id.
            role: The element, by its role.
            name: The element, by its name; without `role` also by its text.
            text: The element, by its text, if only one matches clearly.
            scope: Only elements inside this part of the page.
            near: Only the element in the row, card or section with this text.
            args: The arguments of the action, such as `{"text": "Hello"}`.
            expect: The effects that must be observed; without them the action's own proof counts.
            policy: Whether `all` (default) or `any` of `expect` must be observed.
            timeout_ms: Fail after this time (default 15,000). Waiting for a person does not count.
            verify_ms: Wait at most this long for the effect (default 5,000).
            idempotency_key: A name for this request; with the same name it happens at most once.
            modes: The allowed execution modes, in order of preference.
            present: Show the action to a person: True, or hints such as `{"ghostCursor": True, "highlight":
                "spotlight", "narration": "…", "pace": "humanized"}`. It never changes the result.
            trace: What the trace stores of the page before and after: "outline", "screenshot".
            on_progress: A function that gets every `action.progress`.
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
        return await self._run_action(request, on_progress)

    async def _run_request(self, request: dict[str, Any], options: VerbOptions) -> Result:
        """Send the request of a verb and return its result; `click`, `fill` and the other verbs use this."""
        stop = self._listen("action.progress", options["on_progress"]) if "on_progress" in options else None
        try:
            begun = await self._begin_request(request, options)
            if "timeout_ms" in options:
                return await begun.result_within(options["timeout_ms"])
            return await begun.result_or_question()
        finally:
            if stop is not None:
                stop()

    def _page(self) -> Looks:
        return self

    async def _run_action(
        self, request: ActionRequestPayload, on_progress: Callable[[Any], None] | None
    ) -> Result:
        stop = self._listen("action.progress", on_progress) if on_progress else None
        try:
            return Result(await self._actions.run(request), self.trace)
        finally:
            if stop is not None:
                stop()

    async def request(self, payload: Mapping[str, Any]) -> BegunAction:
        """Send an `action.request` as the protocol writes it, and return the running action.

        Args:
            payload: The members of the request, such as `{"actionId": "ui.activate", "target": …}`.
        """
        request = msgspec.convert(payload, ActionRequestPayload)
        return await begin(self._caller, self._actions, request, self)

    async def _begin_request(self, request: dict[str, Any], options: VerbOptions) -> BegunAction:
        return await begin(self._caller, self._actions, requests.of_verb(request, options), self)

    def register(
        self,
        id: str,
        handler: Handler,
        *,
        descriptor: ActionDescriptor | Mapping[str, Any] | None = None,
    ) -> Callable[[], None]:
        """Offer a function of this program as an action; call the returned function to remove it.

        The function gets the action's arguments by name and may be async. `descriptor` declares its risk and its
        `success` signals; without one the action needs a confirmation.
        """
        apps = self._apps
        if apps is None:
            raise UiapError("this session takes no functions; register them with a session of `uiap.open`")
        given = {"id": id, "kind": "domain", "targetKinds": ["none"], "executionModes": ["appAction"]}
        if isinstance(descriptor, Mapping):
            descriptor = msgspec.convert({**given, **descriptor}, ActionDescriptor)
        apps.register(id, handler, absent_for_none(descriptor))
        return lambda: apps.unregister(id)

    async def policies(self) -> PolicyDocumentPayload:
        """Return the policies in force, with their revision."""
        return await self._call("uiap.policy.get", PolicyGetPayload(), PolicyDocumentPayload)

    async def preflight(
        self, action: str, *, args: Mapping[str, Any] | None = None, **target: Any
    ) -> PolicyDecision:
        """Return what the policy decides about an action, without acting; acting decides again."""
        resolved = requests.target(
            target.get("ref"),
            target.get("stable_id"),
            target.get("role"),
            target.get("name"),
            target.get("scope"),
        )
        payload = PolicyEvaluatePayload(
            operation="act",
            action_id=action,
            target=UNSET if resolved is UNSET else resolved.ref,
            args=dict(args) if args is not None else UNSET,
        )
        reply = await self._call("uiap.policy.evaluate", payload, PolicyDecisionPayload)
        return reply.decision

    async def _pick(self, text: str, *, role: Any, scope: str | None, near: str | None) -> str:
        """Return the ref of the one clear best match of `text` and `near`, or raise with the candidates."""
        found = await self.find(text, role=role, scope=scope, near=near, limit=5)
        return clear_match(found, text or near or "").instance_id
