"""The cases: one page each, the action on it, and the truth that the page and the server must hold afterwards.

The truth follows from the shape alone. This is plain data without UIAP types, so that any tool can be measured with it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from apps.grammar.controls import CONTROLS
from apps.grammar.design import SEED, design
from apps.grammar.dimensions import ERROR_ENDS, GOOD_ENDS, NETWORK, OUTSIDE, PRESSED, Shape
from apps.grammar.page import (
    DEBOUNCE_MS,
    ERROR_WITH_SUCCESS_WORDS,
    ERRORS,
    RIPPLE_MS,
    TOAST_HIDES_MS,
    html_of,
)

Half = Literal["tune", "measure"]
ROLLBACKS_MS = (30, 60, 200, 700, 1500, 2500)
HTTP_REFUSALS = ("status-400", "status-403", "status-409", "status-422", "status-500", "status-503")
BODY_REFUSALS = ("body-ok", "body-errors", "body-graphql")
MARGIN_MS = 2500
"""The time that a tool has to find the end after the page has reached it."""

SIGNALS: dict[str, dict[str, Any]] = {
    "row": {"kind": "element.appeared", "target": {"by": "semantic", "role": "button", "name": "Open order 7"}},
    "status": {"kind": "status.contains", "text": "Saved"},
    "toast": {"kind": "toast.contains", "text": "Saved"},
}  # fmt: skip


@dataclass(frozen=True)
class Truth:
    """The state after the action has been carried out once and everything it started has ended."""

    succeeds: bool
    """Whether a tool may report success: the effect is there, lasts, and was caused by the action."""
    shown: Literal["effect", "error", "nothing"]
    """The page's own document shows the effect, an error, or neither."""
    value: Literal["new", "old", "none"]
    """The control holds the wanted value or the value before; `none` for a control without a value."""
    server: tuple[str, ...]
    """The writes that the server recorded: `accepted`, `held`, `refused`, `tracked`, `tab`, `file`."""


@dataclass(frozen=True)
class Case:
    id: str
    shape: Shape
    half: Half
    role: str
    name: str
    action: str
    args: dict[str, Any]
    expect: tuple[dict[str, Any], ...]
    timeout_ms: int
    html: str
    truth: Truth

    @property
    def repeatable(self) -> bool:
        """Return whether using the control twice leaves one use: it sets a value."""
        return self.shape.control not in PRESSED


def _pick(id: str, options: tuple[Any, ...]) -> Any:
    return options[int(hashlib.sha256(f"{id} option".encode()).hexdigest(), 16) % len(options)]


def half_of(id: str) -> Half:
    return "tune" if hashlib.sha256(f"{id} half".encode()).digest()[0] % 2 == 0 else "measure"


def _answer(id: str, shape: Shape) -> str:
    """Return the server's answer to a write of this page."""
    match shape.end:
        case "timer_rollback":
            return "held"
        case "body_refuses":
            return str(_pick(id, BODY_REFUSALS))
        case "http_refuses":
            return str(_pick(id, HTTP_REFUSALS))
        case "response_rollback":
            return str(_pick(id, ("body-ok", "limit", "status-409")))
        case "error_toast" | "error_alert" | "inline_error" | "invalid_field":
            return str(_pick(id, ("limit", "status-422")))
        case "nothing":
            return "track"
        case _:
            return "ok"


def record_of(answer: str) -> str:
    """Return the entry that the server writes when it gives this answer."""
    return {"ok": "accepted", "held": "held", "track": "tracked"}.get(answer, "refused")


def truth_of(shape: Shape, answer: str) -> Truth:
    good = shape.end in GOOD_ENDS
    server: tuple[str, ...] = ()
    if shape.carrier in NETWORK:
        server = (record_of(answer),)
    elif shape.carrier in OUTSIDE and good:
        server = ("tab" if shape.carrier == "new_tab" else "file",)
    shown: Literal["effect", "error", "nothing"] = "nothing"
    if shape.end in ERROR_ENDS:
        shown = "error"
    elif (good or shape.end in ("body_refuses", "http_refuses")) and shape.carrier not in OUTSIDE:
        shown = "effect"
    value: Literal["new", "old", "none"] = "new"
    if shape.control in PRESSED:
        value = "none"
    elif shape.end in ("timer_rollback", "response_rollback"):
        value = "old"
    elif shape.end == "nothing" and shape.expect == "none":
        value = "old"  # without an expected signal, keeping the value would be a success
    return Truth(good, shown, value, server)


def _timeout_ms(shape: Shape, rollback_ms: int) -> int:
    tail = {"timer_rollback": rollback_ms, "toast_hides": TOAST_HIDES_MS, "ripple": RIPPLE_MS}
    debounce = DEBOUNCE_MS if shape.behaviour == "debounce" else 0
    return MARGIN_MS + int(shape.delay) + debounce + tail.get(shape.end, 0)


def case_of(number: int, shape: Shape, prefix: str = "") -> Case:
    id = f"{prefix}g{number:03}-{shape.control}-{shape.behaviour}-{shape.carrier}-{shape.end}"
    control = CONTROLS[shape.control]
    answer, rollback_ms = _answer(id, shape), _pick(id, ROLLBACKS_MS)
    words = shape.disguise == "words_in_error"
    html = html_of(
        shape,
        title="Orders",
        answer=answer,
        rollback_ms=rollback_ms,
        error_text=ERROR_WITH_SUCCESS_WORDS if words else _pick(id, ERRORS),
    )
    return Case(
        id=id,
        shape=shape,
        half=half_of(id),
        role=control.role,
        name=control.name,
        action=control.action,
        args=control.args,
        expect=(SIGNALS[shape.display],) if shape.expect == "signal" else (),
        timeout_ms=_timeout_ms(shape, rollback_ms),
        html=html,
        truth=truth_of(shape, answer),
    )


@cache
def cases(seed: str = SEED) -> tuple[Case, ...]:
    """Return all cases in their fixed order. Another seed gives other cases, whose ids begin with it."""
    shapes, _ = design(seed=seed)
    prefix = "" if seed == SEED else f"{seed}."
    return tuple(case_of(number, shape, prefix) for number, shape in enumerate(shapes))


@cache
def cases_by_id(seed: str = SEED) -> dict[str, Case]:
    return {case.id: case for case in cases(seed)}


def find_case(id: str) -> Case | None:
    seed, dot, _ = id.rpartition(".")
    return cases_by_id(seed if dot else SEED).get(id)
