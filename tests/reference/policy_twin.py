"""A naive twin of the policy evaluation (companions §5.6), written from the text by eye."""

import fnmatch
import re
from typing import Any

ORDER = ["allow", "confirm", "handoff", "deny"]
EFFECTS = dict(
    none=("allow", ["observe"]), navigation=("allow", ["guide"]), ui_state=("allow", ["guide"]),
    draft=("allow", ["draft"]), data_write=("confirm", ["act"]), external_effect=("confirm", ["act"]),
    identity_change=("handoff", ["act", "identity"]), billing_change=("handoff", ["act", "billing"]),
    security_change=("handoff", ["act", "security"]), destructive=("deny", ["act", "admin"]),
    irreversible=("deny", ["act", "admin"]), unknown=("confirm", ["act"]),
)  # fmt: skip
WRITES = dict(
    public=(None, ["draft"]), internal=(None, ["draft"]), personal=(None, ["draft"]),
    sensitive=("confirm", ["write.sensitive"]), health=("confirm", ["write.sensitive"]),
    payment=("handoff", ["write.sensitive", "billing"]), credential=("handoff", ["write.sensitive"]),
)  # fmt: skip
SECRET = ("handoff", ["write.sensitive", "security"])
TAGS = dict(privileged="admin", billing="billing", identity="identity", security="security")
FACTS = dict(principalTypes="principal_type", operations="operation", actionIds="action_id", roles="role",
             riskLevels="risk_level", riskTags="risk_tags", sideEffectClasses="side_effect", stableIds="stable_id",
             dataClasses="data_classes", routeIds="route_id")  # fmt: skip


def glob(pattern: str, text: str) -> bool:
    if "**" not in pattern and "." in text and "*" in pattern:
        parts, words = pattern.split("."), text.split(".")
        return len(parts) == len(words) and all(map(fnmatch.fnmatchcase, words, parts))
    return re.fullmatch(re.escape(pattern).replace(r"\*\*", ".*").replace(r"\*", "[^.]*"), text) is not None


def fits(match: dict[str, Any], case: Any) -> bool:
    for key, wanted in match.items():
        if key == "not":
            ok = not fits(wanted, case)
        elif key == "grantsAll":
            ok = all(grant in case.grants for grant in wanted)
        elif key == "grantsMissing":
            ok = any(grant not in case.grants for grant in wanted)
        else:
            fact = getattr(case, FACTS[key])
            values = fact if isinstance(fact, frozenset) else [] if fact is None else [fact]
            ok = any(glob(pattern, value) for pattern in wanted for value in values)
        if not ok:
            return False
    return True


def decide(document: dict[str, Any], case: Any) -> str:
    defaults = dict(onUnknownAction="deny", onUnknownTarget="confirm", onSafe="allow", onConfirm="confirm",
                    onBlocked="deny", onMissingGrant="deny") | document["defaults"]  # fmt: skip
    writes = case.operation in ("act", "write") and case.side_effect != "none"
    if case.opaque or (not case.action_known and defaults["onUnknownAction"] == "deny"):
        return "deny"
    needed = [*EFFECTS[case.side_effect][1], *(TAGS[t] for t in case.risk_tags if t in TAGS)]
    needed += (
        ["write.sensitive" if writes else "read.sensitive"] if "sensitive_data" in case.risk_tags else []
    )
    needed += [g for c in case.data_classes for g in WRITES.get(c, SECRET)[1]] if writes else []
    if not set(needed) <= case.grants:
        return str(defaults["onMissingGrant"])
    matching = [r for r in document["rules"] if r.get("enabled", True) and fits(r["match"], case)]
    if matching:
        top = max(r.get("priority", 0) for r in matching)
        base = [r["effect"] for r in matching if r.get("priority", 0) == top]
    else:
        base = [defaults[{"safe": "onSafe", "confirm": "onConfirm", "blocked": "onBlocked"}[case.risk_level]]]
        base += [] if case.action_known else [defaults["onUnknownAction"], EFFECTS["unknown"][0]]
        excused = case.side_effect_basis == "inferred" and case.side_effect in ("data_write", "unknown")
        excused = excused and case.risk_explicit and case.risk_level == "safe"
        base += [EFFECTS[case.side_effect][0]] if case.action_known and not excused else []
        base += [e for c in case.data_classes if (e := WRITES.get(c, SECRET)[0])] if writes else []
        base += [] if case.target_certain else [defaults["onUnknownTarget"]]
    floors = [{"safe": "allow", "confirm": "confirm", "blocked": "handoff"}[case.risk_level]]
    floors += ["confirm"] if writes and case.data_classes & {"credential", "secret", "payment"} else []
    grants = EFFECTS[case.side_effect][1]
    floors += ["handoff"] if case.interaction_mode == "guide" and set(grants) - {"observe", "guide"} else []
    floors += ["confirm"] if case.interaction_mode == "assist" and "act" in grants else []
    return max([*base, *floors], key=ORDER.index)
