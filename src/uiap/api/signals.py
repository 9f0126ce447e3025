"""Expected effects as functions: `expect=[route_changed("/videos/:id"), toast_contains("created")]`."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET

from uiap.spec.capability import (
    CollectionCount,
    CustomSuccess,
    DialogClosed,
    DialogOpened,
    ElementAppeared,
    ElementDisappeared,
    ElementState,
    EntityCreated,
    EntityDeleted,
    EntityUpdated,
    InstanceIdRef,
    NetworkResponse,
    RouteChanged,
    SemanticRef,
    StableIdRef,
    StatusContains,
    SuccessSignal,
    ToastContains,
    UIState,
    ValidationNone,
    ValueEquals,
    WebTargetRef,
)

__all__ = [
    "clipboard_written",
    "collection_count",
    "dialog_closed",
    "dialog_opened",
    "download_completed",
    "element_appeared",
    "element_disappeared",
    "element_state",
    "entity_created",
    "entity_deleted",
    "entity_updated",
    "network_response",
    "page_restyled",
    "print_requested",
    "route_changed",
    "status_contains",
    "tab_opened",
    "target",
    "text_appeared",
    "text_disappeared",
    "toast_contains",
    "validation_none",
    "value_equals",
]


def target(
    *, ref: str | None = None, stable_id: str | None = None, role: Any = None, name: str | None = None,
    scope: str | None = None,
) -> WebTargetRef:  # fmt: skip
    """Return a reference to an element: by ref (from an outline or find), by stable id, or by role, name and scope."""
    if ref is not None:
        return InstanceIdRef(value=ref)
    if stable_id is not None:
        return StableIdRef(value=stable_id)
    if role is None:
        raise TypeError("a target needs ref=, stable_id= or role=")
    return SemanticRef(role=role, name=name if name is not None else UNSET, scope=scope or UNSET)


def route_changed(pattern: str | None = None, *, exact: str | None = None) -> SuccessSignal:
    """Expect another route: any, one that fits a pattern such as `/videos/:id`, or exactly this address."""
    return RouteChanged(pattern=pattern or UNSET, exact=exact or UNSET)


def toast_contains(text: str) -> SuccessSignal:
    """Expect a toast with this text, even if it has disappeared again."""
    return ToastContains(text=text)


def status_contains(text: str) -> SuccessSignal:
    """Expect a status or alert with this text."""
    return StatusContains(text=text)


def element_appeared(**which: Any) -> SuccessSignal:
    """Expect an element that was not visible before; name it as in `target`."""
    return ElementAppeared(target=target(**which))


def element_disappeared(**which: Any) -> SuccessSignal:
    """Expect that an element is no longer visible; name it as in `target`."""
    return ElementDisappeared(target=target(**which))


def element_state(state: dict[str, Any], **which: Any) -> SuccessSignal:
    """Expect a state, as in `element_state({"checked": True}, role="checkbox", name="Subtitles")`."""
    return ElementState(target=target(**which), state=UIState(**state))


def value_equals(value: str | int | float | bool, **which: Any) -> SuccessSignal:
    """Expect the value of a field or control; name it as in `target`."""
    return ValueEquals(target=target(**which), value=value)


def dialog_opened(**which: Any) -> SuccessSignal:
    """Expect that a dialog opens: any, or the one named as in `target`."""
    return DialogOpened(target=target(**which) if which else UNSET)


def dialog_closed(**which: Any) -> SuccessSignal:
    """Expect that a dialog closes: any, or the one named as in `target`."""
    return DialogClosed(target=target(**which) if which else UNSET)


def validation_none(scope: str | None = None) -> SuccessSignal:
    """Expect no invalid field in a scope, by default in the scope of the target."""
    return ValidationNone(scope=scope or UNSET)


def collection_count(op: Literal["eq", "gte", "lte"], value: int, **which: Any) -> SuccessSignal:
    """Expect a number of items in a list or table; name it as in `target`."""
    return CollectionCount(target=target(**which), op=op, value=value)


def entity_created(entity_type: str, id_path: str | None = None) -> SuccessSignal:
    """Expect that the application reports a new record of this type."""
    return EntityCreated(entity_type=entity_type, id_path=id_path or UNSET)


def entity_updated(entity_type: str, id_path: str | None = None) -> SuccessSignal:
    """Expect that the application reports a changed record of this type."""
    return EntityUpdated(entity_type=entity_type, id_path=id_path or UNSET)


def entity_deleted(entity_type: str, id_path: str | None = None) -> SuccessSignal:
    """Expect that the application reports a deleted record of this type."""
    return EntityDeleted(entity_type=entity_type, id_path=id_path or UNSET)


def network_response(url_pattern: str | None = None, status: int | None = None) -> SuccessSignal:
    """Expect a response from an address that fits a pattern, with a status (default: any 2xx)."""
    return NetworkResponse(url_pattern=url_pattern or UNSET, status=status if status is not None else UNSET)


def _own(kind: str, **payload: str | None) -> SuccessSignal:
    """Return a custom signal that uiap itself observes."""
    given = {key: value for key, value in payload.items() if value}
    return CustomSuccess(name=kind, payload=given or UNSET)


def text_appeared(text: str, *, scope: str | None = None) -> SuccessSignal:
    """Expect a text that the page, or the scope with this id, did not show before."""
    return _own("text.appeared", text=text, scope=scope)


def text_disappeared(text: str, *, scope: str | None = None) -> SuccessSignal:
    """Expect that the page, or the scope with this id, no longer shows a text."""
    return _own("text.disappeared", text=text, scope=scope)


def tab_opened(url: str | None = None) -> SuccessSignal:
    """Expect a new tab: any, or one whose address contains `url` or fits it with `*` for any text."""
    return _own("tab.opened", url=url)


def download_completed(name: str | None = None) -> SuccessSignal:
    """Expect a downloaded file: any, or one whose name contains `name` or fits it, such as `*.csv`."""
    return _own("download.completed", name=name)


def page_restyled() -> SuccessSignal:
    """Expect that the look of the whole page changes: its theme, text size or direction."""
    return _own("page.restyled")


def clipboard_written() -> SuccessSignal:
    """Expect that the page writes to the clipboard."""
    return _own("clipboard.written")


def print_requested() -> SuccessSignal:
    """Expect that the page asks to print."""
    return _own("print.requested")
