"""Run Videoland on two loopback ports in one thread of this process, and stop it without leftovers."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from apps.videoland.app import create_app
from apps.videoland.settings import Settings

_START_SECONDS, _STOP_SECONDS = 30.0, 30.0


@dataclass(frozen=True)
class Server:
    """The addresses of a running Videoland. `localhost` and `127.0.0.1` are two sites to a browser."""

    port: int
    billing_port: int

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def billing_url(self) -> str:
        """Return another origin of the same site: its frame shares the process of the page."""
        return f"http://localhost:{self.billing_port}"

    @property
    def billing_foreign_url(self) -> str:
        """Return another site: its frame gets its own process."""
        return f"http://127.0.0.1:{self.billing_port}"


@contextmanager
def serving(
    settings: Settings | None = None, *, wrap: Callable[[ASGIApp], ASGIApp] = lambda app: app
) -> Iterator[Server]:
    """Run the application; `wrap` puts a middleware of the caller around the main one."""
    settings = settings or Settings()
    with (
        _listening(settings.host, settings.port) as main,
        _listening(settings.host, settings.billing_port) as billing,
    ):
        server = Server(main.getsockname()[1], billing.getsockname()[1])
        app = create_app(settings)
        app.state.context.billing_port = server.billing_port
        try:
            with _running([(wrap(app), main), (app.state.billing, billing)]):
                yield server
        finally:
            app.state.context.store.close()


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    # The protocol is named, because asyncio disables Nagle's delay (40 ms per answer) only when it reads TCP.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
        yield listener


@contextmanager
def _running(apps: list[tuple[ASGIApp, socket.socket]]) -> Iterator[None]:
    servers = [_Announced(app) for app, _ in apps]
    sockets = [listener for _, listener in apps]

    async def serve() -> None:
        await asyncio.gather(*(one.serve([listener]) for one, listener in zip(servers, sockets, strict=True)))

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="videoland", daemon=True)
    thread.start()
    try:
        for one in servers:
            if not one.up.wait(_START_SECONDS):
                raise TimeoutError(f"videoland did not start within {_START_SECONDS:g} s")
        yield
    finally:
        for one in servers:
            one.should_exit = True
        thread.join(_STOP_SECONDS)
        if thread.is_alive():
            raise TimeoutError(f"videoland did not stop within {_STOP_SECONDS:g} s")


class _Announced(uvicorn.Server):
    """A uvicorn server that signals when it is up, so that callers do not have to poll."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app, ws="none", lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=2
            )
        )
        self.up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()
