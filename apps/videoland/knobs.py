"""Settings that make the app slow, failing, optimistic, changing or noisy: off by default, deterministic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

_ON, _OFF = {"on", "true", "1", ""}, {"off", "false", "0"}


class BadKnob(ValueError):
    """The request names an unknown knob or an invalid value for it."""


@dataclass(frozen=True)
class Knobs:
    delay_ms: int = 0
    """Delay of every /api answer."""
    save_delay_ms: int = 0
    """Additional delay of every state-changing /api answer."""
    failure_rate: float = 0.0
    """Share of state-changing requests answered with 500, spread evenly: 0.25 fails every fourth one."""
    fail_next: int = 0
    """The next N state-changing requests are answered with 500."""
    fail_mode: str = "before"
    """`before`: refused without effect. `after`: the effect is applied, and the answer is 500 nevertheless."""
    optimistic: bool = False
    """The page shows the effect of a delete, publish or switch before the answer and rolls back on failure."""
    storm: bool = False
    """The video list is rebuilt every `storm_ms` in another order, with new nodes."""
    storm_ms: int = 16
    noise: bool = False
    """A clock, a views counter and a polled request change the page every `noise_ms`."""
    noise_ms: int = 250
    toast_ms: int = 5000
    """How long a toast is visible."""
    redesign: bool = False
    """The button of the video form has another name, and its annotation is gone."""

    def changed(self, changes: Mapping[str, Any]) -> Knobs:
        return replace(self, **{name: _value(name, value) for name, value in changes.items()})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


_KINDS = {field.name: type(field.default) for field in fields(Knobs)}


def parse(text: str) -> dict[str, str]:
    """Parse `delay_ms:300,storm`, as in `?knob=` and the X-Knobs header."""
    parts = (part.strip() for part in text.split(",") if part.strip())
    return {name: value for name, _, value in (part.partition(":") for part in parts)}


def _value(name: str, value: Any) -> Any:
    kind = _KINDS.get(name)
    if kind is None:
        raise BadKnob(f"unknown knob `{name}`; known are {', '.join(sorted(_KINDS))}")
    if name == "fail_mode":
        if value not in ("before", "after"):
            raise BadKnob(f"knob `fail_mode` is `before` or `after`, not `{value}`")
        return value
    return _switch(name, value) if kind is bool else _number(name, kind, value)


def _switch(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() in _ON | _OFF:
        return str(value).lower() in _ON
    raise BadKnob(f"knob `{name}` is on or off, not `{value}`")


def _number(name: str, kind: type, value: Any) -> Any:
    try:
        number = kind(value)
    except (TypeError, ValueError):
        raise BadKnob(f"knob `{name}` takes a number, not `{value}`") from None
    if isinstance(value, bool) or not 0 <= number <= 600_000:
        raise BadKnob(f"knob `{name}` must be between 0 and 600000, not `{value}`")
    return number
