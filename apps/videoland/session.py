"""The identity of a request: a signed cookie, so that neither opening a page nor `?as=` writes on the server."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

if TYPE_CHECKING:
    from apps.videoland.store import Store


@dataclass(frozen=True)
class User:
    email: str
    name: str
    role: str
    job: str

    @property
    def is_admin(self) -> bool:
        return self.role == "admin"


class Sessions:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._key = secrets.token_bytes(32)

    def user(self, request: Request) -> User | None:
        who, _, signature = request.cookies.get(_cookie(request), "").partition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(who).encode()):
            return None
        return self.account(bytes.fromhex(who).decode())

    def account(self, email: str) -> User | None:
        row = self._store.one(
            "SELECT email, name, role, job FROM accounts WHERE email = ? AND NOT deleted", email
        )
        return None if row is None else User(**row)

    def open(self, request: Request, response: Response, email: str) -> None:
        who = email.encode().hex()  # hex, because `@` would need quotes in a cookie
        token = f"{who}.{self._sign(who)}"
        response.set_cookie(_cookie(request), token, httponly=True, samesite="lax", max_age=86_400)

    def close(self, request: Request, response: Response) -> None:
        response.delete_cookie(_cookie(request), httponly=True, samesite="lax")

    def _sign(self, who: str) -> str:
        return hmac.new(self._key, who.encode(), hashlib.sha256).hexdigest()


def _cookie(request: Request) -> str:
    # Cookies ignore the port, so two Videolands in one browser must not share a name.
    return f"videoland_{request.url.port or 80}"
