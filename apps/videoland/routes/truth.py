"""The real state, for tests: never linked from the app, never in the write log."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from apps.videoland.context import body, context, refusal
from apps.videoland.knobs import BadKnob
from apps.videoland.routes import studio
from apps.videoland.store import Store


async def truth(request: Request) -> Response:
    here = context(request)
    store = here.store
    return JSONResponse(
        {
            "videos": store.value("SELECT count(*) FROM videos"),
            "lastCreated": _last_created(store),
            "deleted": _entities(store, "video.deleted"),
            "published": _entities(store, "video.published"),
            "updated": _entities(store, "video.updated"),
            "invitations": store.all("SELECT id, email, role FROM invitations ORDER BY id"),
            "invitationsSent": len(_entities(store, "invitation.sent")),
            "accounts": store.all("SELECT email, name, role, job, deleted FROM accounts ORDER BY email"),
            "passwordChanges": len(_entities(store, "password.changed")),
            "billing": store.one("SELECT plan, paid FROM billing"),
            "studio": {
                "canvas": studio.CANVAS,
                "buttons": studio.BUTTONS,
                "commands": [
                    entity.removeprefix("studio:")
                    for entity in _entities(store, "studio.%")
                    if entity is not None
                ],
            },
            "deliberateFailures": here.failures,
            "knobs": here.knobs.as_dict(),
        }
    )


async def writes(request: Request) -> Response:
    return JSONResponse({"writes": context(request).store.all("SELECT * FROM writes ORDER BY seq")})


async def reset(request: Request) -> Response:
    here = context(request)
    here.store.reset()
    here.knobs, here.writes_seen, here.failures = here.settings.knobs, 0, 0
    return Response(status_code=204)


async def read_knobs(request: Request) -> Response:
    return JSONResponse(context(request).knobs.as_dict())


async def turn_knobs(request: Request) -> Response:
    """Change the members of the body and keep the others; the counting of failures restarts."""
    here = context(request)
    try:
        here.knobs = here.knobs.changed(await body(request))
    except BadKnob as error:
        return refusal(400, "bad_knob", detail=str(error))
    here.writes_seen = 0
    return JSONResponse(here.knobs.as_dict())


def _entities(store: Store, effect: str) -> list[str | None]:
    return [
        row["entity"]
        for row in store.all("SELECT entity FROM writes WHERE effect LIKE ? ORDER BY seq", effect)
    ]


def _last_created(store: Store) -> dict[str, Any] | None:
    made = _entities(store, "video.created")
    return (
        store.one("SELECT * FROM videos WHERE id = ?", (made[-1] or "").partition(":")[2]) if made else None
    )


TRUTH_ROUTES = [
    Route("/__truth", truth),
    Route("/__writes", writes),
    Route("/__reset", reset, methods=["POST"]),
]
KNOB_ROUTES = [Route("/__knobs", read_knobs), Route("/__knobs", turn_knobs, methods=["POST"])]
