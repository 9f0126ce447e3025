"""Guesses of tokens and session ids, up to a million.

Most are made in this process, directly against the admission check. A few thousand more go over HTTP to a listener.
`make soak CASE=P10` makes a million, the tests a few hundred.
"""

from __future__ import annotations

import random
import time
from typing import Any

import httpx

from tests.support.host_loops import make_host_loop
from uiap.server.admission import RequestAdmission
from uiap.server.tokens import TokenHolder, Tokens, digest_of
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.transport import AdmissionGranted

TOKEN = "a-real-token-0123456789abcdef"
ALPHABET = "0123456789abcdef"


def near_miss(chance: random.Random) -> str:
    """Return a guess: another token of the same format, or the real one with a change."""
    kind = chance.randrange(6)
    at = chance.randrange(len(TOKEN))
    if kind == 0:
        return "token_" + "".join(chance.choices(ALPHABET, k=32))
    if kind == 1:
        return TOKEN[:at] + chance.choice("GHIJKXYZ+") + TOKEN[at + 1 :]
    if kind == 2:
        return TOKEN[:at]
    if kind == 3:
        return TOKEN + chance.choice(["", " ", "\0", "x"]) + chance.choice(ALPHABET)
    if kind == 4:
        return TOKEN.upper() if at % 2 else digest_of(TOKEN)
    return f"{TOKEN[at:]}{TOKEN[:at]}" if at else f"x{TOKEN}"


def guess_in_process(count: int, seed: int = 2026) -> dict[str, Any]:
    """Guess tokens against the admission check in this process."""
    chance = random.Random(seed)
    holders = [TokenHolder(sha256=digest_of(TOKEN), principal="bot")]
    holders += [TokenHolder(sha256=digest_of(f"other-{n}-0123456789"), principal=f"p{n}") for n in range(3)]
    admission = RequestAdmission(Tokens(holders))
    admission.port = 1
    headers = {"host": "127.0.0.1:1", "authorization": f"Bearer {TOKEN}"}
    assert isinstance(admission(headers, "/uiap/ws", "x"), AdmissionGranted)
    admitted, started = 0, time.monotonic()
    for _ in range(count):
        headers["authorization"] = f"Bearer {near_miss(chance)}"
        admitted += isinstance(admission(headers, "/uiap/ws", "x"), AdmissionGranted)
    return {
        "guesses in this process": count,
        "let in": admitted,
        "guesses a second": round(count / (time.monotonic() - started)),
        "refusals counted": admission.refused,
    }


async def guess_over_http(count: int, seed: int = 2026) -> dict[str, Any]:
    """Guess tokens, and session ids with a valid token, over HTTP."""
    chance = random.Random(seed)
    host_loop = make_host_loop()
    admission = RequestAdmission(Tokens([TokenHolder(sha256=digest_of(TOKEN), principal="bot")]))
    listener = AsgiListener(application(host_loop.accept, admit=admission))
    await listener.start()
    admission.port = listener.port
    statuses: dict[str, int] = {}
    try:
        async with httpx.AsyncClient(base_url=listener.address) as client:
            for n in range(count):
                token = near_miss(chance).replace("\0", "%00").strip() or "x" if n % 2 else TOKEN
                id = "sess_" + "".join(chance.choices(ALPHABET, k=32))
                answer = await client.post(
                    f"/uiap/sessions/{id}/messages",
                    headers={"authorization": f"Bearer {token}"},
                    content="{}",
                )
                statuses[str(answer.status_code)] = statuses.get(str(answer.status_code), 0) + 1
    finally:
        await host_loop.close()
        await listener.stop()
    return {"guesses over HTTP": count, **{f"answered {code}": n for code, n in sorted(statuses.items())}}


def failures(figures: dict[str, Any]) -> list[str]:
    found = [f"{figures['let in']} guesses were let in"] if figures.get("let in") else []
    return found + [
        f"{name}: {number}"
        for name, number in figures.items()
        if name.startswith("answered ") and name not in ("answered 401", "answered 404")
    ]
