"""Secrets by name, from the environment or the keyring. Only the driver gets their values, right before typing.

Code that decides, sends, stores or logs never holds one. A secret goes only to its recorded origin, and only into a
field that hides its value; anywhere else it could be read back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from uiap.actions.ops import AnyOp, Secret
from uiap.drivers.errors import NotSupported
from uiap.graph.store import GraphStore
from uiap.origin import OPAQUE, same_origin
from uiap.spec.web import ElementNode

SERVICE = "uiap"
"""The keyring service of the secrets. The entry `NAME@origin` holds the origin of `NAME`."""


class Secrets:
    """Secrets of one host. Only the driver calls `reveal`; all other code knows names alone."""

    def __init__(self, environ: Mapping[str, str], *, keyring: bool = True) -> None:
        self._environ = environ
        self._keyring: Any = _keyring() if keyring else None
        self._first_origins: dict[str, str] = {}
        self._revealed: dict[str, str] = {}

    def revealed_values(self) -> tuple[str, ...]:
        """Return the values that were typed, so that they are masked where a page repeats them (`private_values`)."""
        return tuple(self._revealed.values())

    def reveal(self, name: str) -> str:
        """Return the value of a secret. Raise NotSupported if there is none."""
        found = self._find(name)
        if found is None:
            raise NotSupported(_missing_text(name))
        self._revealed[name] = found
        return found

    def _find(self, name: str) -> str | None:
        found = self._environ.get(variable_name(name))
        if found is None and self._keyring is not None:
            found = self._keyring.get_password(SERVICE, name)
        return None if found is None else str(found)

    def missing(self, args: Mapping[str, Any]) -> str | None:
        """Return what to do about a named secret that is not set, or None: nobody is asked about a step with it."""
        names = (given.get("secret") for given in args.values() if isinstance(given, Mapping))
        absent = (name for name in names if isinstance(name, str) and self._find(name) is None)
        return next(map(_missing_text, absent), None)

    def origin_of_secret(self, name: str) -> str | None:
        """Return the origin a secret may go to: the recorded one, else the first it went to."""
        recorded = self._environ.get(f"{variable_name(name)}_ORIGIN")
        if recorded is None and self._keyring is not None:
            recorded = self._keyring.get_password(SERVICE, f"{name}@origin")
        return str(recorded) if recorded else self._first_origins.get(name)

    def refusal(self, op: AnyOp, element: ElementNode | None, origin: str | None) -> str | None:
        """Return why this operation may not type its secret into the element, or None."""
        secret = getattr(op, "text", None)
        if not isinstance(secret, Secret):
            return None
        if element is None or element.state.sensitive is not True:
            return f"the secret `{secret.name}` goes only into a field that hides its value"
        if origin is None:
            return f"the origin that would get the secret `{secret.name}` is unknown"
        if (
            origin == OPAQUE
        ):  # all opaque origins are written alike, so the secret could not be bound to one of them
            return f"the secret `{secret.name}` goes only to a page with an origin of its own; open the page by its URL"
        bound = self.origin_of_secret(secret.name)
        if bound is not None and bound.rstrip("/") != origin and not same_origin(bound, origin):
            return f"the secret `{secret.name}` belongs to {bound}, not to {origin}"
        try:
            self.reveal(secret.name)
        except NotSupported as error:
            return error.message
        self._first_origins.setdefault(secret.name, origin)
        return None


def origin_of(store: GraphStore, element: ElementNode | None) -> str | None:
    """Return the origin of the element's document, or None if it is unknown."""
    document = None if element is None else store.documents.get(element.document_id)
    return None if document is None else document.origin or None


def _missing_text(name: str) -> str:
    return (
        f"no secret `{name}` is set; a person sets {variable_name(name)} before the session opens, or stores it in "
        f"the keyring as `{name}` of `{SERVICE}`"
    )


def variable_name(name: str) -> str:
    """Return the environment variable of a secret: UIAP_SECRET_CRM_PASSWORD for `crm-password`."""
    return "UIAP_SECRET_" + re.sub(r"[^A-Z0-9]+", "_", name.upper())


def _keyring() -> Any:
    """Return the optional package `keyring` if it is installed and has a usable backend."""
    try:
        keyring = import_module("keyring")
        usable = keyring.get_keyring().priority > 0
    except Exception:  # not installed, or its desktop service is broken
        return None
    return keyring if usable else None
