"""Our script in the isolated world of every document: the bundle, its configuration, and calls into it.

The bundle says hello as soon as it runs; `boot` starts it where the root's origin rules, and nowhere else.
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
from uiap.drivers.errors import CallFailed, TargetGone
from uiap.ids import new_secret
from uiap.spec.web import DocumentAccess

BINDING = "__uiap_push"


@cache
def bundle() -> str:
    """The built in-page program."""
    return resources.files("uiap.drivers.chromium").joinpath("assets/sdk.js").read_text("utf-8")


@dataclass(frozen=True)
class WorldConfig:
    """What every document of one driver session is told."""

    source: Callable[[], str] = bundle
    bridged_origins: frozenset[str] = frozenset()
    max_elements: int = 20_000
    annotation_prefix: str = "data-uiap-"
    secret: str = field(default_factory=lambda: new_secret("world"))
    name: str = WORLD
    """Of the isolated world; one of its own where others may drive the same page in the same way."""

    def may_enter(self, document: Document, root_origin: str) -> bool:
        """Whether our script may publish from there: the root, its own origin, or a listed bridge."""
        if document.frame.is_root:
            return True
        # Two opaque origins are never the same, although both are written `null`.
        return document.origin != "null" and (
            document.origin == root_origin or document.origin in self.bridged_origins
        )

    def access(self, document: Document, root_origin: str) -> DocumentAccess:
        if not self.may_enter(document, root_origin):
            return "opaque"
        own = document.frame.is_root or document.origin == root_origin
        return "full" if own else "bridged"

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
        }
        return f"globalThis.__uiap_boot?.({as_js_string(json.dumps(config))})"


def as_js_string(text: str) -> str:
    """A JavaScript string literal of `text`."""
    return json.dumps(text).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def sdk_call(method: str, request: Any = None) -> str:
    """`__uiap.<method>(<request>)` as source text; a mapping goes as its JSON text, an id as it is."""
    text = request if isinstance(request, str) else json.dumps(request)
    return f"globalThis.__uiap.{method}({'' if request is None else as_js_string(text)})"


def replace_world(frame: Frame, config: WorldConfig, number: int) -> Future[dict[str, Any]]:
    """A fresh world beside the old one, for a document that appeared inside a living window."""
    # The browser makes it again for every later document of the frame, where it is nobody's.
    frame.world = f"{config.name}-{number}"
    frame.session.tell("Runtime.addBinding", {"name": BINDING, "executionContextName": frame.world})
    return frame.session.post("Page.createIsolatedWorld", {"frameId": frame.id, "worldName": frame.world})


def install(session: CdpSession, config: WorldConfig) -> None:
    """Make every present and future document of this session run our script, and only it have the binding."""
    session.tell("Runtime.addBinding", {"name": BINDING, "executionContextName": config.name})
    session.tell(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": config.source(), "worldName": config.name, "runImmediately": True},
    )


def evaluation(document: Document, expression: str) -> dict[str, Any]:
    """Parameters of a Runtime.evaluate that can hit this document's world and no other."""
    return {
        "expression": expression,
        "uniqueContextId": document.unique_id,
        "returnByValue": True,
        "awaitPromise": True,
    }


def value_of(reply: Mapping[str, Any], method: str = "Runtime.evaluate") -> Any:
    """The value of an evaluation, or what it threw."""
    if details := reply.get("exceptionDetails"):
        thrown = details.get("exception", {})
        said = thrown.get("description") or thrown.get("value") or details.get("text", "")
        raise CallFailed(method, 0, str(said).splitlines()[0] if said else "it threw")
    return reply.get("result", {}).get("value")


def gone_if_navigated(error: CallFailed) -> CallFailed | TargetGone:
    """CDP's ways to say that the world the call went to no longer exists."""
    words = ("context", "navigated or closed", "detached", "crashed", "not attached")
    if any(word in error.reason.lower() for word in words):
        return TargetGone("the document is gone; observe again")
    return error
