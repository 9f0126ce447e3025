"""Values in step arguments: literals, parameters and earlier results. There are no expressions (WF-5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from uiap.spec.action import VerificationSpec
from uiap.spec.capability import SuccessSignal, TargetRef
from uiap.spec.workflow import (
    ActionStep,
    ParamReference,
    ResultReference,
    StepResult,
    WorkflowStep,
    workflow_value,
)

T = TypeVar("T")
WORDS = "words:"
"""The prefix of a target by words, which is a JSON object."""
EXPECTED_MESSAGES = "expectedMessages"
"""The member of a step's `metadata` with messages that do not speak against its success."""
INSERT = re.compile(r"\{\{\s*([^{}\s]+)\s*\}\}")
"""`{{name}}` inside a string literal inserts a parameter."""
_INDEX = re.compile(r"[0-9]{1,9}")
_FILLED: Mapping[str, Any] = {
    "target": TargetRef,
    "signals": tuple[SuccessSignal, ...],
    "verification": VerificationSpec,
}


class MissingValue(Exception):
    """A parameter or an earlier result that a step needs does not exist. The message says which."""


def step_args(
    step: ActionStep, parameters: Mapping[str, Any], results: Mapping[str, StepResult]
) -> dict[str, Any]:
    """Return the arguments of an action step. `args` win over `parameterNames`. Raise MissingValue."""
    names = step.parameter_names or ()
    args = {name: parameters[name] for name in names if name in parameters}
    for name, value in (step.args or {}).items():
        args[name] = resolved(value, parameters, results)
    return args


def resolved(value: Any, parameters: Mapping[str, Any], results: Mapping[str, StepResult]) -> Any:
    """Return a value with all references replaced. Raise MissingValue."""
    match workflow_value(value):
        case ParamReference(param=name):
            return _parameter(name, parameters)
        case ResultReference(result=path):
            return result_at(path, results)
        case str() as text:
            return inserted(text, parameters)
        case list() as items:
            return [resolved(item, parameters, results) for item in items]
        case dict() as members:
            return {key: resolved(item, parameters, results) for key, item in members.items()}
        case literal:
            return literal


def inserted(text: str, parameters: Mapping[str, Any]) -> str:
    """Return a text with each `{{name}}` replaced. Raise MissingValue."""
    return INSERT.sub(lambda found: _as_text(_parameter(found[1], parameters)), text)


def filled_step(step: WorkflowStep, parameters: Mapping[str, Any]) -> WorkflowStep:
    """Return a step with each `{{name}}` in its target and signals replaced."""
    members = {name: getattr(step, name, UNSET) for name in _FILLED}
    changed = {
        name: filled(value, _FILLED[name], parameters)
        for name, value in members.items()
        if value is not UNSET and _has_insert(value)
    }
    return msgspec.structs.replace(step, **changed) if changed else step


def filled_signals(
    signals: tuple[SuccessSignal, ...], parameters: Mapping[str, Any]
) -> tuple[SuccessSignal, ...]:
    """Return signals with each `{{name}}` in their texts replaced."""
    return filled(signals, tuple[SuccessSignal, ...], parameters) if _has_insert(signals) else signals


def _has_insert(value: Any) -> bool:
    return b"{{" in msgspec.json.encode(value)


def filled(value: T, kind: Any, parameters: Mapping[str, Any]) -> T:
    """Return a value with each `{{name}}` replaced. A parameter without a value keeps its placeholder."""
    made: T = msgspec.convert(_filled(msgspec.to_builtins(value), parameters), kind)
    return made


def _filled(value: Any, parameters: Mapping[str, Any]) -> Any:
    match value:
        case str() if value.startswith(WORDS):  # a JSON object inside a text
            words = msgspec.json.decode(value.removeprefix(WORDS))
            return WORDS + msgspec.json.encode(_filled(words, parameters)).decode()
        case str():
            return shown_text(value, parameters)
        case list() | tuple():
            return [_filled(one, parameters) for one in value]
        case dict():
            return {key: _filled(one, parameters) for key, one in value.items()}
    return value


def shown_text(text: str, parameters: Mapping[str, Any]) -> str:
    """Return a text for a person; a parameter without a value keeps its placeholder."""
    return INSERT.sub(lambda found: _as_text(parameters.get(found[1], found[0])), text)


def expected_messages(step: WorkflowStep, parameters: Mapping[str, Any]) -> list[str]:
    """Return the messages that a step may show beside its success, filled in."""
    given = (step.metadata or {}).get(EXPECTED_MESSAGES)
    texts = given if isinstance(given, list | tuple) else ()
    return [shown_text(one, parameters) for one in texts if isinstance(one, str)]


def result_at(path: str, results: Mapping[str, StepResult]) -> Any:
    """Return the value at `stepId.path`. Raise MissingValue."""
    step_id, *members = path.split(".")
    result = results.get(step_id)
    if result is None:
        raise MissingValue(f"step `{step_id}` has no result yet")
    value: Any = {} if result.return_value is UNSET else result.return_value
    for member in members:
        value = _member(value, member, path)
    return value


def _member(value: Any, member: str, path: str) -> Any:
    if isinstance(value, dict) and member in value:
        return value[member]
    if isinstance(value, list) and _INDEX.fullmatch(member) and int(member) < len(value):
        return value[int(member)]
    raise MissingValue(f"there is no result `{path}`")


def _parameter(name: str, parameters: Mapping[str, Any]) -> Any:
    if name not in parameters:
        raise MissingValue(f"parameter `{name}` has no value")
    return parameters[name]


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
