"""A naive second implementation of the policy evaluation, written from the text of the policy spec."""

import re
from functools import cache
from typing import Any

EFFECTS = dict.fromkeys(["data_write", "external_effect", "unknown"], "confirm act") | dict(
    none="allow observe", navigation="allow guide", ui_state="allow guide", draft="allow draft",
    identity_change="handoff act identity", billing_change="handoff act billing",
    security_change="handoff act security", destructive="deny act admin", irreversible="deny act admin")  # fmt: skip
WRITES = dict.fromkeys(["public", "internal", "personal"], "allow draft") | dict(
    sensitive="confirm write.sensitive", health="confirm write.sensitive",
    payment="handoff write.sensitive billing", credential="handoff write.sensitive")  # fmt: skip
TAGS = dict(privileged="admin", billing="billing", identity="identity", security="security")
ASKED = "principalTypes operations actionIds roles riskLevels riskTags sideEffectClasses stableIds dataClasses routeIds"
TOLD = "principal_type operation action_id role risk_level risk_tags side_effect stable_id data_classes"
FACTS = dict(zip(ASKED.split(), [*TOLD.split(), "route_id"], strict=True))
DEFAULTS = dict(onUnknownAction="deny", onUnknownTarget="confirm", onSafe="allow", onConfirm="confirm")


@cache
def glob(pattern: str, text: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*\*", ".*").replace(r"\*", "[^.]*"), text) is not None


def fits(key: str, wanted: Any, case: Any) -> bool:
    if key in ("all", "not"):
        return all(fits(k, w, case) for k, w in wanted.items()) is (key == "all")
    if key.startswith("grants"):
        return (set(wanted) <= case.grants) is (key == "grantsAll")
    fact = getattr(case, FACTS[key])
    values = fact if isinstance(fact, frozenset) else {fact} - {None}
    return any(glob(pattern, value) for pattern in wanted for value in values)


def decide(document: dict[str, Any], case: Any) -> str:
    defaults = DEFAULTS | dict(onBlocked="deny", onMissingGrant="deny") | document["defaults"]
    effect, *grants = EFFECTS[case.side_effect].split()
    writes = case.operation in ("act", "write") and case.side_effect != "none"
    data = [WRITES.get(c, "handoff write.sensitive security").split() for c in case.data_classes if writes]
    tags = TAGS | {"sensitive_data": "write.sensitive" if writes else "read.sensitive"}
    if case.opaque or (not case.action_known and defaults["onUnknownAction"] == "deny"):
        return "deny"
    needed = {*grants, *(tags.get(t, "") for t in case.risk_tags), *(g for _, *own in data for g in own)}
    if needed - {"", *case.grants}:
        return str(defaults["onMissingGrant"])
    rules = [r for r in document["rules"] if r.get("enabled", True) and fits("all", r["match"], case)]
    base = [r["effect"] for r in rules if r.get("priority", 0) == max(r.get("priority", 0) for r in rules)]
    if not base:
        unknown = [] if case.action_known else [defaults["onUnknownAction"], "confirm"]
        base = [defaults["on" + case.risk_level.title()], *(e for e, *_ in data), *unknown]
        base += [] if case.target_certain else [defaults["onUnknownTarget"]]
        vague = case.side_effect_basis == "inferred" and case.side_effect in ("data_write", "unknown")
        excused = vague and case.risk_explicit and case.risk_level == "safe"
        base += [] if excused or not case.action_known else [effect]
    floors = [{"safe": "allow", "confirm": "confirm", "blocked": "handoff"}[case.risk_level]]
    floors += ["confirm"] if writes and case.data_classes & {"credential", "secret", "payment"} else []
    floors += ["handoff"] if case.interaction_mode == "guide" and set(grants) - {"observe", "guide"} else []
    floors += ["confirm"] if case.interaction_mode == "assist" and "act" in grants else []
    return max([*base, *floors], key="allow confirm handoff deny".index)
