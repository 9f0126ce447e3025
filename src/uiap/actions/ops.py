"""The gestures a driver must know, as data: what to do, to which element, and what must still be true of it.

An op carries its guard terms, so that checking and acting happen together where the driver can do that
(`facts.atomic == "event"`). Knows neither how a gesture is made nor why it was asked for.
"""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

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
    """Choose options of a list by value or by visible label."""

    mode: ExecutionMode = "semanticUi"
    values: tuple[str, ...]


class Check(Op):
    mode: ExecutionMode = "semanticUi"
    checked: bool


class Press(Op):
    """Press one key, named by its UI Events `key` (`Enter`, `Escape`, `a`); on the focus if there is no guard."""

    needs_target: ClassVar[bool] = False
    key: str
    modifiers: tuple[Modifier, ...] = ()


class Scroll(Op):
    """Turn the wheel over the element, or over the middle of the page."""

    needs_target: ClassVar[bool] = False
    dx: float = 0
    dy: float = 0


class ScrollIntoView(Op):
    mode: ExecutionMode = "semanticUi"


class SetFiles(Op):
    """Give files to a file input; every path is named here, none is ever searched for."""

    paths: tuple[str, ...]


AnyOp: TypeAlias = (
    Click
    | Holds
    | Hover
    | TypeText
    | SetText
    | Focus
    | Select
    | Check
    | Press
    | Scroll
    | ScrollIntoView
    | SetFiles
)
OPS: tuple[type[Op], ...] = (
    Check,
    Click,
    Focus,
    Holds,
    Hover,
    Press,
    Scroll,
    ScrollIntoView,
    Select,
    SetFiles,
    SetText,
    TypeText,
)
OP_KINDS: tuple[str, ...] = tuple(str(op.__struct_config__.tag) for op in OPS)
