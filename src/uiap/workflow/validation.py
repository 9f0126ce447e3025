"""Static validation of one workflow definition, without anything outside it (WF-13).

It reads the plain form, because an authoring source is checked before its texts are resolved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from uiap.linear_pattern import PatternRefused, linear_pattern
from uiap.workflow.parameters import HANDED_OFF
from uiap.workflow.values import INSERT

RuleSeverity: TypeAlias = Literal["error", "warning"]

# A cycle with one of these waits for something; without one it could repeat for ever.
PAUSES = frozenset({"collect", "handoff", "ensure", "branch"})


class RuleViolation(NamedTuple):
    """One violated rule, with the path in the definition."""

    severity: RuleSeverity
    code: str
    path: tuple[str | int, ...]
    message: str


def rule_violations(definition: dict[str, Any]) -> list[RuleViolation]:
    """Return every violated rule of one definition."""
    steps = definition["steps"]
    by_id: dict[str, int] = {}
    violations: list[RuleViolation] = []
    for index, step in enumerate(steps):
        if by_id.setdefault(step["id"], index) != index:
            violations.append(
                RuleViolation(
                    "error", "duplicate_step", ("steps", index, "id"), f"step `{step['id']}` occurs twice"
                )
            )
    violations += _check_jumps(definition, by_id)
    violations += _check_parameters(definition)
    violations += _check_results(definition, by_id)
    if any(f.severity == "error" for f in violations):
        return violations  # the checks below need a valid graph
    return [*violations, *_check_graph(definition, by_id)]


def _check_jumps(definition: dict[str, Any], by_id: dict[str, int]) -> Iterator[RuleViolation]:
    if definition["initialStepId"] not in by_id:
        yield _unknown_step(definition["initialStepId"], ("initialStepId",))
    fallback = definition.get("onFailure", {}).get("goto")
    if fallback is not None and fallback not in by_id:
        yield _unknown_step(fallback, ("onFailure", "goto"))
    for index, step in enumerate(definition["steps"]):
        where = ("steps", index)
        if step["type"] == "complete" and "next" in step:
            yield RuleViolation(
                "error", "next_after_complete", (*where, "next"), "a `complete` step ends the workflow"
            )
        for path, target in _targets(step):
            if target not in by_id:
                yield _unknown_step(target, (*where, *path))


def _targets(step: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if "next" in step:
        yield ("next",), step["next"]
    if "otherwise" in step:
        yield ("otherwise",), step["otherwise"]
    if "goto" in step.get("onFailure", {}):
        yield ("onFailure", "goto"), step["onFailure"]["goto"]
    for at, branch in enumerate(step.get("branches") or ()):
        yield ("branches", at, "next"), branch["next"]


def _unknown_step(target: str, path: tuple[str | int, ...]) -> RuleViolation:
    return RuleViolation("error", "unknown_step", path, f"there is no step `{target}`")


def _check_parameters(definition: dict[str, Any]) -> Iterator[RuleViolation]:
    declared: dict[str, dict[str, Any]] = {}
    for index, parameter in enumerate(definition.get("parameters") or ()):
        name = parameter["name"]
        if name in declared:
            yield RuleViolation(
                "error", "duplicate_parameter", ("parameters", index), f"parameter `{name}` occurs twice"
            )
        if parameter["type"] == "enum" and not parameter.get("enum"):
            yield RuleViolation(
                "error", "enum_without_values", ("parameters", index), f"`{name}` lists no values"
            )
        if "pattern" in parameter and not _compiles(parameter["pattern"]):
            message = f"the pattern of `{name}` is no regular expression"
            yield RuleViolation("error", "bad_pattern", ("parameters", index, "pattern"), message)
        declared[name] = parameter
    used: set[str] = set()
    for index, step in enumerate(definition["steps"]):
        for name in _parameter_names(step):
            used.add(name)
            if name not in declared:
                yield RuleViolation(
                    "error", "unknown_parameter", ("steps", index), f"there is no parameter `{name}`"
                )
        for name in step.get("parameterNames", ()) if step["type"] == "collect" else ():
            if declared.get(name, {}).get("dataClass") in HANDED_OFF:
                message = f"`{name}` is {declared[name]['dataClass']}; a person must enter it (use `handoff`)"
                yield RuleViolation("error", "collects_secret", ("steps", index, "parameterNames"), message)
    used.update(_condition_names(definition.get("entryConditions")))
    for index, parameter in enumerate(definition.get("parameters") or ()):
        if parameter["name"] not in used:
            message = f"parameter `{parameter['name']}` is never used"
            yield RuleViolation("warning", "unused_parameter", ("parameters", index), message)


def _compiles(pattern: str) -> bool:
    try:
        linear_pattern(pattern)
    except PatternRefused:
        return False
    return True


def _check_results(definition: dict[str, Any], by_id: dict[str, int]) -> Iterator[RuleViolation]:
    """Yield the references to results of steps that do not exist."""
    for index, step in enumerate(definition["steps"]):
        for name in _result_names(step):
            if name not in by_id:
                message = f"`{step['id']}` uses the result of `{name}`, which is not a step"
                yield RuleViolation("error", "unknown_result", ("steps", index), message)


def _result_names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if len(value) == 1 and isinstance(value.get("$result"), str):
            yield value["$result"].partition(".")[0]
        if value.get("kind") == "result" and isinstance(value.get("stepId"), str):
            yield value["stepId"]
        for item in value.values():
            yield from _result_names(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _result_names(item)


def _parameter_names(step: dict[str, Any]) -> Iterator[str]:
    yield from step.get("parameterNames") or ()
    for member in ("args", "target", "signals", "verification"):
        yield from _value_names(step.get(member))
    yield from _condition_names(step.get("when"))
    for branch in step.get("branches") or ():
        yield from _condition_names(branch["when"])
    for text in (step.get("text"), step.get("title")):
        yield from INSERT.findall(text) if isinstance(text, str) else ()


def _value_names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if len(value) == 1 and isinstance(value.get("$param"), str):
            yield value["$param"]
        for item in value.values():
            yield from _value_names(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _value_names(item)
    elif isinstance(value, str):
        yield from INSERT.findall(value)


def _condition_names(conditions: Any) -> Iterator[str]:
    for condition in conditions or ():
        if condition["kind"] == "parameter":
            yield condition["name"]
        yield from _condition_names(condition.get("conditions"))
        yield from _condition_names([condition["condition"]] if "condition" in condition else ())


def _check_graph(definition: dict[str, Any], by_id: dict[str, int]) -> Iterator[RuleViolation]:
    steps = definition["steps"]
    fallback = definition.get("onFailure", {}).get("goto")
    after = [_successors(steps, index, by_id, fallback) for index in range(len(steps))]
    reached = _reachable(by_id[definition["initialStepId"]], after)
    if not any(steps[i]["type"] == "complete" for i in reached):
        yield RuleViolation("error", "no_complete", ("steps",), "no `complete` step can be reached")
    for index, step in enumerate(steps):
        where = ("steps", index)
        if index not in reached:
            yield RuleViolation("warning", "unreachable_step", where, f"step `{step['id']}` is never reached")
        elif step["type"] != "complete" and not after[index]:
            yield RuleViolation("error", "dead_end", where, f"no step follows `{step['id']}`")
    spinning = _step_on_endless_cycle(steps, after, reached)
    if spinning is not None:
        message = f"the steps around `{steps[spinning]['id']}` can repeat without ever waiting"
        yield RuleViolation("error", "endless_cycle", ("steps", spinning), message)


def _successors(steps: list[Any], index: int, by_id: dict[str, int], fallback: str | None) -> list[int]:
    step = steps[index]
    if step["type"] == "complete":
        return []
    targets = [by_id[target] for _, target in _targets(step)]
    # A branch continues with `otherwise`, else with `next`; other steps continue with the following one.
    if "next" not in step and step["type"] != "branch" and index + 1 < len(steps):
        targets.append(index + 1)
    if fallback is not None:
        targets.append(by_id[fallback])
    return targets


def _reachable(start: int, after: list[list[int]]) -> set[int]:
    seen, waiting = {start}, [start]
    while waiting:
        for target in after[waiting.pop()]:
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def unverified_actions(definition: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield the action steps without verification and without a following `ensure` step."""
    steps = definition["steps"]
    by_id = {step["id"]: index for index, step in enumerate(steps)}
    for index, step in enumerate(steps):
        if step["type"] == "action" and "verification" not in step:
            after = [by_id[target] for _, target in _targets(step) if target in by_id] or [index + 1]
            if not any(i < len(steps) and steps[i]["type"] == "ensure" for i in after):
                yield index, step["actionId"]


def _step_on_endless_cycle(steps: list[Any], after: list[list[int]], reached: set[int]) -> int | None:
    """Return a step on a cycle of steps that never wait, or None; steps without successors are removed first."""
    left = {i for i in reached if steps[i]["type"] not in PAUSES}
    before: dict[int, list[int]] = {i: [] for i in left}
    degree = dict.fromkeys(left, 0)
    for i in left:
        for target in set(after[i]) & left:
            before[target].append(i)
            degree[i] += 1
    waiting = [i for i in left if degree[i] == 0]
    while waiting:
        done = waiting.pop()
        left.discard(done)
        for i in before[done]:
            degree[i] -= 1
            if degree[i] == 0:
                waiting.append(i)
    return min(left, default=None)
