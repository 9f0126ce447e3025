"""The whole server on one port: sessions, health, metrics and API documents, from start to shutdown."""

from __future__ import annotations

import asyncio
import signal
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.drivers.reach import Reach
from uiap.errors import Unavailable
from uiap.host.clock import SystemClock
from uiap.host.loop.allocator import release_memory
from uiap.host.records.store import Store
from uiap.host.records.writer import Writer
from uiap.host.sessions.pool import CONTEXTS, RECYCLE, BrowserPool
from uiap.host.workflows.durable import RunRecords
from uiap.server import contract, metrics
from uiap.server.admission import RequestAdmission
from uiap.server.applications import AllowedApplications
from uiap.server.durable_workflows import DurableWorkflows, RunDefaults
from uiap.server.session_pool import SessionDefaults, SessionPool
from uiap.server.tokens import Tokens
from uiap.settings import Settings
from uiap.timeouts import SESSION_IDLE_S
from uiap.transports.address import LOOPBACK_NAMES, is_loopback
from uiap.transports.asgi import AsgiListener, application

HEALTH, METRICS = "/health", "/metrics"


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Options of a server, as `uiap serve` takes them."""

    host: str = "127.0.0.1"
    port: int = 0
    tokens: Tokens | None = None
    names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    applications: tuple[str, ...] = ()
    """Applications that sessions may open instead of a browser, in the format of `check_allowed`."""
    browsers: int = 2
    contexts: int = CONTEXTS
    recycle: int = RECYCLE
    max_sessions: int | None = None
    idle_s: float = SESSION_IDLE_S
    store: bool = True
    allow: tuple[str, ...] = ()
    """Addresses in the local network that pages may reach; the public internet is always allowed."""
    session_defaults: SessionDefaults = field(default_factory=SessionDefaults)
    """Policy rules, bundle and folders of every session."""
    ssl_context: ssl.SSLContext | None = None
    database: str | None = None
    """The database of durable workflow runs, which workers execute. Without it, a run ends with its session."""
    bundle_path: str | None = None
    """Where the workers find the bundle."""


@dataclass(frozen=True)
class RunningServer:
    """The parts of a started server."""

    listener: AsgiListener
    sessions: SessionPool
    pool: BrowserPool


@asynccontextmanager
async def serve(options: ServerOptions, settings: Settings) -> AsyncIterator[RunningServer]:
    """Run a server in this event loop until the block is left; then end every session."""
    if options.tokens is None and not is_loopback(options.host):
        raise Unavailable(
            f"will not listen on `{options.host}` without tokens; use 127.0.0.1 or --tokens FILE"
        )
    reach = Reach(options.allow)
    pool = BrowserPool(
        lambda: ChromiumBrowser.launch(environ=settings.environ, reach=reach),
        browsers=options.browsers,
        contexts=options.contexts,
        recycle=options.recycle,
    )
    with _JournalWriter(options, settings) as writer, _durable_runs(options) as runs:
        sessions = SessionPool(
            pool,
            tokens=options.tokens,
            writer=writer,
            max_sessions=options.max_sessions,
            idle_s=options.idle_s,
            applications=AllowedApplications(options.applications, settings.environ),
            defaults=options.session_defaults,
            runs=runs,
        )
        try:
            await sessions.start()
            listener = await _listen(options, sessions, pool)
            try:
                yield RunningServer(listener, sessions, pool)
            finally:
                await sessions.close()
                await listener.stop()
        finally:
            await sessions.close()


@contextmanager
def _durable_runs(options: ServerOptions) -> Iterator[DurableWorkflows | None]:
    if options.database is None:
        yield None
        return
    defaults = RunDefaults(
        rules=options.session_defaults.rules,
        bundle=options.session_defaults.bundle,
        bundle_path=options.bundle_path,
    )
    records = RunRecords(options.database)
    try:
        yield DurableWorkflows(records, SystemClock(), defaults, tokens=options.tokens)
    finally:
        records.close()


async def _listen(options: ServerOptions, sessions: SessionPool, pool: BrowserPool) -> AsgiListener:
    scheme = "https" if options.ssl_context is not None else "http"
    names = (*(LOOPBACK_NAMES if is_loopback(options.host) else ()), *options.names)
    if not names:
        raise Unavailable("name the hosts that clients use: --name HOST (repeat it for several hosts)")
    admission = RequestAdmission(
        options.tokens, names=names, origins=options.origins, scheme=scheme, open_paths=(HEALTH,)
    )
    app = application(sessions.accept, admit=admission)

    async def health(_request: Request) -> Response:
        status = 503 if sessions.closing else 200
        return JSONResponse({"status": "stopping" if sessions.closing else "ok"}, status)

    async def show_metrics(_request: Request) -> Response:
        return Response(metrics.exposition(sessions, pool, admission), media_type=metrics.MEDIA_TYPE)

    app.router.routes.extend(
        [
            Route(HEALTH, health),
            Route(METRICS, show_metrics),
            Route("/openapi.json", _json_endpoint(contract.openapi)),
            Route("/asyncapi.json", _json_endpoint(contract.asyncapi)),
        ]
    )
    listener = AsgiListener(
        app,
        host=options.host,
        port=options.port,
        ssl_context=options.ssl_context,
        on_disconnects=release_memory,
    )
    await listener.start()
    admission.port = listener.port
    return listener


def _json_endpoint(make: Callable[[], dict[str, Any]]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that answers with the JSON document made by `make`."""

    async def endpoint(_request: Request) -> Response:
        return JSONResponse(make())

    return endpoint


class _JournalWriter:
    """Opens the store and its writer, if the options ask for one; it outlives every session."""

    def __init__(self, options: ServerOptions, settings: Settings) -> None:
        self._enabled, self._settings = options.store, settings
        self._store: Store | None = None
        self._writer: Writer | None = None

    def __enter__(self) -> Writer | None:
        if self._enabled:
            self._settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._store = Store(self._settings.store_url)
            clock = SystemClock()
            self._writer = Writer(self._store, lambda: clock.now().wall)
        return self._writer

    def __exit__(self, *_: object) -> None:
        if self._writer is not None and self._store is not None:
            self._writer.close()
            self._store.close()


async def wait_for_stop_signal(signals: Iterable[signal.Signals] = (signal.SIGTERM, signal.SIGINT)) -> None:
    """Wait until this process gets one of the signals."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in signals:
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
