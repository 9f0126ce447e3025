"""Who may knock: the admission that stands before every path when nothing stronger is given.

A server on loopback is reachable from every page the user opens (DNS rebinding, robustness P9), so the Host
must be ours to the letter and a browser's Origin must be the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from uiap.transports.address import LOOPBACK_NAMES
from uiap.transports.transport import AdmissionGranted, AdmissionRefused, Admit

SINGLE_HEADERS = (b"host", b"origin", b"authorization", b"last-event-id", b"content-length")
DEFAULT_PORTS = {"http": 80, "https": 443}


def repeated_header(raw: Iterable[tuple[bytes, bytes]]) -> AdmissionRefused | None:
    """Two Hosts mean that two readers can see two requests: refuse before choosing one."""
    seen: set[bytes] = set()
    for name, _ in raw:
        if name in SINGLE_HEADERS and name in seen:
            return AdmissionRefused(
                403, "forbidden", f"the header `{name.decode()}` is repeated; send it once"
            )
        seen.add(name)
    return None


def loopback_only(port: int, *, scheme: str = "http") -> Admit:
    """Admit those who address this very server by a loopback name, and pages that it served itself."""
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
