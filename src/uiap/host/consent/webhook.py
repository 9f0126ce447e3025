"""Asks a person through a webhook: sends a signed question to one configured URL and checks the signed answer.

The question is signed with our key. An answer counts only with a token under the answerer's own key for the same
digest, so it cannot be forged, reused or applied to another question. The server replies once a person has decided, or
replies 202 and is polled. This module opens no port and follows no redirect.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
import msgspec

from uiap.errors import Unavailable
from uiap.host.clock import Clock
from uiap.host.consent.approval import Approvals
from uiap.host.consent.grant_signature import is_denial_of, signed_by
from uiap.host.consent.obligations import Obligations
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.tools import PendingConfirmation

MAX_BYTES = 65_536
NOTIFY_S = 10.0
RETRY_S = 1.0
"""The pause before polling again after a 202 without `Retry-After`."""
KEY_LENGTH = 16


@dataclass(frozen=True, kw_only=True)
class WebhookAddress:
    """The URL for questions, the key that signs them, and the key that must sign answers."""

    url: str
    key: str
    answer_key: str
    person: str = "webhook"


class WebhookAnswer(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    answer: Literal["grant", "deny"]
    token: str
    reason: str = ""


def configured_address(environ: Mapping[str, str]) -> WebhookAddress | None:
    """Return the webhook in the environment (UIAP_WEBHOOK, _KEY, _ANSWER_KEY, _PERSON), or None."""
    url = environ.get("UIAP_WEBHOOK")
    if not url:
        return None
    return check_address(
        WebhookAddress(
            url=url,
            key=environ.get("UIAP_WEBHOOK_KEY", ""),
            answer_key=environ.get("UIAP_WEBHOOK_ANSWER_KEY", ""),
            person=environ.get("UIAP_WEBHOOK_PERSON") or "webhook",
        )
    )


def check_address(address: WebhookAddress) -> WebhookAddress:
    """Return the address if its URL and keys are safe. Raise Unavailable otherwise."""
    parts = urlsplit(address.url)
    if parts.username or parts.password or not parts.hostname or parts.scheme not in ("https", "http"):
        raise Unavailable("UIAP_WEBHOOK is not a URL; write https://HOST/PATH, without a password")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise Unavailable("UIAP_WEBHOOK must use https; http is allowed only for loopback addresses")
    if len(address.key) < KEY_LENGTH or len(address.answer_key) < KEY_LENGTH:
        raise Unavailable(
            f"a webhook needs UIAP_WEBHOOK_KEY and UIAP_WEBHOOK_ANSWER_KEY of at least {KEY_LENGTH} characters each"
        )
    if address.key == address.answer_key:
        raise Unavailable("questions and answers must have different keys; change UIAP_WEBHOOK_ANSWER_KEY")
    return address


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def signature(key: str, moment: str, body: bytes) -> str:
    """Return the signature of a request, over its time and its body, so that neither can be changed."""
    return hmac.digest(key.encode(), f"uiap question {moment}.".encode() + body, "sha256").hex()


class Webhook:
    """A confirmation channel that asks over HTTP. `ask` returns at once; a task waits for the answer."""

    def __init__(self, address: WebhookAddress, approvals: Approvals, clock: Clock) -> None:
        self._address, self._approvals, self._clock = address, approvals, clock
        self._principal = PolicyPrincipal(type="user", id=address.person)
        self._tasks: set[asyncio.Task[None]] = set()
        approvals.grants.register_key(address.person, address.answer_key)

    def ask(self, question: PendingConfirmation) -> None:
        self._spawn(self._ask(question))

    def notify(self, notification: dict[str, Any]) -> None:
        """Send a notification for the obligation `notify` with channel `webhook`. No answer is expected."""
        self._spawn(self._notify(notification))

    async def _notify(self, notification: dict[str, Any]) -> None:
        with suppress(TimeoutError, httpx.HTTPError, ValueError):
            async with asyncio.timeout(NOTIFY_S), self._client() as client:
                await self._post(client, {"kind": "uiap.notification", "told": notification})

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="uiap-webhook")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _ask(self, question: PendingConfirmation) -> None:
        reason = "nobody answered in time"
        with suppress(TimeoutError):
            async with asyncio.timeout(question.expires_in_ms / 1000), self._client() as client:
                try:
                    answer = await self._poll_answer(client, question)
                except (httpx.HTTPError, ValueError) as error:
                    reason = f"the webhook failed: {type(error).__name__}"
                else:
                    self._apply_answer(question, answer)
                    return
        self._approvals.audit.record(
            "unanswered", handle=question.action_handle, by=self._address.person, reason=reason
        )

    def _client(self) -> httpx.AsyncClient:
        # only the configured URL: no redirects, no proxy from the environment
        secure = self._address.url.startswith("https:")
        return httpx.AsyncClient(follow_redirects=False, trust_env=False, timeout=None, verify=secure)

    async def _poll_answer(self, client: httpx.AsyncClient, question: PendingConfirmation) -> WebhookAnswer:
        while True:
            status, pause_s, body = await self._post(
                client, {"kind": "uiap.confirmation", "question": question}
            )
            if status == 200:
                return msgspec.json.decode(body, type=WebhookAnswer)
            if status != 202:
                raise ValueError(f"status {status}")
            await asyncio.sleep(pause_s)

    async def _post(self, client: httpx.AsyncClient, message: dict[str, Any]) -> tuple[int, float, bytes]:
        moment = self._clock.now().wall
        body = msgspec.json.encode({"at": moment, **message})
        headers = {
            "Content-Type": "application/json",
            "UIAP-Timestamp": moment,
            "UIAP-Signature": f"hmac-sha256={signature(self._address.key, moment, body)}",
        }
        async with client.stream("POST", self._address.url, content=body, headers=headers) as reply:
            content = b""
            async for part in reply.aiter_bytes():
                content += part
                if len(content) > MAX_BYTES:
                    raise ValueError(f"the answer is longer than {MAX_BYTES} bytes")
        return reply.status_code, _retry_pause_s(reply.headers.get("Retry-After")), content

    def _apply_answer(self, question: PendingConfirmation, answer: WebhookAnswer) -> None:
        """Apply an answer. A denial must be signed too; otherwise anybody could stop an action."""
        if answer.answer == "grant":
            self._approvals.grant(question.action_handle, self._principal, answer.token, "webhook")
            return
        if not signed_by(self._address.answer_key, answer.token) or not is_denial_of(
            answer.token, question.bond
        ):
            self._approvals.reject_answer(
                question.action_handle, self._address.person, "webhook", "the denial is forged"
            )
            return
        self._approvals.deny_from_channel(question.action_handle, self._address.person, answer.reason or None)


def _retry_pause_s(header: Any) -> float:
    return (
        min(30.0, float(header))
        if isinstance(header, str) and header.isdigit() and header != "0"
        else RETRY_S
    )


def attach_webhook(
    approvals: Approvals, clock: Clock, environ: Mapping[str, str], obligations: Obligations | None = None
) -> None:
    """Connect the configured webhook, if any: it gets every question and the notifications that rules require."""
    address = configured_address(environ)
    if address is None:
        return
    webhook = Webhook(address, approvals, clock)
    approvals.channels.append(webhook)
    if obligations is not None:
        obligations.channels["webhook"] = webhook.notify
