"""HTTP authentication without a dialog: one origin gets the name and password of the session, and nobody is asked.

A dialog that nobody can answer would block all input. Requests are paused for this, so only a browser that was opened
with a name and password does it. Other headless browsers have no HTTP authentication at all.
"""

from __future__ import annotations

from typing import Any

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.origin import UserInfo, same_origin

PATTERNS = [{"urlPattern": "*", "resourceType": kind} for kind in ("Document", "XHR", "Fetch")]


async def answer_challenges(browser: CdpSession, sign_in: UserInfo) -> None:
    """Give name and password to their origin, once for each request; a request that needs others gets its 401."""
    answered: set[str] = set()

    def on_paused(event: dict[str, Any]) -> None:
        browser.send_and_forget("Fetch.continueRequest", {"requestId": event["requestId"]})

    def on_asked(event: dict[str, Any]) -> None:
        request, challenge = event["requestId"], event["authChallenge"]
        ours = challenge.get("source") == "Server" and same_origin(challenge["origin"], sign_in.origin)
        answer = {"response": "CancelAuth"}
        if ours and request not in answered:
            answered.add(request)
            answer = {
                "response": "ProvideCredentials",
                "username": sign_in.name,
                "password": sign_in.password,
            }
        params = {"requestId": request, "authChallengeResponse": answer}
        browser.send_and_forget("Fetch.continueWithAuth", params)

    browser.on("Fetch.requestPaused", on_paused)
    browser.on("Fetch.authRequired", on_asked)
    await browser.send("Fetch.enable", {"patterns": PATTERNS, "handleAuthRequests": True})
