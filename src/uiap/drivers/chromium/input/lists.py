"""Options of a list that is not native: open it, press the one that is meant, and read back what the list says.

An option is named by its text, value or place. Two that fit are never guessed between; one that is not there is looked
for by typing where the list takes text, and by scrolling it to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uiap.actions.ops import Click, Guard, Select, TypeText
from uiap.drivers.chromium.input import pointer
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused
from uiap.drivers.errors import TargetGone

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

OPENS_S = 2.0
SHOWS_S = 1.5
MOST_PAGES = 200

Told = dict[str, Any]


async def pick(performer: Performer, op: Select) -> PerformOutcome:
    return await _Choice(performer, op).made()


class _Choice:
    def __init__(self, performer: Performer, op: Select) -> None:
        assert op.guard is not None
        self.performer, self.op, self.guard = performer, op, op.guard
        self.presses = 0
        self.labels: list[str] = []

    async def made(self) -> PerformOutcome:
        await self.performer.query("mark", self.guard.node)
        held: Told = {"held": True}
        pressed = False
        for value in self.op.values:
            found = await self._located(value)
            if isinstance(found, PerformRefused | PerformDispatched) or not isinstance(found, dict):
                return found
            if found["found"] != "one" or found.get("disabled") or not found.get("option"):
                return await self._without(value, found)
            self.labels.append(found["label"])
            if found["picked"]:
                continue
            await self._still(found["option"])
            outcome = await self._press(Guard(node=found["option"]))
            if self.performer.gesture.outlived:  # the list closes as soon as the pointer is down
                outcome = self.performer.gesture.done()
            if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
                return outcome
            pressed = True
            held = await self._read_back(found)
        if not pressed and self.presses:  # it was opened only to see that this is chosen already
            await self._leave()
        return self.performer.ended(
            held.get("held") is True,
            label=", ".join(self.labels),
            attempts=self.presses,
            already=not pressed,
            **{key: held[key] for key in ("weak", "how") if key in held},
            **({} if held.get("held") else {"why": f"it does not say that it holds {self.labels[-1]}"}),
        )

    async def _located(self, value: str) -> Told | PerformOutcome:
        """Where the option is now: at once, once it is open, once it is filtered for, or further down."""
        found = await self._find(value, 0)
        if found["found"] != "none":
            return found
        if not found["open"] and found.get("opens"):
            opened = await self._press(self.guard)
            if not isinstance(opened, PerformDispatched) or opened.interrupted_by is not None:
                return opened
            found = await self._find(value, OPENS_S)
        if found["found"] == "none" and found.get("editable") and self.op.by != "index":
            typed = await self.performer.type_text(TypeText(guard=self.guard, text=value))
            if not isinstance(typed, PerformDispatched):
                return typed
            found = await self._find(value, OPENS_S)
        for _ in range(MOST_PAGES):
            if found["found"] != "none" or not await self._turned():
                break
            found = await self._find(value, 0.2, found.get("labels"))
        return found

    async def _find(self, value: str, seconds: float, turned: Any = None) -> Told:
        """`turned`: what the page before held; once it holds anything else, there is nothing more to wait for."""
        by = {"by": self.op.by} if self.op.by else {}
        return await self.performer.looked(
            lambda: self.performer.query("find", self.guard.node, values=[value], **by),
            lambda told: (
                told.get("labels") != turned
                if turned and told.get("found") == "none"
                else told.get("found") != "none" and (told.get("found") != "one" or told.get("option"))
            ),
            seconds,
        )

    async def _turned(self) -> bool:
        answer = await self.performer.ask("perform", {"op": "turn", "instanceId": self.guard.node})
        return answer.get("changed") is True

    async def _still(self, option: str) -> None:
        """A list that grows or slides into its place takes the option from under the pointer; wait for its end."""
        await self.performer.looked(
            lambda: self.performer.probe(option),
            lambda told: told.get("stable") or not told.get("attached"),
            OPENS_S,
        )

    async def _press(self, guard: Guard) -> PerformOutcome:
        self.presses += 1
        return await self.performer.click(Click(guard=guard))

    async def _read_back(self, found: Told) -> Told:
        asked = {"option": found["option"], "text": found["label"], "menu": found.get("menu", False)}
        try:
            return await self.performer.looked(
                lambda: self.performer.query("chosen", self.guard.node, **asked),
                lambda told: told.get("held"),
                SHOWS_S,
            )
        except TargetGone:  # the control was drawn anew; what came of it is for the page to show
            return {"held": True, "weak": True, "how": "replaced"}

    async def _without(self, value: str, found: Told) -> PerformOutcome:
        if found["found"] == "several":
            why = f"several options fit `{value}`"
        elif found["found"] == "one":
            why = f"the option `{value}` cannot be chosen"
        else:
            why = f"there is no option `{value}`; there are {', '.join(found.get('labels', [])) or 'none'}"
        if not self.performer.gesture.begun:
            return PerformRefused("invalid" if found.get("labels") else "unsupported", why)
        await self._leave()
        return self.performer.ended(False, why=why, attempts=self.presses)

    async def _leave(self) -> None:
        """Close what was opened to look; nobody waits for it."""
        session = self.performer.document.session
        await self.performer.gesture.unguarded(lambda: pointer.press(session, "Escape"))
