"""entity.*, network.response, custom: signals that only the page or the network can report."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog
from uiap.signals.verdict import NOT_MET, Attribution, Verdict, strongest
from uiap.spec import web
from uiap.spec.capability import CustomSuccess, EntityCreated, EntityDeleted, EntityUpdated, NetworkResponse

_ENTITY = {
    "entity.created": web.EntityCreatedSignal,
    "entity.updated": web.EntityUpdatedSignal,
    "entity.deleted": web.EntityDeletedSignal,
}


def read_nothing(_signal: Any, _store: GraphStore) -> None:
    """Read nothing: only a signal after dispatch counts."""


def judge_entity(
    signal: EntityCreated | EntityUpdated | EntityDeleted, _b: None, _n: None, log: SignalLog
) -> Verdict:
    """Judge the events of the page, and the value that a function returned. With `idPath`, an id must be there."""
    found: list[Attribution] = [
        a
        for reported, a in log.of(_ENTITY[signal.kind])
        if reported.entity_type == signal.entity_type  # type: ignore[attr-defined]
        and (not isinstance(signal.id_path, str) or _has_id(_members(reported), signal.id_path))
    ]
    if isinstance(signal.id_path, str) and _has_id(log.returned, signal.id_path):
        found.append("caused")
    return Verdict(True, attribution=strongest(found)) if found else NOT_MET


def _members(reported: Any) -> dict[str, Any]:
    """Return the data of an entity with its id."""
    data = reported.data if isinstance(reported.data, dict) else {}
    return {**data, "id": reported.id} if isinstance(reported.id, str) else data


def _has_id(members: dict[str, Any], path: str) -> bool:
    return _value_at(members, path) not in (None, "", False)


def _value_at(value: Any, path: str) -> Any:
    for step in path.removeprefix("$.").split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def judge_network(signal: NetworkResponse, _before: None, _now: None, log: SignalLog) -> Verdict:
    found = [a for reported, a in log.of(web.NetworkResponseSignal) if _matches(signal, reported)]
    return Verdict(True, attribution=strongest(found)) if found else NOT_MET


def _matches(signal: NetworkResponse, reported: web.NetworkResponseSignal) -> bool:
    url = isinstance(signal.url_pattern, str)
    status = (
        reported.status == signal.status if isinstance(signal.status, int) else 200 <= reported.status < 300
    )
    return status and (not url or fnmatchcase(reported.url, str(signal.url_pattern)))


def judge_custom(signal: CustomSuccess, _before: None, _now: None, log: SignalLog) -> Verdict:
    found = [
        a
        for reported, a in log.of(web.CustomSignal)
        if reported.name == signal.name and _is_subset(signal.payload, reported.payload)
    ]
    return Verdict(True, attribution=strongest(found)) if found else NOT_MET


def _is_subset(wanted: Any, got: Any) -> bool:
    if not isinstance(wanted, dict):
        return True
    return isinstance(got, dict) and all(key in got and got[key] == value for key, value in wanted.items())
