"""Policy evaluation compared with a naive reference, and properties that hold for all rules."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from tests.reference import policy_twin
from uiap.policy.evaluate import PolicySet
from uiap.policy.glob import matcher
from uiap.policy.request import PolicyRequest
from uiap.spec.policy import (
    DATA_CLASSES,
    POLICY_EFFECTS,
    POLICY_GRANTS,
    POLICY_OPERATIONS,
    PRINCIPAL_TYPES,
    SIDE_EFFECT_CLASSES,
    PolicyDocument,
)

COUNT = 100_000
ACTIONS = ["ui.activate", "ui.read", "video.create", "video.delete", "team.invite", "billing.pay.now"]
PATTERNS = [*ACTIONS, "ui.*", "video.*", "**", "*", "billing.**", "*.delete", "nothing.*"]
TAGS = [
    "sensitive_data",
    "destructive",
    "external_effect",
    "privileged",
    "billing",
    "security",
    "identity",
    "legal",
]
LEVELS = ["safe", "confirm", "blocked"]
IDS = ["video.submit", "video.title", "account.delete"]


def some(rng: random.Random, of: Any, most: int = 3) -> list[Any]:
    return rng.sample(list(of), rng.randint(1, min(most, len(of))))


def a_match(rng: random.Random, depth: int = 0) -> dict[str, Any]:
    pools: dict[str, Any] = {
        "principalTypes": PRINCIPAL_TYPES,
        "operations": POLICY_OPERATIONS,
        "actionIds": PATTERNS,
        "riskLevels": LEVELS,
        "riskTags": TAGS,
        "sideEffectClasses": SIDE_EFFECT_CLASSES,
        "stableIds": [*IDS, "video.*", "**"],
        "dataClasses": [*DATA_CLASSES, "x.acme.odd"],
        "routeIds": ["videos", "videos.new", "videos.*"],
        "grantsAll": POLICY_GRANTS,
        "grantsMissing": POLICY_GRANTS,
    }
    match: dict[str, Any] = {key: some(rng, pools[key]) for key in rng.sample(list(pools), rng.randint(0, 3))}
    if depth < 2 and rng.random() < 0.15:
        match["not"] = a_match(rng, depth + 1)
    return match


def a_document(rng: random.Random, rules: int) -> dict[str, Any]:
    defaults = {
        name: rng.choice(of)
        for name, of in (
            ("onUnknownAction", POLICY_EFFECTS),
            ("onUnknownTarget", POLICY_EFFECTS),
            ("onSafe", POLICY_EFFECTS),
            ("onConfirm", POLICY_EFFECTS),
            ("onBlocked", ("handoff", "deny")),
            ("onMissingGrant", ("handoff", "deny")),
        )
        if rng.random() < 0.4
    }
    made = []
    for n in range(rules):
        rule = {"id": f"r{n}", "match": a_match(rng), "effect": rng.choice(POLICY_EFFECTS)}
        if rng.random() < 0.5:
            rule["priority"] = rng.randint(-2, 3)
        if rng.random() < 0.1:
            rule["enabled"] = False
        made.append(rule)
    return {"modelVersion": "0.1", "id": "p", "defaults": defaults, "rules": made}


def a_case(rng: random.Random) -> PolicyRequest:
    grants = POLICY_GRANTS if rng.random() < 0.6 else some(rng, POLICY_GRANTS, 8)
    return PolicyRequest(
        principal_type=rng.choice(PRINCIPAL_TYPES),
        principal_id="someone",
        grants=frozenset(grants),
        operation=rng.choice(POLICY_OPERATIONS),
        action_id=rng.choice(ACTIONS),
        action_known=rng.random() < 0.9,
        side_effect=rng.choice(SIDE_EFFECT_CLASSES),
        side_effect_basis=rng.choice(["declared", "derived", "inferred"]),
        risk_level=rng.choice(["safe", "safe", "confirm", "blocked"]),
        risk_explicit=rng.random() < 0.5,
        risk_tags=frozenset(some(rng, TAGS, 2) if rng.random() < 0.4 else ()),
        role=rng.choice([None, "button", "textbox"]),
        stable_id=rng.choice([None, *IDS]),
        route_id=rng.choice([None, "videos", "videos.new"]),
        data_classes=frozenset(some(rng, [*DATA_CLASSES, "x.acme.odd"], 2) if rng.random() < 0.4 else ()),
        interaction_mode=rng.choice([None, None, "guide", "assist", "auto"]),
        opaque=rng.random() < 0.03,
        target_certain=rng.random() < 0.9,
    )


def compare(seed: int, count: int, cases: int = 400) -> int:
    """Compare evaluation and reference on pairs of random requests and documents, and return their number."""
    rng = random.Random(seed)
    asked = [a_case(rng) for _ in range(cases)]
    for _ in range(count // cases):
        plain = a_document(rng, rng.choice([0, 1, 2, 4, 8, 20]))
        policies = PolicySet((msgspec.convert(plain, PolicyDocument),))
        for case in asked:
            ruling = policies.decide(case)
            assert ruling.effect == policy_twin.decide(plain, case), (plain, case)
            assert ruling.decided_by
    return count // cases * cases


@pytest.mark.requirement("CAP-8.1")
def test_engine_and_naive_twin_agree_on_every_generated_decision():
    assert compare(20260326, COUNT) == COUNT


def test_caches_between_decisions_change_no_decision():
    """A full cache is cleared. The same request gets the same ruling before and after."""
    rng = random.Random(11)
    plain = a_document(rng, 12)
    old = PolicySet((msgspec.convert(plain, PolicyDocument),))
    for _ in range(300):
        case = a_case(rng)
        fresh = PolicySet((msgspec.convert(plain, PolicyDocument),))
        assert old.decide(case) == fresh.decide(case) == old.decide(case)


def test_a_request_that_cannot_be_evaluated_is_denied():
    policies = PolicySet((msgspec.convert(a_document(random.Random(1), 3), PolicyDocument),))
    broken = msgspec.structs.replace(a_case(random.Random(2)), opaque=False, risk_tags=7)  # type: ignore[arg-type]
    ruling = policies.decide(broken)
    assert ruling.effect == "deny"
    assert "evaluation failed" in ruling.decided_by


@pytest.mark.requirement("CAP-8.1", "CAP-8.2", "ACT-5.3")
def test_no_rule_lowers_a_floor_no_order_matters_and_a_deny_rule_never_allows():
    rng = random.Random(7)
    for _ in range(400):
        plain = a_document(rng, 6)
        case = a_case(rng)
        effect = PolicySet((msgspec.convert(plain, PolicyDocument),)).decide(case).effect
        if case.risk_level == "blocked":
            assert effect in ("handoff", "deny")
        if case.risk_level == "confirm":
            assert effect != "allow"
        shuffled = {**plain, "rules": rng.sample(plain["rules"], len(plain["rules"]))}
        assert PolicySet((msgspec.convert(shuffled, PolicyDocument),)).decide(case).effect == effect
        denied = {
            **plain,
            "rules": [*plain["rules"], {"id": "no", "priority": 9, "match": {}, "effect": "deny"}],
        }
        assert PolicySet((msgspec.convert(denied, PolicyDocument),)).decide(case).effect in (
            "deny",
            "handoff",
        )


@pytest.mark.requirement("AUTH-5.5")
def test_of_several_documents_the_strictest_counts_and_all_obligations_hold():
    def document(id: str, effect: str, kind: dict[str, Any]) -> PolicyDocument:
        rule = {"id": "r", "match": {}, "effect": effect, "obligations": [kind, kind]}
        return msgspec.convert(
            {"modelVersion": "0.1", "id": id, "defaults": {}, "rules": [rule]}, PolicyDocument
        )

    case = PolicyRequest(
        principal_type="agent", principal_id="a", grants=frozenset(POLICY_GRANTS), side_effect="draft"
    )
    lax = document("lax", "allow", {"kind": "audit"})
    strict = document("strict", "confirm", {"kind": "notify", "channel": "ops"})
    for order in ((lax, strict), (strict, lax)):
        ruling = PolicySet(order).decide(case)
        assert ruling.effect == "confirm"
        assert ruling.decided_by == "strict/r"
        assert set(ruling.matched_rules) == {"lax/r", "strict/r"}
        assert sorted(o.kind for o in ruling.obligations) == ["audit", "notify"]


def test_without_any_policy_nothing_is_allowed():
    case = PolicyRequest(
        principal_type="user", principal_id="u", grants=frozenset(POLICY_GRANTS), side_effect="none"
    )
    assert PolicySet(()).decide(case).effect == "deny"


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("ui.*", "ui.activate", True),
        ("ui.*", "ui.a.b", False),
        ("ui.**", "ui.a.b", True),
        ("*", "video", True),
        ("*", "video.create", False),
        ("**", "video.create", True),
        ("https://*.example.com", "https://app.example.com", True),
        ("https://*.example.com", "https://a.b.example.com", False),
        ("a.b", "a.b", True),
        ("a.b", "axb", False),
        ("**", "line\nbreak", True),
    ],
)
def test_globs_stop_at_dots_unless_doubled(pattern: str, text: str, fits: bool):
    assert matcher(pattern)(text) is fits


def test_a_decision_that_takes_too_long_is_a_denial_and_a_single_pause_is_not():
    document = msgspec.convert(a_document(random.Random(1), 3), PolicyDocument)
    case = PolicyRequest(
        principal_type="user", principal_id="u", grants=frozenset(POLICY_GRANTS), side_effect="none"
    )
    plain = PolicySet((document,)).decide(case)

    def ticking(*moments: float) -> PolicySet:
        return PolicySet((document,), cpu_seconds=iter(moments).__next__)

    assert ticking(0.0, 0.009).decide(case) == plain
    assert ticking(0.0, 0.5, 1.0, 1.001).decide(case) == plain
    slow = ticking(0.0, 0.011, 1.0, 1.011).decide(case)
    assert (slow.effect, slow.decided_by) == ("deny", "evaluation took longer than 10 ms")
