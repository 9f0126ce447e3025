"""The default admission check of a server: loopback names only.

Every page the user opens can reach a server on loopback, also by DNS rebinding. So the Host header must match exactly,
and the Origin header of a browser must be this server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from uiap.transports.address import LOOPBACK_NAMES
from uiap.transports.transport import AdmissionGranted, AdmissionRefused, Admit

SINGLE_HEADERS = (b"host", b"origin", b"authorization", b"last-event-id", b"content-length")
DEFAULT_PORTS = {"http": 80, "https": 443}


def repeated_header(raw: Iterable[tuple[bytes, bytes]]) -> AdmissionRefused | None:
    """Refuse a request that repeats a header such as Host, because two parsers may choose different values."""
    seen: set[bytes] = set()
    for name, _ in raw:
        if name in SINGLE_HEADERS and name in seen:
            return AdmissionRefused(
                403, "forbidden", f"the header `{name.decode()}` is repeated; send it once"
            )
        seen.add(name)
    return None


def loopback_only(port: int, *, scheme: str = "http") -> Admit:
    """Return a check that admits requests to a loopback name and port of this server, and its own pages."""
    hosts = {f"{name}:{port}" for name in LOOPBACK_NAMES}
    if DEFAULT_PORTS[scheme] == port:
        hosts.update(LOOPBACK_NAMES)

    def admit(headers: Mapping[str, str], path: str, client: str) -> AdmissionGranted | AdmissionRefused:
        host = headers.get("host", "").lower()
        if host not in hosts:
            return AdmissionRefused(
                403, "forbidden", f"this server is not `{host}`; address it as 127.0.0.1:{port}"
            )
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"{scheme}://{host}":
            return AdmissionRefused(403, "forbidden", f"pages of `{origin}` may not use this server")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return AdmissionRefused(403, "forbidden", "pages of other sites may not use this server")
        return AdmissionGranted()

    return admit
