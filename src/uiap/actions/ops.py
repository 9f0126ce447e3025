"""The gestures a driver must know, as data: what to do, to which element, and what must still be true of it.

An op carries its guard terms, so that checking and acting happen together where the driver can do that
(`facts.atomic == "event"`). Knows neither how a gesture is made nor why it was asked for.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

from msgspec import field

from uiap.spec.base import Struct
from uiap.spec.capability import ExecutionMode

Modifier: TypeAlias = Literal["Alt", "Control", "Meta", "Shift"]


class Guard(Struct, omit_defaults=True):
    """What must be true of the target at the moment of the event; None is not checked."""

    node: str
    """The element's instanceId."""
    role: str | None = None
    name: str | None = None
    record: str | None = None
    """The record key of the row the element stands in (so that a recycled row is noticed)."""
    enabled: bool = True


class Secret(Struct):
    """A value by name only; the driver looks it up when it performs, so no journal ever holds it."""

    name: str


class Op(Struct, tag_field="op", tag=lambda name: name[0].lower() + name[1:]):
    """Base of all gestures."""

    needs_target: ClassVar[bool] = True

    guard: Guard | None = None
    mode: ExecutionMode = "externalDriver"

    @property
    def kind(self) -> str:
        return str(self.__struct_config__.tag)


class Click(Op):
    """Press and release the pointer on the element, at a point that hits it."""

    button: Literal["left", "middle", "right"] = "left"
    count: int = 1
    modifiers: tuple[Modifier, ...] = ()
    spot: tuple[float, float] | None = None
    """Where on the element, from its left upper corner, if what is meant is only painted there (visionAssist)."""


class Hover(Op):
    """Move the pointer onto the element."""


class TypeText(Op):
    """Add text at the caret of the element, as a keyboard would."""

    text: str | Secret


class SetText(Op):
    """Replace the element's whole text."""

    text: str | Secret


class Holds(Op):
    """Ask whether the element holds this text, and nothing else: how a field that is masked is read back."""

    mode: ExecutionMode = "semanticUi"
    text: str | Secret


class Focus(Op):
    mode: ExecutionMode = "semanticUi"


class Select(Op):
    """Choose options of a list: through its setter, or by opening it and pressing the options."""

    mode: ExecutionMode = "semanticUi"
    values: tuple[str, ...]
    by: Literal["value", "label", "index"] | None = None
    """None: by value, else by visible label."""


class Check(Op):
    mode: ExecutionMode = "semanticUi"
    checked: bool


class Press(Op):
    """Press one key, named by its UI Events `key` (`Enter`, `Escape`, `a`); on the focus if there is no guard."""

    needs_target: ClassVar[bool] = False
    key: str
    modifiers: tuple[Modifier, ...] = ()


class Scroll(Op):
    """Scroll the element, or the page: by a distance, or to an end of it."""

    needs_target: ClassVar[bool] = False
    dx: float = 0
    dy: float = 0
    to: Literal["top", "bottom"] | None = None


class ScrollIntoView(Op):
    mode: ExecutionMode = "semanticUi"


class SetFiles(Op):
    """Give files to a file input, or to the chooser that a press on the element opens.

    Every path is named here, none is ever searched for.
    """

    paths: tuple[str, ...]


class Adjust(Op):
    """Bring a slider or spin button to a value, reading it back until it is there or nothing more helps."""

    mode: ExecutionMode = "semanticUi"
    value: float | str
    tolerance: float = 0


class Dismiss(Op):
    """Close the surface that the element is: as a person would leave it, never by agreeing to it."""


class Drag(Op):
    """Press the element, move, and let go on another element or after a distance."""

    to: Guard | None = None
    dx: float = 0
    dy: float = 0


class Highlight(Op):
    """Show a person where the element is; nothing of the page changes."""

    duration_ms: float = 1500


class Invoke(Op):
    """Run a function that the application declared as an action; the page's own, or one of the program's."""

    needs_target: ClassVar[bool] = False
    mode: ExecutionMode = "appAction"
    action: str
    args: dict[str, Any] = field(default_factory=dict)
    source: Literal["program", "page"] = "page"


class LongPress(Op):
    """Press the element and hold it."""

    duration_ms: float = 700


class Pinch(Op):
    """Two fingers on the element, moved apart (scale above 1) or together."""

    scale: float


class Submit(Op):
    """Send the form that the element is, or stands in, if its fields are valid."""


AnyOp: TypeAlias = (
    Adjust
    | Check
    | Click
    | Dismiss
    | Drag
    | Focus
    | Highlight
    | Holds
    | Hover
    | Invoke
    | LongPress
    | Pinch
    | Press
    | Scroll
    | ScrollIntoView
    | Select
    | SetFiles
    | SetText
    | Submit
    | TypeText
)
OPS: tuple[type[Op], ...] = (
    Adjust,
    Check,
    Click,
    Dismiss,
    Drag,
    Focus,
    Highlight,
    Holds,
    Hover,
    Invoke,
    LongPress,
    Pinch,
    Press,
    Scroll,
    ScrollIntoView,
    Select,
    SetFiles,
    SetText,
    Submit,
    TypeText,
)
OP_KINDS: tuple[str, ...] = tuple(str(op.__struct_config__.tag) for op in OPS)
