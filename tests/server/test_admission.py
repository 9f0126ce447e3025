"""Admission by exact Host, allowed Origin and token, before any path is served."""

from __future__ import annotations

import pytest

from tests.server.conftest import AGENT, PERSON
from tests.transports.test_admission import HOSTS, ORIGINS
from uiap.server.admission import RequestAdmission
from uiap.server.tokens import Tokens
from uiap.transports.transport import AdmissionGranted, AdmissionRefused

PORT = 8930


@pytest.fixture
def admission(tokens: Tokens) -> RequestAdmission:
    admission = RequestAdmission(tokens, open_paths=("/health",))
    admission.port = PORT
    return admission


def ask(
    admission: RequestAdmission, path: str = "/uiap/ws", **headers: str
) -> AdmissionGranted | AdmissionRefused:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return admission(named, path, "127.0.0.1:1")


@pytest.mark.parametrize(
    "path", ["/uiap/ws", "/uiap/sessions", "/uiap/sessions/x/events", "/metrics", "/health"]
)
@pytest.mark.parametrize("host", HOSTS)
def test_another_host_is_refused_on_every_path_even_with_a_token(
    admission: RequestAdmission, host: str, path: str
):
    sent = host.format(port=PORT, other=PORT + 1)
    verdict = ask(admission, path, host=sent, authorization=f"Bearer {AGENT}")
    assert isinstance(verdict, AdmissionRefused)
    assert verdict.status == 403
    assert sent == "" or sent not in verdict.message  # the answer repeats nothing that the client sent


@pytest.mark.parametrize("origin", ORIGINS)
def test_another_origin_is_refused(admission: RequestAdmission, origin: str):
    sent = origin.format(port=PORT, other=PORT + 1)
    verdict = ask(admission, host=f"127.0.0.1:{PORT}", origin=sent, authorization=f"Bearer {AGENT}")
    assert isinstance(verdict, AdmissionRefused)
    assert verdict.status == 403


def test_only_a_valid_token_admits_its_principal(admission: RequestAdmission):
    host = f"localhost:{PORT}"
    assert ask(admission, host=host, authorization=f"Bearer {AGENT}") == AdmissionGranted("bot")
    assert ask(admission, host=host, authorization=f"bearer {PERSON}") == AdmissionGranted("ann")
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
        verdict = ask(admission, host=host, authorization=wrong)
        assert isinstance(verdict, AdmissionRefused), wrong
        assert (verdict.status, verdict.code) == (401, "unauthorized")
    assert admission.refused == 8


def test_only_health_needs_no_token(admission: RequestAdmission):
    host = f"127.0.0.1:{PORT}"
    assert ask(admission, "/health", host=host) == AdmissionGranted()
    for path in ("/health/", "/Health", "//health", "/metrics"):
        assert isinstance(ask(admission, path, host=host), AdmissionRefused)


def test_only_the_configured_names_and_origins_are_admitted(tokens: Tokens):
    admission = RequestAdmission(
        tokens, names=("ui.example.org",), origins=("https://studio.example.org",), scheme="https"
    )
    admission.port = 8443
    token = f"Bearer {AGENT}"
    for host in ("ui.example.org", "ui.example.org:8443", "UI.example.org"):
        assert ask(admission, host=host, authorization=token) == AdmissionGranted("bot")
    for host in ("ui.example.org:80", "127.0.0.1:8443", "x.ui.example.org", "ui.example.org.evil"):
        assert isinstance(ask(admission, host=host, authorization=token), AdmissionRefused)
    origin = "https://studio.example.org"
    assert ask(admission, host="ui.example.org", origin=origin, authorization=token) == AdmissionGranted(
        "bot"
    )
