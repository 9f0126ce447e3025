"""x.uiap.press: press one key or chord on a target, or on the focused element."""

from __future__ import annotations

from typing import Any

from uiap.actions.ops import AnyOp, Guard, Press
from uiap.actions.primitive import Args, Primitive, Proof, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ElementNode

MODIFIERS = {
    "alt": "Alt",
    "control": "Control",
    "ctrl": "Control",
    "meta": "Meta",
    "cmd": "Meta",
    "shift": "Shift",
}
NAVIGATION_KEYS = frozenset(
    {"Tab", "Escape", "Home", "End", "PageUp", "PageDown"}
    | {f"Arrow{w}" for w in ("Up", "Down", "Left", "Right")}
)
"""Keys that move the focus, the caret or the view and submit nothing."""


def parse_chord(keys: str) -> tuple[str, tuple[Any, ...]]:
    """Return the key and the modifiers of a chord such as `Control+Shift+K`. The key `+` may be last."""
    *words, key = (
        keys.split("+") if len(keys) > 1 and not keys.endswith("+") else [*keys[:-2].split("+"), keys[-1:]]
    )
    return key, tuple(MODIFIERS.get(word.strip().lower(), word) for word in words if word)


def _plan(
    mode: ExecutionMode, guard: Guard | None, _element: ElementNode | None, args: Args
) -> tuple[AnyOp, ...]:
    key, modifiers = parse_chord(args["key"])
    return (Press(guard=guard, mode=mode, key=key, modifiers=modifiers),)


def _effect(_element: ElementNode | None, args: Args) -> SideEffectClass:
    key, modifiers = parse_chord(str(args.get("key", "")))
    return "ui_state" if key in NAVIGATION_KEYS and set(modifiers) <= {"Shift"} else "unknown"


def _proof(_element: ElementNode | None, args: Args) -> Proof:
    """Return the proof: only a key that moves the focus is proved by a moved focus."""
    key, _ = parse_chord(str(args["key"]))
    return "reaction" if key in NAVIGATION_KEYS else "change"


ACTION = Primitive(
    id="x.uiap.press",
    title="Press a key or a chord",
    args=(
        ActionArgDescriptor(
            name="key", type="string", required=True, description="`Enter`, `a`, `Control+Shift+K`."
        ),
    ),
    needs_target=False,
    reaches_focus=True,
    affordances=("focus",),
    checks="present",
    modes=("externalDriver",),
    on_request=("inputSynthesis",),
    idempotency=always("non_idempotent"),
    effect=_effect,
    plan=_plan,
    proof=_proof,
)
