"""Videos: list, window, create, change, publish, delete."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from apps.videoland import seed, video_form
from apps.videoland.context import admin_only, body, context, record, refusal, signed_in
from apps.videoland.session import User
from apps.videoland.store import Store, now

PAGE_SIZE, MAX_ROWS = 25, 10_000
_SORTS = {
    "newest": "updated_at DESC, id DESC",
    "oldest": "updated_at, id",
    "title": "title COLLATE NOCASE, id",
    "views": "views DESC, id",
}
_LISTED = "id, title, category, status, views, updated_at"


@signed_in
async def dashboard(request: Request, user: User) -> Response:
    store = context(request).store
    counts = {
        row["status"]: row["n"] for row in store.all("SELECT status, count(*) n FROM videos GROUP BY status")
    }
    return JSONResponse(
        {
            "total": sum(counts.values()),
            "published": counts.get("published", 0),
            "drafts": counts.get("draft", 0),
            "views": store.value("SELECT coalesce(sum(views), 0) FROM videos"),
            "recent": store.all(f"SELECT {_LISTED} FROM videos ORDER BY {_SORTS['newest']} LIMIT 5"),
        }
    )


@signed_in
async def listing(request: Request, user: User) -> Response:
    store, query = context(request).store, request.query_params
    where, args = _filter(query.get("q", ""), query.get("status", ""))
    total = store.value(f"SELECT count(*) FROM videos{where}", *args)
    size = _bounded(query.get("size"), PAGE_SIZE, 1, MAX_ROWS)
    pages = max(1, -(-total // size))
    page = _bounded(query.get("page"), 1, 1, pages)
    order = _SORTS.get(query.get("sort", ""), _SORTS["newest"])
    items = store.all(
        f"SELECT {_LISTED} FROM videos{where} ORDER BY {order} LIMIT ? OFFSET ?",
        *args,
        size,
        (page - 1) * size,
    )
    return JSONResponse({"items": items, "total": total, "page": page, "pages": pages, "size": size})


@signed_in
async def window(request: Request, user: User) -> Response:
    store, query = context(request).store, request.query_params
    offset = _bounded(query.get("offset"), 0, 0, 10_000_000)
    limit = _bounded(query.get("limit"), 100, 1, 500)
    items = store.all(f"SELECT {_LISTED} FROM videos ORDER BY id LIMIT ? OFFSET ?", limit, offset)
    return JSONResponse(
        {"items": items, "total": store.value("SELECT count(*) FROM videos"), "offset": offset}
    )


@admin_only
async def create(request: Request, user: User) -> Response:
    async with request.form(max_files=1) as form:
        row, errors = video_form.checked(
            {name: value for name, value in form.items() if isinstance(value, str)}
        )
        upload = form.get("file")
        row["file_name"], row["file_size"] = "", 0
        if isinstance(upload, UploadFile) and upload.filename:
            row["file_name"], row["file_size"] = upload.filename, upload.size or 0
    if row["file_size"] > video_form.FILE_MAX:
        errors["file"] = "too_large"
    if errors:
        return refusal(422, "invalid", errors=errors)
    row |= {"status": "draft", "views": 0, "updated_at": now()}
    with context(request).store.writing() as writing:
        sql = seed.insert("videos", seed.VIDEO_COLUMNS)
        made = writing.run(sql, *(row[name] for name in seed.VIDEO_COLUMNS)).lastrowid
        record(writing, request, "video.created", entity=f"video:{made}", actor=user.email)
    return JSONResponse({"id": made, "title": row["title"]}, 201)


@signed_in
async def detail(request: Request, user: User) -> Response:
    video = _find(context(request).store, request)
    return refusal(404, "not_found") if video is None else JSONResponse(video)


@admin_only
async def change(request: Request, user: User) -> Response:
    store = context(request).store
    video = _find(store, request)
    if video is None:
        return refusal(404, "not_found")
    title, errors = video_form.checked_title(await body(request))
    if errors:
        return refusal(422, "invalid", errors=errors)
    with store.writing() as writing:
        writing.run("UPDATE videos SET title = ?, updated_at = ? WHERE id = ?", title, now(), video["id"])
        record(writing, request, "video.updated", entity=f"video:{video['id']}", actor=user.email)
    return JSONResponse(_find(store, request))


@admin_only
async def publish(request: Request, user: User) -> Response:
    store = context(request).store
    video = _find(store, request)
    if video is None:
        return refusal(404, "not_found")
    if video["status"] == "published":
        return refusal(409, "already_published")
    with store.writing() as writing:
        writing.run("UPDATE videos SET status = 'published', updated_at = ? WHERE id = ?", now(), video["id"])
        record(
            writing,
            request,
            "video.published",
            kind="external",
            entity=f"video:{video['id']}",
            actor=user.email,
        )
    return JSONResponse(_find(store, request))


@admin_only
async def delete(request: Request, user: User) -> Response:
    store = context(request).store
    video = _find(store, request)
    if video is None:
        return refusal(404, "not_found")
    with store.writing() as writing:
        writing.run("DELETE FROM videos WHERE id = ?", video["id"])
        record(writing, request, "video.deleted", entity=f"video:{video['id']}", actor=user.email)
    return Response(status_code=204)


def _find(store: Store, request: Request) -> dict[str, Any] | None:
    return store.one("SELECT * FROM videos WHERE id = ?", request.path_params["id"])


def _filter(query: str, status: str) -> tuple[str, list[str]]:
    terms, args = [], []
    if query.strip():
        escaped = query.strip().replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        terms.append("title LIKE ? ESCAPE '\\'")
        args.append(f"%{escaped}%")
    if status in seed.STATUSES:
        terms.append("status = ?")
        args.append(status)
    return (" WHERE " + " AND ".join(terms) if terms else ""), args


def _bounded(given: str | None, default: int, least: int, most: int) -> int:
    number = int(given) if given is not None and given.isdecimal() and len(given) < 12 else default
    return min(max(number, least), most)


ROUTES = [
    Route("/api/dashboard", dashboard),
    Route("/api/videos", listing),
    Route("/api/videos", create, methods=["POST"]),
    Route("/api/videos/window", window),
    Route("/api/videos/{id:int}", detail),
    Route("/api/videos/{id:int}", change, methods=["PATCH"]),
    Route("/api/videos/{id:int}", delete, methods=["DELETE"]),
    Route("/api/videos/{id:int}/publish", publish, methods=["POST"]),
]
