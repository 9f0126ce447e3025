"""The HTML shell of every page route. The front end draws the page, so each route can be loaded directly."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from apps.videoland import knobs as knob_text
from apps.videoland import seed, video_form
from apps.videoland.context import Context, context, refusal
from apps.videoland.routes import studio
from apps.videoland.session import User
from apps.videoland.texts import LANGUAGE_COOKIE

STATIC = Path(__file__).parents[1] / "static"
# Route ids as the front end publishes them, with the paths that reach them.
PAGES = {
    "login": "/login",
    "dashboard": "/",
    "videos": "/videos",
    "videos.virtual": "/videos/virtual",
    "videos.new": "/videos/new",
    "videos.detail": "/videos/:id",
    "studio": "/studio",
    "team": "/team",
    "billing": "/billing",
    "settings": "/settings",
}
_MODULES = sorted(f"/static/js/{path.relative_to(STATIC / 'js').as_posix()}" for path in STATIC.rglob("*.js"))
_PRELOADS = "".join(f'<link rel="modulepreload" href="{path}">' for path in _MODULES)
_SHELL = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Videoland</title>
<link rel="icon" href="/static/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/css/base.css"><link rel="stylesheet" href="/static/css/controls.css">
<link rel="stylesheet" href="/static/css/layout.css"><link rel="stylesheet" href="/static/css/pages.css">
{preloads}
<script type="application/json" id="boot">{boot}</script>
<script type="module" src="/static/js/main.js"></script>
</head>
<body><div id="app"></div><noscript>{noscript}</noscript></body>
</html>
"""


async def lost(request: Request) -> Response:
    """Answer a path without a route with 404; the front end shows the same."""
    response = await page(request)
    response.status_code = 404 if response.status_code == 200 else response.status_code
    return response


async def page(request: Request) -> Response:
    here = context(request)
    automatic = _automatic(here, request)
    user = automatic or here.sessions.user(request)
    if user is None and request.url.path != "/login":
        wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(wanted, safe='')}", 303)
    response = _shell(here, request, user)
    if automatic:
        here.sessions.open(request, response, automatic.email)
    if "lang" in request.query_params:
        response.set_cookie(LANGUAGE_COOKIE, here.texts.language(request), samesite="lax", max_age=31_536_000)
    return response


async def sitemap(request: Request) -> Response:
    base = str(request.base_url).rstrip("/")
    urls = "".join(
        f"<url><loc>{escape(base + path)}</loc></url>" for path in PAGES.values() if ":" not in path
    )
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return Response(f'<urlset xmlns="{schema}">{urls}</urlset>', media_type="application/xml")


async def pulse(request: Request) -> Response:
    """Answer the poll of the noise knob: always the same, without an effect."""
    return Response('{"ok":true}', media_type="application/json")


async def missing(request: Request) -> Response:
    return refusal(404, "not_found")


def _automatic(here: Context, request: Request) -> User | None:
    role = request.query_params.get("as")
    if not here.settings.auto_login or role not in ("admin", "viewer"):
        return None
    return here.sessions.account(f"{role}@videoland.example")


def _shell(here: Context, request: Request, user: User | None) -> Response:
    language = here.texts.language(request)
    texts = here.texts.catalogs[language]
    knobs = here.knobs
    requested = ",".join(request.query_params.getlist("knob")) if here.settings.allow_knobs else ""
    try:
        knobs = knobs.changed(knob_text.parse(requested))
    except knob_text.BadKnob as error:
        return refusal(400, "bad_knob", detail=str(error))
    boot = {
        "language": language,
        "texts": texts,
        "user": None if user is None else {"email": user.email, "name": user.name, "role": user.role},
        "knobs": knobs.as_dict(),
        "asked": requested,
        "billingPort": here.billing_port,
        "studio": {"canvas": studio.CANVAS, "buttons": studio.BUTTONS},
        "choices": {
            "category": seed.CATEGORIES,
            "useCase": seed.USE_CASES,
            "visibility": seed.VISIBILITIES,
            "status": seed.STATUSES,
        },
        "limits": {
            "title": video_form.TITLE_MAX,
            "description": video_form.DESCRIPTION_MAX,
            "file": video_form.FILE_MAX,
        },
    }
    # `<` is escaped, so that no text can close the script element.
    html = _SHELL.format(
        language=language,
        preloads=_PRELOADS,
        boot=json.dumps(boot, ensure_ascii=False).replace("<", "\\u003c"),
        noscript=escape(texts["app.noscript"]),
    )
    return Response(html, media_type="text/html", headers={"Cache-Control": "no-store", "Vary": "Cookie"})


ROUTES = [
    *(Route(path.replace(":id", "{id:int}"), page) for path in PAGES.values()),
    Route("/sitemap.xml", sitemap),
    Route("/api/pulse", pulse),
    Route("/api/{rest:path}", missing, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
]
LAST = [Route("/{rest:path}", lost)]
