"""An application about videos without annotations, a bundle that describes it, and a session that uses both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.api.action_calls import ActionCalls
from uiap.api.open_session import in_process_sessions
from uiap.client.caller import Caller
from uiap.drivers.scripted import ScriptedDriver
from uiap.drivers.scripted.app import App, ScriptedPage, ScriptedScope, Widget
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle
from uiap.host.sessions.session_services import SessionServices
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, ActionTarget, VerificationSpec
from uiap.spec.authoring import UIAPCompiledBundle
from uiap.spec.policy import PolicyPrincipal

ROOT = "http://videos.test"
PERSON = PolicyPrincipal(type="user", id="ann")
AGENT = PolicyPrincipal(type="agent", id="bot", grants=("observe", "guide", "draft", "act"))
CREATED = {"kind": "toast.contains", "text": "created"}
HEADING = {"kind": "element.appeared", "target": {"by": "semantic", "role": "button", "name": "Delete"}}


def element(id: str, role: str, name: str, **members: Any) -> dict[str, Any]:
    return {"id": id, "role": role, "match": [{"by": "semantic", "role": role, "name": name}], **members}


def action(id: str, kind: str | None, ref: str = "", level: str = "safe", **members: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": id,
        "kind": "domain",
        "targetKinds": ["none"],
        "executionModes": ["appAction", "semanticUi", "externalDriver"],
        "risk": {"level": level},
        **members,
    }
    if kind is not None:
        made["implementation"] = {"kind": kind, **({"ref": ref} if ref else {})}
    return made


CREATE_STEPS = [
    {
        "id": "there",
        "type": "ensure",
        "signals": [{"kind": "element.appeared", "target": {"by": "stableId", "value": "video.save"}}],
    },
    {
        "id": "title",
        "type": "action",
        "actionId": "ui.enterText",
        "target": {"by": "stableId", "value": "video.title"},
        "args": {"text": {"$param": "title"}},
    },
    {
        "id": "save",
        "type": "action",
        "actionId": "ui.activate",
        "target": {"by": "stableId", "value": "video.save"},
    },
    {"id": "done", "type": "complete"},
]
WORKFLOW = {
    "id": "video.make",
    "version": "1.0.0",
    "title": "Make a video",
    "category": "task",
    "startMode": "manual",
    "interactionModes": ["auto"],
    "initialStepId": "there",
    "parameters": [{"name": "title", "type": "string", "required": True, "min": 2}],
    "steps": CREATE_STEPS,
}
TITLE_ARG = [{"name": "title", "type": "string", "required": True}]
SECTIONS: dict[str, Any] = {
    "app": {"appId": "videos", "displayName": "Videos"},
    "bindings": {
        "routes": [
            {"id": "videos", "match": [{"kind": "path", "value": "/videos"}]},
            {
                "id": "videos.new",
                "parentRouteId": "videos",
                "match": [{"kind": "path", "value": "/videos/new"}],
            },
            {
                "id": "videos.detail",
                "parentRouteId": "videos",
                "match": [{"kind": "urlPattern", "value": "/videos/:id"}],
                "successSignals": [HEADING],
            },
        ],
        "scopes": [{"id": "video.form", "kind": "form", "title": "New video", "routeIds": ["videos.new"]}],
        "elements": [
            element("video.title", "textbox", "Title", scopeId="video.form", routeIds=["videos.new"]),
            element("video.save", "button", "Save", scopeId="video.form", routeIds=["videos.new"]),
            element(
                "video.delete", "button", "Delete", routeIds=["videos.detail"], defaultAction="video.remove"
            ),
            element(
                "app.help",
                "button",
                "Help",
                routeIds=["videos"],
                meaning="app.help",
                dataClasses=["personal"],
            ),
        ],
    },
    "actions": [
        action("video.create", "externalDriver", "video.save", args=TITLE_ARG, success=[CREATED]),
        action("video.make", "externalDriver", "video.make", args=TITLE_ARG, success=[CREATED]),
        action("video.count", "sdkHandler", "app.count", success=[CREATED], args=TITLE_ARG),
        action(
            "video.remove",
            "sdkHandler",
            "app.remove",
            success=[{"kind": "toast.contains", "text": "removed"}],
        ),
        action("video.later", "none"),
        action("video.remote", "serverAction", "POST /api/videos", args=TITLE_ARG, success=[CREATED]),
    ],
    "workflows": [WORKFLOW],
}


def videos_bundle(*, signed: bool = True, without: str = "", **changes: Any) -> Bundle:
    """Return the bundle, without one of its sections or with others."""
    sections = {name: value for name, value in {**SECTIONS, **changes}.items() if name != without}
    plain = {
        "packageId": "videos",
        "version": "1.0.0",
        "profile": "web@0.1",
        "buildContext": {},
        "compatibility": {"uiapCore": ">=0.1"},
        **sections,
    }
    content = msgspec.convert(plain, UIAPCompiledBundle)
    return Bundle(content, Bindings(content, trusted=signed), (ROOT,), "key" if signed else None)


class Videos:
    """The application. It counts what happened, independently of the runtime."""

    def __init__(self) -> None:
        self.saved: list[str] = []
        self.removed = 0
        self.pressed = asyncio.Event()
        self.driver = ScriptedDriver(*self.pages())

    def pages(self) -> tuple[ScriptedPage, ...]:
        form = ScriptedScope("f", "form", "New video")
        new = [
            Widget("title", "textbox", "Title", scope="f"),
            Widget("save", "button", "Save", scope="f", on={"click": self.save}),
            Widget("help", "button", "Help"),
            Widget("said", "status"),
        ]
        detail = [
            Widget("delete", "button", "Delete", on={"click": self.remove}),
            Widget("help", "button", "Help"),
            Widget("list", "link", "All videos", node_fields={"metadata": {"href": "/videos"}}),
        ]
        start = [Widget("help", "button", "Help")]
        return (
            ScriptedPage(f"{ROOT}/videos/new", new, "New video", scopes=[form]),
            ScriptedPage(f"{ROOT}/videos/7", detail, "Blue lamp"),
            ScriptedPage(f"{ROOT}/videos/8", start, "Empty"),
            ScriptedPage(f"{ROOT}/videos", start, "Videos"),
            ScriptedPage("http://other.test/", start, "Other"),
        )

    def save(self, app: App) -> None:
        text = str(app.widgets["title"].state.get("textValue", ""))
        self.saved.append(text)
        self.pressed.set()
        app.set("said", text=f"Saved {len(self.saved)}")
        if len(text) > 2:
            app.toast("Video created")

    def remove(self, app: App) -> None:
        self.removed += 1
        app.toast("Video removed")

    async def on_page(self, change: Callable[[App], None]) -> dict[str, int]:
        self.driver.change(change)
        return {"removed": self.removed, "saved": len(self.saved)}


@dataclass
class VideosSession:
    videos: Videos
    services: SessionServices
    caller: Caller
    calls: ActionCalls
    person: Caller
    events: list[tuple[str, Any]] = field(default_factory=list)

    async def act(
        self, id: str, args: Mapping[str, Any] | None = None, target: Any = None, **members: Any
    ) -> ActionResultPayload:
        request = ActionRequestPayload(
            action_id=id,
            args=UNSET if args is None else dict(args),
            target=UNSET if target is None else msgspec.convert({"ref": target}, ActionTarget),
            **{"verification": VerificationSpec(timeout_ms=1500), "timeout_ms": 5000, **members},
        )
        return await self.calls.run(request)


@asynccontextmanager
async def videos_session(
    bundle: Bundle | None,
    *,
    principal: PolicyPrincipal = PERSON,
    rules: Any = "trusted",
    at: str = "/videos/new",
    handlers: Callable[[Videos], Mapping[str, Any]] = lambda _videos: {},
    app: Callable[[], Videos] = Videos,
    **options: Any,
) -> AsyncIterator[VideosSession]:
    """Yield a session on the application, at one of its pages."""
    videos = app()
    videos.driver.first_url = ROOT + at
    services = SessionServices(
        videos.driver, rules=rules, bundle=bundle, handlers=handlers(videos), **options
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(services.close)
        await services.start()
        await services.page.wait_for_graph()
        callers = await stack.enter_async_context(in_process_sessions(services, (principal, PERSON)))
        yield VideosSession(videos, services, callers[0], ActionCalls(callers[0]), callers[1])
