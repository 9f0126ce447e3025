from __future__ import annotations

import pytest

from uiap.drivers.chromium.input.keys import key_fields, modifier_bits


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Enter", {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}),
        ("Escape", {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27}),
        ("Esc", {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27}),
        ("Space", {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32, "text": " "}),
        ("F5", {"key": "F5", "code": "F5", "windowsVirtualKeyCode": 116}),
        ("a", {"key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65, "text": "a"}),
        ("A", {"key": "A", "code": "KeyA", "windowsVirtualKeyCode": 65, "text": "A"}),
        ("7", {"key": "7", "code": "Digit7", "windowsVirtualKeyCode": 55, "text": "7"}),
        ("&", {"key": "&", "code": "Digit7", "windowsVirtualKeyCode": 55, "text": "&"}),
        ("?", {"key": "?", "code": "Slash", "windowsVirtualKeyCode": 191, "text": "?"}),
        ("ß", {"key": "ß", "code": "", "windowsVirtualKeyCode": 0, "text": "ß"}),
        ("Entre", None),
        ("", None),
    ],
)
def test_key_has_the_fields_of_its_keyboard_position(key: str, expected: dict[str, object] | None) -> None:
    assert key_fields(key) == expected


def test_modifiers_are_bits_and_count_once() -> None:
    assert modifier_bits(["Control", "Shift", "Shift"]) == 10
