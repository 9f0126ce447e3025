"""The state that every endpoint of one running Videoland shares, and the checks of who may call it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from apps.videoland.knobs import Knobs
from apps.videoland.session import Sessions, User
from apps.videoland.settings import Settings
from apps.videoland.store import Store, Writing
from apps.videoland.texts import Texts

Endpoint = Callable[[Request], Awaitable[Response]]
UserEndpoint = Callable[[Request, User], Awaitable[Response]]


@dataclass
class Context:
    settings: Settings
    store: Store
    sessions: Sessions
    texts: Texts
    knobs: Knobs
    writes_seen: int = 0
    """State-changing requests since the last reset; `failure_rate` counts them."""
    failures: int = 0
    """State-changing requests answered with a deliberate 500."""
    billing_port: int = 0
    """The origin of the frames of the billing page; known after its socket is bound."""


def context(request: Request) -> Context:
    found: Context = request.app.state.context
    return found


def signed_in(endpoint: UserEndpoint) -> Endpoint:
    @wraps(endpoint)
    async def checked(request: Request) -> Response:
        user = context(request).sessions.user(request)
        if user is None:
            return refusal(401, "signed_out")
        return await endpoint(request, user)

    return checked


def admin_only(endpoint: UserEndpoint) -> Endpoint:
    async def checked(request: Request, user: User) -> Response:
        if not user.is_admin:
            return refusal(403, "forbidden")
        return await endpoint(request, user)

    return signed_in(checked)


def refusal(status: int, code: str, **details: Any) -> JSONResponse:
    return JSONResponse({"error": code, **details}, status)


def record(
    writing: Writing,
    request: Request,
    effect: str,
    *,
    kind: str = "data",
    entity: str | None = None,
    actor: str | None,
) -> None:
    writing.record(request.method, request.url.path, effect, kind=kind, entity=entity, actor=actor)


async def body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request; any other body counts as empty and fails validation by field."""
    try:
        found = await request.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
