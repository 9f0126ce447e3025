"""Hostile envelopes made from valid ones; the same seed gives the same envelopes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

TS = "2026-03-26T14:00:00.000Z"
VALID: list[tuple[str, dict[str, Any]]] = [
    ("session.ping", {"nonce": "n"}),
    ("capabilities.list", {"profile": "web@0.1", "knownRevision": "c1"}),
    (
        "action.request",
        {
            "actionId": "ui.activate",
            "target": {"ref": {"by": "stableId", "value": "video.submit"}, "expectedRole": "button"},
            "verification": {"policy": "all", "signals": [{"kind": "toast.contains", "text": "erstellt"}]},
            "args": {"a": [1, {"b": None}]},
            "timeoutMs": 12000,
        },
    ),
    ("action.cancel", {"actionHandle": "act_1"}),
    ("uiap.policy.get", {}),
]
HOSTILE_VALUES: list[Any] = [
    None, True, 0, -1, 1e308, 3.5, "", "x" * 129, "x" * 5000, [], {}, [[]], {"a": {}}, "\u0000", "\u202e", "😀",
    "0.1\n",
    "__proto__", "../../etc/passwd", "' or 1=1 --", "<script>", "NaN", "sess_1", "error", "request", "9" * 400,
]  # fmt: skip
HOSTILE_RAW_JSON = [
    "1e400",
    "NaN",
    "-Infinity",
    '"\\ud800"',
    '"\\u0000"',
    "[" * 400 + "]" * 400,
    "01",
    "'x'",
    "{",
    '{"a":1,"a":2}',
]


def valid_envelope(rng: random.Random, id: str) -> dict[str, Any]:
    type, payload = rng.choice(VALID)
    return {
        "uiap": "0.1", "kind": "request", "type": type, "id": id, "sessionId": "sess_1", "ts": TS,
        "source": {"role": "agent", "id": "fuzz"}, "payload": json.loads(json.dumps(payload)),
    }  # fmt: skip


def mutants(seed: int, count: int) -> Iterator[str]:
    """Yield hostile texts. Their ids are mostly new and sometimes used before."""
    rng = random.Random(seed)
    for n in range(count):
        id = f"m{n}" if rng.random() > 0.05 else f"m{rng.randrange(max(1, n - 50), n + 1)}"
        yield _mutant(rng, valid_envelope(rng, id))


def _mutant(rng: random.Random, body: dict[str, Any]) -> str:
    choice = rng.randrange(10)
    if choice == 0:
        return json.dumps(body)
    if choice <= 4:
        _change_member(rng, body)
        return json.dumps(body, ensure_ascii=rng.random() < 0.5)
    if choice == 5:
        body["kind"] = rng.choice(["event", "response", "error", "shout"])
        return json.dumps(body)
    if choice == 6:
        return _with_raw(rng, body)
    if choice == 7:
        return _cut(rng, json.dumps(body))
    if choice == 8:
        pairs = json.dumps(body)[1:-1]
        member = rng.choice(list(body))
        return "{" + pairs + f", {json.dumps(member)}: {json.dumps(body[member])}" + "}"
    for _ in range(rng.randrange(2, 5)):
        _change_member(rng, body)
    return json.dumps(body)


def _change_member(rng: random.Random, body: dict[str, Any]) -> None:
    """Remove, replace or add one member somewhere in the envelope."""
    target: Any = body
    while rng.random() < 0.4:
        nested = [v for v in target.values() if isinstance(v, dict) and v]
        if not nested:
            break
        target = rng.choice(nested)
    member = rng.choice(list(target)) if target else "x"
    action = rng.randrange(3)
    if action == 0:
        target.pop(member, None)
    elif action == 1:
        target[member] = deepcopy(rng.choice(HOSTILE_VALUES))
    else:
        target[f"x{rng.randrange(9)}"] = deepcopy(rng.choice(HOSTILE_VALUES))


def _with_raw(rng: random.Random, body: dict[str, Any]) -> str:
    mark = "@@raw@@"
    target = rng.choice([body, body["payload"], body["source"]])
    target[rng.choice(list(target) or ["x"])] = mark
    return json.dumps(body).replace(json.dumps(mark), rng.choice(HOSTILE_RAW_JSON))


def _cut(rng: random.Random, text: str) -> str:
    cut = rng.randrange(len(text))
    return text[:cut] + rng.choice(["", "\u0000", "}", '"', "\\", "é", "💥"]) + text[cut + rng.randrange(3) :]
