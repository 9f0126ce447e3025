"""Our page script in the isolated world of every document: its source, its configuration, and calls to it.

The script reports as soon as it is loaded. `boot` starts it only in documents that the root's origin may read.
"""

from __future__ import annotations

import json
from asyncio import Future
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.chromium.page.frames import WORLD, Document, Frame
from uiap.drivers.chromium.page.inputs import InputReports
from uiap.drivers.errors import CallFailed, TargetGone
from uiap.ids import new_secret
from uiap.origin import OPAQUE
from uiap.spec.web import DocumentAccess

BINDING = "__uiap_push"


@cache
def page_script() -> str:
    """Return the source of the built page script."""
    return resources.files("uiap.drivers.chromium").joinpath("assets/sdk.js").read_text("utf-8")


@cache
def tracer_script() -> str:
    """Return the source of the built tracer, with a placeholder for its name."""
    return resources.files("uiap.drivers.chromium").joinpath("assets/tracer.js").read_text("utf-8")


@dataclass(frozen=True)
class WorldConfig:
    """The configuration of the page script in all documents of one driver session."""

    source: Callable[[], str] = page_script
    bridged_origins: frozenset[str] = frozenset()
    max_elements: int = 20_000
    annotation_prefix: str = "data-uiap-"
    attributes: tuple[str, ...] = ()
    """Attributes to publish besides those that every page has."""
    secret: str = field(default_factory=lambda: new_secret("world"))
    name: str = WORLD
    """The name of the isolated world; it is unique if several sessions may drive the same page."""
    tracer_name: str = field(default_factory=lambda: new_secret("tracer"))
    """The name by which the page script finds the tracer. The page does not know it."""
    inputs: InputReports = field(default_factory=InputReports)

    def may_enter(self, document: Document, root_origin: str) -> bool:
        """Return whether our script may read the document: the root, the same origin, or a bridged origin."""
        if document.frame.is_root:
            return True
        # Two opaque origins are never equal, although both are written `null`.
        return document.origin != OPAQUE and (
            document.origin == root_origin or document.origin in self.bridged_origins
        )

    def access(self, document: Document, root_origin: str) -> DocumentAccess:
        if not self.may_enter(document, root_origin):
            return "opaque"
        own = document.frame.is_root or document.origin == root_origin
        return "full" if own else "bridged"

    @property
    def annotations_call(self) -> str:
        """The call that changes the annotations which a running page script reads."""
        request = {"prefix": self.annotation_prefix, "attributes": list(self.attributes)}
        return f"globalThis.__uiap?.annotations({as_js_string(json.dumps(request))})"

    def boot_call(self, document: Document, root_origin: str) -> str:
        config = {
            "frameKey": document.key,
            "root": document.frame.is_root,
            "rootOrigin": root_origin,
            "bridgedOrigins": sorted(self.bridged_origins),
            "binding": BINDING,
            "secret": self.secret,
            "maxElements": self.max_elements,
            "annotationPrefix": self.annotation_prefix,
            "attributes": list(self.attributes),
            "tracer": self.tracer_name,
            "recording": self.inputs.mode == "report",
        }
        return f"globalThis.__uiap_boot?.({as_js_string(json.dumps(config))})"


def as_js_string(text: str) -> str:
    """Return a JavaScript string literal of `text`."""
    return json.dumps(text).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def sdk_call(method: str, request: Any = None) -> str:
    """Return the source text `__uiap.<method>(<request>)`; a mapping is passed as JSON text, an id as it is."""
    text = request if isinstance(request, str) else json.dumps(request)
    return f"globalThis.__uiap.{method}({'' if request is None else as_js_string(text)})"


def replace_world(frame: Frame, config: WorldConfig, number: int) -> Future[dict[str, Any]]:
    """Create a new isolated world for a document that replaced another one in the same window."""
    # The browser also creates this world for later documents of the frame, where we ignore it.
    frame.world = f"{config.name}-{number}"
    frame.session.send_and_forget(
        "Runtime.addBinding", {"name": BINDING, "executionContextName": frame.world}
    )
    return frame.session.post("Page.createIsolatedWorld", {"frameId": frame.id, "worldName": frame.world})


def install_tracer(session: CdpSession, config: WorldConfig) -> None:
    """Run the tracer in the page's own world of every present and future document, before any script of the page."""
    source = tracer_script().replace("__UIAP_TRACER__", config.tracer_name)
    session.send_and_forget(
        "Page.addScriptToEvaluateOnNewDocument", {"source": source, "runImmediately": True}
    )


def install_page_script(session: CdpSession, config: WorldConfig) -> None:
    """Run our script in every present and future document of this session, and give the binding only to it."""
    session.send_and_forget("Runtime.addBinding", {"name": BINDING, "executionContextName": config.name})
    session.send_and_forget(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": config.source(), "worldName": config.name, "runImmediately": True},
    )


def evaluation_params(document: Document, expression: str) -> dict[str, Any]:
    """Return parameters for Runtime.evaluate that can only run in this document's world."""
    return {
        "expression": expression,
        "uniqueContextId": document.unique_id,
        "returnByValue": True,
        "awaitPromise": True,
    }


def value_of(reply: Mapping[str, Any], method: str = "Runtime.evaluate") -> Any:
    """Return the value of an evaluation; raise `CallFailed` if it threw."""
    if details := reply.get("exceptionDetails"):
        thrown = details.get("exception", {})
        message = thrown.get("description") or thrown.get("value") or details.get("text", "")
        raise CallFailed(
            method, 0, str(message).splitlines()[0] if message else "the page threw an exception"
        )
    return reply.get("result", {}).get("value")


def as_target_gone(error: CallFailed) -> CallFailed | TargetGone:
    """Return a `TargetGone` if CDP reports that the called world no longer exists, else the error itself."""
    phrases = ("context", "navigated or closed", "detached", "crashed", "not attached")
    if any(phrase in error.reason.lower() for phrase in phrases):
        return TargetGone("the document is gone; observe again")
    return error
