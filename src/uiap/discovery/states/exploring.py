"""Choosing the next task, reaching the state where it can be done, and doing it (DISC-11.5a).

A path to a state is a list of entries: an address and the steps after it. If one entry leads elsewhere, the next is
tried; if all do, the state is recorded as a gap. The functions call each other in a circle, because every end of a
task is the choice of the next one.
"""

from __future__ import annotations

from collections import deque

from uiap.discovery import commands
from uiap.discovery.knowledge.candidates import APP_KEY, find_element
from uiap.discovery.knowledge.states import State
from uiap.discovery.plan.seeds import SeedTarget
from uiap.discovery.run_state import RunState
from uiap.discovery.safety.safety import decide, judge
from uiap.discovery.states.common import enter_status, request, spent_budget
from uiap.discovery.states.finishing import complete
from uiap.discovery.states.page_checks import (
    is_equivalent,
    link_step_to,
    link_to,
    replay_command,
    shows_element_of,
)
from uiap.discovery.states.principals import prepare_current_principal, prepare_next_principal
from uiap.discovery.states.seeding import next_workflow_step
from uiap.discovery.tasks import PathToState, Recapture, Task, TryAction, VisitSeed

_LINKED_KINDS = ("url", "route", "documentation")

# -- choosing a task ---------------------------------------------------------------------------------------------


def choose_task(run: RunState) -> list[commands.Command]:
    """Start the next task: a seed, else the best action of the frontier, else the next principal, else the end."""
    if run.paused:
        return []
    run.worker.task = run.worker.path = None
    spent = spent_budget(run)
    if run.worker.following and spent is None and (step := next_workflow_step(run)) is not None:
        return start_task(run, TryAction(step[0].id, step[1]))
    if run.pending_targets and (run.status == "seeding" or spent is None):
        return start_task(run, VisitSeed(run.pending_targets.popleft()))
    if run.status == "seeding":
        enter_status(run, "exploring")
    while spent is None:
        chosen = run.knowledge.frontier.take_best(run.worker.current_state, _keys_in_work(run))
        if chosen is None:
            break
        state, candidate = chosen
        if run.knowledge.is_worth_trying(candidate, state.route):
            return start_task(run, TryAction(state.id, candidate))
    if any(one.pending is not None for one in run.others):
        return []  # another worker may still find something
    if spent is not None:
        left = len(run.knowledge.frontier) + len(run.pending_targets)
        run.knowledge.log.limits[spent] += left
        run.knowledge.log.add_gap(
            f"budget {spent}", f"the budget for {spent} ended the run; {left} actions were left"
        )
    if spent is None and (run.profiles or run.redirected_targets):
        return prepare_next_principal(run)
    return complete(run)


def start_idle_workers(run: RunState) -> list[commands.Command]:
    """Give a task to each other worker that waits for one; prepare its browser first."""
    issued: list[commands.Command] = []
    for worker in run.others:
        if run.paused or run.status not in ("seeding", "exploring"):
            break
        if worker.pending is not None or worker.is_gone:
            continue
        run.worker = worker
        if worker.is_ready:
            issued += choose_task(run)
        elif run.status == "exploring" and len(run.knowledge.frontier) > 1:
            issued.append(prepare_current_principal(run))
    return issued


def _keys_in_work(run: RunState) -> frozenset[str]:
    """Return the keys of the actions that other workers are about to try."""
    tasks = (one.task for one in run.others if one.pending is not None)
    return frozenset(one.candidate.cover_key for one in tasks if isinstance(one, TryAction))


def start_task(run: RunState, task: Task) -> list[commands.Command]:
    """Do the task here if possible, else follow the cheapest path to its state."""
    run.worker.task = task
    if isinstance(task, VisitSeed):
        return _visit_seed(run, task.seed_target)
    target = run.knowledge.states.by_id[task.state]
    if run.worker.current_state is target and shows_element_of(run, task):
        return _perform_task(run, target)
    run.worker.path = PathToState(target.id, deque(target.entries))
    source = run.worker.current_state if run.worker.current_state is not target else None
    steps = run.knowledge.paths.find(source, target) if source is not None else None
    if steps is None and source is not None:
        steps = link_step_to(run, target)
    if steps is None:
        return try_next_entry(run)
    run.worker.path.steps = deque(steps)
    return follow_path(run)


def restart_task(run: RunState) -> list[commands.Command]:
    """Start the current task again in a new browser."""
    task = run.worker.task
    if task is None:
        return choose_task(run)
    writes = run.plan.safety.default_mode == "sandbox_write"
    if isinstance(task, TryAction) and task.seed_target is None and writes:
        # ACT-3.2: an action that may have taken effect once is not repeated
        text = f"`{task.candidate.label}` was interrupted; whether it took effect is not known"
        run.knowledge.log.add_gap(f"interrupted {task.candidate.cover_key}", text, task.state)
        return choose_task(run)
    return start_task(run, task)


def give_up_task(run: RunState) -> list[commands.Command]:
    """Drop the task; if it was a link to a seed, load the address of the seed instead."""
    if isinstance(run.worker.task, TryAction) and run.worker.task.seed_target is not None:
        run.links_trusted = False
        run.pending_targets.appendleft(run.worker.task.seed_target)
    return choose_task(run)


def _visit_seed(run: RunState, seed_target: SeedTarget) -> list[commands.Command]:
    """Go to a seed by a visible link, which costs half as much as a load within one page; else load its address.

    Links are used only while seeding. Later, state that earlier actions left in the page could affect the new one.
    """
    by_link = run.status == "seeding" and seed_target.label is None and seed_target.seed.kind in _LINKED_KINDS
    link = link_to(run, seed_target.url) if by_link else None
    if link is None or run.worker.current_state is None:
        return [request(run, commands.Load(url=seed_target.url))]
    return start_task(run, TryAction(run.worker.current_state.id, link, seed_target))


# -- following a path --------------------------------------------------------------------------------------------


def try_next_entry(run: RunState) -> list[commands.Command]:
    """Load the next entry of the path; give up once all entries led elsewhere."""
    path = run.worker.path
    assert path is not None
    if not path.entries:
        return _give_up_state(run, path)
    path.entry = path.entries.popleft()
    path.steps = deque(path.entry.steps)
    return [request(run, commands.Load(url=path.entry.url))]


def follow_path(run: RunState) -> list[commands.Command]:
    """Take the next step of the path, or do the task once the state is reached."""
    path = run.worker.path
    assert path is not None
    if path.steps:
        path.taken = path.steps.popleft()
        act = replay_command(run, path.taken)
        return [request(run, act)] if act is not None else try_next_entry(run)
    target = run.knowledge.states.by_id[path.state]
    if run.worker.current_state is not target and not is_equivalent(run, target):
        return try_next_entry(run)
    if path.entries and isinstance(run.worker.task, TryAction) and not shows_element_of(run, run.worker.task):
        return try_next_entry(run)  # another entry may lead to the variant that shows it
    run.worker.path = None
    if path.entry is not None and target.entries[0] != path.entry:
        target.entries.remove(path.entry)  # the entry that worked is tried first the next time
        target.entries.insert(0, path.entry)
    return _perform_task(run, target)


def _give_up_state(run: RunState, path: PathToState) -> list[commands.Command]:
    state = run.knowledge.states.by_id[path.state]
    count = run.knowledge.frontier.drop_state(state)
    text = f"state {state.id} on `{state.route}` could not be reached again; {count} actions were left"
    run.knowledge.log.add_gap(f"lost {state.id}", text, state.id)
    return give_up_task(run)


def _perform_task(run: RunState, state: State) -> list[commands.Command]:
    """Capture the state, or perform the action if it is still allowed on the page as it is now."""
    task, store = run.worker.task, run.worker.store
    assert store is not None
    if isinstance(task, Recapture):
        return [request(run, commands.Capture(state=state.id))]
    assert isinstance(task, TryAction)
    candidate = task.candidate
    run.knowledge.frontier.cover(candidate.cover_key)
    run.tried.add((state.id, candidate.cover_key))
    element = find_element(store, candidate.step)
    if element is None:
        return give_up_task(run)
    # Decided again: values entered or chosen since the first decision may have made the action worse.
    is_invoked = candidate.step.key == APP_KEY
    judgement = (
        candidate.judgement
        if is_invoked
        else judge(store, element, candidate.step.action, run.plan.allowed_origins)
    )
    decision = decide(judgement, run.plan.safety, spent=spent_budget(run))
    if decision.effect != "allow":
        return give_up_task(run)
    act = commands.Act(
        action=candidate.step.action,
        node=element.instance_id,
        role=element.role,
        args=dict(candidate.step.args),
        effect=decision.effect,
        reason=decision.reason,
        why=decision.why,
        leads_to=candidate.url,
    )
    return [request(run, act)]
