"""The environment of a run from Python arguments."""

from __future__ import annotations

from pathlib import Path

from msgspec import UNSET

from uiap.api.discovery_options import Principal, environment


def test_only_given_budgets_are_sent() -> None:
    made = environment("http://localhost:8000", max_states=5, max_runtime_s=2)
    assert made.budgets is not UNSET
    assert (made.budgets.max_states, made.budgets.max_runtime_ms) == (5, 2000)
    assert made.budgets.max_depth is UNSET
    assert made.environment_id == "localhost:8000"


def test_the_way_to_sign_in_is_named_but_never_contained() -> None:
    plain = environment("localhost:8000", principals=[Principal(id="ann")])
    assert plain.auth_mode is UNSET and plain.base_url.startswith("http://")
    saved = environment(
        "localhost:8000", principals=[Principal(id="ann", storage_state=Path("/secret/state.json"))]
    )
    assert saved.auth_mode == "session_reuse" and "state.json" not in str(saved)
    manual = environment("localhost:8000", principals=[Principal(id="ann", manual=True)])
    assert manual.auth_mode == "manual"


def test_values_without_a_member_are_metadata() -> None:
    made = environment("localhost:8000", origins=["http://cdn.test"], authorised_by="ops")
    assert made.metadata == {"allowedOrigins": ["http://cdn.test"], "authorization": {"by": "ops"}}


def test_only_allowances_that_are_given_loosen_the_safety_rules() -> None:
    assert environment("localhost:8000").safety.default_mode == "safe_explore"  # type: ignore[union-attr]
    made = environment("localhost:8000", mode="sandbox_write", allow_external_effects=True)
    assert made.safety is not UNSET and made.safety.allow_external_effects is True
