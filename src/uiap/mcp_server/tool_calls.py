"""What each tool does, as messages of the protocol. It knows nothing of MCP's own types."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET

from uiap.api.found import ElementMatch, PageOutline
from uiap.api.result import Result
from uiap.api.ui import Ui
from uiap.errors import RuntimeFault, TransportClosed, UiapError
from uiap.mcp_server.expectations import signals
from uiap.mcp_server.full_profile import FullProfileTools
from uiap.mcp_server.reply import ToolReply, failure
from uiap.mcp_server.session import AgentSession
from uiap.spec.action import ActionConfirmationRequestPayload
from uiap.spec.capability import CapabilityDocument
from uiap.spec.tools import ToolsBundleToldPayload
from uiap.timeouts import EXPECT_S

PAGE_TOKENS, CHANGE_TOKENS, PATIENCE_S = 2_000, 500, 20.0
"""What a look and an answer may take, and how long an action waits for its person before it says so."""
WAIT_S = 60.0
KEPT_ACTIONS = 50
TARGET = ("ref", "role", "name", "scope", "near")
FIND = ("role", "near", "scope", "limit", "scroll")

Arguments = Mapping[str, Any]


class ToolCalls:
    """The tools over one visit."""

    def __init__(self, visit: AgentSession, *, patience_s: float = PATIENCE_S) -> None:
        self._visit, self._patience_s = visit, patience_s
        self.full = FullProfileTools(visit)
        self._turn = asyncio.Lock()
        self._waiting: dict[str, asyncio.Task[Result]] = {}

    async def call(self, tool: str, arguments: Arguments) -> ToolReply:
        """Run one tool; whatever goes wrong is an answer that says what to do next."""
        try:
            does = self.TOOLS.get(tool)
            return await (does(self, arguments) if does is not None else self.full.call(tool, arguments))
        except TransportClosed:
            await self._visit.close()
            return failure("gone")
        except RuntimeFault as error:
            return failure(error.code, detail=error.message, candidates=error.detail.get("candidates"))
        except UiapError as error:
            return failure(error.code, detail=error.message)

    async def close(self) -> None:
        for task in self._waiting.values():
            task.cancel()
        await asyncio.gather(*self._waiting.values(), return_exceptions=True)
        await self._visit.close()

    # -- seeing ---------------------------------------------------------------------------------------------

    async def page(self, **asked: Any) -> PageOutline:
        return await (await self._visit.ui()).page_outline(**asked)

    async def capabilities(self) -> CapabilityDocument:
        return await (await self._visit.ui()).capabilities()

    async def trace(self, action: str) -> dict[str, Any]:
        return (await (await self._visit.ui()).trace(action)).to_dict()

    async def bundle(self) -> ToolsBundleToldPayload:
        return await (await self._visit.ui()).bundle()

    async def _open(self, given: Arguments) -> ToolReply:
        result = await self._visit.open(given["url"])
        page = await self.page(budget=PAGE_TOKENS)
        if result is None:
            return _shown("the application is open", page)
        # it may have led elsewhere: what is there now tells more than that it failed
        return _shown("the page is open", page) if result else _failed(result, page=page.text)

    async def _observe(self, given: Arguments) -> ToolReply:
        page = await self.page(
            since=given.get("since"), scope=given.get("scope"), budget=given.get("budget", PAGE_TOKENS)
        )
        return _shown("what changed" if given.get("since") else "the page now", page)

    async def _find(self, given: Arguments) -> ToolReply:
        ui = await self._visit.ui()
        asked = {name: given[name] for name in FIND if name in given}
        found = await ui.find(given["text"], **asked)
        if not found:
            return ToolReply(
                ok=False, say="nothing on the page fits; try fewer words, or observe", code="not_found"
            )
        return ToolReply(
            say=f"{len(found)} found, best first", untrusted={"matches": [_match(f) for f in found]}
        )

    async def _read(self, given: Arguments) -> ToolReply:
        ui = await self._visit.ui()
        args = {"what": given["what"]} if "what" in given else None
        result = await ui.act("ui.read", args=args, **_target(given))
        return ToolReply(say="read", untrusted={"value": result.return_value}) if result else _failed(result)

    async def _screenshot(self, given: Arguments) -> ToolReply:
        ui = await self._visit.ui()
        return ToolReply(
            say="the screen now; text on it is the page's",
            image=await ui.screenshot(annotated=given.get("refs", False)),
        )

    async def _tabs(self, given: Arguments) -> ToolReply:
        do, url = given.get("do", "list"), given.get("url")
        ui = await self._visit.ui()
        tabs = await ui.tabs(do, given.get("tab"))
        if do == "open" and url is not None:
            result = await self._visit.open(url)
            if result is not None and not result:
                return _failed(result)
            tabs = await ui.tabs()
        shown = [msgspec.to_builtins(tab) for tab in tabs]
        return ToolReply(
            say=f"{len(tabs)} open; the active one is what the other tools see", untrusted={"tabs": shown}
        )

    async def _dialog(self, given: Arguments) -> ToolReply:
        ui = await self._visit.ui()
        told = await ui.dialog(given.get("accept"), given.get("text"))
        if told.kind is UNSET:
            return ToolReply(say="no dialog stands open")
        return ToolReply(
            say=f"a dialog of the page stands open ({told.kind})", untrusted={"message": told.message}
        )

    async def _pending(self, _given: Arguments) -> ToolReply:
        waiting = [_question(asked) for asked in await (await self._visit.ui()).pending()]
        if not waiting:
            return ToolReply(say="nothing waits for a person")
        say = f"{len(waiting)} waiting; the person answers with: {self._visit.approve}"
        return ToolReply(say=say, untrusted={"pending": waiting})

    # -- acting ---------------------------------------------------------------------------------------------

    async def _act(self, given: Arguments) -> ToolReply:
        ui = await self._visit.ui()
        wanted = signals(given.get("expect", []))
        target = _target(given)
        begun = ui.act(
            given["do"],
            args=given.get("args"),
            expect=wanted,
            policy=given.get("policy"),
            modes=[given["mode"]] if "mode" in given else None,
            timeout_ms=given["timeout"] * 1000 if "timeout" in given else None,
            idempotency_key=given.get("key"),
            **target,
        )
        handle, task = await self._begin(ui, begun)
        if handle is not None:
            return await self._until(handle, self._patience_s)
        return await self._account(ui, task.result())

    async def _upload(self, given: Arguments) -> ToolReply:
        files = [{"ref": path, "name": path.replace("\\", "/").rpartition("/")[2]} for path in given["files"]]
        return await self._act({**given, "do": "ui.upload", "args": {"files": files}})

    async def _begin(self, ui: Ui, work: Awaitable[Result]) -> tuple[str | None, asyncio.Task[Result]]:
        """Until the action has its result, or asks for a person: then its handle. One begins at a time, so that a
        question that is heard belongs to it."""
        asked: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def hear(question: ActionConfirmationRequestPayload) -> None:
            if not asked.done() and question.action_handle not in self._waiting:
                asked.set_result(question.action_handle)

        async with self._turn:
            stop = ui.on_confirmation(hear)
            task = asyncio.ensure_future(work)
            try:
                both: set[asyncio.Future[Any]] = {task, asked}
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                task.cancel()
                raise
            finally:
                stop()
                asked.cancel()
            if task.done():
                return None, task
            handle = asked.result()
            self._waiting[handle] = task
            for old in [h for h, t in self._waiting.items() if t.done()][:-KEPT_ACTIONS]:
                del self._waiting[old]
            return handle, task

    async def _until(self, handle: str, seconds: float) -> ToolReply:
        """The result of an action that waits for its person, or word that it still does."""
        task = self._waiting.get(handle)
        if task is None:
            return failure("not_found", detail="no such action is under way")
        await asyncio.wait({task}, timeout=seconds)
        if task.done():
            return await self._account(await self._visit.ui(), task.result())
        say = f"a person has to confirm this first, with: {self._visit.approve}; call wait with this action"
        return ToolReply(ok=False, say=say, code="confirmation_pending", action=handle)

    async def _account(self, ui: Ui, result: Result) -> ToolReply:
        """What came of it, and what changed on the page since."""
        base = result.metadata.get("baseRevision")
        text = await ui.outline(since=base, budget=CHANGE_TOKENS) if base is not None else None
        if not result:
            return _failed(result, page=text)
        say = (
            "it was so already"
            if result.metadata.get("outcome") == "no_op"
            else "done, and its effect was seen"
        )
        shown = {"value": result.return_value, "page": text}
        return ToolReply(
            say=say,
            side_effect=result.side_effect_state,
            revision=result.revision,
            untrusted={name: value for name, value in shown.items() if value},
        )

    # -- verifying and waiting ------------------------------------------------------------------------------

    async def _expect(self, given: Arguments) -> ToolReply:
        ui = await self._visit.ui()
        wanted, limit = signals(given["signals"]), given.get("timeout", EXPECT_S) * 1000
        seen = await ui.expect(wanted, since=given.get("since"), timeout_ms=limit)
        if seen:
            return ToolReply(say="all of it is so", revision=seen.revision)
        missing = [msgspec.to_builtins(verdict.signal) for verdict in seen.verdicts if not verdict.holds]
        told = failure("verification_failed", missing=missing, detail=seen.reason)
        return msgspec.structs.replace(
            told, say="not all of it is so; see what is missing", revision=seen.revision
        )

    async def _wait(self, given: Arguments) -> ToolReply:
        seconds = float(given.get("timeout", WAIT_S))
        if "action" in given:
            if given.get("cancel"):
                await (await self._visit.ui()).cancel(given["action"])
            return await self._until(given["action"], seconds)
        ui = await self._visit.ui()
        wanted, since = signals(given.get("signals", [])), given.get("since")
        idle = not wanted and since is None
        waited = await ui.wait(since=since, until=wanted, idle=idle, timeout_ms=seconds * 1000)
        changes = waited.payload.changes
        page = {} if changes is UNSET else {"page": changes}
        if waited:
            return ToolReply(say="it came", revision=waited.revision, untrusted=page)
        return msgspec.structs.replace(failure("timeout", **page), revision=waited.revision)

    async def _trace(self, given: Arguments) -> ToolReply:
        ui = await self._visit.ui()
        if "action" not in given:
            latest = [msgspec.to_builtins(one) for one in await ui.traces(10)]
            return ToolReply(say=f"{len(latest)} actions, the latest first", untrusted={"actions": latest})
        trace = (await ui.trace(given["action"])).payload
        kept = {name: msgspec.to_builtins(getattr(trace, name)) for name in ("network", "lines", "signals")}
        return ToolReply(say=f"the action {trace.status}", untrusted={n: v for n, v in kept.items() if v})

    TOOLS: ClassVar[Mapping[str, Callable[[Any, Arguments], Awaitable[ToolReply]]]] = MappingProxyType(
        {
            "open": _open,
            "observe": _observe,
            "find": _find,
            "read": _read,
            "act": _act,
            "expect": _expect,
            "wait": _wait,
            "tabs": _tabs,
            "screenshot": _screenshot,
            "pending": _pending,
            "upload": _upload,
            "dialog": _dialog,
            "trace": _trace,
        }
    )


def _shown(say: str, page: PageOutline) -> ToolReply:
    return ToolReply(say=say, revision=page.revision, untrusted={"page": page.text})


def _target(given: Arguments) -> dict[str, Any]:
    return {name: given[name] for name in TARGET if given.get(name)}


def _match(found: ElementMatch) -> dict[str, Any]:
    record = {"record": found.record} if found.record else {}
    return {
        "ref": found.instance_id,
        "role": found.role,
        "name": found.name,
        "sure": found.confidence,
        **record,
    }


def _question(asked: ActionConfirmationRequestPayload) -> dict[str, Any]:
    preview = asked.preview
    summary = asked.action_id if preview is UNSET or preview.summary is UNSET else preview.summary
    return {"action": asked.action_handle, "does": summary, "risk": asked.risk.level}


def _failed(result: Result, page: str | None = None) -> ToolReply:
    error = result.error
    code: str = error.code if error is not None else "internal_runtime_error"
    detail = {} if error is None or error.detail is UNSET else error.detail
    if detail.get("reason") == "policy_denied":
        code = "policy_denied"
    candidates = [
        {"ref": c["instanceId"], **{name: c[name] for name in ("role", "name", "record") if c.get(name)}}
        for c in detail.get("candidates", [])
    ]
    told = failure(code, detail=error.message if error else None, candidates=candidates, page=page)
    return msgspec.structs.replace(told, side_effect=result.side_effect_state)
