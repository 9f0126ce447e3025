"""The vocabularies have the words the documents list; the numbers are written down here by eye."""

from typing import get_args

import msgspec
import pytest

from uiap.spec import action, authoring, capability, core, discovery, policy, web, workflow

COUNTS = [
    (capability.UI_STATE_KEYS, 32),
    (capability.EXECUTION_MODES, 5),
    (capability.SUCCESS_SIGNAL_KINDS, 16),
    (action.RUNTIME_STATES, 11),
    (action.PROGRESS_STAGES, 7),
    (action.RUNTIME_ERROR_CODES, 15),
    (action.VERIFICATION_POLICIES, 4),
    (action.RESOLVED_BY, 5),
    (core.CORE_ERROR_CODES, 23),
    (core.MESSAGE_KINDS, 3),
    (core.PARTICIPANT_ROLES, 6),
    (core.SESSION_STATES, 6),
    (core.TERMINATE_REASONS, 7),
    (web.SCOPE_KINDS, 17),
    (web.WEB_SIGNAL_KINDS, 16),
    (web.ANNOTATIONS, 19),
    (web.OPAQUE_KINDS, 5),
    (policy.POLICY_GRANTS, 11),
    (policy.DATA_CLASSES, 8),
    (policy.SIDE_EFFECT_CLASSES, 12),
    (policy.POLICY_EFFECTS, 4),
    (policy.POLICY_REASONS, 11),
    (workflow.WORKFLOW_STEP_TYPES, 7),
    (workflow.WORKFLOW_CONDITION_KINDS, 13),
    (workflow.WORKFLOW_INSTANCE_STATUSES, 8),
    (workflow.WORKFLOW_ERROR_CODES, 10),
    (discovery.EVIDENCE_SOURCES, 13),
    (discovery.CONFIDENCES, 3),
    (discovery.REVIEW_KINDS, 11),
    (discovery.DISCOVERY_RUN_STATUSES, 10),
    (discovery.DISCOVERY_SEED_KINDS, 6),
    (discovery.DISCOVERY_EFFECTS, 4),
    (discovery.DISCOVERY_REASONS, 10),
    (authoring.AUTHORING_KINDS, 11),
    (authoring.SUB_MANIFEST_KINDS, 10),
    (authoring.RELEASE_CHANNELS, 5),
    (authoring.MANIFEST_PATCH_OPS, 5),
    (authoring.MANIFEST_REVIEW_STATES, 6),
]


@pytest.mark.parametrize(("words", "count"), COUNTS)
def test_vocabulary_has_its_number_of_distinct_words(words: tuple[str, ...], count: int) -> None:
    assert len(set(words)) == len(words) == count


@pytest.mark.requirement("CAP-4")
def test_there_are_51_roles() -> None:
    assert len(set(capability.UI_ROLES)) == 51
    assert capability.UI_ROLES[-1] == "custom"


@pytest.mark.requirement("CAP-5")
def test_there_are_32_state_keys_and_each_is_a_member_of_the_state() -> None:
    assert capability.UIState.__struct_encode_fields__ == capability.UI_STATE_KEYS
    assert len(capability.UI_STATE_KEYS) == 32


@pytest.mark.requirement("CAP-6")
def test_there_are_19_affordances_and_none_is_an_action() -> None:
    assert len(set(capability.UI_AFFORDANCES)) == 19
    assert not set(capability.UI_AFFORDANCES) & set(capability.PRIMITIVE_ACTIONS)


@pytest.mark.requirement("CAP-7")
def test_there_are_20_primitive_actions_and_5_execution_modes() -> None:
    assert len(set(capability.PRIMITIVE_ACTIONS)) == 20
    assert set(action.MODE_ORDER) == set(capability.EXECUTION_MODES)


@pytest.mark.requirement("CAP-8.1")
def test_there_are_3_risk_levels_from_lax_to_strict_and_9_tags() -> None:
    assert capability.RISK_LEVELS == ("safe", "confirm", "blocked")
    assert len(set(capability.RISK_TAGS)) == 9


@pytest.mark.requirement("CAP-3")
def test_target_references_are_distinguished_by_their_tag() -> None:
    tags = {ref.__struct_config__.tag for ref in get_args(capability.TargetRef)}
    assert tags == {"stableId", "scope", "route", "semantic", "custom"}
    ref = msgspec.convert({"by": "semantic", "role": "button", "name": "Go"}, capability.TargetRef)
    assert ref == capability.SemanticRef(role="button", name="Go")
    assert ref.by == "semantic"
    with pytest.raises(msgspec.ValidationError, match="instanceId"):
        msgspec.convert({"by": "instanceId", "value": "el_1"}, capability.TargetRef)


@pytest.mark.requirement("CAP-9")
def test_every_signal_kind_decodes_into_its_own_type() -> None:
    assert len(capability.SUCCESS_SIGNALS) == 16
    target = {"by": "stableId", "value": "a"}
    for of, kind in zip(capability.SUCCESS_SIGNALS, capability.SUCCESS_SIGNAL_KINDS, strict=True):
        value = {
            "kind": kind,
            "target": target,
            "state": {},
            "value": 1,
            "text": "a",
            "op": "eq",
            "entityType": "video",
            "name": "a",
        }
        value = {**value, "status": 200}
        signal = msgspec.convert(value, capability.SuccessSignal)
        assert type(signal) is of
        assert signal.kind == kind


@pytest.mark.requirement("ACT-6.4")
def test_an_error_outside_the_fifteen_codes_is_refused() -> None:
    for code in action.RUNTIME_ERROR_CODES:
        assert msgspec.convert({"code": code, "message": "a"}, action.RuntimeErrorDescriptor).code == code
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"code": "policy_denied", "message": "a"}, action.RuntimeErrorDescriptor)


def test_progress_stages_are_the_states_between_the_first_and_the_last() -> None:
    between = [s for s in action.RUNTIME_STATES if s != "RECEIVED" and s not in action.FINAL_STATES]
    assert [s.lower() for s in between] == list(action.PROGRESS_STAGES)


def test_five_core_errors_are_retryable() -> None:
    retryable = {code for code, again in core.CORE_ERROR_RETRYABLE.items() if again}
    assert retryable == {"conflict", "stale_revision", "rate_limited", "timeout", "busy"}
    assert set(core.CORE_ERROR_RETRYABLE) == set(core.CORE_ERROR_CODES)


def test_web_signal_kinds_match_the_signal_types() -> None:
    assert tuple(s.__struct_config__.tag for s in web.WEB_SIGNALS) == web.WEB_SIGNAL_KINDS


def test_every_side_effect_and_data_class_has_its_default_rule() -> None:
    assert set(policy.SIDE_EFFECT_RULES) == set(policy.SIDE_EFFECT_CLASSES)
    assert set(policy.DATA_CLASS_RULES) == set(policy.DATA_CLASSES)


def test_an_unknown_data_class_is_no_error() -> None:
    rule = msgspec.convert({"kind": "redact", "dataClasses": ["biometric"]}, policy.PolicyObligation)
    assert rule == policy.RedactObligation(data_classes=("biometric",))


def test_workflow_values_are_references_only_in_their_exact_form() -> None:
    assert workflow.workflow_value({"$param": "title"}) == workflow.ParamReference(param="title")
    assert workflow.workflow_value({"$result": "s.id"}) == workflow.ResultReference(result="s.id")
    for literal in ({"$param": "a", "b": 1}, {"$param": 1}, "text", None, [{"$param": "a"}]):
        assert workflow.workflow_value(literal) == literal
