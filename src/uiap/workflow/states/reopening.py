"""REOPENING: a new page is brought back to the state that the run had before a restart.

Repeatable steps since the last action that must not be repeated are done again from the address where they began. The
page then has the same values, so that the action after them does the same.
"""

from __future__ import annotations

from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowRun
from uiap.workflow.states.acting import ask_person, reverify
from uiap.workflow.transitions import fail_step, move, reach


def page_lost(run: WorkflowRun, _event: when.PageLost) -> list[Command]:
    """Remember it. The next step opens the page again; a person who is asked meanwhile is not disturbed."""
    run.page_lost, run.reopened = run.step is not None, False
    return []


def page_lost_during_step(run: WorkflowRun, event: when.PageLost) -> list[Command]:
    """Begin the step again on the new page, or look there for the effect of an action."""
    run.page_lost, run.reopened, run.late = True, False, ""
    if run.current.id in run.unresolved:
        return reopen(run)
    return reach(run, event.at, run.current.id)


def reopen(run: WorkflowRun) -> list[Command]:
    """Open the address of the draft, or of the page as it was last."""
    unresolved = run.current.id in run.unresolved
    run.page_lost, run.reopened = (
        unresolved,
        True,
    )  # the draft is still missing if a person reports "not done"
    url = run.page_url if unresolved else run.draft_url
    if run.drafts and not unresolved:
        run.step = run.steps[run.drafts[0]]
        run.drafts.clear()
    return move(run, "REOPENING", do.Reopen(url=url), note="the page was opened again after a restart")


def reopened(run: WorkflowRun, event: when.Reopened) -> list[Command]:
    if event.message and run.current.id in run.unresolved:
        return ask_person(run)
    if event.message:
        return fail_step(run, event.at, f"the page could not be opened again: {event.message}")
    if run.current.id in run.unresolved:
        return reverify(run, event.at)
    return reach(run, event.at, run.current.id)
