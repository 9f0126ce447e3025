"""Gestures on one tab: check, arm the guard, dispatch, and say honestly how far it got.

Refused means nothing reached the page. Dispatched means the guard saw it pass, or the setter ran. Everything in
between is Unknown. Whether the gesture had its effect is not known here.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from uiap.actions.ops import (
    AnyOp,
    Check,
    Click,
    Focus,
    Guard,
    Holds,
    Hover,
    Press,
    Scroll,
    ScrollIntoView,
    Secret,
    Select,
    SetFiles,
    SetText,
    TypeText,
)
from uiap.drivers.chromium import pointer
from uiap.drivers.chromium.files import checked
from uiap.drivers.chromium.frames import Document
from uiap.drivers.chromium.gesture import Gesture, terms
from uiap.drivers.chromium.hosts import node_handle
from uiap.drivers.chromium.keys import key_fields
from uiap.drivers.chromium.offsets import Point, to_tab, viewport
from uiap.drivers.chromium.reasons import outcome_of, refusal_of
from uiap.drivers.chromium.tab import Tab
from uiap.drivers.chromium.world import sdk_call
from uiap.drivers.driver import Outcome, Refused
from uiap.drivers.errors import (
    CallFailed,
    CallTimedOut,
    ConnectionLost,
    DialogBlocks,
    NotSupported,
    PathRefused,
    TargetGone,
)

Secrets = Callable[[str], str]


class Performer:
    """Carries out ops on one tab, one at a time."""

    def __init__(self, tab: Tab, document: Document, token: str, secrets: Secrets, timeout: float) -> None:
        self.tab = tab
        self.document = document
        self.gesture = Gesture(tab, document, token, timeout)
        self._secrets = secrets
        self._deadline = time.monotonic() + timeout

    @property
    def left(self) -> float:
        return max(0.05, self._deadline - time.monotonic())

    async def perform(self, op: AnyOp) -> Outcome:
        """The first of reply, verdict, dialog, navigation, crash or bound decides."""
        if (standing := self.tab.dialog) is not None:
            return Refused("dialog", f"a JavaScript {standing.kind} is open; answer it first")
        way = _WAYS.get((type(op), op.mode))
        if way is None:
            return Refused("unsupported", f"`{op.kind}` cannot be done as `{op.mode}` here")
        if op.needs_target and op.guard is None:
            return Refused("invalid", f"`{op.kind}` needs a target")
        try:
            return await way(self, op)
        except (TargetGone, DialogBlocks, CallTimedOut, CallFailed, ConnectionLost) as error:
            return self.gesture.after(error)
        except (PathRefused, NotSupported) as error:  # a file or a secret that cannot be had
            return Refused("invalid", str(error))

    # ------------------------------------------------------------------ trusted input

    async def click(self, op: Click) -> Outcome:
        assert op.guard is not None
        aim = await self._aim(op.guard)
        if isinstance(aim, Refused):
            return aim
        send = lambda: pointer.click(  # noqa: E731
            self.tab.session, aim, button=op.button, count=op.count, modifiers=op.modifiers
        )
        return await self.gesture.guarded(op.guard, send)

    async def hover(self, op: Hover) -> Outcome:
        assert op.guard is not None
        aim = await self._aim(op.guard)
        if isinstance(aim, Refused):
            return aim
        return await self.gesture.unguarded(lambda: pointer.move(self.tab.session, aim))

    async def check_by_click(self, op: Check) -> Outcome:
        assert op.guard is not None
        probe = await self._probe(op.guard.node)
        if (probe.get("state") or {}).get("checked") is op.checked:
            return self.gesture.done()
        return await self.click(Click(guard=op.guard))

    async def type_text(self, op: TypeText) -> Outcome:
        text = self._text(op.text)
        return await self._keyboard(op.guard, lambda: pointer.type_text(self.document.session, text))

    async def replace_text(self, op: SetText) -> Outcome:
        text = self._text(op.text)

        def send() -> pointer.Replies:
            session = self.document.session
            replies = pointer.press(session, "a", ["Control"], ["selectAll"])
            if text:
                return [*replies, pointer.insert(session, text)]
            return replies + pointer.press(session, "Delete")

        return await self._keyboard(op.guard, send)

    async def press(self, op: Press) -> Outcome:
        if key_fields(op.key) is None:
            return Refused("invalid", f"there is no key `{op.key}`; use a UI Events key name such as `Enter`")
        return await self._keyboard(
            op.guard, lambda: pointer.press(self.document.session, op.key, op.modifiers)
        )

    async def wheel(self, op: Scroll) -> Outcome:
        if op.guard is None:
            view = await viewport(self.tab)
            aim: Point | Refused = (view.right / 2, view.bottom / 2)
        else:
            aim = await self._aim(op.guard)
        if isinstance(aim, Refused):
            return aim
        point = aim
        return await self.gesture.unguarded(lambda: pointer.wheel(self.tab.session, point, op.dx, op.dy))

    async def _keyboard(self, guard: Guard | None, send: Callable[[], pointer.Replies]) -> Outcome:
        if guard is None:
            return await self.gesture.unguarded(send)
        focused = await self._ask("perform", {"op": "focus", **terms(guard)})
        if not focused.get("ok"):
            return refusal_of(focused)
        return await self.gesture.guarded(guard, send)

    async def _aim(self, guard: Guard) -> Point | Refused:
        """A point of the tab that hits the element now."""
        probe, aim = await self._hit(guard.node)
        if aim is None and probe.get("attached"):
            await self._ask("scrollIntoView", guard.node)
            probe, aim = await self._hit(guard.node)
        if aim is not None:
            return aim
        if not probe.get("attached"):
            return Refused("gone", f"`{guard.node}` has left the page")
        if not probe.get("visible"):
            return Refused("hidden", f"`{guard.node}` is not shown")
        return Refused("obscured", f"something lies over `{guard.node}`: {_named(probe.get('covering'))}")

    async def _hit(self, node: str) -> tuple[dict[str, Any], Point | None]:
        probe = await self._probe(node)
        point = probe.get("point")
        if point is None:
            return probe, None
        return probe, await to_tab(self.tab, self.document.frame, (point["x"], point["y"]))

    # ------------------------------------------------------------------ element setters

    async def through_setter(self, op: AnyOp) -> Outcome:
        """Check and act in one task of the page."""
        assert op.guard is not None
        request: dict[str, Any] = {"op": op.kind, **terms(op.guard), "token": self.gesture.token}
        match op:
            case SetText() | Holds():
                request["text"] = self._text(op.text)
            case Select():
                request["values"] = list(op.values)
            case Check():
                request["checked"] = op.checked
            case Scroll():
                request |= {"dx": op.dx, "dy": op.dy}
        self.gesture.begin()
        return outcome_of(await self._ask("perform", request), self.gesture.done())

    async def scroll_into_view(self, op: ScrollIntoView) -> Outcome:
        assert op.guard is not None
        self.gesture.begin()
        return outcome_of(await self._ask("scrollIntoView", op.guard.node), self.gesture.done())

    async def set_files(self, op: SetFiles) -> Outcome:
        assert op.guard is not None
        paths = checked(op.paths)
        armed = await self._ask("arm", {**terms(op.guard), "token": self.gesture.token})
        await self._ask("disarm")
        if not armed.get("ok"):
            return refusal_of(armed)
        handle = await node_handle(self.tab, self.document, op.guard.node)
        if handle is None:
            return Refused("gone", f"`{op.guard.node}` has left the page")
        self.gesture.begin()
        params = {"files": paths, "objectId": handle}
        try:
            await self.tab.call(self.document.session, "DOM.setFileInputFiles", params, timeout=self.left)
        except CallFailed as error:
            return Refused("unsupported", error.said)
        finally:
            self.document.session.tell("Runtime.releaseObject", {"objectId": handle})
        return self.gesture.done()

    # ------------------------------------------------------------------ the page's own answers

    async def _ask(self, method: str, request: Any = None) -> dict[str, Any]:
        text = await self.tab.ask(self.document, sdk_call(method, request), timeout=self.left)
        answer = msgspec.json.decode(text) if isinstance(text, str) else None
        if not isinstance(answer, dict):
            raise CallFailed(method, 0, "the publisher gave no answer")
        return answer

    async def _probe(self, node: str) -> dict[str, Any]:
        answer = await self._ask("probe", {"ids": [node]})
        found = answer.get("results", {}).get(node, {})
        return found if isinstance(found, dict) else {}

    def _text(self, text: str | Secret) -> str:
        return self._secrets(text.name) if isinstance(text, Secret) else text


def _named(covering: dict[str, Any] | None) -> str:
    if not covering:
        return "unknown"
    return f"{covering.get('role') or covering.get('tag')} `{covering.get('name', '')[:80]}`"


Way = Callable[[Performer, Any], Awaitable[Outcome]]
_WAYS: dict[tuple[type[AnyOp], str], Way] = {
    (Click, "externalDriver"): Performer.click,
    (Click, "semanticUi"): Performer.through_setter,
    (Hover, "externalDriver"): Performer.hover,
    (TypeText, "externalDriver"): Performer.type_text,
    (SetText, "externalDriver"): Performer.replace_text,
    (SetText, "semanticUi"): Performer.through_setter,
    (Focus, "semanticUi"): Performer.through_setter,
    (Holds, "semanticUi"): Performer.through_setter,
    (Select, "semanticUi"): Performer.through_setter,
    (Check, "semanticUi"): Performer.through_setter,
    (Check, "externalDriver"): Performer.check_by_click,
    (Press, "externalDriver"): Performer.press,
    (Scroll, "externalDriver"): Performer.wheel,
    (Scroll, "semanticUi"): Performer.through_setter,
    (ScrollIntoView, "semanticUi"): Performer.scroll_into_view,
    (SetFiles, "externalDriver"): Performer.set_files,
}
