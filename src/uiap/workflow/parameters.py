"""Parameters of a run: validation, defaults, and masking for everybody outside the host (WF-5, WF-12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import UNSET

from uiap.linear_pattern import PatternRefused, linear_pattern
from uiap.spec.workflow import CollectStep, WorkflowDefinition, WorkflowParameter

HANDED_OFF = frozenset({"credential", "secret", "payment"})
"""Data classes that only a person enters. A run never holds such a value."""
SHOWN = frozenset({"public", "internal"})
MASK = "•••"

_IS_TYPE: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "string": lambda value: isinstance(value, str),
        "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
        "boolean": lambda value: isinstance(value, bool),
        "enum": lambda value: isinstance(value, str),
        "object": lambda value: isinstance(value, dict),
        "array": lambda value: isinstance(value, list | tuple),
    }
)


def declared(definition: WorkflowDefinition) -> dict[str, WorkflowParameter]:
    return {one.name: one for one in definition.parameters or ()}


def defaults(definition: WorkflowDefinition) -> dict[str, Any]:
    return {one.name: one.default for one in definition.parameters or () if one.default is not UNSET}


def problem(parameter: WorkflowParameter, value: Any) -> str | None:
    """Return why a value is not accepted, as one sentence; None if it is."""
    name = parameter.name
    if parameter.data_class in HANDED_OFF:
        return f"`{name}` is {parameter.data_class}; a person enters it in the application"
    if not _IS_TYPE[parameter.type](value):
        return f"`{name}` must be of type {parameter.type}"
    if isinstance(parameter.enum, tuple) and value not in parameter.enum:
        return f"`{name}` must be one of {', '.join(f'`{one}`' for one in parameter.enum)}"
    if isinstance(parameter.pattern, str) and isinstance(value, str) and not _fits(parameter.pattern, value):
        return f"`{name}` must match `{parameter.pattern}`"
    return _size_problem(parameter, value)


def _fits(pattern: str, value: str) -> bool:
    try:
        return linear_pattern(pattern).found_in(value)
    except PatternRefused:
        return False


def _size_problem(parameter: WorkflowParameter, value: Any) -> str | None:
    sized = isinstance(value, str | list | tuple)
    if not sized and parameter.type != "number":
        return None
    size = len(value) if sized else value
    unit = " characters" if isinstance(value, str) else " entries" if sized else ""
    if isinstance(parameter.min, int | float) and not size >= parameter.min:
        return f"`{parameter.name}` must be at least {parameter.min}{unit}"
    if isinstance(parameter.max, int | float) and not size <= parameter.max:
        return f"`{parameter.name}` must be at most {parameter.max}{unit}"
    return None


def problems(definition: WorkflowDefinition, values: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each value that is not accepted, and for each name that is not declared."""
    known = declared(definition)
    found = []
    for name, value in values.items():
        if name not in known:
            names = ", ".join(f"`{one}`" for one in known) or "none"
            found.append(f"there is no parameter `{name}`; the workflow has {names}")
        elif (why := problem(known[name], value)) is not None:
            found.append(why)
    return found


def missing(parameters: Iterable[WorkflowParameter], values: Mapping[str, Any]) -> list[WorkflowParameter]:
    """Return the required parameters without a value, except those that a person enters."""
    return [
        one
        for one in parameters
        if one.required is True and one.name not in values and one.data_class not in HANDED_OFF
    ]


def never_collected(definition: WorkflowDefinition, values: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each required parameter that has no value and that no step asks for."""
    asked = set(_collected(definition))
    return [
        f"parameter `{one.name}` is required; pass a value"
        for one in missing(definition.parameters or (), values)
        if one.name not in asked
    ]


def _collected(definition: WorkflowDefinition) -> Iterator[str]:
    for step in definition.steps:
        if isinstance(step, CollectStep):
            yield from step.parameter_names


def masked(definition: WorkflowDefinition, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as they leave the host: private ones are masked. An unknown data class is private."""
    known = declared(definition)

    def is_shown(name: str) -> bool:
        return name in known and (known[name].data_class or "internal") in SHOWN

    return {name: value if is_shown(name) else MASK for name, value in values.items()}
