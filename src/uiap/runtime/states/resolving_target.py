"""RESOLVING_TARGET: find the one element that is meant, or refuse."""

from __future__ import annotations

from typing import Any

from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.commands import Command
from uiap.runtime.disambiguation import explain_ambiguity
from uiap.runtime.outcome import opaque_region
from uiap.runtime.resolve import AmbiguousMatch, NoMatch, Resolved, UncertainMatch, resolve
from uiap.runtime.transitions import fail, fail_with, move, wait_for
from uiap.spec.capability import InstanceIdRef
from uiap.spec.web import ElementNode
from uiap.timeouts import PRECONDITION_S

NO_VISION = (
    "nothing in the graph fits, and painted text cannot be read here; install it: pip install 'uiap[vision]'"
)


def find(action: Action, *, refresh: bool = False, vision: bool = False) -> Command:
    """Ask for candidates. A driver that does not push changes is always read first."""
    refresh = refresh or action.terms.abilities.read_cost_s > 0
    return do.Find(action.target_request, action.primitive.affordances, refresh, vision)


def target_not_needed(action: Action, event: when.TargetNotNeeded) -> list[Command]:
    return move(action, "CHECKING_PRECONDITIONS", do.Raise(when.ChecksPassed(at=event.at)))


def found(action: Action, event: when.Found) -> list[Command]:
    """Take the winner; read painted text if nothing fits; refuse several; wait for what may still appear."""
    at, candidates = event.at, event.candidates
    match = resolve(action.target_request, candidates, action.primitive.id)
    if isinstance(match, NoMatch) and may_use_vision(action) and not candidates.painted:
        action.result.note("read painted text: nothing in the graph fits")
        return [find(action, vision=True)]
    if isinstance(match, NoMatch) and only_vision(action) and not may_use_vision(action):
        return fail(action, at, "execution_mode_unavailable", NO_VISION)
    if isinstance(match, NoMatch) and action.reaches_focus:  # nothing has the focus: the key reaches the page
        return move(action, "CHECKING_PRECONDITIONS", do.Raise(when.ChecksPassed(at=at)))
    if candidates.painted:  # reading a picture takes time that the target did not have
        action.ready_by = max(action.ready_by, at.mono + PRECONDITION_S)
    match match:
        case Resolved():
            return _take(action, event, match)
        case AmbiguousMatch() | UncertainMatch():
            return fail(action, at, "target_ambiguous", *explain_ambiguity(match))
        case NoMatch(opaque=str(kind)):
            return fail_with(action, at, opaque_region(kind))
    if action.re_resolved:
        return fail(action, at, "stale_target", f"the target changed and is gone: {action.waiting_for}")
    if isinstance(action.target_request.ref, InstanceIdRef):  # such a reference never comes back
        message = f"`{action.target_request.ref.value}` is no longer on the page; observe it again and use a new ref"
        return fail(action, at, "stale_target", message)
    return wait_for(action, at, "RESOLVING_TARGET", match.reason)


def may_use_vision(action: Action) -> bool:
    """ACT-10.5: only where the caller asks for it and this host can read pictures."""
    return "visionAssist" in action.preferred_modes and "visionAssist" in action.terms.abilities.modes


def only_vision(action: Action) -> bool:
    return action.preferred_modes == ("visionAssist",)


def _take(action: Action, event: when.Found, match: Resolved) -> list[Command]:
    action.resolved = match
    candidate = match.winner.candidate
    if candidate.by == "runtimeHint" and isinstance(action.target_request.ref, InstanceIdRef):
        action.re_resolved = True  # the page replaced the node: this was the one time (ACT-8.3)
        action.result.note("resolved again: the page replaced the element")
    own = set(action.primitive.affordances) & set(candidate.element.affordances)
    if candidate.opaque is not None and action.primitive.checks in ("pointer", "text", "value") and not own:
        # the frame or host is visible, but the action would happen inside it (ACT-13.2)
        return fail_with(action, event.at, opaque_region(candidate.opaque))
    if candidate.painted is None and not action.primitive.accepts(candidate.element):
        return fail(
            action, event.at, "target_not_interactable", *_wrong_affordance(action, candidate.element)
        )
    why = action.primitive.fault(candidate.element, action.args, action.terms.principal.type)
    if why is not None:
        return fail(action, event.at, "action_unsupported", why, {"reason": "invalid_args", "faults": [why]})
    use = do.UseTarget(candidate.element, candidate.painted)
    return move(action, "CHECKING_PRECONDITIONS", use, do.Probe(candidate.element.instance_id))


def _wrong_affordance(action: Action, element: ElementNode) -> tuple[str, dict[str, Any]]:
    needed, offered = action.primitive.affordances, element.affordances
    message = (
        f"a {element.role} like this does not take {action.primitive.id}: it needs {' or '.join(needed)}, "
        f"and it offers {', '.join(offered) or 'nothing'}"
    )
    return message, {"reason": "affordance", "needed": list(needed), "offered": list(offered)}
