"""Links behind a dialog that a page opens by itself, such as a welcome or a consent.

The dialog may not close, because the guard holds back its request. The pages behind it are still known by their
addresses, so these are loaded.
"""

from __future__ import annotations

from uiap.discovery.knowledge.candidates import ActionCandidate, read_candidates
from uiap.discovery.knowledge.states import State
from uiap.discovery.plan.plan import RunPlan
from uiap.discovery.safety.safety import decide
from uiap.graph.store import GraphStore


def covered_links(store: GraphStore, state: State, plan: RunPlan) -> list[ActionCandidate]:
    """Return the permitted links behind the dialogs of a page that was loaded; none if a press opened them."""
    if not store.modal_stack or state.depth:
        return []
    found = read_candidates(store, plan.allowed_origins, behind_dialogs=True).found
    return [
        one
        for one in found
        if one.url is not None and not one.is_file and decide(one.judgement, plan.safety).effect == "allow"
    ]
