"""The accessibility tree as evidence."""

from __future__ import annotations

from uiap.discovery.package import accessibility


def test_a_stored_accessibility_tree_has_only_roles_and_masked_names() -> None:
    nodes = (
        b'[{"role":{"value":"button"},"name":{"value":"Mail ada@x.example"},"value":{"value":"secret"}},'
        b'{"ignored":true,"role":{"value":"none"}}]'
    )
    assert accessibility.redact_tree(nodes, "Mail •••") == '[{"role":"button","name":"Mail •••"}]'.encode()


def test_a_name_that_the_page_script_may_not_read_is_left_out() -> None:
    nodes = (
        b'[{"role":{"value":"button"},"name":{"value":"Show"}},{"role":"button","name":{"value":"Hidden"}}]'
    )
    assert (
        accessibility.redact_tree(nodes, "Show\nMore")
        == b'[{"role":"button","name":"Show"},{"role":"button"}]'
    )
