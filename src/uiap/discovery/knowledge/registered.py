"""Actions that the application registered: the words that judge them, and the candidates to invoke them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import UNSET

from uiap.discovery import risk_words
from uiap.discovery.knowledge.candidates import APP_ACTION, APP_KEY, ActionCandidate, ReplayStep
from uiap.discovery.safety.safety import Judgement
from uiap.graph.store import GraphStore
from uiap.spec.capability import ActionDescriptor


def words_of(id: str, declared: ActionDescriptor) -> str:
    """Return the words by which a registered action is judged: its id and its title."""
    title = declared.title if declared.title is not UNSET else ""
    return f"{id.replace('.', ' ').replace('_', ' ')} {title}".strip()


def registered_candidates(
    store: GraphStore, registered: Mapping[str, ActionDescriptor]
) -> Iterator[ActionCandidate]:
    """Yield a candidate for each registered action that needs no argument; it is invoked on the application itself."""
    app = next((one for one in store.elements.values() if one.role == "app"), None)
    if app is None or store.modal_stack:
        return
    for id, declared in registered.items():
        if not any(one.required is True for one in declared.args or ()):
            yield ActionCandidate(
                step=ReplayStep(APP_KEY, 0, id),
                node=app.instance_id,
                role=app.role,
                label=declared.title or id,
                rank=APP_ACTION,
                judgement=judge_registered(id, declared),
                cover_key=f"app|{id}",
                control_key=f"app|{id}",
            )


def judge_registered(id: str, declared: ActionDescriptor) -> Judgement:
    """Judge an action by its declared risk and its words. Only an action that is declared safe is known to be safe."""
    named = risk_words.named_side_effect(words_of(id, declared))
    if named is not None:
        return Judgement(named, f"its words say so: `{words_of(id, declared)}`")
    if declared.risk.level == "blocked":
        return Judgement("unknown", "the application declares it blocked", blocked=True)
    if declared.risk.level == "safe" and not declared.risk.tags:
        return Judgement("ui_state", "the application registered it as safe")
    return Judgement("unknown", f"the application declares it {declared.risk.level}")
