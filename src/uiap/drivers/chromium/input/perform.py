"""Perform gestures on one tab: check, arm the guard, dispatch, and report how far the gesture got.

Refused means that nothing reached the page. Dispatched means that the guard saw the input pass, or the setter ran.
Everything else is unknown. Callers verify whether the gesture had its effect.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from uiap.actions.ops import (
    Adjust,
    AnyOp,
    Check,
    Click,
    Dismiss,
    Drag,
    Focus,
    Guard,
    Highlight,
    Holds,
    Hover,
    Invoke,
    LongPress,
    Pinch,
    Press,
    Scroll,
    ScrollIntoView,
    Secret,
    Select,
    SetFiles,
    SetText,
    Submit,
    TypeText,
)
from uiap.drivers.chromium.input import (
    app_actions,
    drag,
    items,
    lists,
    patterns,
    pointer,
    scales,
    surfaces,
    typing,
)
from uiap.drivers.chromium.input.gesture import Gesture, guard_terms
from uiap.drivers.chromium.input.keys import key_fields
from uiap.drivers.chromium.input.reasons import outcome_from_answer
from uiap.drivers.chromium.page.frames import Document
from uiap.drivers.chromium.page.offsets import Point, to_tab, viewport
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import sdk_call
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused
from uiap.drivers.errors import (
    BlockedByDialog,
    CallFailed,
    CallTimedOut,
    ConnectionLost,
    NotSupported,
    PathRefused,
    TargetGone,
)
from uiap.signals.incidental import ENTERED

BUTTONS = ("left", "middle", "right")
Secrets = Callable[[str], str]
NEEDS_USER_ACTIVATION = re.compile(
    r"(can only be \w+ (with|by)|requires?)( a| transient)* user (activation|gesture)", re.I
)
"""Console messages of a browser that refuses an operation without user activation (ACT-14)."""


class Performer:
    """Carries out ops on one tab, one at a time."""

    def __init__(
        self,
        tab: Tab,
        document: Document,
        token: str,
        secrets: Secrets,
        timeout: float,
        uploads: Sequence[Path] = (),
    ) -> None:
        self.tab = tab
        self.uploads = uploads
        self.document = document
        self.gesture = Gesture(tab, document, token, timeout)
        self._secrets = secrets
        self._deadline = time.monotonic() + timeout

    @property
    def remaining_s(self) -> float:
        return max(0.05, self._deadline - time.monotonic())

    async def perform(self, op: AnyOp) -> PerformOutcome:
        """Perform one op; the first of reply, verdict, dialog, navigation, crash or timeout decides the outcome."""
        if (dialog := self.tab.dialog) is not None:
            return PerformRefused("dialog", f"a JavaScript {dialog.kind} is open; answer it first")
        handler = _HANDLERS.get((type(op), op.mode))
        if handler is None:
            return PerformRefused("unsupported", f"`{op.kind}` cannot be done as `{op.mode}` here")
        if op.needs_target and op.guard is None:
            return PerformRefused("invalid", f"`{op.kind}` needs a target")
        try:
            return await handler(self, op)
        except (TargetGone, BlockedByDialog, CallTimedOut, CallFailed, ConnectionLost) as error:
            return self.gesture.outcome_of_error(error)
        except (PathRefused, NotSupported) as error:  # a file or a secret is not available
            return PerformRefused("invalid", str(error))

    # ------------------------------------------------------------------ trusted input

    async def click(self, op: Click) -> PerformOutcome:
        assert op.guard is not None
        if op.opens is not None:
            return await patterns.disclose(self, op.guard, op.opens)
        if op.picks is not None:
            return await items.pick(self, op.guard, op.picks)
        aiming = self.aim(op.guard) if op.spot is None else self.aim_at(op.guard, op.spot)
        aim = await self.gesture.aim_and_arm(aiming, op.guard)
        if isinstance(aim, PerformRefused):
            return aim
        self.gesture.begin()
        sent = pointer.click(self.tab.session, aim, button=op.button, count=op.count, modifiers=op.modifiers)
        single = op.count == 1 and op.button == "left"
        return await self.gesture.finish(sent, last="click" if single else None)

    async def hover(self, op: Hover) -> PerformOutcome:
        assert op.guard is not None
        aim, refusal = await self.gesture.arm_after(self.aim(op.guard), op.guard, hovers=True)
        if isinstance(aim, PerformRefused):
            await self.gesture.disarm()
            return aim
        if refusal is not None:
            return refusal
        outcome = await self.gesture.unguarded(lambda: pointer.move(self.tab.session, aim))
        await self.gesture.disarm()
        await self.tab.feed.flush(timeout=self.remaining_s)  # a style alone may show more, without a mutation
        return outcome

    async def check_by_click(self, op: Check) -> PerformOutcome:
        assert op.guard is not None
        probe = await self.probe(op.guard.node)
        if (probe.get("state") or {}).get("checked") is op.checked:
            return self.gesture.dispatched()
        return await self.click(Click(guard=op.guard))

    async def press(self, op: Press) -> PerformOutcome:
        if key_fields(op.key) is None:
            return PerformRefused(
                "invalid", f"there is no key `{op.key}`; use a UI Events key name such as `Enter`"
            )
        return await self.keyboard(
            op.guard or self._focused(), lambda: pointer.press(self.document.session, op.key, op.modifiers)
        )

    def _focused(self) -> Guard | None:
        """Guard the focused element for a key without target; it must still have the focus at the key event."""
        part = self.tab.feed.graph.parts.get(self.document.key)
        focus = None if part is None or part.focus is None else part.focus.target
        return Guard(node=focus) if focus else None

    async def keyboard(self, guard: Guard | None, send: Callable[[], pointer.Replies]) -> PerformOutcome:
        if guard is None:
            return await self.gesture.unguarded(send)
        # the focus only prepares the key: changes because of it are no effects of the key
        request = {"op": "focus", **guard_terms(guard), "token": self.gesture.token + ENTERED}
        focused = await self.call_page_script("perform", request)
        if not focused.get("ok"):
            return outcome_from_answer(focused, self.gesture.dispatched())
        return await self.gesture.guarded(guard, send)

    async def aim(self, guard: Guard) -> Point | PerformRefused:
        """Return a point of the tab that hits the element now; scroll it into view if needed."""
        probe, aim = await self._hit_point(guard.node)
        if aim is None and probe.get("attached"):
            await self.call_page_script("scrollIntoView", guard.node)
            probe, aim = await self._hit_point(guard.node)
        if aim is not None:
            return aim
        if not probe.get("attached"):
            return PerformRefused("gone", f"`{guard.node}` is no longer on the page")
        if not probe.get("visible"):
            return PerformRefused("hidden", f"`{guard.node}` is not visible")
        return PerformRefused("obscured", f"`{guard.node}` is covered by {_describe(probe.get('covering'))}")

    async def aim_at(self, guard: Guard, spot: Point) -> Point | PerformRefused:
        """Return the tab's coordinates of a given point in the element; the guard checks whether it hits."""
        probe = await self.probe(guard.node)
        box = probe.get("bbox")
        if not probe.get("attached") or box is None:
            return PerformRefused("gone", f"`{guard.node}` is no longer on the page")
        point = await to_tab(self.tab, self.document.frame, (box["x"] + spot[0], box["y"] + spot[1]))
        if point is None or not (await viewport(self.tab)).contains(point):
            return PerformRefused("hidden", f"this point of `{guard.node}` is out of view")
        return point

    async def _hit_point(self, node: str) -> tuple[dict[str, Any], Point | None]:
        probe = await self.probe(node)
        point = probe.get("point")
        if point is None:
            return probe, None
        return probe, await to_tab(self.tab, self.document.frame, (point["x"], point["y"]))

    # ------------------------------------------------------------------ element setters

    async def call_setter(self, op: AnyOp, name: str | None = None) -> PerformOutcome:
        """Check and act in one task of the page; `name` is the page script's op if it differs from `op.kind`."""
        request = {"op": name or op.kind, **(guard_terms(op.guard) if op.guard is not None else {})}
        request |= {**self._fields(op), "token": self.gesture.token}
        self.gesture.begin()
        log_entries: list[str] = []
        unsubscribe = self.document.session.on(
            "Log.entryAdded", lambda event: log_entries.append(event["entry"]["text"])
        )
        try:
            outcome = outcome_from_answer(
                await self.call_page_script("perform", request), self.gesture.dispatched()
            )
        finally:
            unsubscribe()
        refusal = next((text for text in log_entries if NEEDS_USER_ACTIVATION.search(text)), None)
        if (
            refusal is None
            or not isinstance(outcome, PerformDispatched)
            or outcome.interrupted_by is not None
        ):
            return outcome
        return self.read_back_outcome(
            False, activation=True, why=f"the browser requires input of a person: {refusal[:200]}"
        )

    def _fields(self, op: AnyOp) -> dict[str, Any]:
        """Return the members that the page script needs besides the guard."""
        match op:
            case SetText() | Holds():
                return {"text": self.text_of(op.text)}
            case Select():
                return {"values": list(op.values), "by": op.by} if op.by else {"values": list(op.values)}
            case Check():
                return {"checked": op.checked}
            case Press():
                return {"text": op.key, "values": list(op.modifiers)}
            case Click():
                return {"count": op.count, "button": BUTTONS.index(op.button)}
            case Scroll(to=str(end)):
                return {"to": end}
            case Scroll():
                return {"dx": op.dx, "dy": op.dy}
        return {}

    async def synthesize(self, op: Click) -> PerformOutcome:
        """Dispatch synthetic events, which are not trusted, on explicit request only (ACT-10.4)."""
        return await self.call_setter(op, "synthesize")

    async def synthesize_key(self, op: Press) -> PerformOutcome:
        """Dispatch the synthetic events of a key, on explicit request only (ACT-10.4b)."""
        guard = op.guard or self._focused()
        return await self.call_setter(msgspec.structs.replace(op, guard=guard), "synthesizeKey")

    async def scroll_into_view(self, op: ScrollIntoView) -> PerformOutcome:
        assert op.guard is not None
        self.gesture.begin()
        return outcome_from_answer(
            await self.call_page_script("scrollIntoView", op.guard.node), self.gesture.dispatched()
        )

    # ------------------------------------------------------------------ calls to the page script

    async def call_page_script(self, method: str, request: Any = None) -> dict[str, Any]:
        text = await self.tab.evaluate_isolated(
            self.document, sdk_call(method, request), timeout=self.remaining_s
        )
        answer = msgspec.json.decode(text) if isinstance(text, str) else None
        if not isinstance(answer, dict):
            raise CallFailed(method, 0, "the page script gave no answer")
        return answer

    async def probe(self, node: str) -> dict[str, Any]:
        answer = await self.call_page_script("probe", {"ids": [node]})
        found = answer.get("results", {}).get(node, {})
        return found if isinstance(found, dict) else {}

    async def query(self, op: str, node: str, **fields: Any) -> dict[str, Any]:
        """Ask the page script about an element, and return the details; {} if it has none."""
        answer = await self.call_page_script("perform", {"op": op, "instanceId": node, **fields})
        if answer.get("reason") == "detached":
            raise TargetGone(f"`{node}` is no longer on the page")
        found = answer.get("detail")
        return found if isinstance(found, dict) else {}

    async def poll(
        self,
        read: Callable[[], Awaitable[dict[str, Any]]],
        is_final: Callable[[dict[str, Any]], Any],
        seconds: float,
    ) -> dict[str, Any]:
        """Call `read` until the answer is final or the time is over; return the last answer."""
        deadline = time.monotonic() + min(seconds, self.remaining_s)
        while True:
            await self.tab.feed.flush(timeout=self.remaining_s)
            answer = await read()
            if is_final(answer) or time.monotonic() >= deadline:
                return answer
            seq = self.tab.feed.seq
            await self.tab.wait_until(lambda seq=seq: self.tab.feed.seq != seq, 0.05)  # type: ignore[misc]

    def read_back_outcome(self, held: bool, **detail: Any) -> PerformDispatched:
        """Return the outcome of a gesture that read back its result; `held` means that it is as requested."""
        return self.gesture.dispatched(detail={"held": held, **detail})

    def text_of(self, text: str | Secret) -> str:
        """Return the text, or the value of a secret."""
        return self._secrets(text.name) if isinstance(text, Secret) else text


def _describe(covering: dict[str, Any] | None) -> str:
    return str((covering or {}).get("words") or "something else")


OpHandler = Callable[[Any, Any], Awaitable[PerformOutcome]]
_HANDLERS: dict[tuple[type[AnyOp], str], OpHandler] = {
    (Adjust, "semanticUi"): scales.adjust_by_setter,
    (Adjust, "externalDriver"): scales.adjust_by_input,
    (Check, "externalDriver"): Performer.check_by_click,
    (Check, "semanticUi"): Performer.call_setter,
    (Click, "externalDriver"): Performer.click,
    (Click, "inputSynthesis"): Performer.synthesize,
    (Click, "semanticUi"): Performer.call_setter,
    (Click, "visionAssist"): Performer.click,
    (Dismiss, "externalDriver"): surfaces.dismiss,
    (Dismiss, "semanticUi"): Performer.call_setter,
    (Drag, "externalDriver"): drag.drag,
    (Focus, "semanticUi"): Performer.call_setter,
    (Highlight, "externalDriver"): surfaces.highlight,
    (Holds, "semanticUi"): Performer.call_setter,
    (Hover, "externalDriver"): Performer.hover,
    (Invoke, "appAction"): app_actions.invoke,
    (LongPress, "externalDriver"): drag.long_press,
    (Pinch, "externalDriver"): drag.pinch,
    (Press, "externalDriver"): Performer.press,
    (Press, "inputSynthesis"): Performer.synthesize_key,
    (Scroll, "externalDriver"): surfaces.scroll_by_wheel,
    (Scroll, "semanticUi"): Performer.call_setter,
    (ScrollIntoView, "semanticUi"): Performer.scroll_into_view,
    (Select, "externalDriver"): lists.select_options,
    (Select, "semanticUi"): Performer.call_setter,
    (SetFiles, "externalDriver"): surfaces.set_files,
    (SetText, "externalDriver"): typing.replace_text,
    (SetText, "semanticUi"): Performer.call_setter,
    (Submit, "externalDriver"): surfaces.submit,
    (Submit, "semanticUi"): Performer.call_setter,
    (TypeText, "externalDriver"): typing.type_text,
}
