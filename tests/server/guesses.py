"""Guesses at tokens and at session ids, by the million (robustness P10).

Most are made inside this process, against the very functions that admit: the transports' gate and the hall's resume. A
few thousand more go over HTTP to a listener. Run by `make soak CASE=P10`; the tests make a few hundred.
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


def near_misses(chance: random.Random) -> str:
    """What an attacker tries: other tokens of the same make, and the real one with something changed."""
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


def inside(count: int, seed: int = 2026) -> dict[str, Any]:
    """At the gate itself, in this process."""
    chance = random.Random(seed)
    holders = [TokenHolder(sha256=digest_of(TOKEN), principal="bot")]
    holders += [TokenHolder(sha256=digest_of(f"other-{n}-0123456789"), principal=f"p{n}") for n in range(3)]
    knock = RequestAdmission(Tokens(holders))
    knock.port = 1
    headers = {"host": "127.0.0.1:1", "authorization": f"Bearer {TOKEN}"}
    assert isinstance(knock(headers, "/uiap/ws", "x"), AdmissionGranted)
    let_in, begun = 0, time.monotonic()
    for _ in range(count):
        headers["authorization"] = f"Bearer {near_misses(chance)}"
        let_in += isinstance(knock(headers, "/uiap/ws", "x"), AdmissionGranted)
    return {
        "guesses in this process": count,
        "let in": let_in,
        "guesses a second": round(count / (time.monotonic() - begun)),
        "refusals counted": knock.refused,
    }


async def over_http(count: int, seed: int = 2026) -> dict[str, Any]:
    """Tokens, and session ids with a good token, at a real listener."""
    chance = random.Random(seed)
    made = make_host_loop()
    knock = RequestAdmission(Tokens([TokenHolder(sha256=digest_of(TOKEN), principal="bot")]))
    listener = AsgiListener(application(made.accept, admit=knock))
    await listener.start()
    knock.port = listener.port
    told: dict[str, int] = {}
    try:
        async with httpx.AsyncClient(base_url=listener.address) as client:
            for n in range(count):
                token = near_misses(chance).replace("\0", "%00").strip() or "x" if n % 2 else TOKEN
                id = "sess_" + "".join(chance.choices(ALPHABET, k=32))
                answer = await client.post(
                    f"/uiap/sessions/{id}/messages",
                    headers={"authorization": f"Bearer {token}"},
                    content="{}",
                )
                told[str(answer.status_code)] = told.get(str(answer.status_code), 0) + 1
    finally:
        await made.close()
        await listener.stop()
    return {"guesses over HTTP": count, **{f"answered {code}": n for code, n in sorted(told.items())}}


def wrong(figures: dict[str, Any]) -> list[str]:
    found = [f"{figures['let in']} guesses were let in"] if figures.get("let in") else []
    return found + [
        f"{name}: {number}"
        for name, number in figures.items()
        if name.startswith("answered ") and name not in ("answered 401", "answered 404")
    ]
