"""collection.count: the number of items of a list, as the app publishes it, or as many as are rendered."""

from __future__ import annotations

import operator

from uiap.graph.store import GraphStore
from uiap.signals.element import TargetReading, judge_end_state
from uiap.signals.log import SignalLog
from uiap.signals.lookup import target_elements
from uiap.signals.verdict import Verdict
from uiap.spec.capability import CollectionCount

_OPS = {"eq": operator.eq, "gte": operator.ge, "lte": operator.le}


def read(signal: CollectionCount, store: GraphStore) -> TargetReading:
    owners = {element.instance_id for element in target_elements(store, signal.target)}
    target_value = getattr(signal.target, "value", None)
    for collection in store.collections.values():
        if collection.owner_instance_id in owners or target_value in (
            collection.collection_id,
            collection.stable_id,
        ):
            count = collection.total_count if isinstance(collection.total_count, int) else collection.count
            return collection.collection_id, bool(_OPS[signal.op](count, signal.value))
    return None


def judge(_signal: CollectionCount, before: TargetReading, now: TargetReading, log: SignalLog) -> Verdict:
    return judge_end_state(before, now, log)
