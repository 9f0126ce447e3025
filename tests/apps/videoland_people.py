"""HTTP clients with an identity in Videoland."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from apps.videoland import Server


def visitor(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.url, timeout=30, trust_env=False)


@contextmanager
def signed_in(server: Server, role: str = "admin", password: str = "videoland") -> Iterator[httpx.Client]:
    with visitor(server) as client:
        answer = client.post(
            "/api/session", json={"email": f"{role}@videoland.example", "password": password}
        )
        assert answer.status_code == 200, answer.text
        yield client


def truth(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/__truth").json()
    return found


def writes(client: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/__writes").json()["writes"]
    return found


def effects(client: httpx.Client) -> list[str]:
    """Return the effects on data and the outside, in order, without sessions."""
    return [one["effect"] for one in writes(client) if one["kind"] != "session"]
