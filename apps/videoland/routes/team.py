"""The team: members, and invitations. Sending an invitation is an effect outside the app."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from apps.videoland.context import admin_only, body, context, record, refusal, signed_in
from apps.videoland.routes.account import EMAIL
from apps.videoland.session import User
from apps.videoland.store import now


@signed_in
async def team(request: Request, user: User) -> Response:
    store = context(request).store
    return JSONResponse(
        {
            "members": store.all("SELECT email, name, role FROM accounts WHERE NOT deleted ORDER BY email"),
            "invitations": store.all("SELECT * FROM invitations ORDER BY id"),
        }
    )


@admin_only
async def invite(request: Request, user: User) -> Response:
    store, given = context(request).store, await body(request)
    email, role = str(given.get("email", "")).strip().lower(), str(given.get("role", ""))
    errors: dict[str, str] = {}
    if not email:
        errors["email"] = "required"
    elif not EMAIL.fullmatch(email):
        errors["email"] = "not_an_email"
    elif store.one("SELECT 1 FROM invitations WHERE email = ?", email):
        errors["email"] = "already_invited"
    if role not in ("admin", "viewer"):
        errors["role"] = "unknown_option"
    if errors:
        return refusal(422, "invalid", errors=errors)
    with store.writing() as writing:
        made = writing.run(
            "INSERT INTO invitations (email, role, sent_at) VALUES (?, ?, ?)", email, role, now()
        ).lastrowid
        record(
            writing,
            request,
            "invitation.sent",
            kind="external",
            entity=f"invitation:{made}",
            actor=user.email,
        )
    return JSONResponse({"id": made, "email": email, "role": role}, 201)


@admin_only
async def revoke(request: Request, user: User) -> Response:
    store, number = context(request).store, request.path_params["id"]
    if not store.one("SELECT 1 FROM invitations WHERE id = ?", number):
        return refusal(404, "not_found")
    with store.writing() as writing:
        writing.run("DELETE FROM invitations WHERE id = ?", number)
        record(writing, request, "invitation.revoked", entity=f"invitation:{number}", actor=user.email)
    return Response(status_code=204)


ROUTES = [
    Route("/api/team", team),
    Route("/api/invitations", invite, methods=["POST"]),
    Route("/api/invitations/{id:int}", revoke, methods=["DELETE"]),
]
