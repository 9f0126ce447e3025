"""Gestures on one tab: check, arm the guard, dispatch, and say honestly how far it got.

Refused means nothing reached the page. Dispatched means the guard saw it pass, or the setter ran. Everything in
between is Unknown. Whether the gesture had its effect is not known here.
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
from uiap.drivers.chromium.input import app_actions, drag, lists, pointer, scales, surfaces
from uiap.drivers.chromium.input.gesture import Gesture, terms
from uiap.drivers.chromium.input.keys import key_fields
from uiap.drivers.chromium.input.reasons import outcome_of, refusal_of
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

BUTTONS = ("left", "middle", "right")
Secrets = Callable[[str], str]
NEEDS_A_HAND = re.compile(
    r"(can only be \w+ (with|by)|requires?)( a| transient)* user (activation|gesture)", re.I
)
"""How the browser says that it will not do for a script what it does for a person (ACT-14)."""


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
    def left(self) -> float:
        return max(0.05, self._deadline - time.monotonic())

    async def perform(self, op: AnyOp) -> PerformOutcome:
        """The first of reply, verdict, dialog, navigation, crash or bound decides."""
        if (standing := self.tab.dialog) is not None:
            return PerformRefused("dialog", f"a JavaScript {standing.kind} is open; answer it first")
        way = _WAYS.get((type(op), op.mode))
        if way is None:
            return PerformRefused("unsupported", f"`{op.kind}` cannot be done as `{op.mode}` here")
        if op.needs_target and op.guard is None:
            return PerformRefused("invalid", f"`{op.kind}` needs a target")
        try:
            return await way(self, op)
        except (TargetGone, BlockedByDialog, CallTimedOut, CallFailed, ConnectionLost) as error:
            return self.gesture.after(error)
        except (PathRefused, NotSupported) as error:  # a file or a secret that cannot be had
            return PerformRefused("invalid", str(error))

    # ------------------------------------------------------------------ trusted input

    async def click(self, op: Click) -> PerformOutcome:
        assert op.guard is not None
        aiming = self.aim(op.guard) if op.spot is None else self.aim_at(op.guard, op.spot)
        aim = await self.gesture.armed_while(aiming, op.guard)
        if isinstance(aim, PerformRefused):
            return aim
        self.gesture.begin()
        sent = pointer.click(self.tab.session, aim, button=op.button, count=op.count, modifiers=op.modifiers)
        single = op.count == 1 and op.button == "left"
        return await self.gesture.ended(sent, last="click" if single else None)

    async def hover(self, op: Hover) -> PerformOutcome:
        assert op.guard is not None
        aim = await self.aim(op.guard)
        if isinstance(aim, PerformRefused):
            return aim
        return await self.gesture.unguarded(lambda: pointer.move(self.tab.session, aim))

    async def check_by_click(self, op: Check) -> PerformOutcome:
        assert op.guard is not None
        probe = await self.probe(op.guard.node)
        if (probe.get("state") or {}).get("checked") is op.checked:
            return self.gesture.done()
        return await self.click(Click(guard=op.guard))

    async def type_text(self, op: TypeText) -> PerformOutcome:
        text = self._text(op.text)
        return await self.keyboard(op.guard, lambda: pointer.type_text(self.document.session, text))

    async def replace_text(self, op: SetText) -> PerformOutcome:
        text = self._text(op.text)

        def send() -> pointer.Replies:
            session = self.document.session
            replies = pointer.press(session, "a", ["Control"], ["selectAll"])
            if text:
                return [*replies, pointer.insert(session, text)]
            return replies + pointer.press(session, "Delete")

        return await self.keyboard(op.guard, send)

    async def press(self, op: Press) -> PerformOutcome:
        if key_fields(op.key) is None:
            return PerformRefused(
                "invalid", f"there is no key `{op.key}`; use a UI Events key name such as `Enter`"
            )
        return await self.keyboard(
            op.guard or self._focused(), lambda: pointer.press(self.document.session, op.key, op.modifiers)
        )

    def _focused(self) -> Guard | None:
        """Where a key without a target goes: it must still have the focus when the key comes."""
        part = self.tab.feed.graph.parts.get(self.document.key)
        focus = None if part is None or part.focus is None else part.focus.target
        return Guard(node=focus) if focus else None

    async def keyboard(self, guard: Guard | None, send: Callable[[], pointer.Replies]) -> PerformOutcome:
        if guard is None:
            return await self.gesture.unguarded(send)
        focused = await self.ask("perform", {"op": "focus", **terms(guard)})
        if not focused.get("ok"):
            return refusal_of(focused)
        return await self.gesture.guarded(guard, send)

    async def aim(self, guard: Guard) -> Point | PerformRefused:
        """A point of the tab that hits the element now."""
        probe, aim = await self._hit(guard.node)
        if aim is None and probe.get("attached"):
            await self.ask("scrollIntoView", guard.node)
            probe, aim = await self._hit(guard.node)
        if aim is not None:
            return aim
        if not probe.get("attached"):
            return PerformRefused("gone", f"`{guard.node}` has left the page")
        if not probe.get("visible"):
            return PerformRefused("hidden", f"`{guard.node}` is not shown")
        return PerformRefused(
            "obscured", f"something lies over `{guard.node}`: {_named(probe.get('covering'))}"
        )

    async def aim_at(self, guard: Guard, spot: Point) -> Point | PerformRefused:
        """A point of the element that somebody chose; whether it is reached there, the guard tells."""
        probe = await self.probe(guard.node)
        box = probe.get("bbox")
        if not probe.get("attached") or box is None:
            return PerformRefused("gone", f"`{guard.node}` has left the page")
        point = await to_tab(self.tab, self.document.frame, (box["x"] + spot[0], box["y"] + spot[1]))
        if point is None or not (await viewport(self.tab)).holds(point):
            return PerformRefused("hidden", f"this point of `{guard.node}` is out of view")
        return point

    async def _hit(self, node: str) -> tuple[dict[str, Any], Point | None]:
        probe = await self.probe(node)
        point = probe.get("point")
        if point is None:
            return probe, None
        return probe, await to_tab(self.tab, self.document.frame, (point["x"], point["y"]))

    # ------------------------------------------------------------------ element setters

    async def through_setter(self, op: AnyOp, word: str | None = None) -> PerformOutcome:
        """Check and act in one task of the page; `word` is the publisher's for it, where it is another."""
        request = {"op": word or op.kind, **(terms(op.guard) if op.guard is not None else {})}
        request |= {**self._fields(op), "token": self.gesture.token}
        self.gesture.begin()
        refusals: list[str] = []
        forget = self.document.session.on(
            "Log.entryAdded", lambda event: refusals.append(event["entry"]["text"])
        )
        try:
            outcome = outcome_of(await self.ask("perform", request), self.gesture.done())
        finally:
            forget()
        said = next((text for text in refusals if NEEDS_A_HAND.search(text)), None)
        if said is None or not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
            return outcome
        return self.ended(False, activation=True, why=f"the browser wants a person's own input: {said[:200]}")

    def _fields(self, op: AnyOp) -> dict[str, Any]:
        """What the publisher needs besides the guard."""
        match op:
            case SetText() | Holds():
                return {"text": self._text(op.text)}
            case Select():
                return {"values": list(op.values), "by": op.by} if op.by else {"values": list(op.values)}
            case Check():
                return {"checked": op.checked}
            case Click():
                return {"count": op.count, "button": BUTTONS.index(op.button)}
            case Scroll(to=str(end)):
                return {"to": end}
            case Scroll():
                return {"dx": op.dx, "dy": op.dy}
        return {}

    async def synthesize(self, op: Click) -> PerformOutcome:
        """Events made by a script, where they were asked for: nobody's own hand (ACT-10.4)."""
        return await self.through_setter(op, "synthesize")

    async def scroll_into_view(self, op: ScrollIntoView) -> PerformOutcome:
        assert op.guard is not None
        self.gesture.begin()
        return outcome_of(await self.ask("scrollIntoView", op.guard.node), self.gesture.done())

    # ------------------------------------------------------------------ the page's own answers

    async def ask(self, method: str, request: Any = None) -> dict[str, Any]:
        text = await self.tab.ask(self.document, sdk_call(method, request), timeout=self.left)
        answer = msgspec.json.decode(text) if isinstance(text, str) else None
        if not isinstance(answer, dict):
            raise CallFailed(method, 0, "the publisher gave no answer")
        return answer

    async def probe(self, node: str) -> dict[str, Any]:
        answer = await self.ask("probe", {"ids": [node]})
        found = answer.get("results", {}).get(node, {})
        return found if isinstance(found, dict) else {}

    async def query(self, op: str, node: str, **fields: Any) -> dict[str, Any]:
        """What one of the publisher's questions says of an element; {} where it cannot say."""
        answer = await self.ask("perform", {"op": op, "instanceId": node, **fields})
        if answer.get("reason") == "detached":
            raise TargetGone(f"`{node}` has left the page")
        found = answer.get("detail")
        return found if isinstance(found, dict) else {}

    async def looked(
        self,
        look: Callable[[], Awaitable[dict[str, Any]]],
        good: Callable[[dict[str, Any]], Any],
        seconds: float,
    ) -> dict[str, Any]:
        """Ask until the answer is good or the time is over, again after everything that the page tells."""
        over = time.monotonic() + min(seconds, self.left)
        while True:
            await self.tab.feed.flush(timeout=self.left)
            told = await look()
            if good(told) or time.monotonic() >= over:
                return told
            seen = self.tab.feed.seq
            await self.tab.until(lambda seen=seen: self.tab.feed.seq != seen, 0.05)  # type: ignore[misc]

    def ended(self, held: bool, **detail: Any) -> PerformDispatched:
        """The gesture is over and has read back what came of it."""
        return self.gesture.done(detail={"held": held, **detail})

    def _text(self, text: str | Secret) -> str:
        return self._secrets(text.name) if isinstance(text, Secret) else text


def _named(covering: dict[str, Any] | None) -> str:
    if not covering:
        return "unknown"
    return f"{covering.get('role') or covering.get('tag')} `{covering.get('name', '')[:80]}`"


Way = Callable[[Any, Any], Awaitable[PerformOutcome]]
_WAYS: dict[tuple[type[AnyOp], str], Way] = {
    (Adjust, "semanticUi"): scales.set_native,
    (Adjust, "externalDriver"): scales.move_there,
    (Check, "externalDriver"): Performer.check_by_click,
    (Check, "semanticUi"): Performer.through_setter,
    (Click, "externalDriver"): Performer.click,
    (Click, "inputSynthesis"): Performer.synthesize,
    (Click, "semanticUi"): Performer.through_setter,
    (Click, "visionAssist"): Performer.click,
    (Dismiss, "externalDriver"): surfaces.dismiss,
    (Dismiss, "semanticUi"): Performer.through_setter,
    (Drag, "externalDriver"): drag.drag,
    (Focus, "semanticUi"): Performer.through_setter,
    (Highlight, "externalDriver"): surfaces.highlight,
    (Holds, "semanticUi"): Performer.through_setter,
    (Hover, "externalDriver"): Performer.hover,
    (Invoke, "appAction"): app_actions.invoke,
    (LongPress, "externalDriver"): drag.long_press,
    (Pinch, "externalDriver"): drag.pinch,
    (Press, "externalDriver"): Performer.press,
    (Scroll, "externalDriver"): surfaces.wheel,
    (Scroll, "semanticUi"): Performer.through_setter,
    (ScrollIntoView, "semanticUi"): Performer.scroll_into_view,
    (Select, "externalDriver"): lists.pick,
    (Select, "semanticUi"): Performer.through_setter,
    (SetFiles, "externalDriver"): surfaces.give_files,
    (SetText, "externalDriver"): Performer.replace_text,
    (SetText, "semanticUi"): Performer.through_setter,
    (Submit, "externalDriver"): surfaces.submit,
    (Submit, "semanticUi"): Performer.through_setter,
    (TypeText, "externalDriver"): Performer.type_text,
}
