"""The dimensions of the grammar, their values, and the combinations that have no meaning.

A shape picks one value of each dimension. This module is plain data: it knows neither HTML nor UIAP.
"""

from __future__ import annotations

from typing import NamedTuple


class Shape(NamedTuple):
    """One sentence of the grammar: a value of each dimension."""

    end: str
    carrier: str
    control: str
    behaviour: str
    disguise: str
    delay: str
    noise: str
    display: str
    expect: str


GOOD_ENDS = ("lasts", "toast_hides", "error_clears", "ripple")
"""The effect lasts: alone, with a toast that hides, with an old error that goes away, or with a decoration."""
BAD_ENDS = (
    "timer_rollback", "response_rollback", "error_toast", "error_alert", "inline_error", "invalid_field",
    "body_refuses", "http_refuses", "saved_but_error", "nothing",
)  # fmt: skip
ERROR_ENDS = ("error_toast", "error_alert", "inline_error", "invalid_field", "saved_but_error")
"""The page shows an error of its own."""

PRESSED = ("button", "link", "form", "key")
VALUED = ("checkbox", "switch", "select", "combobox", "text", "editable", "slider")
"""Controls that hold a value; the others only start something."""

NETWORK = ("fetch", "xhr", "websocket", "sse")
HTTP = ("fetch", "xhr")
DELAYABLE = ("timer", *NETWORK, "worker", "broadcast", "storage")
OUTSIDE = ("new_tab", "download")
"""Carriers whose effect is outside the page."""

DIMENSIONS: dict[str, tuple[str, ...]] = {
    "end": GOOD_ENDS + BAD_ENDS,
    "carrier": (
        "task", "microtask", "timer", "frame", *NETWORK, "worker", "indexeddb", "broadcast", "storage",
        *OUTSIDE, "root",
    ),
    "control": PRESSED + VALUED,
    "behaviour": ("plain", "delegated", "scheduler", "rerender", "controlled", "debounce", "optimistic"),
    "disguise": (
        "none", "foreign_toast", "pressed_flips", "spinner", "words_in_error", "text_before", "clock_status",
    ),
    "delay": ("0", "100", "500", "1500", "3000"),
    "noise": ("none", "clock", "poll", "both", "storm"),
    "display": ("row", "status", "toast"),
    "expect": ("none", "signal"),
}  # fmt: skip

_CARRIERS_OF_END: dict[str, tuple[str, ...]] = {
    "toast_hides": tuple(c for c in DIMENSIONS["carrier"] if c not in (*OUTSIDE, "root")),
    "error_clears": tuple(c for c in DIMENSIONS["carrier"] if c not in OUTSIDE),
    "timer_rollback": tuple(c for c in DIMENSIONS["carrier"] if c not in OUTSIDE),
    "response_rollback": NETWORK,
    "inline_error": tuple(c for c in DIMENSIONS["carrier"] if c not in OUTSIDE),
    "invalid_field": tuple(c for c in DIMENSIONS["carrier"] if c not in OUTSIDE),
    "body_refuses": HTTP,
    "http_refuses": HTTP,
    "saved_but_error": NETWORK,
}


def _pair_has_meaning(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two values, in the order of the dimensions, can occur together."""
    match (one[0], one[1], other[0], other[1]):
        case ("end", end, "carrier", carrier):
            return carrier in _CARRIERS_OF_END.get(end, DIMENSIONS["carrier"])
        case ("end", "invalid_field", "control", control):
            return control not in ("button", "link", "switch")
        case ("end", "nothing", "behaviour", "optimistic"):
            return False
        case ("end", end, "disguise", "words_in_error"):
            return end in ERROR_ENDS
        case ("end", "nothing", "delay", delay):
            return delay == "0"
        case ("end", "toast_hides", "display", display):
            return display == "toast"
        case ("carrier", carrier, "control", control) if carrier in OUTSIDE:
            return control in ("button", "link", "key")
        case ("carrier", carrier, "behaviour", "optimistic"):
            return carrier not in (*OUTSIDE, "root")
        case ("carrier", carrier, "disguise", disguise) if carrier in OUTSIDE:
            return disguise in ("none", "foreign_toast", "words_in_error", "clock_status")
        case ("carrier", carrier, "disguise", "spinner"):
            return carrier not in ("task", "microtask", "root")
        case ("carrier", "root", "disguise", disguise):
            return disguise not in ("text_before", "pressed_flips")
        case ("carrier", carrier, "delay", delay):
            return delay == "0" or carrier in DELAYABLE
        case ("carrier", carrier, "display", display) if carrier in (*OUTSIDE, "root"):
            return display == "row"
        case ("carrier", carrier, "expect", expect) if carrier in (*OUTSIDE, "root"):
            return expect == "none"  # no signal exists for a tab, a download, a title or a class
        case ("control", control, "disguise", "pressed_flips"):
            return control == "button"
        case ("disguise", "text_before", "display", display):
            return display != "row"
        case ("disguise", "text_before", "expect", expect):
            return expect == "signal"
        case _:
            return True


def forbidden_pairs() -> frozenset[tuple[tuple[str, str], tuple[str, str]]]:
    """Return the pairs of values that have no meaning together, in the order of the dimensions."""
    names = tuple(DIMENSIONS)
    return frozenset(
        ((a, x), (b, y))
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        for x in DIMENSIONS[a]
        for y in DIMENSIONS[b]
        if not _pair_has_meaning((a, x), (b, y))
    )


def has_one_truth(shape: Shape) -> bool:
    """Return whether the right answer is beyond dispute.

    A dead button whose `aria-pressed` flips for good did something, unless the caller expects more than that.
    """
    return not (shape.disguise == "pressed_flips" and shape.end not in GOOD_ENDS and shape.expect == "none")
