"""Run several steps of one call: each is verified, the first that is not ends the call.

Drafts in a row settle together: each value is read back at once, and after the last one all of them are checked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from uiap.api.found import ElementMatch, Expected, PageOutline, Waited
from uiap.api.result import ActionFailed, Result
from uiap.client.looks import Look, look_result
from uiap.client.steps import Step, form_steps, lasting_query, settles_later, step_request
from uiap.client.verbs import element_ref
from uiap.errors import UiapError
from uiap.spec.action import ActionResultPayload

Send = Callable[[Step, dict[str, Any]], Awaitable[Result]]
"""Sends the request of a step and returns its result."""
Find = Callable[..., Awaitable[list[ElementMatch]]]

VERB_OF_ROLE: Mapping[str, str] = {
    "combobox": "select",
    "listbox": "select",
    "slider": "set",
    "spinbutton": "set",
    "datepicker": "set",
    "timepicker": "set",
    "fileinput": "upload",
}
TEXT_ROLES = frozenset({"textbox", "textarea", "searchbox"})
GROUP_ROLES = frozenset({"group", "radiogroup"})


class Looks(Protocol):
    """The methods of a session that look at its page."""

    async def page_outline(self, *, scope: str | None = None, budget: int | None = None) -> PageOutline: ...

    async def find(
        self,
        text: str,
        *,
        role: Any = None,
        scope: str | None = None,
        near: str | None = None,
        limit: int = 10,
    ) -> list[ElementMatch]: ...

    async def wait(self, *, idle: bool = False, timeout_ms: float | None = None) -> Waited: ...

    async def expect(
        self, signals: Sequence[Mapping[str, Any]], *, timeout_ms: float | None = None
    ) -> Expected: ...


class StepFailed(ActionFailed):
    """A step of `do` or `fill_form` whose effect was not observed; `results` has those of all steps so far."""

    def __init__(self, number: int, step: Step, results: list[Result]) -> None:
        super().__init__(results[-1])
        self.message = f"step {number} ({step.words}): {self.message}"
        self.args = (self.message,)
        self.number, self.results = number, results


async def run_steps(
    steps: Sequence[Step], send: Send, page: Looks, results: list[Result] | None = None
) -> list[Result]:
    """Run the steps in order and return their results; the last one failed if there are fewer results than steps.

    `results` has those of the steps that an interrupted run has done; the results of this run are added to it.
    """
    results = [] if results is None else results
    row = _unchecked_drafts(steps, len(results))
    for number, step in list(enumerate(steps))[len(results) :]:
        later = settles_later(steps, number)
        look = step.look
        if look is not None:
            result = await _look(look, page)
        else:
            result = await send(step, step_request(step, settle_later=later))
        results.append(result)
        if not result:
            return results
        row = [*row, number] if later else row
        if row and not later:
            lasted = await _lasted([results[number] for number in row], page)
            reverted = None if lasted else await _check_again(steps, row, send)
            if reverted is not None:
                return [*results[: reverted[0]], reverted[1]]
            row = []
    return results


def _unchecked_drafts(steps: Sequence[Step], done: int) -> list[int]:
    """Return the last of the steps done whose lasting is not checked yet."""
    first = done
    while first > 0 and settles_later(steps, first - 1):
        first -= 1
    return list(range(first, done))


async def _look(look: Look, page: Looks) -> Result:
    members = look.members
    reply: dict[str, Any]
    match look.message:
        case "x.uiap.tools.outline":
            outlined = await page.page_outline(scope=members.get("scope"), budget=members["budget"])
            reply = {"text": outlined.text}
        case "x.uiap.tools.find":
            reply = {"matches": [_match(one) for one in await page.find(**members)]}
        case "x.uiap.tools.wait":
            waited = await page.wait(idle=True, timeout_ms=members["timeoutMs"])
            reply = msgspec.to_builtins(waited.payload)
        case _:
            expected = await page.expect(members["signals"], timeout_ms=members["timeoutMs"])
            reply = msgspec.to_builtins(expected.payload)
    return Result(msgspec.convert(look_result(look, reply), ActionResultPayload))


def _match(found: ElementMatch) -> dict[str, Any]:
    element = {"instanceId": found.instance_id, "role": found.role, "name": found.name}
    known = {"element": element, "confidence": found.confidence, "reason": found.reason}
    return {**known, "record": found.record} if found.record else known


async def _lasted(results: Sequence[Result], page: Looks) -> bool:
    """Return whether the values of all drafts are still there, as far as one question can tell."""
    query = lasting_query(msgspec.to_builtins(one.payload.verification.observed) for one in results)
    if query is None:
        return False
    try:
        return bool(await page.expect(query["signals"], timeout_ms=query["timeoutMs"]))
    except UiapError:  # a value is private
        return False


async def _check_again(steps: Sequence[Step], row: Iterable[int], send: Send) -> tuple[int, Result] | None:
    """Return the first step of a row whose value did not last, with the result of trying once more."""
    for number in row:
        result = await send(steps[number], step_request(steps[number]))
        if not result:
            return number, result
    return None


async def field_steps(fields: Mapping[str, Any], find: Find) -> list[Step]:
    """Return the steps that fill in a form. The role of each field decides on the verb."""
    return list(await asyncio.gather(*(_field_step(step, find) for step in form_steps(fields))))


async def _field_step(step: Step, find: Find) -> Step:
    if step.verb != "fill" or step.target is None or element_ref(step.target) is not None:
        return step
    known = {*VERB_OF_ROLE, *TEXT_ROLES, *GROUP_ROLES}
    found = [one for one in await find(step.target, limit=8) if one.role in known]
    if not found:
        return step
    role = found[0].role
    if role in GROUP_ROLES:  # the value names one of its options
        return Step("click", str(step.value), role="radio", within=step.target)
    return step._replace(verb=VERB_OF_ROLE.get(role, "fill"))
