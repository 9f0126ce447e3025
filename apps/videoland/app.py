"""Build the two applications of Videoland: the main one, and the billing one that it shows in frames."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from apps.videoland.context import Context
from apps.videoland.headers import Headers
from apps.videoland.misbehaviour import Misbehaviour
from apps.videoland.routes import account, billing, pages, studio, team, truth, videos
from apps.videoland.session import Sessions
from apps.videoland.settings import Settings
from apps.videoland.store import Store
from apps.videoland.texts import Texts


def create_app(settings: Settings) -> Starlette:
    """Return the main application; `app.state.billing` is the second one, for another port of the same host."""
    here = _context(settings)
    routes = [*videos.ROUTES, *account.ROUTES, *team.ROUTES, *studio.ROUTES]
    routes += truth.TRUTH_ROUTES if settings.truth else []
    routes += truth.KNOB_ROUTES if settings.allow_knobs else []
    statics = Mount("/static", StaticFiles(directory=pages.STATIC))
    app = Starlette(
        routes=[*routes, statics, *pages.ROUTES, *pages.LAST],
        middleware=[Middleware(Misbehaviour, context=here), Middleware(Headers, context=here)],
    )
    app.state.context = here
    app.state.billing = Starlette(routes=[*billing.ROUTES, statics])
    app.state.billing.state.context = here
    return app


def _context(settings: Settings) -> Context:
    store = Store(settings.db, settings.rows, settings.password)
    return Context(
        settings=settings,
        store=store,
        sessions=Sessions(store),
        texts=Texts(settings.language),
        knobs=settings.knobs,
        billing_port=settings.billing_port,
    )
