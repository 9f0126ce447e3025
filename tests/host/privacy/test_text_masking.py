"""Private values are masked in texts, and everything else stays."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from tests.support.playbook import button
from uiap.host.privacy.private_values import PrivateValues
from uiap.host.privacy.text_masking import MASK, TextMask, is_distinctive
from uiap.spec.action import ActionProgressPayload
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.web import StatusUpdatedSignal, WebElementState, WebSignalPayload

AGENT = PolicyPrincipal(type="agent", id="a", grants=("observe",))


@pytest.mark.parametrize(
    ("value", "text", "left"),
    [
        ("hunter2!", "you typed hunter2!.", f"you typed {MASK}."),
        ("4111 1111 1111 1111", "card 4111111111111111", f"card {MASK}"),
        ("ann@x.test", "/users?mail=ann%40x.test", f"/users?mail={MASK}"),
        ("9471", "code 9471, order 194712", f"code {MASK}, order 194712"),
        ("no", "there is no such thing", "there is no such thing"),
        ("blue", "a blue sky", "a blue sky"),
    ],
)
def test_repeated_forms_of_a_value_are_masked_and_other_words_stay(value: str, text: str, left: str) -> None:
    assert TextMask([value]).mask_text(text) == left


def test_protocol_words_are_never_masked() -> None:
    said = WebSignalPayload(
        signal=StatusUpdatedSignal(text="status.updated to verifying"), ts="2026-03-26T14:00:00.000Z"
    )
    scrubbed = TextMask(["status.updated", "verifying"]).mask_payload(said)
    assert scrubbed.signal == StatusUpdatedSignal(text=f"{MASK} to {MASK}")
    progress = ActionProgressPayload(action_handle="act_1", stage="verifying", note="verifying now")
    assert TextMask(["verifying"]).mask_payload(progress).stage == "verifying"


def test_a_payload_without_private_values_is_returned_unchanged() -> None:
    said = WebSignalPayload(signal=StatusUpdatedSignal(text="saved"), ts="2026-03-26T14:00:00.000Z")
    assert TextMask().mask_payload(said) is said
    assert TextMask(["something else"]).mask_payload(said) is said
    assert not TextMask(["a", "yes"])
    assert [is_distinctive(v) for v in ("abc", "1234", "abcdef", "")] == [False, True, True, False]


def test_a_learned_value_stays_masked_for_readers_who_may_not_read_it() -> None:
    secrets: list[str] = []
    known = PrivateValues((), lambda: secrets)
    field = button(
        "Diagnosis",
        role="textbox",
        state=WebElementState(text_value="influenza"),
        data_classes=("health",),
        affordances=("edit",),
    )
    known.learn_elements([field])
    reader = PolicyPrincipal(type="user", id="p", grants=("observe", "read.sensitive", "read.secret"))
    assert known.redaction_for(AGENT).text_mask.mask_text("influenza") == MASK
    assert known.redaction_for(reader).text_mask.mask_text("influenza") == "influenza"
    secrets.append("by-name-only")
    assert known.redaction_for(AGENT).text_mask.mask_text("by-name-only influenza") == f"{MASK} {MASK}"
    known.learn_args({"cardNumber": "5500 0000 0000 0004", "note": "harmless text"}, None)
    assert (
        known.redaction_for(AGENT).text_mask.mask_text("5500000000000004 harmless text")
        == f"{MASK} harmless text"
    )
    assert field.redaction is UNSET
