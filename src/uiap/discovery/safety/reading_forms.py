"""Buttons of forms that only read: `<form method=get>` goes to an address, so its button is judged like a link.

Server-rendered applications use such forms for `Edit this page` or `New report`. The address has the hidden fields that
may choose an operation. A form with fields to fill in reads too, but a word that opens forms (`Update`) may order
there.
"""

from __future__ import annotations

from urllib.parse import urljoin

from msgspec import UNSET

from uiap.graph.store import GraphStore
from uiap.policy.control import native_of
from uiap.spec.web import ElementNode, ScopeNode


def reading_address(store: GraphStore, button: ElementNode, scopes: tuple[ScopeNode, ...]) -> str | None:
    """Return the address that the button goes to; None if it sends a form that could write, or none at all."""
    facts = _facts(button)
    sends = "submit" in button.affordances or native_of(button) == "submit"
    form = next((scope for scope in reversed(scopes) if scope.kind == "form"), None)
    if form is None or not form.host_instance_id or not sends or facts.get("method"):
        return None
    host = store.element(form.host_instance_id)
    known = _facts(host) if host is not None else {}
    if known.get("form") != "get":
        return None
    address = urljoin(store.route.url, str(known.get("action", "")))
    operation = facts.get("sends")
    if not operation:
        return address
    return f"{address}{'&' if '?' in address else '?'}{operation}"


def _facts(element: ElementNode) -> dict[str, object]:
    return dict(element.metadata) if element.metadata is not UNSET else {}
