"""The transition graph of a package: states as nodes, actions as edges, each with its evidence (DISC-6.6)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET

from uiap.discovery.knowledge.states import State
from uiap.discovery.knowledge.transitions import RunLog, Transition
from uiap.discovery.package.catalog import Catalog
from uiap.discovery.package.provenance import (
    edge_confidence,
    edge_reason,
    metadata_or_unset,
    ref,
    tuple_or_unset,
)
from uiap.discovery.plan.address import path_pattern
from uiap.spec.discovery import DiscoveryStateNode, DiscoveryTransition


class TransitionCatalog:
    def __init__(self, states: Iterable[State], log: RunLog, catalog: Catalog) -> None:
        self._all, self._trail, self._catalog = list(states), log, catalog
        self._arrivals: dict[str, list[Transition]] = {}
        for one in log.transitions:
            if one.source != one.target:
                self._arrivals.setdefault(one.target, []).append(one)

    def states(self) -> list[DiscoveryStateNode]:
        return [self._state(one) for one in self._all]

    def _state(self, one: State) -> DiscoveryStateNode:
        arrivals = self._arrivals.get(one.id, [])
        evidence = [ref("dom", f"{one.id}.graph"), *(ref("transition", t.id) for t in arrivals[:2])]
        if one.ax is not None:
            evidence.append(ref("accessibility", f"{one.id}.ax"))
        if one.screenshot is not None:
            evidence.append(ref("screenshot", f"{one.id}.screenshot"))
        observation_count = len(arrivals) + one.merged_count
        return DiscoveryStateNode(
            state_id=one.id,
            fingerprint=one.fingerprint.digest,
            route_id=self._catalog.route(one.route),
            scope_ids=tuple_or_unset(dict.fromkeys(map(self._catalog.scope, one.scopes))),
            modal_stack=tuple_or_unset(map(self._catalog.scope, one.modal)),
            page_graph_ref=f"{one.id}.graph",
            screenshot_ref=f"{one.id}.screenshot" if one.screenshot is not None else UNSET,
            discovered_by=tuple(evidence),
            # DISC-12.6: a canvas is only pixels, so the state is not fully known
            confidence="low" if one.has_canvas else "high" if observation_count > 1 else "medium",
            metadata=metadata_or_unset(
                url=one.url,
                depth=one.depth,
                alike=one.merged_count or None,
                seed=one.seed,
                visionAssisted=True if one.has_canvas else None,
                why="a canvas draws a part of it as pixels" if one.has_canvas else None,
                discoveredAt=one.found_at or None,
                entrySeed=msgspec.to_builtins(one.entry_seed) if one.entry_seed is not None else None,
                principal=one.principal,
                crippledBy=self._trail.network.options_lacked_by(one.route, path_pattern(one.url)) or None,
            ),
        )

    def edges(self) -> list[DiscoveryTransition]:
        return [self._edge(one) for one in self._trail.transitions]

    def _edge(self, one: Transition) -> DiscoveryTransition:
        evidence = [ref("transition", one.id)]
        evidence += [ref("signal", f"{one.id}.signals")] if one.signals else []
        evidence += [ref("network", f"{one.id}.network")] if one.blocked else []
        return DiscoveryTransition(
            transition_id=one.id,
            from_state_id=one.source,
            to_state_id=one.target,
            via_action_id=one.action,
            target=self._catalog.target(one.element),
            args=one.args or UNSET,
            side_effect_class=one.side_effect,
            observed_signals=one.signals or UNSET,
            confidence=edge_confidence(one),
            discovered_by=tuple(evidence),
            metadata=metadata_or_unset(
                label=one.label,
                times=one.times if one.times > 1 else None,
                fallback=one.fallback,
                why=edge_reason(one),
                status=one.status,
                decision=one.decision._asdict(),
                error=one.error,
                unresolved=None if one.resolved else True,
                blocked=[msgspec.to_builtins(b) for b in one.blocked] or None,
                popups=list(one.popups) or None,
                dialogs=list(one.dialogs) or None,
                downloads=list(one.downloads) or None,
                contradiction=one.contradiction,
            ),
        )
