"""The strictest of several declared risks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.spec.capability import RISK_LEVELS


def strictest_risk(risks: Iterable[Any]) -> Any:
    """Return the strictest risk with the tags of all, so that no rule misses one; UNSET without risks (CAP-8.1)."""
    declared = [risk for risk in risks if risk is not UNSET]
    if not declared:
        return UNSET
    worst = max(declared, key=lambda risk: RISK_LEVELS.index(risk.level))
    tags = tuple(dict.fromkeys(tag for risk in declared for tag in (risk.tags or ())))
    return msgspec.structs.replace(worst, tags=tags or UNSET)
