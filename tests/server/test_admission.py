"""Who is let in, by exact Host, own Origin and token (robustness P9, P10): decided before any path is looked at."""

from __future__ import annotations

import pytest

from tests.server.conftest import AGENT, PERSON
from tests.transports.test_admission import HOSTS, ORIGINS
from uiap.server.admission import RequestAdmission
from uiap.server.tokens import Tokens
from uiap.transports.transport import AdmissionGranted, AdmissionRefused

PORT = 8930


@pytest.fixture
def knock(tokens: Tokens) -> RequestAdmission:
    made = RequestAdmission(tokens, open_paths=("/health",))
    made.port = PORT
    return made


def ask(
    knock: RequestAdmission, path: str = "/uiap/ws", **headers: str
) -> AdmissionGranted | AdmissionRefused:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return knock(named, path, "127.0.0.1:1")


@pytest.mark.parametrize(
    "path", ["/uiap/ws", "/uiap/sessions", "/uiap/sessions/x/events", "/metrics", "/health"]
)
@pytest.mark.parametrize("host", HOSTS)
def test_every_other_host_is_refused_on_every_path_with_any_token(
    knock: RequestAdmission, host: str, path: str
):
    told = host.format(port=PORT, other=PORT + 1)
    verdict = ask(knock, path, host=told, authorization=f"Bearer {AGENT}")
    assert isinstance(verdict, AdmissionRefused)
    assert verdict.status == 403
    assert told == "" or told not in verdict.message  # nothing a caller sent is said back


@pytest.mark.parametrize("origin", ORIGINS)
def test_every_other_origin_is_refused(knock: RequestAdmission, origin: str):
    told = origin.format(port=PORT, other=PORT + 1)
    verdict = ask(knock, host=f"127.0.0.1:{PORT}", origin=told, authorization=f"Bearer {AGENT}")
    assert isinstance(verdict, AdmissionRefused)
    assert verdict.status == 403


def test_a_token_stands_for_its_principal_and_nothing_else_does(knock: RequestAdmission):
    host = f"localhost:{PORT}"
    assert ask(knock, host=host, authorization=f"Bearer {AGENT}") == AdmissionGranted("bot")
    assert ask(knock, host=host, authorization=f"bearer {PERSON}") == AdmissionGranted("ann")
    for wrong in (
        "",
        "Bearer",
        "Bearer ",
        f"Basic {AGENT}",
        AGENT,
        f"Bearer {AGENT}x",
        f"Bearer {AGENT} x",
        "Bearer \0",
    ):
        verdict = ask(knock, host=host, authorization=wrong)
        assert isinstance(verdict, AdmissionRefused), wrong
        assert (verdict.status, verdict.code) == (401, "unauthorized")
    assert knock.refused == 8


def test_health_is_open_and_only_that(knock: RequestAdmission):
    host = f"127.0.0.1:{PORT}"
    assert ask(knock, "/health", host=host) == AdmissionGranted()
    for path in ("/health/", "/Health", "//health", "/metrics"):
        assert isinstance(ask(knock, path, host=host), AdmissionRefused)


def test_names_and_origins_are_let_in_as_they_were_given(tokens: Tokens):
    knock = RequestAdmission(
        tokens, names=("ui.example.org",), origins=("https://studio.example.org",), scheme="https"
    )
    knock.port = 8443
    token = f"Bearer {AGENT}"
    for host in ("ui.example.org", "ui.example.org:8443", "UI.example.org"):
        assert ask(knock, host=host, authorization=token) == AdmissionGranted("bot")
    for host in ("ui.example.org:80", "127.0.0.1:8443", "x.ui.example.org", "ui.example.org.evil"):
        assert isinstance(ask(knock, host=host, authorization=token), AdmissionRefused)
    origin = "https://studio.example.org"
    assert ask(knock, host="ui.example.org", origin=origin, authorization=token) == AdmissionGranted("bot")
