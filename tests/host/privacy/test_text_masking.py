"""Private values are masked in texts, and everything else stays."""

from __future__ import annotations

import base64
import codecs
from urllib.parse import quote

import pytest
from msgspec import UNSET

from tests.support.playbook import button
from uiap.host.privacy.echoes import is_distinctive
from uiap.host.privacy.private_values import PrivateValues
from uiap.host.privacy.text_masking import MASK, MAX_SCANNED, TextMask
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
        ("blue", "a blue sky, bluebird", f"a {MASK} sky, bluebird"),
        ("123", "CVV 123, order 91234", f"CVV {MASK}, order 91234"),
        ("k-9", "your code: k-9.", f"your code: {MASK}."),
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
    assert not TextMask(["a", "no"])
    assert [is_distinctive(v) for v in ("ab", "abc", "1234", "")] == [False, True, True, False]


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


VALUE = "hunter2-Zebra"
DATA = VALUE.encode()
ECHOES = {
    "as it is": VALUE,
    "upper case": VALUE.upper(),
    "base64": base64.b64encode(DATA).decode(),
    "base64 after other text": base64.b64encode(b"user:" + DATA + b"!").decode(),
    "base64 for URLs": base64.urlsafe_b64encode(b"??>" + DATA).decode(),
    "hexadecimal": DATA.hex(),
    "hexadecimal with colons": DATA.hex(":").upper(),
    "bytes": " ".join(f"0x{byte:02x}" for byte in DATA),
    "character codes": ",".join(str(byte) for byte in DATA),
    "quoted for a URL": "".join(f"%{byte:02x}" for byte in DATA),
    "quoted twice": quote(quote("".join(f"%{byte:02x}" for byte in DATA))),
    "entities": "".join(f"&#{ord(letter)};" for letter in VALUE),
    "hexadecimal entities": "".join(f"&#x{ord(letter):x};" for letter in VALUE),
    "escapes": "".join(f"\\u{ord(letter):04x}" for letter in VALUE),
    "reversed": VALUE[::-1],
    "spaced": " ".join(VALUE),
    "one letter per line": "\n".join(VALUE),
    "zero width": "\u200b".join(VALUE),
    "full width": "".join(chr(ord(letter) + 0xFEE0) for letter in VALUE),
    "rot13": codecs.encode(VALUE, "rot13"),
}


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
def test_an_encoded_echo_is_masked(echo: str) -> None:
    mask = TextMask([VALUE])
    assert mask.matches(echo)
    left = mask.mask_text(f"<{echo}>")
    assert MASK in left
    assert not mask.matches(left)
    assert len(left) < 16, "no letter of the value is left"


@pytest.mark.parametrize(
    "text",
    ["a zebra and a hunter", "hunter", "order 12", base64.b64encode(b"something else").decode(), "%zz&x;"],
)
def test_other_texts_stay(text: str) -> None:
    assert TextMask([VALUE, "9471", "k-9"]).mask_text(text) == text


def test_a_value_split_over_several_texts_is_found() -> None:
    mask = TextMask(["4111 1111 1111 1111"])
    assert mask.split_over(["card", "4111", "1111", "", "1111", "1111", "pay"]) == {1, 2, 4, 5}
    assert mask.split_over(["4111111111111111", "pay"]) == set(), "one text has it alone"
    assert mask.split_over(["4111", "pay", "1111"]) == set()


def test_numbers_of_the_page_are_masked_and_sizes_stay() -> None:
    told = TextMask(["1280"]).mask_json(
        {"numericValue": 1280, "width": 1280, "value": 1280.0, "note": "1280"}
    )
    assert told == {"numericValue": 0, "width": 1280, "value": 0, "note": MASK}


def test_a_line_too_long_to_search_is_masked_and_other_lines_stay() -> None:
    long = "x" * (MAX_SCANNED + 1)
    assert TextMask([VALUE]).mask_text(f"first\n{long}\nlast") == f"first\n{MASK}\nlast"
    assert TextMask().mask_text(long) == long


@pytest.mark.parametrize("count", [1, 200])
def test_the_search_reads_each_letter_a_bounded_number_of_times(count: int) -> None:
    """A text made of beginnings of the values is the worst case of a search by alternatives."""
    mask = TextMask([f"secret-{'a' * 40}-{number}" for number in range(count)])
    hostile = ("secret" + "a" * 40) * 500
    assert mask.mask_text(hostile) == hostile


def test_many_values_with_one_beginning_are_found_wherever_they_are() -> None:
    """The index of many needles finds what a search for each of them finds, also among beginnings of others."""
    values = [f"secret value {number} {'of a field ' * (number % 12)}" for number in range(200)]
    mask = TextMask(values)
    for value in values[::7]:
        assert (
            mask.mask_text(f"secret value of {value.strip()} secret value")
            == f"secret value of {MASK} secret value"
        )
    assert mask.mask_text("secret value of a field " * 20) == "secret value of a field " * 20


def test_values_of_many_lengths_with_one_beginning_are_found() -> None:
    values = ["a" * 40 + "b" * length for length in range(1, 60)]
    mask = TextMask(values)
    assert MASK in mask.mask_text("x" + values[30] + "x")
    assert mask.mask_text("a" * 500) == "a" * 500
