"""Every refusal names a way forward."""

from __future__ import annotations

from uiap.client.way_forward import WAYS, way_forward
from uiap.spec.action import RUNTIME_ERROR_CODES

NOT_A_RUNTIME_CODE = {"policy_denied", "forbidden", "affordance", "invalid_args", "secret_missing"}


def test_every_reason_exists():
    assert set(WAYS) - NOT_A_RUNTIME_CODE <= set(RUNTIME_ERROR_CODES)


def test_a_denial_names_the_person_and_the_policy_file():
    assert way_forward("policy_denied").startswith("a person can do it in the page themselves")
    assert way_forward("target_not_found") == ""


def test_the_closer_reason_decides():
    taken = way_forward("target_not_interactable", {"reason": "affordance"})
    assert taken.startswith("name the control itself")
    assert way_forward("action_unsupported", {"reason": "secret_missing"}) == ""
    assert way_forward("target_not_interactable", {"reason": "covered"}).startswith("close what covers it")
