"""The health of a worker, as a probe sees it."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request

import click
import pytest

from uiap.cli import worker_health
from uiap.cli.worker_health import listen_address, serving_health


def status(port: int, path: str = "/health", method: str = "GET") -> int:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


async def test_a_probe_gets_200_while_the_database_is_reachable_and_503_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_health, "CHECK_S", 0.05)
    answers: list[bool | Exception | None] = [True, False, OSError("gone"), None]

    async def check() -> bool:
        answer = answers.pop(0)
        if answer is None:
            await asyncio.Event().wait()
        if isinstance(answer, Exception):
            raise answer
        return bool(answer)

    async with serving_health(("127.0.0.1", 0), check) as port:
        assert [await asyncio.to_thread(status, port) for _ in range(4)] == [200, 503, 503, 503]
        assert await asyncio.to_thread(status, port, "/") == 404
        assert await asyncio.to_thread(status, port, "/health", "POST") == 405


def test_an_address_is_a_port_or_a_host_and_a_port() -> None:
    assert listen_address("8800") == ("127.0.0.1", 8800)
    assert listen_address("0.0.0.0:8800") == ("0.0.0.0", 8800)
    with pytest.raises(click.BadParameter):
        listen_address("health")
