"""Addresses of peers: loopback checks, TLS for tokens, and listening sockets."""

from __future__ import annotations

import errno
import os
import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from uiap.errors import Unavailable

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Return whether `host` is `localhost` or a loopback address."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def require_safe_token(url: str, token: str | None) -> None:
    """Raise Unavailable if the token would leave this machine without TLS."""
    parts = urlsplit(url)
    if token and parts.scheme in ("ws", "http") and not is_loopback(parts.hostname or ""):
        raise Unavailable(f"will not send a token to `{url}` without TLS; use wss:// or https://")


def listening_socket(host: str, port: int, backlog: int = 2048) -> socket.socket:
    """Return a bound TCP socket; raise Unavailable if the port is in use."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only on sockets created with IPPROTO_TCP; without it every second small write
    # waits 40 ms for an acknowledgement
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # on other systems the option lets two servers share the port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(backlog)
    except OSError as failed:
        sock.close()
        if failed.errno == errno.EADDRINUSE:
            raise Unavailable(f"port `{port}` on `{host}` is in use; choose another port") from None
        raise Unavailable(f"cannot listen on `{host}:{port}`: {failed.strerror or failed}") from None
    return sock
