"""`uiap approve --web`: serve the approval page for the person's own browser. Standard library alone.

The page is served on loopback. A one-time address, printed only in the person's terminal, opens it. It may not be
framed, runs no script but its own, and signs exactly the question it showed.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
import sys
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from uiap.cli.approval_html import page, shown_ids
from uiap.cli.approve import approver_client, deny, grant, list_pending
from uiap.cli.socket_client import RequestRefused, SessionNotOpen

COOKIE = "uiap_person"
MAX_FORM = 16_384


class Approver:
    """The approver's connection to the session; one request at a time."""

    def __init__(self, session: str) -> None:
        self._session, self._lock = session, Lock()
        self._client, self._secret = approver_client(session)

    def pending(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the confirmation requests and the handed over steps."""
        with self._lock:
            found = list_pending(self._client)
            return found.get("details", []), found.get("handoffs", [])

    def hand_back(self, handle: str, outcome: str) -> None:
        with self._lock:
            self._client.ask("x.uiap.tools.handoff.end", {"actionHandle": handle, "outcome": outcome})

    def answer(self, handle: str, bond: str, *, granted: bool, remember: bool = False) -> None:
        """Send the answer, once or for the session.

        `bond` is the digest of the shown question. The session refuses if the question changed.
        """
        question = {"actionHandle": handle, "bond": bond}
        with self._lock:
            if granted:
                grant(self._client, self._secret, question, remember=remember)
            else:
                deny(self._client, question, "denied on the approval page")

    def picture(self) -> bytes:
        with self._lock:
            shot = self._client.ask("x.uiap.tools.capture", {})["payload"]
            return base64.b64decode(shot["data"])


class ApprovalRequestHandler(BaseHTTPRequestHandler):
    server: ApprovalServer
    server_version, sys_version = "uiap", ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if not self._check_host():
            return
        url = urlsplit(self.path)
        if url.path == "/enter":
            self._enter(parse_qs(url.query).get("key", [""])[0])
        elif not self._has_cookie():
            self._respond(403, "text/plain", b"open the address that `uiap approve --web` printed")
        elif url.path == "/":
            nonce = secrets.token_urlsafe(16)
            waiting, handoffs = self.server.approver.pending()
            text = page(waiting, form_key=self.server.form_key, nonce=nonce, handoffs=handoffs)
            self._respond(200, "text/html; charset=utf-8", text.encode(), nonce)
        elif url.path == "/state":
            ids = shown_ids(*self.server.approver.pending())
            self._respond(200, "application/json", json.dumps(ids).encode())
        elif url.path == "/picture":
            self._respond(200, "image/png", self.server.approver.picture())
        else:
            self._respond(404, "text/plain", b"this page does not exist; open /")

    def do_POST(self) -> None:
        if not self._check_host():
            return
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(min(length, MAX_FORM)).decode(errors="replace")
        form = {name: values[0] for name, values in parse_qs(body).items()}
        same_key = hmac.compare_digest(form.get("key", "").encode(), self.server.form_key.encode())
        if not self._has_cookie() or self.headers.get("Origin") != self.server.origin or not same_key:
            self._respond(403, "text/plain", b"this answer did not come from the approval page")
            return
        handle, answer = form.get("handle", ""), form.get("answer", "")
        try:
            if answer in ("done", "declined"):
                self.server.approver.hand_back(handle, answer)
            else:
                granted, remember = answer in ("grant", "session"), answer == "session"
                self.server.approver.answer(handle, form.get("bond", ""), granted=granted, remember=remember)
        except RequestRefused as refused:
            self._respond(
                409,
                "text/plain; charset=utf-8",
                f"the answer was not accepted: {refused}; go back and read the request again".encode(),
            )
            return
        self._redirect("/")

    # -- admission ------------------------------------------------------------------------------------------

    def _check_host(self) -> bool:
        """Accept only our own host name, so that a foreign name resolved to this address is refused (DNS rebinding)."""
        if self.headers.get_all("Host") == [self.server.origin.removeprefix("http://")]:
            return True
        self._respond(421, "text/plain", b"this host name is not served; open the printed address")
        return False

    def _has_cookie(self) -> bool:
        jar = SimpleCookie(self.headers.get("Cookie", ""))
        given = jar[COOKIE].value if COOKIE in jar else ""
        return hmac.compare_digest(given.encode(), self.server.cookie.encode())

    def _enter(self, key: str) -> None:
        """Exchange the one-time key for the cookie."""
        if not self.server.entry or not hmac.compare_digest(key.encode(), self.server.entry.encode()):
            self._respond(
                403, "text/plain", b"this address was already used; start `uiap approve --web` again"
            )
            return
        self.server.entry = ""
        self._redirect("/", f"{COOKIE}={self.server.cookie}; HttpOnly; SameSite=Strict; Path=/")

    # -- responses -------------------------------------------------------------------------------------------

    def _redirect(self, to: str, cookie: str | None = None) -> None:
        self.send_response(303)
        self.send_header("Location", to)
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self._end(b"")

    def _respond(self, status: int, kind: str, body: bytes, nonce: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        own = f"script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; " if nonce else ""
        self.send_header(
            "Content-Security-Policy",
            f"default-src 'none'; {own}img-src 'self'; connect-src 'self'; form-action 'self'; "
            "base-uri 'none'; frame-ancestors 'none'",
        )
        self._end(body)

    def _end(self, body: bytes) -> None:
        for name, value in (
            ("X-Frame-Options", "DENY"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
            ("Content-Length", str(len(body))),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because addresses hold keys."""


class ApprovalServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, session: str, port: int = 0) -> None:
        self.approver = Approver(session)
        super().__init__(("127.0.0.1", port), ApprovalRequestHandler)
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        self.entry, self.cookie, self.form_key = (secrets.token_urlsafe(32) for _ in range(3))

    def is_connected(self) -> bool:
        """Return whether the session still answers; it may have been opened again."""
        try:
            self.approver.pending()
        except (OSError, RequestRefused, SessionNotOpen):
            self.shutdown()
            self.server_close()
            return False
        return True

    @property
    def address(self) -> str:
        """The one-time address for the person's browser."""
        return f"{self.origin}/enter?key={self.entry}"


class ApprovalAddresses:
    """Serves the approval page in a thread for as long as this process runs, for a client that opens addresses."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._server: ApprovalServer | None = None

    def __call__(self) -> str:
        """Return an address of the page that works once."""
        if self._server is None or not self._server.is_connected():
            self._server = ApprovalServer(self._session)
            Thread(target=self._server.serve_forever, daemon=True).start()
        self._server.entry = secrets.token_urlsafe(32)
        return self._server.address


def serve(session: str, port: int = 0) -> int:
    with ApprovalServer(session, port) as server:
        print(f"open this in your own browser: {server.address}", flush=True)
        print("(the address works once; stop with Ctrl-C)", file=sys.stderr, flush=True)
        try:
            server.serve_forever()
        except (KeyboardInterrupt, SessionNotOpen):
            return 0
    return 0
