"""`uiap approve --web`: what waits for a person, on a page of their own browser. Standard library alone.

The page is not the application's: it is served on loopback, opened by a one-time address that only the person's
terminal shows, may not be framed, runs no script but its own, and signs exactly the question it showed.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
import sys
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from uiap.cli.approval_html import page, shown_ids
from uiap.cli.approve import approver_client, deny, grant, list_pending
from uiap.cli.socket_client import RequestRefused, SessionNotOpen

COOKIE = "uiap_person"
MAX_FORM = 16_384


class Approver:
    """The person's own line to the session, one question at a time."""

    def __init__(self, session: str) -> None:
        self._session, self._lock = session, Lock()
        self._wire, self._secret = approver_client(session)

    def waiting(self) -> list[dict[str, Any]]:
        return self.everything()[0]

    def everything(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Questions to answer, and steps to do."""
        with self._lock:
            found = list_pending(self._wire)
            return found.get("details", []), found.get("handoffs", [])

    def hand_back(self, handle: str, outcome: str) -> None:
        with self._lock:
            self._wire.ask("x.uiap.tools.handoff.end", {"actionHandle": handle, "outcome": outcome})

    def answer(self, handle: str, bond: str, *, yes: bool) -> None:
        """`bond` comes from the page that was looked at: if the question changed since, the session refuses."""
        one = {"actionHandle": handle, "bond": bond}
        with self._lock:
            if yes:
                grant(self._wire, self._secret, one)
            else:
                deny(self._wire, one, "denied on the approval page")

    def picture(self) -> bytes:
        with self._lock:
            shot = self._wire.ask("x.uiap.tools.capture", {})["payload"]
            return base64.b64decode(shot["data"])


class ApprovalRequestHandler(BaseHTTPRequestHandler):
    server: ApprovalServer
    server_version, sys_version = "uiap", ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if not self._host_fits():
            return
        asked = urlsplit(self.path)
        if asked.path == "/enter":
            self._enter(parse_qs(asked.query).get("key", [""])[0])
        elif not self._known():
            self._say(403, "text/plain", b"open the address that `uiap approve --web` printed")
        elif asked.path == "/":
            nonce = secrets.token_urlsafe(16)
            waiting, handoffs = self.server.person.everything()
            text = page(waiting, form_key=self.server.form_key, nonce=nonce, handoffs=handoffs)
            self._say(200, "text/html; charset=utf-8", text.encode(), nonce)
        elif asked.path == "/state":
            shown = shown_ids(*self.server.person.everything())
            self._say(200, "application/json", json.dumps(shown).encode())
        elif asked.path == "/picture":
            self._say(200, "image/png", self.server.person.picture())
        else:
            self._say(404, "text/plain", b"nothing here")

    def do_POST(self) -> None:
        if not self._host_fits():
            return
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(min(length, MAX_FORM)).decode(errors="replace")
        form = {name: values[0] for name, values in parse_qs(body).items()}
        same = hmac.compare_digest(form.get("key", "").encode(), self.server.form_key.encode())
        if not self._known() or self.headers.get("Origin") != self.server.origin or not same:
            self._say(403, "text/plain", b"this answer did not come from the approval page")
            return
        handle, answer = form.get("handle", ""), form.get("answer", "")
        try:
            if answer in ("done", "declined"):
                self.server.person.hand_back(handle, answer)
            else:
                self.server.person.answer(handle, form.get("bond", ""), yes=answer == "grant")
        except RequestRefused as refused:
            self._say(
                409, "text/plain; charset=utf-8", f"not counted: {refused}; go back and look again".encode()
            )
            return
        self._redirect("/")

    # -- who is asking --------------------------------------------------------------------------------------

    def _host_fits(self) -> bool:
        """P9: exactly our own name, else somebody points a foreign name at this address."""
        if self.headers.get_all("Host") == [self.server.origin.removeprefix("http://")]:
            return True
        self._say(421, "text/plain", b"not served under this name")
        return False

    def _known(self) -> bool:
        jar = SimpleCookie(self.headers.get("Cookie", ""))
        given = jar[COOKIE].value if COOKIE in jar else ""
        return hmac.compare_digest(given.encode(), self.server.cookie.encode())

    def _enter(self, key: str) -> None:
        """The address works once; from then on the cookie is the proof."""
        if not self.server.entry or not hmac.compare_digest(key.encode(), self.server.entry.encode()):
            self._say(403, "text/plain", b"this address was used already; start `uiap approve --web` again")
            return
        self.server.entry = ""
        self._redirect("/", f"{COOKIE}={self.server.cookie}; HttpOnly; SameSite=Strict; Path=/")

    # -- answers --------------------------------------------------------------------------------------------

    def _redirect(self, to: str, cookie: str | None = None) -> None:
        self.send_response(303)
        self.send_header("Location", to)
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self._end(b"")

    def _say(self, status: int, kind: str, body: bytes, nonce: str = "") -> None:
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
        """Addresses hold keys: nothing is logged."""


class ApprovalServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, session: str, port: int = 0) -> None:
        self.person = Approver(session)
        super().__init__(("127.0.0.1", port), ApprovalRequestHandler)
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        self.entry, self.cookie, self.form_key = (secrets.token_urlsafe(32) for _ in range(3))

    @property
    def address(self) -> str:
        """To be opened once, by the person."""
        return f"{self.origin}/enter?key={self.entry}"


def serve(session: str, port: int = 0) -> int:
    with ApprovalServer(session, port) as server:
        print(f"open this in your own browser: {server.address}", flush=True)
        print("(it works once; Ctrl-C ends it)", file=sys.stderr, flush=True)
        try:
            server.serve_forever()
        except (KeyboardInterrupt, SessionNotOpen):
            return 0
    return 0
