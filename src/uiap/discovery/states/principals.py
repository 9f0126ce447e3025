"""Switching to the next principal: who is signed in next, and the command that prepares the browser for them."""

from __future__ import annotations

from uiap.discovery import commands
from uiap.discovery.run_state import RunState
from uiap.discovery.states.common import enter_status, report, request

ANONYMOUS = "nobody"


def prepare_next_principal(run: RunState) -> list[commands.Command]:
    """Prepare the next principal; after the last one, a signed-out browser for the addresses that redirected."""
    enter_status(run, "preparing")
    run.anonymous = not run.profiles
    run.profile = ANONYMOUS if run.anonymous else run.profiles.popleft()
    run.knowledge.switch_principal(run.profile, anonymous=run.anonymous)
    for worker in run.workers:
        worker.is_ready, worker.current_state, worker.store = False, None, None
    run.worker = run.workers[0]
    run.sign_in_count = 0
    return [report(run), prepare_current_principal(run)]


def prepare_current_principal(run: RunState) -> commands.Command:
    return request(
        run, commands.Prepare(profile=None if run.anonymous else run.profile, anonymous=run.anonymous)
    )
