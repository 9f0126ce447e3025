"""An address was loaded, or could not be: a seed is visited, or a path to a known state goes on."""

from __future__ import annotations

from msgspec import UNSET

from uiap.discovery import commands, events
from uiap.discovery.knowledge.candidates import asks_for_credentials
from uiap.discovery.knowledge.states import StateEntry
from uiap.discovery.plan.address import address_pattern, path_pattern
from uiap.discovery.plan.seeds import SeedTarget
from uiap.discovery.run_state import RunState
from uiap.discovery.states.capturing import capture_if_new
from uiap.discovery.states.common import (
    forget_page,
    identify_state,
    queue_deferred_links,
    record_document,
    record_seed_visit,
)
from uiap.discovery.states.exploring import choose_task, try_next_entry
from uiap.discovery.states.principals import prepare_current_principal
from uiap.discovery.states.seeding import meets
from uiap.discovery.tasks import VisitSeed
from uiap.graph.store import GraphStore
from uiap.spec.discovery import ActionSeed

MAX_SIGN_INS = 3


def on_arrived(run: RunState, event: events.Arrived) -> list[commands.Command]:
    load, run.worker.pending = run.worker.pending, None
    assert isinstance(load, commands.Load)
    forget_page(run)
    run.knowledge.log.network.add(event.effects, path_pattern(load.url), on_load=True)
    run.knowledge.blocked.record_on_load(event.effects, load.url)
    if event.observed is None:
        return _handle_failed_load(run, event, load.url)
    run.knowledge.add_registered(event.registered)
    store = GraphStore(event.observed.graph)
    if _is_signed_out(run, store, load.url):
        run.sign_in_count += 1
        run.knowledge.log.add_note("the session had ended and was opened again")
        return [prepare_current_principal(run)]
    if not run.plan.allowed_origins.allows(store.route.url):
        return _handle_failed_load(run, event, load.url)
    if isinstance(run.worker.task, VisitSeed):
        return _record_visit(run, event.observed, store, run.worker.task.seed_target)
    state, is_new = identify_state(run, event.observed, store, StateEntry(load.url))
    queue_deferred_links(run)
    return capture_if_new(run, state, is_new, "follow_path")


def _handle_failed_load(run: RunState, event: events.Arrived, url: str) -> list[commands.Command]:
    if run.worker.path is not None:
        return try_next_entry(run)
    text = f"`{url}` could not be loaded: {event.problem or 'it led outside the permitted origins'}"
    run.knowledge.log.add_gap(f"load {address_pattern(url)}", text)
    return choose_task(run)


def _record_visit(
    run: RunState, observed: events.ObservedGraph, store: GraphStore, seed_target: SeedTarget
) -> list[commands.Command]:
    """Record the initial state of a seed (DISC-11.2a)."""
    state, is_new = identify_state(run, observed, store, StateEntry(seed_target.url))
    queue_deferred_links(run)
    if state is not None and meets(run, seed_target, state, store):
        seed = record_seed_visit(run, seed_target)
        state.seed = seed if state.seed is None else state.seed
        run.worker.following.extend(seed_target.steps)
    elif isinstance(seed_target.seed, ActionSeed) and seed_target not in run.waiting_targets:
        run.waiting_targets.append(seed_target)
    record_document(run, seed_target, state)
    redirected = path_pattern(store.route.url) != path_pattern(seed_target.url)
    is_signed_in = run.profile is not None and not run.anonymous
    if redirected and is_signed_in and not asks_for_credentials(store):
        run.redirected_targets.append(seed_target)
    return capture_if_new(run, state, is_new, "activate_label" if seed_target.label else "choose_task")


def _is_signed_out(run: RunState, store: GraphStore, url: str) -> bool:
    """Whether a sign-in page came instead of the requested one, although this principal was signed in."""
    signs_in = run.plan.environment.auth_mode is not UNSET
    if not signs_in or run.sign_in_count >= MAX_SIGN_INS or not len(run.knowledge.states):
        return False
    return path_pattern(store.route.url) != path_pattern(url) and asks_for_credentials(store)
