"""The conditions of an environment: feature flags, grants and principals."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.discovery.shop import SHOP
from tests.discovery.simulated_app import SimulatedApp, SimulatedRun, environment
from tests.spec import shared
from uiap.api.discovery_options import Principal
from uiap.api.discovery_options import environment as described
from uiap.discovery.plan.authorisation import authorisation_problem
from uiap.discovery.plan.conditions import flag_storage, unapplied_in_session
from uiap.discovery.plan.plan import RunPlan, RunTerms
from uiap.discovery.plan.seeds import planned_payload
from uiap.spec.discovery import DiscoveryPlanPayload, DiscoveryPrincipalProfile, DiscoveryViewport
from uiap.spec.policy import PolicyGrant


@pytest.mark.requirement("DISC-8.5b")
def test_flags_are_put_where_the_application_reads_them_or_the_run_says_which_are_not_applied() -> None:
    flags: dict[str, Any] = {"beta": True, "rows": 5}
    cookies, notes = flag_storage(described("http://app.test/", feature_flags=flags, flags_in="cookie"))
    assert cookies is not None and notes == ()
    assert [(one["name"], one["value"]) for one in cookies["cookies"]] == [("beta", "true"), ("rows", "5")]
    stored, _ = flag_storage(described("http://app.test/", feature_flags=flags, flags_in="localStorage"))
    assert stored is not None and stored["origins"][0]["origin"] == "http://app.test"
    nothing, notes = flag_storage(described("http://app.test/", feature_flags=flags))
    assert nothing is None and len(notes) == 2 and "`beta` was not applied" in notes[0]
    asked = replace(
        environment(), locale="de", viewport=DiscoveryViewport(width=1, height=1), feature_flags=flags
    )
    assert [note.split(" of ")[0] for note in unapplied_in_session(asked)] == [
        "the locale", "the viewport", "the feature flags",
    ]  # fmt: skip


@pytest.mark.requirement("DISC-8.5")
def test_an_environment_has_profiles_locale_viewport_flags_and_the_mode_of_signing_in() -> None:
    people = [Principal(id="admin", roles=("admin",), url="/login"), Principal(id="viewer", url="/login")]
    made = described(
        "http://app.test/",
        principals=people,
        locale="de-CH",
        viewport=(800, 600),
        feature_flags={"beta": True},
    )
    assert [one.id for one in made.principal_profiles or ()] == ["admin", "viewer"]
    assert (made.locale, made.auth_mode, made.feature_flags) == ("de-CH", "seeded", {"beta": True})
    assert made.viewport == DiscoveryViewport(width=800, height=600)
    assert described("http://app.test/", principals=[Principal(id="a", manual=True)]).auth_mode == "manual"


@pytest.mark.requirement("DISC-8.5e")
@pytest.mark.parametrize(
    ("grants", "presses"), [(("observe",), False), (("observe", "act"), True), ((), True)]
)
def test_the_grants_of_a_profile_limit_what_is_done_under_it(
    grants: tuple[PolicyGrant, ...], presses: bool
) -> None:
    profile = DiscoveryPrincipalProfile(id="viewer", **({"grants": grants} if grants else {}))
    run = SimulatedRun(SimulatedApp(SHOP), replace(environment(), principal_profiles=(profile,)))
    package = run.complete()
    assert bool(run.app.pressed) == presses
    assert ("allow safe" in package.metadata["decisions"]) == presses


@shared.needs_texts
@pytest.mark.requirement("DISC-18")
def test_the_printed_plan_is_accepted_as_it_stands() -> None:
    printed = next(
        one
        for one in shared.json_objects(shared.text("seed-003"))
        if one.get("type") == "uiap.discovery.plan"
    )
    asked = msgspec.convert(printed["payload"], DiscoveryPlanPayload)
    assert authorisation_problem(asked.environment) is None
    made = RunPlan(RunTerms(run_id="r", environment=asked.environment, seeds=asked.seeds or ()))
    planned = planned_payload(made, asked.seeds or ())
    assert planned.accepted_seeds == asked.seeds and planned.rejected_seeds == ()
