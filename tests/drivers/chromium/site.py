"""A small web site on two ports, with pages that a test publishes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, dict[str, str], bytes]


class Site:
    """Serves the same pages on `port` and `other_port`."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.requests: list[str] = []
        self.gates: dict[str, threading.Event] = {}
        self._servers = [self._serve(), self._serve()]
        self.port, self.other_port = (server.server_port for server in self._servers)

    def page(self, path: str, html: str, *, status: int = 200, headers: dict[str, str] | None = None) -> str:
        """Publish a page and return its address on `localhost`."""
        head = {"Content-Type": "text/html; charset=utf-8", **(headers or {})}
        self.pages[path] = (status, head, html.encode())
        return self.url(path)

    def url(self, path: str, host: str = "localhost", *, other: bool = False) -> str:
        return f"http://{host}:{self.other_port if other else self.port}{path}"

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.port}"

    def gate(self, path: str) -> Callable[[], None]:
        """Delay responses for `path` until the returned function is called."""
        self.gates[path] = threading.Event()
        return self.gates[path].set

    def close(self) -> None:
        for gate in self.gates.values():
            gate.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def _serve(self) -> ThreadingHTTPServer:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.split("?")[0]
                if path != "/favicon.ico":  # the browser requests it at any time
                    site.requests.append(self.path)
                if gate := site.gates.get(path):
                    gate.wait(30)
                status, headers, body = site.pages.get(path, (404, {}, b"not here"))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.do_GET()

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                """Ignore a browser that disconnects during a response."""

        server = Server(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return server
