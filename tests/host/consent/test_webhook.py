"""The webhook: questions are signed, and an answer counts only with the answerer's key, once, and in time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec
import pytest

from tests.attack.stage import Stage, open_stage
from uiap.drivers.scripted.app import Widget
from uiap.errors import Unavailable
from uiap.host.consent.grant_signature import sign_denial, sign_grant
from uiap.host.consent.webhook import attach_webhook, configured_address, signature
from uiap.spec.policy import PolicyDocument

KEY, ANSWER_KEY = "k" * 32, "a" * 32
SAVE = Widget("save", "button", "Save", stable_id="draft.save")
HttpAnswer = tuple[int, Any]
Decide = Callable[[dict[str, Any], int], HttpAnswer]


class ApprovalServer:
    """An approval server on loopback. `decide` gets each question and the number of requests so far."""

    def __init__(self, decide: Decide) -> None:
        self.seen: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.bodies.append(body)
                outer.headers.append(dict(self.headers))
                outer.seen.append(msgspec.json.decode(body))
                status, said = decide(outer.seen[-1].get("question", {}), len(outer.seen))
                data = said if isinstance(said, bytes) else msgspec.json.encode(said)
                self.send_response(status)
                if status == 307:
                    self.send_header("Location", "http://127.0.0.1:9/elsewhere")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def environ(self) -> dict[str, str]:
        url = f"http://127.0.0.1:{self.server.server_address[1]}/questions"
        return {
            "UIAP_WEBHOOK": url,
            "UIAP_WEBHOOK_KEY": KEY,
            "UIAP_WEBHOOK_ANSWER_KEY": ANSWER_KEY,
            "UIAP_WEBHOOK_PERSON": "operator",
        }


@contextmanager
def approval_server(decide: Decide) -> Iterator[ApprovalServer]:
    server = ApprovalServer(decide)
    thread = threading.Thread(target=server.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.server.shutdown()
        thread.join()
        server.server.server_close()


def grants(question: dict[str, Any], _times: int) -> HttpAnswer:
    return 200, {"answer": "grant", "token": sign_grant(ANSWER_KEY, question["bond"])}


def attached(stage: Stage, environ: dict[str, str]) -> None:
    attach_webhook(
        stage.services.actions.approvals, stage.services.clock, environ, stage.services.actions.obligations
    )


async def until(stage: Stage, kind: str) -> str:
    """Wait for the first audit record of this kind and return its reason."""
    async with asyncio.timeout(20):
        while not (found := [e.reason for e in stage.audit_entries if e.kind == kind]):
            await asyncio.sleep(0.005)
    return found[0]


@pytest.mark.requirement("ACT-5.3", "ACT-5.4", "ACT-SEC.2")
async def test_a_signed_answer_to_a_signed_question_lets_the_action_continue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("uiap.host.consent.webhook.RETRY_S", 0.01)
    with approval_server(
        lambda question, times: grants(question, times) if times > 1 else (202, {})
    ) as there:
        async with open_stage(SAVE) as stage:
            attached(stage, there.environ)
            result = await stage.press("Save")
            assert result.status == "succeeded"
            assert [e.by for e in stage.audit_entries if e.kind == "granted"] == ["operator"]
        question = there.seen[0]["question"]
        assert question["request"]["preview"]["summary"] == "activate the button “Save”"
        headers, body = there.headers[0], there.bodies[0]
        wanted = signature(KEY, headers["UIAP-Timestamp"], body)
        assert headers["UIAP-Signature"] == f"hmac-sha256={wanted}"
        assert KEY.encode() not in body and ANSWER_KEY.encode() not in body


@pytest.mark.requirement("ACT-SEC.2")
@pytest.mark.parametrize(
    ("token", "why"),
    [
        (lambda bond: sign_grant(KEY, bond), "forged"),
        (lambda bond: f"{bond}.{'0' * 64}", "forged"),
        (lambda bond: sign_grant(ANSWER_KEY, "0" * 64), "for something else"),
        (lambda bond: sign_denial(ANSWER_KEY, bond), "for something else"),
    ],
    ids=["our own key", "no key", "another question", "a no as a yes"],
)
async def test_an_answer_without_a_valid_signature_grants_nothing(
    token: Callable[[str], str], why: str
) -> None:
    with approval_server(lambda q, _: (200, {"answer": "grant", "token": token(q["bond"])})) as there:
        async with open_stage(SAVE) as stage:
            attached(stage, there.environ)
            pressed = stage.press("Save")
            assert why in await until(stage, "grant_rejected")
            assert not pressed.done() and stage.performed == []
            (one,) = await stage.pending()
            await stage.person.deny(one.action_handle)
            await pressed


async def test_an_answer_is_valid_once_and_only_for_its_own_question() -> None:
    kept: list[str] = []

    def decide(question: dict[str, Any], times: int) -> HttpAnswer:
        if times == 1:
            kept.append(sign_grant(ANSWER_KEY, question["bond"]))
        return 200, {"answer": "grant", "token": kept[0]}

    with approval_server(decide) as there:
        async with open_stage(SAVE) as stage:
            attached(stage, there.environ)
            assert (await stage.press("Save")).status == "succeeded"
            again = stage.press("Save")
            assert "for something else" in await until(stage, "grant_rejected")
            assert stage.performed == ["click"]
            (one,) = await stage.pending()
            await stage.person.deny(one.action_handle)
            await again


@pytest.mark.requirement("ACT-5.5")
async def test_only_a_signed_denial_ends_the_action() -> None:
    with approval_server(
        lambda q, _: (
            200,
            {"answer": "deny", "token": sign_denial(ANSWER_KEY, q["bond"]), "reason": "not today"},
        )
    ) as there:
        async with open_stage(SAVE) as stage:
            attached(stage, there.environ)
            result = await stage.press("Save")
            assert (result.status, result.error.code) == ("cancelled", "confirmation_denied")
            assert stage.performed == []
    with approval_server(
        lambda q, _: (200, {"answer": "deny", "token": sign_denial(KEY, q["bond"])})
    ) as there:
        async with open_stage(SAVE) as stage:
            attached(stage, there.environ)
            pressed = stage.press("Save")
            assert await until(stage, "grant_rejected") == "the denial is forged"
            (one,) = await stage.pending()
            await stage.person.grant(one.action_handle)
            assert (await pressed).status == "succeeded"


@pytest.mark.parametrize(
    "said",
    [(307, {}), (500, {}), (200, b"yes"), (200, b"x" * 70_000)],
    ids=["redirect", "500", "odd", "long"],
)
async def test_an_invalid_answer_leaves_the_question_open_and_is_audited(said: HttpAnswer) -> None:
    with approval_server(lambda *_: said) as there:
        async with open_stage(SAVE) as stage:
            attached(stage, there.environ)
            pressed = stage.press("Save")
            assert "the webhook failed" in await until(stage, "unanswered")
            (one,) = await stage.pending()
            await stage.person.deny(one.action_handle)
            assert (await pressed).status == "cancelled"


async def test_no_answer_is_awaited_after_the_question_expired() -> None:
    hasty = {"modelVersion": "0.1", "id": "p", "defaults": {"confirmationTimeoutMs": 150}}
    held = threading.Event()

    def slow(question: dict[str, Any], times: int) -> HttpAnswer:
        held.wait(20)
        return grants(question, times)

    with approval_server(slow) as there:
        async with open_stage(SAVE, rules=(msgspec.convert(hasty, PolicyDocument),)) as stage:
            attached(stage, there.environ)
            result = await stage.press("Save")
            assert (result.status, result.error.detail["reason"]) == ("cancelled", "timeout")
            assert await until(stage, "unanswered") == "nobody answered in time"
            held.set()
            assert stage.performed == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"UIAP_WEBHOOK": "http://ops.example/q"}, "must use https"),
        ({"UIAP_WEBHOOK": "https://me:secret@ops.example/q"}, "without a password"),
        ({"UIAP_WEBHOOK": "file:///etc/passwd"}, "is not a URL"),
        ({"UIAP_WEBHOOK_KEY": "short"}, "16 characters"),
        ({"UIAP_WEBHOOK_ANSWER_KEY": KEY}, "different keys"),
    ],
)
def test_an_unsafe_webhook_address_is_refused(change: dict[str, str], why: str) -> None:
    good = {
        "UIAP_WEBHOOK": "https://ops.example/q",
        "UIAP_WEBHOOK_KEY": KEY,
        "UIAP_WEBHOOK_ANSWER_KEY": ANSWER_KEY,
    }
    assert configured_address(good) is not None
    assert configured_address({}) is None
    with pytest.raises(Unavailable) as refused:
        configured_address(good | change)
    assert why in refused.value.message
    assert KEY not in refused.value.message


async def test_a_rule_can_notify_the_webhook() -> None:
    rule = {
        "id": "r",
        "match": {},
        "effect": "allow",
        "obligations": [{"kind": "notify", "channel": "webhook"}],
    }
    document = {"modelVersion": "0.1", "id": "p", "defaults": {}, "rules": [rule]}
    arrived = threading.Event()

    def decide(_question: object, _times: int) -> HttpAnswer:
        arrived.set()
        return 200, {}

    with approval_server(decide) as there:
        async with open_stage(SAVE, rules=(msgspec.convert(document, PolicyDocument),)) as stage:
            attached(stage, there.environ)
            assert (await stage.press("Save")).status == "succeeded"
            assert await asyncio.to_thread(arrived.wait, 20)
        assert there.seen[0]["kind"] == "uiap.notification"
        assert there.seen[0]["told"]["target"] == "draft.save"
