"""A naive second implementation of the envelope rules, written from the table of the spec, to check fuzzed input."""

import json
import re
from typing import Any

SESSION = "sess_1"
ROLES = ("app", "agent", "bridge", "observer", "user", "system")
KNOWN = (
    "session.ping",
    "session.terminate",
    "capabilities.list",
    "action.request",
    "action.cancel",
    "uiap.policy.get",
)


class Repeats(dict[str, Any]):
    """An object with a repeated member."""


def pairs_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(pairs) if len({key for key, _ in pairs}) == len(pairs) else Repeats(pairs)


def walk(value: Any, depth: int = 0) -> list[tuple[Any, int]]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [(value, depth), *(found for item in inner for found in walk(item, depth + 1))]


def fits(value: Any, pattern: str = "(?s).{1,128}") -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def judge(text: str, seen: Any) -> tuple[str | None, str, str | None]:
    """(code, pointer, id to answer) of a text in an active session; `seen` gains every id that got far enough."""
    try:
        body = json.loads(text, object_pairs_hook=pairs_of, parse_constant=lambda name: [][0])
        json.dumps(body, ensure_ascii=False).encode()  # a lone surrogate is no text
        readable = (
            isinstance(body, dict) and max(d for v, d in walk(body) if isinstance(v, dict | list)) < 200
        )
    except (ValueError, IndexError, RecursionError):
        readable = False
    if not readable:
        return "invalid_envelope", "", None
    kind, type, id, session, source = (body.get(k) for k in ("kind", "type", "id", "sessionId", "source"))
    header = [body, *(v for k, part in body.items() if k != "payload" for v, _ in walk(part))]
    who = source if isinstance(source, dict) else {}
    checks = [
        (not any(isinstance(v, Repeats) for v in header), "invalid_envelope", ""),
        (fits(body.get("uiap"), r"[0-9]+\.[0-9]+"), "invalid_envelope", "/uiap"),
        (body.get("uiap") == "0.1", "unsupported_version", "/uiap"),
        (kind in ("request", "response", "event") or kind == type == "error", "invalid_envelope", "/kind"),
        (fits(type, r"error|[a-z][A-Za-z0-9_-]*(\.[a-z][A-Za-z0-9_-]*)+"), "invalid_envelope", "/type"),
        (fits(id), "invalid_envelope", "/id"),
        (kind != "response" or fits(body.get("correlationId")), "invalid_envelope", "/correlationId"),
        (fits(body.get("ts"), r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "invalid_envelope", "/ts"),
        (who.get("role") in ROLES and fits(who.get("id")), "invalid_envelope", "/source"),
        (isinstance(body.get("payload"), dict), "invalid_envelope", "/payload"),
        (session is not None, "session_required", "/sessionId"),
        (session == SESSION, "session_not_found", "/sessionId"),
        (not isinstance(id, str) or id not in seen, "duplicate_message", "/id"),
        (type in KNOWN, "unsupported_type", "/type"),
    ]
    _, code, pointer = next((check for check in checks if not check[0]), (True, None, ""))
    if code in (None, "duplicate_message", "unsupported_type"):
        seen.add(id)
    answerable = fits(id) and kind not in ("response", "event", "error") and type != "error"
    return code, pointer, id if answerable else None
