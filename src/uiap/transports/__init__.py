"""Transports carry text between two participants; the protocol package decides what the text means.

Import `memory`, `websocket` (ws@0.1), `stdio` (newline JSON) and `http` (http@0.1, with Server-Sent Events) by name,
because each loads its own libraries. `asgi` serves WebSocket and HTTP and needs `uiap[server]`.
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
