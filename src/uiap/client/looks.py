"""Steps that only look: `find`, `observe`, `wait` and `expect` between the verbs of one call. Standard library alone.

A look is one message of the tools extension. Its reply becomes a result of the same form as that of an action, with the
text for the agent as its return value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from uiap.client.signal_words import signal_of
from uiap.client.verbs import VerbError
from uiap.timeouts import EXPECT_MS, WAIT_MS

LOOKS = ("find", "observe", "wait", "expect")
FIND_LIMIT = 5
OBSERVE_TOKENS = 400


class Look(NamedTuple):
    """One look: its word, the message that it sends, and the members of that message."""

    word: str
    message: str
    members: Mapping[str, Any]


def look_of(
    word: str,
    target: str | None,
    *,
    role: str | None = None,
    near: str | None = None,
    within: str | None = None,
    expect: Sequence[Any] = (),
) -> Look:
    """Return the look that the words ask for. Raise ValueError if something is missing."""
    match word:
        case "observe":
            return Look(word, "x.uiap.tools.outline", _given(scope=target, budget=OBSERVE_TOKENS))
        case "find":
            if not target:
                raise VerbError("find needs the text, name or value of an element")
            members = _given(text=target, role=role, near=near, scope=within, limit=FIND_LIMIT)
            return Look(word, "x.uiap.tools.find", members)
        case "wait" if target in ("idle", "--idle"):
            return Look(word, "x.uiap.tools.wait", {"idle": True, "timeoutMs": WAIT_MS})
    signals = [signal_of(one) if isinstance(one, str) else dict(one) for one in expect]
    if target:
        signals.append(_waited_signal(target))
    if not signals:
        raise VerbError(f"{word} needs a signal: {word} text.appeared:Saved")
    limit_ms = WAIT_MS if word == "wait" else EXPECT_MS
    return Look(word, "x.uiap.tools.expect", {"signals": signals, "timeoutMs": limit_ms})


def _given(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _waited_signal(words: str) -> dict[str, Any]:
    """Return the signal of `text Saved`, or of a word such as `toast.contains:saved`."""
    first, _, rest = words.partition(" ")
    if first == "text" and rest.strip():
        return signal_of(f"text.appeared:{rest.strip().strip(chr(34))}")
    return signal_of(words)


def look_result(look: Look, reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reply as a result: succeeded with a text to read, or failed with the reason."""
    match look.message:
        case "x.uiap.tools.outline":
            return _succeeded(look, reply["text"])
        case "x.uiap.tools.find":
            lines = [match_line(match) for match in reply["matches"]]
            nothing = f"no element matches `{look.members['text']}`; try fewer words"
            return _succeeded(look, "\n".join(lines)) if lines else _failed(look, "target_not_found", nothing)
        case "x.uiap.tools.wait":
            why = f"it is not idle: {reply.get('reason', '')}"
            return _succeeded(look, "") if reply["done"] else _failed(look, "verification_failed", why)
    if reply["passed"]:
        return _succeeded(look, "")
    missing = [_words(one["signal"]) for one in reply["verdicts"] if not one["holds"]]
    return _failed(look, "verification_failed", f"not observed: {', '.join(missing)}")


def match_line(match: Mapping[str, Any]) -> str:
    """Return a match of `find` as one line, its ref first."""
    element = match["element"]
    record = f"  in {match['record']}" if match.get("record") else ""
    name = json.dumps(element.get("name") or element.get("text") or "", ensure_ascii=False)
    beside = element.get("metadata", {}).get("beside")
    name += f" beside {json.dumps(beside, ensure_ascii=False)}" if beside else ""
    return f"[{element['instanceId']}] {element['role']} {name}  {match['confidence']:.2f} {match['reason']}{record}"


def _words(signal: Mapping[str, Any]) -> str:
    name = signal.get("name") if signal["kind"] == "custom" else signal["kind"]
    texts = {**signal, **signal.get("payload", {})}
    text = next((texts[member] for member in ("text", "pattern", "url", "value") if member in texts), None)
    return f"{name} `{text}`" if text is not None else str(name)


_NOTHING_DONE: Mapping[str, Any] = MappingProxyType({"actionHandle": "", "sideEffectState": "none"})


def _succeeded(look: Look, text: str) -> dict[str, Any]:
    verification = {"passed": True, "policy": "all", "observed": []}
    value = {"text": text} if text else {"observed": True}
    common = {**_NOTHING_DONE, "actionId": look.message, "verification": verification}
    return {**common, "status": "succeeded", "returnValue": value}


def _failed(look: Look, code: str, message: str) -> dict[str, Any]:
    verification = {"passed": False, "policy": "all", "observed": []}
    common = {**_NOTHING_DONE, "actionId": look.message, "verification": verification}
    return {**common, "status": "failed", "error": {"code": code, "message": message}}
