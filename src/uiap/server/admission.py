"""Admission of HTTP and WebSocket requests: the exact Host, an allowed Origin, and a token, in that order.

Every page the user opens can reach a server on loopback. So names are compared as a whole, never by prefix or suffix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from uiap.server.tokens import Tokens
from uiap.transports.address import LOOPBACK_NAMES
from uiap.transports.transport import AdmissionGranted, AdmissionRefused

DEFAULT_PORTS = {"http": 80, "https": 443}


class RequestAdmission:
    """An `Admit` for the transports. Set `port` once the listener has started."""

    def __init__(
        self,
        tokens: Tokens | None,
        *,
        names: Iterable[str] = LOOPBACK_NAMES,
        origins: Iterable[str] = (),
        scheme: str = "http",
        open_paths: Iterable[str] = (),
    ) -> None:
        self._tokens, self._scheme = tokens, scheme
        self._names = tuple(name.lower() for name in names)
        self._origins = frozenset(origin.lower() for origin in origins)
        self._open_paths = frozenset(open_paths)
        self.port = 0
        self.refused = 0

    def __call__(
        self, headers: Mapping[str, str], path: str, client: str
    ) -> AdmissionGranted | AdmissionRefused:
        verdict = self._check_host(headers) or self._check_token(headers, path)
        if isinstance(verdict, AdmissionRefused):
            self.refused += 1
        return verdict

    def _check_host(self, headers: Mapping[str, str]) -> AdmissionRefused | None:
        host = headers.get("host", "").lower()
        if host not in self._hosts():
            return AdmissionRefused(403, "forbidden", "the Host header does not name this server")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._origins | {f"{self._scheme}://{host}"}:
            return AdmissionRefused(403, "forbidden", "pages of another origin may not use this server")
        if origin is None and headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return AdmissionRefused(403, "forbidden", "pages of other sites may not use this server")
        return None

    def _hosts(self) -> set[str]:
        hosts = {f"{name}:{self.port}" for name in self._names}
        # a name that is not loopback may be served by a proxy on the default port
        return hosts | {
            n for n in self._names if n not in LOOPBACK_NAMES or self.port == DEFAULT_PORTS[self._scheme]
        }

    def _check_token(self, headers: Mapping[str, str], path: str) -> AdmissionGranted | AdmissionRefused:
        if self._tokens is None or path in self._open_paths:
            return AdmissionGranted()
        scheme, _, token = headers.get("authorization", "").partition(" ")
        holder = self._tokens.holder_of(token.strip()) if scheme.lower() == "bearer" else None
        if holder is None:
            return AdmissionRefused(
                401, "unauthorized", "send a token of this server: `Authorization: Bearer …`"
            )
        return AdmissionGranted(holder.principal)
