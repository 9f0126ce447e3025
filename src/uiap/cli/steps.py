"""`uiap do`: several steps in one call, each verified. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap.cli.acting import (
    WAITS,
    ActionCall,
    Interrupted,
    TimeIsOver,
    answer_options,
    changes,
    exit_code,
    report_timeout,
    report_waiting,
    result_text,
)
from uiap.cli.socket_client import RequestRefused, SocketClient
from uiap.cli.verbs import absolute, find_ref, read_text
from uiap.client.steps import (
    Step,
    lasting_query,
    parse_steps,
    settles_later,
    shows_changes,
    step_request,
    value_read,
)
from uiap.client.verbs import element_ref


def do_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "steps",
        help='"fill Title=Hello; select Category=Tutorial; click Create video", a JSON list, or - for standard input',
    )
    answer_options(parser)


def do(options: argparse.Namespace) -> int:
    text = sys.stdin.read() if options.steps == "-" else options.steps
    try:
        steps = [_with_refs(options, step) for step in parse_steps(text)]
    except ValueError as error:
        print(f"uiap: {error}", file=sys.stderr)
        return 2
    call = ActionCall(options)
    try:
        results = run_steps(call, steps)
    except (TimeIsOver, TimeoutError):
        return report_timeout(options, call)
    except Interrupted:
        print("uiap: cancelled by SIGTERM", file=sys.stderr)
        return 143
    return _report(options, call, steps, results)


def _with_refs(options: argparse.Namespace, step: Step) -> Step:
    if step.verb == "drag" and element_ref(str(step.value)) is None:
        return step._replace(value=find_ref(options, str(step.value)))
    if step.verb == "upload":
        files = step.value if isinstance(step.value, list) else [step.value]
        return step._replace(value=[absolute(str(one)) for one in files])
    return step


def run_steps(call: ActionCall, steps: list[Step]) -> list[dict[str, Any]]:
    """Return the results of the steps, up to the first that is not verified or waits for a person."""
    results: list[dict[str, Any]] = []
    row: list[int] = []
    for number, step in enumerate(steps):
        later = settles_later(steps, number)
        result = _run_step(call, step, later)
        if result is None:
            return results
        results.append(result)
        if exit_code(result):
            return results
        row = [*row, number] if later else row
        if row and not later:
            again = _check_again(call, steps, row, results)
            if again is not None:
                return [*results[: again[0]], again[1]]
            row = []
    return results


def _run_step(call: ActionCall, step: Step, later: bool) -> dict[str, Any] | None:
    look = step.look
    if look is None:
        return call.run(step_request(step, settle_later=later))
    return call.look(look)


def _check_again(
    call: ActionCall, steps: list[Step], row: list[int], results: list[dict[str, Any]]
) -> tuple[int, dict[str, Any]] | None:
    """Return the first step of a row of drafts whose value did not last."""
    if _lasted(call.client, lasting_query(_observed(results[number]) for number in row)):
        return None
    for number in row:
        result = call.run(step_request(steps[number]))
        if result is not None and exit_code(result):
            return number, result
    return None


def _observed(result: dict[str, Any]) -> list[dict[str, Any]]:
    return list(result.get("verification", {}).get("observed", ()))


def _lasted(client: SocketClient, query: dict[str, Any] | None) -> bool:
    """Return whether all values are still there, as far as one question can tell."""
    if query is None:
        return False
    try:
        return client.ask("x.uiap.tools.expect", query)["payload"]["passed"] is True
    except RequestRefused:  # a value is private
        return False


def _report(
    options: argparse.Namespace, call: ActionCall, steps: list[Step], results: list[dict[str, Any]]
) -> int:
    failed = bool(results) and exit_code(results[-1]) != 0
    done = len(results) - failed
    waits = not failed and done < len(steps)
    code = exit_code(results[-1]) if failed else WAITS if waits else 0
    if options.json:
        waiting = {"waiting": call.waiting} if call.waiting and waits else {}
        document = {"steps": len(steps), "done": done, "results": results, **waiting}
        print(json.dumps(document, indent=2, ensure_ascii=False))
        return code
    rest = f"; step {done + 1} ({steps[done].words}) {'failed' if failed else 'waits'}" if code else ""
    print(f"{done} of {len(steps)} steps done{rest}")
    if waits:
        report_waiting(options, call.waiting or {})
    _print_read(steps, results[:done])
    if failed:
        print(result_text(results[-1]))
    base = next((one for one in map(_base_revision, results) if one is not None), None)
    if base is not None and not options.quiet and (code or shows_changes(steps)):
        print(changes(call.client, options, base))
    return code


def _print_read(steps: list[Step], results: list[dict[str, Any]]) -> None:
    for number, (step, result) in enumerate(zip(steps, results, strict=False), 1):
        if (value := value_read(step, result.get("returnValue"))) is not None:
            print(f"step {number} ({step.words}):\n{read_text(value)}")


def _base_revision(result: dict[str, Any]) -> str | None:
    base: str | None = result.get("metadata", {}).get("baseRevision")
    return base
