"""An action has its result: it becomes a transition, or it was one step of a path."""

from __future__ import annotations

from uiap.discovery import commands, events
from uiap.discovery.knowledge.states import State, StateEntry
from uiap.discovery.plan.address import address_pattern, without_carried
from uiap.discovery.plan.seeds import SeedTarget
from uiap.discovery.run_state import RunState
from uiap.discovery.states.capturing import capture_if_new
from uiap.discovery.states.common import (
    forget_page,
    identify_state,
    queue_deferred_links,
    record_document,
    record_seed_visit,
    report,
)
from uiap.discovery.states.exploring import choose_task, try_next_entry
from uiap.discovery.tasks import TryAction
from uiap.graph.store import GraphStore
from uiap.spec.discovery import UrlSeed

_REPLACED, _COVERED = ("stale_target", "target_not_found", "target_ambiguous"), ("target_not_interactable",)
"""Errors of actions that ended before anything was pressed."""


def on_acted(run: RunState, event: events.Acted) -> list[commands.Command]:
    act, run.worker.pending = run.worker.pending, None
    assert isinstance(act, commands.Act)
    page = run.worker.current_state.route if run.worker.current_state is not None else ""
    run.knowledge.log.network.add(event.effects, page)
    if run.worker.path is not None:
        return _continue_path(run, event)
    task, before = run.worker.task, run.worker.store
    assert isinstance(task, TryAction) and before is not None
    source = run.worker.current_state or run.knowledge.states.by_id[task.state]
    run.worker.resuming = False
    forget_page(run)
    state, is_new, after = run.knowledge.record_action(event, act, task.candidate, source, before)
    if not event.effects.storage_changed:  # else every later page could look new: load an address next
        run.worker.current_state, run.worker.store = state, after
    _queue_popups(run, event)
    if task.seed_target is not None:
        _record_link_to_seed(run, task.seed_target, event, state)
    else:
        _queue_blocked_link(run, event, task)
        _queue_unfollowed_link(run, event, task, before)
    queue_deferred_links(run)
    _retry_in_new_state(run, task, state)
    _retry_unperformed(run, event, task)
    if is_new:
        return capture_if_new(run, state, is_new, "choose_task")
    return [report(run), *choose_task(run)]


def _continue_path(run: RunState, event: events.Acted) -> list[commands.Command]:
    if event.observed is None or run.knowledge.blocked.writes(event.effects):
        return try_next_entry(run)
    after, source, before = GraphStore(event.observed.graph), run.worker.current_state, run.worker.store
    state, is_new = identify_state(run, event.observed, after, None, before=before)
    assert run.worker.path is not None
    if (
        source is not None
        and before is not None
        and run.worker.path.taken is not None
        and not run.worker.resuming
    ):
        run.knowledge.record_repetition(event, run.worker.path.taken, source, before, state)
    return capture_if_new(run, state, is_new, "follow_path")


def _record_link_to_seed(
    run: RunState, seed_target: SeedTarget, event: events.Acted, state: State | None
) -> None:
    """Make the reached state the seed's initial state; load its address if the link led elsewhere."""
    observed = event.observed
    reached = observed is not None and _is_at(observed, seed_target.url)
    if state is None or not reached or event.effects.storage_changed:
        run.links_trusted = False
        run.pending_targets.appendleft(seed_target)
        return
    record_document(run, seed_target, state)
    run.knowledge.mark_initial(state, StateEntry(seed_target.url), record_seed_visit(run, seed_target))


def _retry_in_new_state(run: RunState, task: TryAction, state: State | None) -> None:
    """Put the action back on the frontier if it only led back to a state that offers it too.

    In a menu bar, for example, the first press on another menu may only close the open one.
    """
    key, source = task.candidate.cover_key, run.knowledge.states.by_id[task.state]
    if state is None or (state.id, key) in run.tried or not run.knowledge.paths.has_step(state, source):
        return
    same = next((one for one in state.candidates if one.cover_key == key and one.destination is None), None)
    if same is not None:
        run.knowledge.frontier.reopen(state, same)


def _retry_unperformed(run: RunState, event: events.Acted, task: TryAction) -> None:
    """Try an action once more that ended before anything was pressed; a link is loaded by its address.

    A replaced element is pressed again where it was. A covered one is pressed in another state that offers it, and so
    is everything else that both states offer: something lies over the page here.
    """
    candidate, state = task.candidate, run.knowledge.states.by_id[task.state]
    if event.error not in (*_REPLACED, *_COVERED) or task.seed_target is not None:
        return
    if candidate.url is not None:
        if (state.id, candidate.cover_key) not in run.retried and run.plan.allowed_origins.allows(
            candidate.url
        ):
            run.retried.add((state.id, candidate.cover_key))
            run.pending_targets.append(
                SeedTarget(UrlSeed(url=candidate.url), candidate.url, source="navigation")
            )
        return
    if event.error in _COVERED:
        others = [one for one in run.knowledge.states if one is not state]
        offered = {
            one.place_key for other in others if other.route == state.route for one in other.candidates
        }
        run.knowledge.frontier.drop_offered_elsewhere(state, offered)
        _reopen(run, others, candidate.cover_key)
    else:
        _reopen(run, [state], candidate.cover_key)


def _reopen(run: RunState, states: list[State], key: str) -> None:
    """Put the action back on the frontier, once per state: in the first state that offers it and has not retried it."""
    for state in states:
        same = next((one for one in state.candidates if one.cover_key == key), None)
        if (
            same is not None
            and state.principal == run.knowledge.profile
            and (state.id, key) not in run.retried
        ):
            run.retried.add((state.id, key))
            run.knowledge.frontier.reopen(state, same)
            return


def _queue_blocked_link(run: RunState, event: events.Acted, task: TryAction) -> None:
    """Queue the address of a link that led where it points while a write was blocked.

    Loading the address shows whether the page itself sends that request or the link caused it.
    """
    url, observed = task.candidate.url, event.observed
    if url is None or observed is None or not run.knowledge.blocked.writes(event.effects):
        return
    if _is_at(observed, url) and run.plan.allowed_origins.allows(url):
        run.pending_targets.append(SeedTarget(UrlSeed(url=url), url, source="navigation"))


def _queue_unfollowed_link(run: RunState, event: events.Acted, task: TryAction, before: GraphStore) -> None:
    """Queue the address of a link whose press did not leave the page, as on a busy page or one with a fault."""
    url, observed = task.candidate.url, event.observed
    if url is None or observed is None or event.error in (*_REPLACED, *_COVERED) or event.effects.popups:
        return
    stays = observed.graph.route.url == before.route.url and not event.effects.downloads
    is_open = run.plan.allowed_origins.allows(url) and not run.knowledge.has_visited(
        without_carried(url, before.route.url)
    )
    if stays and is_open and not run.knowledge.blocked.writes(event.effects):
        run.pending_targets.append(SeedTarget(UrlSeed(url=url), url, source="navigation"))


def _queue_popups(run: RunState, event: events.Acted) -> None:
    """Queue the address of each page that opened in another window, also if it is that of the pressed link."""
    for url in event.effects.popups:
        target = SeedTarget(UrlSeed(url=url), url, source="navigation")
        is_queued = any(address_pattern(one.url) == address_pattern(url) for one in run.pending_targets)
        if run.plan.allowed_origins.allows(url) and not (is_queued or run.knowledge.has_visited(url)):
            run.knowledge.frontier.cover(f"-> {address_pattern(url)}")
            run.pending_targets.append(target)


def _is_at(observed: events.ObservedGraph, url: str) -> bool:
    return address_pattern(observed.graph.route.url) == address_pattern(url)
