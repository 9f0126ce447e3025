"""The canvas editor: the positions of its painted buttons, and the effect of a hit."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from apps.videoland.context import admin_only, body, context, record, refusal
from apps.videoland.session import User

CANVAS = {"width": 880, "height": 420}
# The only definition of the painted boxes: the page draws them, and /__truth returns them to tests.
BUTTONS: dict[str, dict[str, Any]] = {
    "trim": {"label": "Trim", "x": 32, "y": 344, "width": 128, "height": 48},
    "caption": {"label": "Add caption", "x": 176, "y": 344, "width": 168, "height": 48},
    "export": {"label": "Export", "x": 720, "y": 344, "width": 128, "height": 48},
}
_EFFECTS = {"trim": "studio.trimmed", "caption": "studio.captioned", "export": "studio.exported"}


@admin_only
async def command(request: Request, user: User) -> Response:
    name = str((await body(request)).get("command", ""))
    if name not in _EFFECTS:
        return refusal(422, "invalid", errors={"command": "unknown_option"})
    with context(request).store.writing() as writing:
        kind = "external" if name == "export" else "data"
        record(writing, request, _EFFECTS[name], kind=kind, entity=f"studio:{name}", actor=user.email)
    return JSONResponse({"command": name})


ROUTES = [Route("/api/studio", command, methods=["POST"])]
