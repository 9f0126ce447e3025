"""The gestures of a driver, as data: the operation, its element, and the guard that must still be true.

An op carries its guard, so that a driver can check and act in one step (`facts.atomic == "event"`). Drivers perform the
gestures; actions plan them.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

from msgspec import field

from uiap.spec.base import Struct
from uiap.spec.capability import ExecutionMode

Modifier: TypeAlias = Literal["Alt", "Control", "Meta", "Shift"]


class Guard(Struct, omit_defaults=True):
    """Facts that must be true of the target at the moment of the event. None is not checked."""

    node: str
    """The element's instanceId."""
    role: str | None = None
    name: str | None = None
    record: str | None = None
    """The record key of the element's row, so that a recycled row is noticed."""
    enabled: bool = True


class Secret(Struct):
    """A secret by its name. The driver looks it up when it performs, so that no journal stores the value."""

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
    """Press and release the pointer on the element, at a point where nothing covers it."""

    button: Literal["left", "middle", "right"] = "left"
    count: int = 1
    modifiers: tuple[Modifier, ...] = ()
    spot: tuple[float, float] | None = None
    """A point from the upper left corner of the element, for text that is only painted there (visionAssist)."""
    opens: bool | None = None
    """The press must open (true) or close (false) the element. A driver may use the keys of the pattern instead."""
    picks: bool | None = None
    """The press must check or select (true) or clear (false) this item of a list, which may close and take it along."""


class Hover(Op):
    """Move the pointer onto the element."""


class TypeText(Op):
    """Add text at the caret of the element, as a keyboard would."""

    text: str | Secret


class SetText(Op):
    """Replace the element's whole text."""

    text: str | Secret


class Holds(Op):
    """Compare the value of the element with exactly this text. It verifies a field whose value is masked."""

    mode: ExecutionMode = "semanticUi"
    text: str | Secret


class Focus(Op):
    """Move the focus to the element."""

    mode: ExecutionMode = "semanticUi"


class Select(Op):
    """Choose options of a list: set them directly, or open the list and press them."""

    mode: ExecutionMode = "semanticUi"
    values: tuple[str, ...]
    by: Literal["value", "label", "index"] | None = None
    """How `values` name the options. None: by value, or by visible label if no value fits."""
    judged: tuple[str, ...] = ()
    """Labels that policy has judged. An option with another label is not pressed if its words order something."""
    opens: bool = True
    """The list itself may be pressed to open it. Policy has judged that press too."""
    menu: bool = False
    """Policy has judged the options as commands. Otherwise no menu item is pressed."""


class Check(Op):
    """Set a checkbox or switch."""

    mode: ExecutionMode = "semanticUi"
    checked: bool


class Press(Op):
    """Press one key, named by its UI Events `key` (`Enter`, `Escape`, `a`), on the target or the focused element."""

    needs_target: ClassVar[bool] = False
    key: str
    modifiers: tuple[Modifier, ...] = ()


class Scroll(Op):
    """Scroll the element or the page by a distance or to an end."""

    needs_target: ClassVar[bool] = False
    dx: float = 0
    dy: float = 0
    to: Literal["top", "bottom"] | None = None


class ScrollIntoView(Op):
    """Scroll until the element is in view."""

    mode: ExecutionMode = "semanticUi"


class SetFiles(Op):
    """Give files to a file input, or to the file chooser that a press on the element opens.

    The driver uses these paths and searches for none.
    """

    paths: tuple[str, ...]


class Adjust(Op):
    """Move a slider or spin button towards a value and read it back, until it is reached or no longer moves."""

    mode: ExecutionMode = "semanticUi"
    value: float | str
    tolerance: float = 0


class Dismiss(Op):
    """Close a dialog or another surface without agreeing to it."""


class Drag(Op):
    """Drag the element onto another element or by a distance."""

    to: Guard | None = None
    dx: float = 0
    dy: float = 0


class Highlight(Op):
    """Show a person where the element is. The page does not change."""

    duration_ms: float = 1500


class Invoke(Op):
    """Run a function that the page or the program declared as an action, an endpoint, or a workflow."""

    needs_target: ClassVar[bool] = False
    mode: ExecutionMode = "appAction"
    action: str
    args: dict[str, Any] = field(default_factory=dict)
    source: Literal["program", "page", "element", "server", "workflow"] = "page"


class LongPress(Op):
    """Press the element and hold it."""

    duration_ms: float = 700


class Pinch(Op):
    """Move two fingers on the element apart (scale above 1) or together (below 1)."""

    scale: float


class Submit(Op):
    """Submit the form of the element, if its fields are valid."""


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
