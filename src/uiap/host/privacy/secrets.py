"""Secrets by name: found in the keyring or the environment, revealed to the driver alone, at the moment of typing.

Nothing that decides, sends, stores or logs ever holds one. A secret goes only to the origin it is recorded for, and
only into a field that hides what it holds (H12): anywhere else it could be read back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from uiap.actions.ops import AnyOp, Secret
from uiap.drivers.errors import NotSupported
from uiap.graph.store import GraphStore
from uiap.origin import same_origin
from uiap.spec.web import ElementNode

SERVICE = "uiap"
"""The keyring service that holds them; the origin of `NAME` is kept as `NAME@origin`."""


class Secrets:
    """`reveal` is for the driver; the rest only knows names."""

    def __init__(self, environ: Mapping[str, str], *, keyring: bool = True) -> None:
        self._environ = environ
        self._keyring: Any = _keyring() if keyring else None
        self._first_origins: dict[str, str] = {}
        self._revealed: dict[str, str] = {}

    def revealed_values(self) -> tuple[str, ...]:
        """What went out by name: so that a page that repeats it tells nobody (`withheld`)."""
        return tuple(self._revealed.values())

    def reveal(self, name: str) -> str:
        found = self._environ.get(variable_name(name))
        if found is None and self._keyring is not None:
            found = self._keyring.get_password(SERVICE, name)
        if found is None:
            raise NotSupported(
                f"no secret `{name}` is known here; set {variable_name(name)} or keep it in the keyring"
            )
        self._revealed[name] = str(found)
        return str(found)

    def origin_of_secret(self, name: str) -> str | None:
        """Where it may go: as recorded, else where it went first."""
        recorded = self._environ.get(f"{variable_name(name)}_ORIGIN")
        if recorded is None and self._keyring is not None:
            recorded = self._keyring.get_password(SERVICE, f"{name}@origin")
        return str(recorded) if recorded else self._first_origins.get(name)

    def refusal(self, op: AnyOp, element: ElementNode | None, origin: str | None) -> str | None:
        """Why this op may not type its secret there; None if it may, or has none."""
        given = getattr(op, "text", None)
        if not isinstance(given, Secret):
            return None
        if element is None or element.state.sensitive is not True:
            return f"the secret `{given.name}` goes only into a field that hides it"
        if origin is None:
            return f"nobody knows which origin would get the secret `{given.name}`"
        bound = self.origin_of_secret(given.name)
        if bound is not None and bound.rstrip("/") != origin and not same_origin(bound, origin):
            return f"the secret `{given.name}` belongs to {bound}, not to {origin}"
        try:
            self.reveal(given.name)
        except NotSupported as unknown:
            return unknown.message
        self._first_origins.setdefault(given.name, origin)
        return None


def origin_of(store: GraphStore, element: ElementNode | None) -> str | None:
    document = None if element is None else store.documents.get(element.document_id)
    return None if document is None else document.origin or None


def variable_name(name: str) -> str:
    """`crm-password` is UIAP_SECRET_CRM_PASSWORD."""
    return "UIAP_SECRET_" + re.sub(r"[^A-Z0-9]+", "_", name.upper())


def _keyring() -> Any:
    """The optional package, where it is there and has somewhere to keep things."""
    try:
        keyring = import_module("keyring")
        usable = keyring.get_keyring().priority > 0
    except Exception:  # absent, or broken as desktop services are
        return None
    return keyring if usable else None
