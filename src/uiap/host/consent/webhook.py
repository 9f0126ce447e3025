"""Asks a person elsewhere: a signed question to one configured address, and an answer that proves who gave it.

The question is signed with our key; an answer counts only with a token under the answerer's own key, for the very bond
that was asked (`proof`), so that it can be neither made up, nor used twice, nor used for something else. The address
holds its reply until somebody decided, or says 202 and is asked again. Nothing listens here; no redirect is followed.
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
AGAIN_S = 1.0
"""How soon a 202 is asked again, unless it says itself (Retry-After)."""
KEY_LENGTH = 16


@dataclass(frozen=True, kw_only=True)
class WebhookAddress:
    """Where questions go, the key they are signed with, and whose key an answer must have."""

    url: str
    key: str
    answer_key: str
    person: str = "webhook"


class WebhookAnswer(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    answer: Literal["grant", "deny"]
    token: str
    reason: str = ""


def configured_address(environ: Mapping[str, str]) -> WebhookAddress | None:
    """UIAP_WEBHOOK, UIAP_WEBHOOK_KEY, UIAP_WEBHOOK_ANSWER_KEY, UIAP_WEBHOOK_PERSON; None where there is none."""
    url = environ.get("UIAP_WEBHOOK")
    if not url:
        return None
    return checked(
        WebhookAddress(
            url=url,
            key=environ.get("UIAP_WEBHOOK_KEY", ""),
            answer_key=environ.get("UIAP_WEBHOOK_ANSWER_KEY", ""),
            person=environ.get("UIAP_WEBHOOK_PERSON") or "webhook",
        )
    )


def checked(address: WebhookAddress) -> WebhookAddress:
    parts = urlsplit(address.url)
    if parts.username or parts.password or not parts.hostname or parts.scheme not in ("https", "http"):
        raise Unavailable("UIAP_WEBHOOK is not an address; write https://HOST/PATH, without a password")
    if parts.scheme == "http" and not _loopback(parts.hostname):
        raise Unavailable("questions go over https; http is for loopback alone")
    if len(address.key) < KEY_LENGTH or len(address.answer_key) < KEY_LENGTH:
        raise Unavailable(
            f"a webhook needs UIAP_WEBHOOK_KEY and UIAP_WEBHOOK_ANSWER_KEY, each of {KEY_LENGTH} characters or more"
        )
    if address.key == address.answer_key:
        raise Unavailable("who asks and who answers must have different keys; change UIAP_WEBHOOK_ANSWER_KEY")
    return address


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def signature(key: str, moment: str, body: bytes) -> str:
    """Of what we send: over its time and its text, so that neither can be changed."""
    return hmac.digest(key.encode(), f"uiap question {moment}.".encode() + body, "sha256").hex()


class Webhook:
    """One channel of one desk; `asked` returns at once, the answer comes when it comes."""

    def __init__(self, address: WebhookAddress, approvals: Approvals, clock: Clock) -> None:
        self._address, self._approvals, self._clock = address, approvals, clock
        self._principal = PolicyPrincipal(type="user", id=address.person)
        self._tasks: set[asyncio.Task[None]] = set()
        approvals.grants.register_key(address.person, address.answer_key)

    def ask(self, question: PendingConfirmation) -> None:
        self._spawn(self._ask(question))

    def notify(self, told: dict[str, Any]) -> None:
        """The obligation `notify` with the channel `webhook`: sent on its way; nobody answers."""
        self._spawn(self._notify(told))

    async def _notify(self, told: dict[str, Any]) -> None:
        with suppress(TimeoutError, httpx.HTTPError, ValueError):
            async with asyncio.timeout(NOTIFY_S), self._client() as client:
                await self._post(client, {"kind": "uiap.notification", "told": told})

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="uiap-webhook")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _ask(self, question: PendingConfirmation) -> None:
        why = "nobody answered in time"
        with suppress(TimeoutError):
            async with asyncio.timeout(question.expires_in_ms / 1000), self._client() as client:
                try:
                    said = await self._poll_answer(client, question)
                except (httpx.HTTPError, ValueError) as error:
                    why = f"the webhook failed: {type(error).__name__}"
                else:
                    self._apply_answer(question, said)
                    return
        self._approvals.audit.record(
            "unanswered", handle=question.action_handle, by=self._address.person, reason=why
        )

    def _client(self) -> httpx.AsyncClient:
        # only the configured address: no redirects, no proxy that the environment names
        secure = self._address.url.startswith("https:")
        return httpx.AsyncClient(follow_redirects=False, trust_env=False, timeout=None, verify=secure)

    async def _poll_answer(self, client: httpx.AsyncClient, question: PendingConfirmation) -> WebhookAnswer:
        while True:
            status, again, body = await self._post(
                client, {"kind": "uiap.confirmation", "question": question}
            )
            if status == 200:
                return msgspec.json.decode(body, type=WebhookAnswer)
            if status != 202:
                raise ValueError(f"status {status}")
            await asyncio.sleep(again)

    async def _post(self, client: httpx.AsyncClient, said: dict[str, Any]) -> tuple[int, float, bytes]:
        moment = self._clock.now().wall
        body = msgspec.json.encode({"at": moment, **said})
        headers = {
            "Content-Type": "application/json",
            "UIAP-Timestamp": moment,
            "UIAP-Signature": f"hmac-sha256={signature(self._address.key, moment, body)}",
        }
        async with client.stream("POST", self._address.url, content=body, headers=headers) as reply:
            kept = b""
            async for part in reply.aiter_bytes():
                kept += part
                if len(kept) > MAX_BYTES:
                    raise ValueError("the answer is too long")
        return reply.status_code, _pause(reply.headers.get("Retry-After")), kept

    def _apply_answer(self, question: PendingConfirmation, said: WebhookAnswer) -> None:
        """A yes is judged like every grant; a no must be signed as well, or anybody could stop the work."""
        if said.answer == "grant":
            self._approvals.grant(question.action_handle, self._principal, said.token, "webhook")
            return
        if not signed_by(self._address.answer_key, said.token) or not is_denial_of(said.token, question.bond):
            self._approvals.reject_answer(
                question.action_handle, self._address.person, "webhook", "the denial is forged"
            )
            return
        self._approvals.deny_from_channel(question.action_handle, self._address.person, said.reason or None)


def _pause(given: Any) -> float:
    return min(30.0, float(given)) if isinstance(given, str) and given.isdigit() and given != "0" else AGAIN_S


def attach_webhook(
    approvals: Approvals, clock: Clock, environ: Mapping[str, str], obligations: Obligations | None = None
) -> None:
    """Where one is configured, it is told of every question at this desk, and of what rules want it notified of."""
    address = configured_address(environ)
    if address is None:
        return
    made = Webhook(address, approvals, clock)
    approvals.channels.append(made)
    if obligations is not None:
        obligations.channels["webhook"] = made.notify
