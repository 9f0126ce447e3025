"""Transports move text between two participants and know nothing of what it means.

`memory`, `websocket` (ws@0.1), `stdio` (newline JSON) and `http` (http@0.1, with Server-Sent Events) are
imported by name, because each costs its own libraries; `asgi` serves the last two and needs `uiap[server]`.
"""

from uiap.transports.transport import (
    MAX_MESSAGE_BYTES,
    Accept,
    AdmissionGranted,
    AdmissionRefused,
    Admit,
    Listener,
    Peer,
    Transport,
    TransportClosed,
)

__all__ = [
    "MAX_MESSAGE_BYTES",
    "Accept",
    "AdmissionGranted",
    "AdmissionRefused",
    "Admit",
    "Listener",
    "Peer",
    "Transport",
    "TransportClosed",
]
