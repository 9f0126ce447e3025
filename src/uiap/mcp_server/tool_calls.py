"""The tools of the default profile, as calls of the Python API. No MCP types here; `server` has those."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import msgspec
from msgspec import UNSET

from uiap.api.absent import to_builtins
from uiap.api.begun import BegunAction
from uiap.api.found import ElementMatch, PageOutline
from uiap.api.result import Result
from uiap.api.steps import run_steps
from uiap.api.ui import Ui
from uiap.client.steps import Step, shows_changes, value_read
from uiap.drivers.errors import PAGE_GONE
from uiap.errors import InvalidPayload, RuntimeFault, TransportClosed, UiapError
from uiap.host.bundles.bundle import Bundle
from uiap.host.sessions.session_folder import SessionFolder
from uiap.mcp_server.action_requests import act_request, parse_given_steps, read_request
from uiap.mcp_server.elicitation import (
    ASK_S,
    NO_QUESTIONS,
    Answer,
    AskClient,
    AskFailed,
    ask_person,
    deny_in_client,
    open_question,
    page_text,
    pass_answer,
)
from uiap.mcp_server.expectations import signals
from uiap.mcp_server.full_profile import FullProfileTools
from uiap.mcp_server.reply import ToolReply, failure
from uiap.mcp_server.session import AgentSession
from uiap.spec.action import ActionConfirmationRequestPayload
from uiap.spec.capability import CapabilityDocument
from uiap.spec.tools import PendingConfirmation, ToolsBundleToldPayload
from uiap.timeouts import ACTION_MS, EXPECT_S, REPLY_S

PAGE_TOKENS, CHANGE_TOKENS = 1_950, 400
"""The size of an outline, which has at most 2,000 tokens with the words around it, and of changes after an action."""
CONFIRMATION_WAIT_S = 1.0
"""An action that waits for a person replies after this time that it still waits."""
MAX_ACTION_S = ACTION_MS / 1000 + REPLY_S
WAIT_S = 60.0
MAX_FINISHED_ACTIONS = 50
REPLAYED = "nothing was done now: this is the result of an earlier call with the same key"
COULD_NOT_ASK = "your client could not ask them; "
FIND = ("role", "near", "scope", "limit", "scroll")

Arguments = Mapping[str, Any]

_log = logging.getLogger("uiap.mcp")
_ask_client: ContextVar[AskClient] = ContextVar("ask_client", default=NO_QUESTIONS)
"""The ways to ask the person in the client of this call."""


class _WaitsForPerson(Exception):
    """A step waits for a person, so the steps after it are not begun."""

    def __init__(self, reply: ToolReply) -> None:
        super().__init__(reply.say)
        self.reply = reply


class _StepsCall(NamedTuple):
    """The steps of one call, and the results of those that are done."""

    steps: Sequence[Step]
    results: list[Result]


class ToolCalls:
    """The tools over one session."""

    def __init__(self, session: AgentSession, *, confirmation_wait_s: float = CONFIRMATION_WAIT_S) -> None:
        self._session, self._confirmation_wait_s = session, confirmation_wait_s
        self.full = FullProfileTools(session)
        self._unfinished: dict[str, BegunAction] = {}
        self._interrupted: dict[str, _StepsCall] = {}  # by the action that waits for a person

    async def call(self, tool: str, arguments: Arguments, ask: AskClient = NO_QUESTIONS) -> ToolReply:
        """Run one tool; every failure becomes a reply that names the next step.

        Args:
            tool: The name of the tool.
            arguments: Its arguments.
            ask: The ways to ask the person in the client.
        """
        _ask_client.set(ask)
        try:
            run = self.TOOLS.get(tool)
            return await (run(self, arguments) if run is not None else self.full.call(tool, arguments))
        except TransportClosed:
            await self._session.close()
            return failure("gone")
        except RuntimeFault as error:
            return failure(error.code, detail=error.message, candidates=error.detail.get("candidates"))
        except UiapError as error:
            gone = error.detail.get("reason") == PAGE_GONE
            return failure("gone" if gone else error.code, detail=error.message)

    async def close(self) -> None:
        for begun in self._unfinished.values():
            begun.abandon()
        await self._session.close()

    # -- observing ------------------------------------------------------------------------------------------

    async def page(self, **options: Any) -> PageOutline:
        """Return the outline of the page, with its revision."""
        return await (await self._session.ui()).page_outline(**options)

    @property
    def authored(self) -> Bundle | None:
        """The bundle of the application, if the server was started with one."""
        return self._session.bundle

    async def capabilities(self) -> CapabilityDocument:
        return await (await self._session.ui()).capabilities()

    async def trace(self, action: str) -> dict[str, Any]:
        return (await (await self._session.ui()).trace(action)).to_dict()

    async def bundle(self) -> ToolsBundleToldPayload:
        return await (await self._session.ui()).bundle()

    async def _open(self, given: Arguments) -> ToolReply:
        result = await self._session.open(given["url"])
        page = await self.page(budget=PAGE_TOKENS)
        if result is None:
            return _page_reply("the application is open", page)
        # the page may have redirected: its outline helps more than the failure alone
        return _page_reply("the page is open", page) if result else _failure_of(result, page=page.text)

    async def _observe(self, given: Arguments) -> ToolReply:
        page = await self.page(
            since=given.get("since"), scope=given.get("scope"), budget=given.get("budget", PAGE_TOKENS)
        )
        return _page_reply(
            "the changes since that revision" if given.get("since") else "the page as it is now", page
        )

    async def _find(self, given: Arguments) -> ToolReply:
        ui = await self._session.ui()
        options = {name: given[name] for name in FIND if name in given}
        found = await ui.find(given["text"], **options)
        if not found:
            return ToolReply(
                ok=False, say="no element matches; try fewer words, or observe", code="not_found"
            )
        return ToolReply(
            say=f"{len(found)} matches, best first", untrusted={"matches": [_match(f) for f in found]}
        )

    async def _read(self, given: Arguments) -> ToolReply:
        ui = await self._session.ui()
        result = await self._run(ui, read_request(given))
        if isinstance(result, ToolReply):
            return result
        return (
            ToolReply(say="read", untrusted={"value": result.return_value}) if result else _failure_of(result)
        )

    async def _screenshot(self, given: Arguments) -> ToolReply:
        ui = await self._session.ui()
        return ToolReply(
            say="a screenshot of the page; its text comes from the page",
            image=await ui.screenshot(annotated=given.get("refs", False)),
        )

    async def _tabs(self, given: Arguments) -> ToolReply:
        do, url = given.get("do", "list"), given.get("url")
        ui = await self._session.ui()
        tabs = await ui.tabs(do, given.get("tab"))
        if do == "open" and url is not None:
            result = await self._session.open(url)
            if result is not None and not result:
                return _failure_of(result)
            tabs = await ui.tabs()
        listed = [to_builtins(tab) for tab in tabs]
        return ToolReply(
            say=f"{len(tabs)} open tabs; the other tools use the active one", untrusted={"tabs": listed}
        )

    async def _dialog(self, given: Arguments) -> ToolReply:
        ui = await self._session.ui()
        dialog = await ui.dialog(given.get("accept"), given.get("text"))
        if not dialog.kind:
            return ToolReply(say="no dialog is open")
        return ToolReply(
            say=f"a dialog of the page is open ({dialog.kind})", untrusted={"message": dialog.message}
        )

    async def _pending(self, _given: Arguments) -> ToolReply:
        waiting = [_question(request) for request in await (await self._session.ui()).pending()]
        if not waiting:
            return ToolReply(say="nothing waits for a person")
        say = f"{len(waiting)} actions wait; the person answers with: {self._session.approve}"
        return ToolReply(say=say, untrusted={"pending": waiting})

    # -- acting ---------------------------------------------------------------------------------------------

    async def _act(self, given: Arguments) -> ToolReply:
        ui = await self._session.ui()
        if "steps" in given:
            return await self._steps(ui, given["steps"])
        if "do" not in given:
            raise InvalidPayload("give do, or steps")
        result = await self._run(ui, await act_request(ui, given))
        return result if isinstance(result, ToolReply) else await self._result_reply(ui, result)

    async def _upload(self, given: Arguments) -> ToolReply:
        return await self._act({**given, "do": "upload", "value": given["files"]})

    async def _steps(self, ui: Ui, given: list[Arguments]) -> ToolReply:
        """Run several steps, and reply once with the changes of all of them."""
        return await self._run_steps(ui, _StepsCall(parse_given_steps(given), []))

    async def _run_steps(self, ui: Ui, call: _StepsCall, answered: Result | None = None) -> ToolReply:
        """Run the steps that are left. `answered` is the result of the first of them, which waited for a person."""
        known = [] if answered is None else [answered]

        async def send(_step: Step, request: dict[str, Any]) -> Result:
            outcome = known.pop() if known else await self._run(ui, request)
            if isinstance(outcome, ToolReply):
                raise _WaitsForPerson(outcome)
            return outcome

        try:
            results = await run_steps(call.steps, send, ui, call.results)
        except _WaitsForPerson as waits:
            return self._interrupt(call, waits.reply)
        return await self._steps_reply(ui, call.steps, results)

    def _interrupt(self, call: _StepsCall, reply: ToolReply) -> ToolReply:
        """Keep the call, which goes on if its client brings the answer, and return the reply about its step."""
        self._interrupted = dict([*self._interrupted.items()][1 - MAX_FINISHED_ACTIONS :])
        self._interrupted[reply.action or ""] = call
        return _step_waits(reply, len(call.results) + 1, len(call.steps))

    async def _steps_reply(self, ui: Ui, steps: Sequence[Step], results: list[Result]) -> ToolReply:
        base = next((r.metadata["baseRevision"] for r in results if "baseRevision" in r.metadata), None)
        wanted = base is not None and (shows_changes(steps) or not results[-1])
        text = await ui.outline(since=base, budget=CHANGE_TOKENS) if wanted else None
        if results[-1]:
            say = f"all {len(steps)} steps are done, and their effects were observed"
            revision = next((one.revision for one in reversed(results) if one.revision), None)
            shown = {**_values_read(steps, results), **({"page": text} if text else {})}
            return ToolReply(say=say, revision=revision, untrusted=shown)
        reply = _failure_of(results[-1], page=text)
        reply = msgspec.structs.replace(reply, untrusted={**_values_read(steps, results), **reply.untrusted})
        say = f"step {len(results)} of {len(steps)} failed, the steps before it are done: {reply.say}"
        return msgspec.structs.replace(reply, say=say)

    async def _run(self, ui: Ui, request: Mapping[str, Any]) -> Result | ToolReply:
        """Run one action until it has a result; reply at once if it waits for a person."""
        begun = await ui.request(request)
        if not await begun.waits_for_person(MAX_ACTION_S):
            return await begun.result(check=False)
        self._unfinished[begun.handle] = begun
        for finished in [h for h, one in self._unfinished.items() if one.done][:-MAX_FINISHED_ACTIONS]:
            del self._unfinished[finished]
        answer, note = await self._ask_in_client(begun)
        if answer in ("once", "session", "deny"):
            with suppress(TimeoutError):
                async with asyncio.timeout(MAX_ACTION_S):
                    return await begun.result(check=False)
        return await self._wait_for(begun.handle, self._confirmation_wait_s, note)

    async def _ask_in_client(self, begun: BegunAction) -> tuple[Answer, str]:
        """Ask the person through the client. Return the answer, and a note if the client failed at it."""
        ask, folder = _ask_client.get(), self._session.folder
        if folder is None:
            return "unanswered", ""
        try:
            if ask.form is not None and begun.question is not None:
                return await ask_person(folder, begun.handle, ask.form), ""
            return await self._ask_by_page(begun, folder, ask), ""
        except (AskFailed, UiapError, OSError) as error:
            _log.warning("the client declares elicitation and failed at it: %s", error)
            return "unanswered", COULD_NOT_ASK

    async def _ask_by_page(self, begun: BegunAction, folder: SessionFolder, ask: AskClient) -> Answer:
        """Send the address of the approval page to the client, and wait until the person has answered there."""
        open_page = self._session.approval_page
        if ask.url is None or open_page is None:
            return "unanswered"
        address = await asyncio.to_thread(open_page)
        with suppress(TimeoutError):
            async with asyncio.timeout(ASK_S):
                opened = await ask.url(page_text(_waits_for(begun).get("waits", "a step")), address)
                if opened:
                    await begun.result(check=False)
                    return "once"
                if opened is False and begun.question is not None:
                    await deny_in_client(folder, begun.handle)
                    return "deny"
        return "unanswered"

    async def question(self, handle: str) -> PendingConfirmation | None:
        """Return the question of a waiting action, if it may be asked through the client."""
        folder, begun = self._session.folder, self._unfinished.get(handle)
        if folder is None or begun is None or begun.question is None:
            return None
        return await open_question(folder, handle)

    async def answered(self, handle: str, bond: str, word: Any) -> ToolReply:
        """Pass the answer that the client brought, and return the result of the action."""
        folder, note, seconds = self._session.folder, "", self._confirmation_wait_s
        if folder is not None and handle in self._unfinished:
            try:
                answer = await pass_answer(folder, handle, bond, word)
                seconds = seconds if answer == "unanswered" else MAX_ACTION_S
            except (AskFailed, UiapError, OSError) as error:
                _log.warning("the answer of the client is not valid: %s", error)
                note = COULD_NOT_ASK
        call = self._interrupted.pop(handle, None)
        if call is None:
            return await self._wait_for(handle, seconds, note)
        result = await self._result_within(handle, seconds)
        if result is None:
            return self._interrupt(call, await self._wait_for(handle, 0.0, note))
        return await self._run_steps(await self._session.ui(), call, result)

    async def _result_within(self, handle: str, seconds: float) -> Result | None:
        """Return the result of an action that waited for a person, if there is one before the time is over."""
        with suppress(TimeoutError, KeyError):
            async with asyncio.timeout(seconds):
                return await self._unfinished[handle].result(check=False)
        return None

    async def _wait_for(self, handle: str, seconds: float, note: str = "") -> ToolReply:
        """Return the result of an action that waited for a person, or a reply that it still waits."""
        begun = self._unfinished.get(handle)
        if begun is None:
            return failure("not_found", detail="no such action is running")
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                return await self._result_reply(await self._session.ui(), await begun.result(check=False))
        approve = self._session.approve
        if begun.question is not None:
            what = f"has to confirm this first, with: {approve}"
        else:
            report = approve.replace("uiap approve", "uiap handoff done", 1)
            what = f"has to do this themselves in the page, and then reports it with: {report}"
        say = f"{note}a person {what}; call wait with this action"
        return ToolReply(
            ok=False, say=say, code="confirmation_pending", action=handle, untrusted=_waits_for(begun)
        )

    async def _result_reply(self, ui: Ui, result: Result) -> ToolReply:
        """Return the outcome and the changes on the page since the action began."""
        base = None if result.replayed else result.metadata.get("baseRevision")
        text = await ui.outline(since=base, budget=CHANGE_TOKENS) if base is not None else None
        if not result:
            return _failure_of(result, page=text)
        say = "done, and the effect was observed"
        if not result.settled:
            say += f"; not settled, because {', '.join(result.pending)} may still change it"
        if result.metadata.get("outcome") == "no_op":
            say = "the state was already as requested"
        if result.replayed:
            say = REPLAYED
        untrusted = {"value": result.return_value, "page": text}
        return ToolReply(
            say=say,
            side_effect=result.side_effect_state,
            revision=None if result.replayed else result.revision,
            replayed=result.replayed or None,
            untrusted={name: value for name, value in untrusted.items() if value},
        )

    # -- verifying and waiting ------------------------------------------------------------------------------

    async def _expect(self, given: Arguments) -> ToolReply:
        ui = await self._session.ui()
        expected, limit_ms = signals(given["signals"]), given.get("timeout", EXPECT_S) * 1000
        checked = await ui.expect(expected, since=given.get("since"), timeout_ms=limit_ms)
        if checked:
            return ToolReply(say="all signals hold", revision=checked.revision)
        missing = [to_builtins(verdict.signal) for verdict in checked.verdicts if not verdict.holds]
        reply = failure("verification_failed", missing=missing, detail=checked.reason)
        return msgspec.structs.replace(
            reply, say="some signals do not hold; see what is missing", revision=checked.revision
        )

    async def _wait(self, given: Arguments) -> ToolReply:
        seconds = float(given.get("timeout", WAIT_S))
        if "action" in given:
            if given.get("cancel"):
                await (await self._session.ui()).cancel(given["action"])
            return await self._wait_for(given["action"], seconds)
        ui = await self._session.ui()
        expected, since = signals(given.get("signals", [])), given.get("since")
        idle = not expected and since is None
        waited = await ui.wait(since=since, until=expected, idle=idle, timeout_ms=seconds * 1000)
        page = {"page": waited.changes} if waited.payload.changes is not UNSET else {}
        if waited:
            return ToolReply(say="the condition is met", revision=waited.revision, untrusted=page)
        return msgspec.structs.replace(failure("timeout", **page), revision=waited.revision)

    async def _trace(self, given: Arguments) -> ToolReply:
        ui = await self._session.ui()
        if "action" not in given:
            latest = [to_builtins(one) for one in await ui.traces(10)]
            return ToolReply(say=f"{len(latest)} actions, newest first", untrusted={"actions": latest})
        trace = (await ui.trace(given["action"])).payload
        parts = {name: msgspec.to_builtins(getattr(trace, name)) for name in ("network", "lines", "signals")}
        return ToolReply(say=f"the action {trace.status}", untrusted={n: v for n, v in parts.items() if v})

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


def _page_reply(say: str, page: PageOutline) -> ToolReply:
    return ToolReply(say=say, revision=page.revision, untrusted={"page": page.text})


def _match(found: ElementMatch) -> dict[str, Any]:
    record = {"record": found.record} if found.record else {}
    return {
        "ref": found.instance_id,
        "role": found.role,
        "name": found.name,
        "sure": found.confidence,
        **record,
    }


def _values_read(steps: Sequence[Step], results: Sequence[Result]) -> dict[str, Any]:
    """Return what the steps read, by the number and the words of each step."""
    read = [
        {"step": f"{number} ({step.words})", "value": value}
        for number, (step, result) in enumerate(zip(steps, results, strict=False), 1)
        if result and (value := value_read(step, result.return_value)) is not None
    ]
    return {"read": read} if read else {}


def _step_waits(reply: ToolReply, number: int, count: int) -> ToolReply:
    """Return the reply about a step that waits, with what the steps around it are: done, or not begun."""
    done = f"step {number} of {count} waits{', the steps before it are done' if number > 1 else ''}: "
    rest = "; then call act with the steps after it, which are not begun" if number < count else ""
    return msgspec.structs.replace(reply, say=f"{done}{reply.say}{rest}")


def _question(request: ActionConfirmationRequestPayload) -> dict[str, Any]:
    summary = (request.preview and request.preview.summary) or request.action_id
    return {"action": request.action_handle, "does": summary, "risk": request.risk.level}


def _waits_for(begun: BegunAction) -> dict[str, Any]:
    if begun.question is not None:
        return {
            "waits": (begun.question.preview and begun.question.preview.summary) or begun.question.action_id
        }
    return {"waits": begun.progress[-1].note} if begun.progress and begun.progress[-1].note else {}


def _failure_of(result: Result, page: str | None = None) -> ToolReply:
    error = result.error
    code: str = error.code if error is not None else "internal_runtime_error"
    detail = (error.detail or {}) if error is not None else {}
    code = result.reason or code
    candidates = [
        {
            "ref": c["instanceId"],
            **{name: c[name] for name in ("role", "name", "record", "beside") if c.get(name)},
        }
        for c in detail.get("candidates", [])
    ]
    reply = failure(code, detail=error.message if error else None, candidates=candidates, page=page)
    if result.replayed:
        reply = msgspec.structs.replace(reply, say=f"{REPLAYED}; then it failed: {reply.say}", replayed=True)
    return msgspec.structs.replace(reply, side_effect=result.side_effect_state)
