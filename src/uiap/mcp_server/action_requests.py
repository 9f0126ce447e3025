"""The `action.request` of a tool call: verbs by the table of all interfaces, action ids as the protocol has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from uiap.api.found import clear_match
from uiap.api.ui import Ui
from uiap.client.steps import Step, parse_steps
from uiap.client.verbs import VERBS, VerbError, action_request, element_ref, target_reference
from uiap.errors import InvalidPayload
from uiap.mcp_server.expectations import signals

Arguments = Mapping[str, Any]


async def act_request(ui: Ui, given: Arguments) -> dict[str, Any]:
    """Return the request of the tool `act`. Raise InvalidPayload if a word is missing."""
    request = await _verb_request(ui, given) if _is_verb(given) else _id_request(given)
    if given.get("expect"):
        expected = msgspec.to_builtins(signals(given["expect"]))
        request["verification"] = {"policy": given.get("policy", "all"), "signals": expected}
    members = {
        "preferredExecutionModes": [given["mode"]] if "mode" in given else None,
        "timeoutMs": given["timeout"] * 1000 if "timeout" in given else None,
        "idempotencyKey": given.get("key"),
    }
    return {**request, **{name: value for name, value in members.items() if value is not None}}


def read_request(given: Arguments) -> dict[str, Any]:
    """Return the request of the tool `read`."""
    target = _target(given)
    if target is None:
        raise InvalidPayload("name the element: target, or role and near")
    args = {"args": {"what": given["what"]}} if "what" in given else {}
    return {"actionId": "ui.read", "target": target, **args}


def parse_given_steps(given: Sequence[Arguments]) -> list[Step]:
    """Return the steps of the tool `act`; `ref` and `name` of a step are its target too."""
    plain = []
    for one in given:
        target = one.get("target") or one.get("ref") or one.get("name")
        rest = {name: value for name, value in one.items() if name not in ("ref", "name", "target")}
        plain.append({**rest, **({"target": target} if target else {})})
    try:
        return parse_steps(plain)
    except VerbError as error:
        raise InvalidPayload(str(error)) from None


def _is_verb(given: Arguments) -> bool:
    return str(given["do"]).replace("-", "_") in VERBS


async def _verb_request(ui: Ui, given: Arguments) -> dict[str, Any]:
    verb, value = str(given["do"]).replace("-", "_"), given.get("value")
    if VERBS[verb].kind == "element" and isinstance(value, str) and element_ref(value) is None:
        value = clear_match(await ui.find(value, limit=5), value).instance_id
    narrowing = {"role": given.get("role"), "near": given.get("near"), "within": _within(given)}
    args = given.get("args") or {}
    if verb == "invoke" and args:
        args = {"args": args}
    try:
        return action_request(verb, _words(given), value, args=args, **narrowing)
    except VerbError as error:
        raise InvalidPayload(str(error)) from None


def _id_request(given: Arguments) -> dict[str, Any]:
    if "." not in given["do"]:
        raise InvalidPayload(
            f"`{given['do'][:60]}` is not a verb; the verbs are {', '.join(VERBS)}, or give an action id"
        )
    target = _target(given)
    request: dict[str, Any] = {"actionId": given["do"]}
    request |= {"target": target} if target is not None else {}
    return request | ({"args": dict(given["args"])} if "args" in given else {})


def _target(given: Arguments) -> dict[str, Any] | None:
    words = _words(given)
    semantic = given.get("role") and not given.get("near") and element_ref(words or "") is None
    if semantic:  # role and name are the reference of the specification
        ref = {"by": "semantic", "role": given["role"], "name": words, "scope": _within(given)}
        return {"ref": {name: value for name, value in ref.items() if value}}
    return target_reference(words, role=given.get("role"), near=given.get("near"), within=_within(given))


def _words(given: Arguments) -> str | None:
    return given.get("target") or given.get("ref") or given.get("name")


def _within(given: Arguments) -> str | None:
    return given.get("within") or given.get("scope")
