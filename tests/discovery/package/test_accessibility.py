"""The accessibility tree as evidence."""

from __future__ import annotations

from uiap.discovery.package import accessibility


def test_a_stored_accessibility_tree_has_only_roles_and_masked_names() -> None:
    nodes = (
        b'[{"role":{"value":"button"},"name":{"value":"Mail ada@x.example"},"value":{"value":"secret"}},'
        b'{"ignored":true,"role":{"value":"none"}}]'
    )
    assert accessibility.redact_tree(nodes) == '[{"role":"button","name":"Mail •••"}]'.encode()
