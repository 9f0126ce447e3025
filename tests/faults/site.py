"""A shop with one button. Its server counts the orders, independently of browser and runtime."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

PAGE = b"""<!doctype html><meta charset=utf-8><title>Shop</title>
<button id=b>Order</button><div role=status id=s></div>
<script>
const how = new URLSearchParams(location.search);
const LEAVE = {
  away() { location = '/elsewhere' },
  back() { history.back() },
  refresh() {
    const to = {httpEquiv: 'refresh', content: '0;url=/elsewhere'};
    document.head.append(Object.assign(document.createElement('meta'), to));
  },
  form() { const f = document.createElement('form'); f.action = '/elsewhere'; document.body.append(f); f.submit() },
};
b.onclick = async () => {
  const leave = how.get('leave');
  if (leave) setTimeout(() => LEAVE[leave](), +how.get('after') || 0);
  const answer = await fetch('/order' + location.search + '&press=' + crypto.randomUUID(), {method: 'POST'});
  s.textContent = answer.ok ? 'Ordered' : 'That did not work';
};
</script>"""


@dataclass
class Shop:
    port: int
    presses: set[str] = field(default_factory=set)
    """The ids of the presses. A browser may send a request twice if a kept-alive connection was cut."""
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def orders(self) -> int:
        return len(self.presses)

    def page(self, port: int | None = None, **how: object) -> str:
        """Return the URL of the page.

        `delay`: ms before the response; `status`; `cut`: no response; `leave` and `after`: the page navigates away.
        """
        return f"http://localhost:{port or self.port}/?{urlencode({'x': 1, **how})}"


@contextmanager
def run_shop() -> Iterator[Shop]:
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    httpd.daemon_threads = True
    httpd.handle_error = lambda *_: None  # type: ignore[method-assign]  # browsers that die leave pipes broken
    open_shop = Shop(httpd.server_port)
    httpd.shop = open_shop  # type: ignore[attr-defined]
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield open_shop
    finally:
        open_shop.ended.set()
        httpd.shutdown()
        httpd.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        elsewhere = urlsplit(self.path).path == "/elsewhere"
        self._answer(200, b"<title>Elsewhere</title><h1>Elsewhere</h1>" if elsewhere else PAGE)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        shop: Shop = self.server.shop  # type: ignore[attr-defined]
        options = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        shop.presses.add(options["press"])
        if shop.ended.wait(int(options.get("delay", 0)) / 1000) or "cut" in options:
            self.close_connection = True
            return
        self._answer(int(options.get("status", 200)), b"{}")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""
