"""One rule decides whether `near` names one element, for Python, the CLI and MCP alike."""

import pytest

from uiap.graph.picking import is_clear_best


@pytest.mark.parametrize(
    ("confidences", "clear"),
    [((), False), ((0.2,), True), ((0.9, 0.7), True), ((0.9, 0.85), False), ((0.5, 0.5, 0.1), False)],
)
def test_the_best_match_counts_if_it_is_alone_or_clearly_ahead(
    confidences: tuple[float, ...], clear: bool
) -> None:
    assert is_clear_best(confidences) is clear
