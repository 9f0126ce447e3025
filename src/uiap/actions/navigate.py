"""nav.navigate: go to a URL of the application (ACT-11.14)."""

from __future__ import annotations

from uiap.actions.primitive import Args, Primitive, always
from uiap.origin import scheme_of
from uiap.policy.addresses import address_order
from uiap.spec.capability import ActionArgDescriptor
from uiap.spec.policy import PrincipalType, SideEffectClass
from uiap.spec.web import ElementNode

HISTORY = frozenset({"history:back", "history:forward", "history:reload"})
OWN_SCHEMES = frozenset({"", "http", "https", "about", "data", "file"})
"""Schemes that a person's own program may open."""


def _fault(_element: ElementNode | None, args: Args, principal: PrincipalType) -> str | None:
    return address_fault(str(args.get("url", "")), principal)


def address_fault(url: str, principal: PrincipalType) -> str | None:
    """Return why a URL is refused, or None. An agent goes to http(s) addresses only."""
    allowed = OWN_SCHEMES if principal == "user" else frozenset({"", "http", "https"})
    if url in HISTORY or scheme_of(url) in allowed:
        return None
    return f"a `{scheme_of(url)}:` URL cannot be opened; use an http:// or https:// URL"


def _effect(_element: ElementNode | None, args: Args) -> SideEffectClass:
    """Return the effect of going to an address: a write if the address names an operation."""
    return "navigation" if address_order(str(args.get("url", ""))) is None else "data_write"


ACTION = Primitive(
    id="nav.navigate",
    title="Go to a URL",
    args=(
        ActionArgDescriptor(
            name="url",
            type="string",
            required=True,
            description="Absolute, or from the root; or history:back, history:forward, history:reload.",
        ),
        ActionArgDescriptor(
            name="keepPage",
            type="boolean",
            description="Let the router of the running page change the route, where it has one. Default: for a route.",
        ),
    ),
    needs_target=False,
    takes_target=False,
    other_kinds=("route",),
    checks="none",
    modes=("externalDriver",),
    idempotency=always("idempotent"),
    effect=_effect,
    fault=_fault,
    plan=always(()),
    proof=always("route"),
)
