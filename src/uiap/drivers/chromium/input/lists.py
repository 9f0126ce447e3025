"""Select options of a list that is not native: open it, press the option, and read back the selection.

An option is given by its text, value or index. If two options match, none is chosen. A missing option is searched by
typing, if the list accepts text, and by scrolling the list to its end. `held` in an answer says whether the control now
shows the selection, `weak` that only text next to it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from uiap.actions.ops import Click, Guard, Select, TypeText
from uiap.drivers.chromium.input import pointer, typing
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused
from uiap.drivers.errors import TargetGone
from uiap.policy.lexicon import meaning_of

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

OPEN_TIMEOUT_S = 2.0
READ_BACK_TIMEOUT_S = 1.5
MAX_PAGES = 200

Answer = dict[str, Any]


async def select_options(performer: Performer, op: Select) -> PerformOutcome:
    return await _OptionSelection(performer, op).run()


class _OptionSelection:
    """Selects the options of one `Select` op, one after the other."""

    def __init__(self, performer: Performer, op: Select) -> None:
        assert op.guard is not None
        self.performer, self.op, self.guard = performer, op, op.guard
        self.presses = 0
        self.opened = False
        self.labels: list[str] = []

    async def run(self) -> PerformOutcome:
        await self.performer.query("mark", self.guard.node)
        selection: Answer = {"held": True}
        chosen: list[Answer] = []
        for value in self.op.values:
            found = await self._locate(value)
            if isinstance(found, PerformRefused | PerformDispatched) or not isinstance(found, dict):
                return found
            if found["found"] != "one" or found.get("disabled") or not found.get("option"):
                return await self._failure(value, found)
            self.labels.append(found["label"])
            if found["picked"]:
                continue
            if (why := self._not_judged(found)) is not None:
                return await self._refuse_option(why)
            await self._wait_until_still(found["option"])
            outcome = await self._press(Guard(node=found["option"]))
            if self.performer.gesture.target_removed:  # the list closes already on pointer down
                outcome = self.performer.gesture.dispatched()
            if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
                return outcome
            chosen.append(found)
            self.guard = replace(self.guard, name=None)  # some controls are named after their choices
            selection = await self._read_back(found)
        if chosen and (lost := await self._lost(chosen[:-1])) is not None:
            selection = {"held": False, "lost": lost}
        if self.presses and (not chosen or await self._stays_open()):
            await self._close_list()
        return self.performer.read_back_outcome(
            selection.get("held") is True,
            label=", ".join(self.labels),
            attempts=self.presses,
            already=not chosen,
            **{key: selection[key] for key in ("weak", "how") if key in selection},
            **(
                {}
                if selection.get("held")
                else {"why": f"the list does not show {selection.get('lost', self.labels[-1])} as selected"}
            ),
        )

    async def _locate(self, value: str) -> Answer | PerformOutcome:
        """Find the option: in the list as it is, after opening it, after filtering by text, or by scrolling."""
        found = await self._find(value, 0)
        if found["found"] != "none":
            return found
        if not found["open"] and found.get("opens") and self.op.opens:
            opened = await self._press(self._field(found))
            self.opened = True
            if not isinstance(opened, PerformDispatched) or opened.interrupted_by is not None:
                return opened
            found = await self._find(value, OPEN_TIMEOUT_S)
        if found["found"] == "none" and found.get("editable") and self.op.by != "index":
            typed = await typing.type_text(self.performer, TypeText(guard=self._field(found), text=value))
            if not isinstance(typed, PerformDispatched):
                return typed
            found = await self._find(value, OPEN_TIMEOUT_S)
        for _ in range(MAX_PAGES):
            if found["found"] != "none" or not await self._turn_page():
                break
            found = await self._find(value, 0.2, found.get("labels"))
        return found

    def _field(self, found: Answer) -> Guard:
        """Return the guard of the field inside the control, or of the control itself."""
        return Guard(node=found["field"]) if found.get("field") else self.guard

    async def _stays_open(self) -> bool:
        """Return whether the list that was opened for several options still covers the page."""
        if len(self.op.values) < 2 or not self.opened:
            return False
        try:
            return (await self._find(self.op.values[-1], 0)).get("open") is True
        except TargetGone:
            return False

    async def _find(self, value: str, seconds: float, previous_labels: Any = None) -> Answer:
        """Poll for the option; after scrolling, stop as soon as the labels differ from `previous_labels`."""
        by = {"by": self.op.by} if self.op.by else {}

        def is_final(answer: Answer) -> bool:
            found = answer.get("found")
            if found == "none":
                return bool(previous_labels) and answer.get("labels") != previous_labels
            return found != "one" or bool(
                answer.get("option")
            )  # one match must be published before it is pressed

        return await self.performer.poll(
            lambda: self.performer.query("find", self.guard.node, values=[value], **by),
            is_final,
            seconds,
        )

    async def _turn_page(self) -> bool:
        answer = await self.performer.call_page_script(
            "perform", {"op": "turn", "instanceId": self.guard.node}
        )
        return answer.get("changed") is True

    async def _wait_until_still(self, option: str) -> None:
        """Wait for the end of an animation, which would move the option away from the pointer."""
        await self.performer.poll(
            lambda: self.performer.probe(option),
            lambda answer: answer.get("stable") or not answer.get("attached"),
            OPEN_TIMEOUT_S,
        )

    async def _press(self, guard: Guard) -> PerformOutcome:
        self.presses += 1
        return await self.performer.click(Click(guard=guard))

    async def _read_back(self, found: Answer) -> Answer:
        request = {"option": found["option"], "text": found["label"], "menu": found.get("menu", False)}
        try:
            return await self.performer.poll(
                lambda: self.performer.query("chosen", self.guard.node, **request),
                lambda answer: answer.get("held"),
                READ_BACK_TIMEOUT_S,
            )
        except TargetGone:  # the control was rendered again; the page must show the effect
            return {"held": True, "weak": True, "how": "replaced"}

    async def _lost(self, chosen: list[Answer]) -> str | None:
        """Return the first of these choices that a later choice has replaced, or None."""
        for found in chosen:
            if not (await self._read_back(found)).get("held"):
                return str(found["label"])
        return None

    async def _failure(self, value: str, found: Answer) -> PerformOutcome:
        if found["found"] == "several":
            reason = f"several options match `{value}`; give the exact text"
        elif found["found"] == "one":
            reason = f"the option `{value}` cannot be chosen"
        else:
            labels = ", ".join(found.get("labels", [])) or "none"
            reason = f"there is no option `{value}`; there are {labels}"
        if not self.performer.gesture.has_begun:
            return PerformRefused("invalid" if found.get("labels") else "unsupported", reason)
        await self._close_list()
        return self.performer.read_back_outcome(False, why=reason, attempts=self.presses)

    def _not_judged(self, found: Answer) -> str | None:
        """Return why policy has not judged a press on this option, or None if it has."""
        label = str(found["label"])
        if found.get("menu") and not self.op.menu:
            return f"`{label}` is a command of a menu, not a value; press it with ui.activate"
        meaning = meaning_of(label)
        if label in self.op.judged or not (meaning.orders or meaning.asks):
            return None
        return f"the option is `{label}`, and policy has not judged that; choose it by its label"

    async def _refuse_option(self, why: str) -> PerformOutcome:
        if not self.performer.gesture.has_begun:
            return PerformRefused("invalid", why)
        await self._close_list()
        return self.performer.read_back_outcome(False, why=why, attempts=self.presses, final=True)

    async def _close_list(self) -> None:
        """Close the list that was opened to search it."""
        session = self.performer.document.session
        await self.performer.gesture.unguarded(lambda: pointer.press(session, "Escape"))
