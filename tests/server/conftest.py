"""Tokens, settings and an application for tests that run a real server in their own event loop."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.videoland import Server, Settings, serving
from uiap import settings
from uiap.server.tokens import TokenHolder, Tokens, digest_of

LOCAL = ("localhost",)
"""The test applications run on this machine."""
AGENT, OTHER, PERSON = "agent-token-0123456789", "other-token-0123456789", "person-token-0123456789"


@pytest.fixture(scope="module")
def videoland() -> Iterator[Server]:
    with serving(Settings(rows=10, truth=True, auto_login=True)) as server:
        yield server


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Iterator[settings.Settings]:
    with tempfile.TemporaryDirectory(prefix="uiap-") as home:
        monkeypatch.setenv("UIAP_HOME", home)
        yield settings.read()


@pytest.fixture
def tokens() -> Tokens:
    return Tokens(
        [
            TokenHolder(sha256=digest_of(AGENT), principal="bot"),
            TokenHolder(sha256=digest_of(OTHER), principal="rival"),
            TokenHolder(sha256=digest_of(PERSON), principal="ann", type="user", answers_for=("bot",)),
        ]
    )


def token_file(folder: Path) -> Path:
    file = folder / "tokens.json"
    holders = [
        f'{{"sha256": "{digest_of(AGENT)}", "principal": "bot"}}',
        f'{{"sha256": "{digest_of(PERSON)}", "principal": "ann", "type": "user", "answersFor": ["bot"]}}',
    ]
    file.write_text('{"tokens": [' + ", ".join(holders) + "]}")
    file.chmod(0o600)
    return file
