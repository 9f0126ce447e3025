"""The endpoints of the signed-in user: session, profile, notifications, password, and deletion of the account."""

from __future__ import annotations

import json
import re

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from apps.videoland.context import admin_only, body, context, record, refusal, signed_in
from apps.videoland.password import hashed, matches
from apps.videoland.seed import NOTIFICATIONS
from apps.videoland.session import User

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


async def sign_in(request: Request) -> Response:
    here, given = context(request), await body(request)
    email = str(given.get("email", "")).strip().lower()
    row = here.store.one(
        "SELECT email, name, role, job, password FROM accounts WHERE email = ? AND NOT deleted", email
    )
    if row is None or not matches(str(given.get("password", "")), row.pop("password")):
        return refusal(401, "wrong_credentials")
    response = JSONResponse(row)
    here.sessions.open(request, response, email)
    with here.store.writing() as writing:
        record(writing, request, "session.opened", kind="session", actor=email)
    return response


@signed_in
async def sign_out(request: Request, user: User) -> Response:
    response = Response(status_code=204)
    context(request).sessions.close(request, response)
    with context(request).store.writing() as writing:
        record(writing, request, "session.closed", kind="session", actor=user.email)
    return response


@signed_in
async def profile(request: Request, user: User) -> Response:
    row = context(request).store.one(
        "SELECT email, name, role, job, notifications FROM accounts WHERE email = ?", user.email
    )
    assert row is not None  # `signed_in` has just read it
    return JSONResponse(row | {"notifications": json.loads(row["notifications"])})


@signed_in
async def change_profile(request: Request, user: User) -> Response:
    given = await body(request)
    name, job = str(given.get("name", "")).strip(), str(given.get("job", "")).strip()
    errors = {"name": "required"} if not name else {"name": "too_long"} if len(name) > 80 else {}
    if errors:
        return refusal(422, "invalid", errors=errors)
    with context(request).store.writing() as writing:
        writing.run("UPDATE accounts SET name = ?, job = ? WHERE email = ?", name, job[:80], user.email)
        record(writing, request, "profile.updated", entity=f"account:{user.email}", actor=user.email)
    return JSONResponse({"name": name, "job": job[:80]})


@signed_in
async def change_notification(request: Request, user: User) -> Response:
    store, name, given = context(request).store, request.path_params["name"], await body(request)
    if name not in NOTIFICATIONS or not isinstance(given.get("on"), bool):
        return refusal(422, "invalid", errors={"on": "required"})
    switches = json.loads(store.value("SELECT notifications FROM accounts WHERE email = ?", user.email))
    switches[name] = given["on"]
    with store.writing() as writing:
        writing.run("UPDATE accounts SET notifications = ? WHERE email = ?", json.dumps(switches), user.email)
        record(writing, request, "notification.updated", entity=f"notification:{name}", actor=user.email)
    return JSONResponse(switches)


@signed_in
async def change_password(request: Request, user: User) -> Response:
    store, given = context(request).store, await body(request)
    stored = store.value("SELECT password FROM accounts WHERE email = ?", user.email)
    errors: dict[str, str] = {}
    if not matches(str(given.get("current", "")), stored):
        errors["current"] = "wrong_password"
    if len(str(given.get("next", ""))) < 8:
        errors["next"] = "password_too_short"
    if errors:
        return refusal(422, "invalid", errors=errors)
    with store.writing() as writing:
        writing.run(
            "UPDATE accounts SET password = ? WHERE email = ?", hashed(str(given["next"])), user.email
        )
        record(writing, request, "password.changed", entity=f"account:{user.email}", actor=user.email)
    return Response(status_code=204)


@admin_only
async def delete_account(request: Request, user: User) -> Response:
    response = Response(status_code=204)
    context(request).sessions.close(request, response)
    with context(request).store.writing() as writing:
        writing.run("UPDATE accounts SET deleted = 1 WHERE email = ?", user.email)
        record(writing, request, "account.deleted", entity=f"account:{user.email}", actor=user.email)
    return response


ROUTES = [
    Route("/api/session", sign_in, methods=["POST"]),
    Route("/api/session", sign_out, methods=["DELETE"]),
    Route("/api/profile", profile),
    Route("/api/profile", change_profile, methods=["PUT"]),
    Route("/api/notifications/{name}", change_notification, methods=["PUT"]),
    Route("/api/password", change_password, methods=["PUT"]),
    Route("/api/account", delete_account, methods=["DELETE"]),
]
