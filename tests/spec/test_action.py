"""Action requests: an ambiguous target is never allowed."""

from __future__ import annotations

import msgspec
import pytest

from uiap.spec.action import ActionRequestPayload, ActionTarget


def test_a_target_may_not_allow_ambiguity() -> None:
    assert ActionTarget(allow_ambiguous=False).allow_ambiguous is False
    with pytest.raises(ValueError, match="allowAmbiguous"):
        ActionTarget(allow_ambiguous=True)


def test_a_request_that_allows_ambiguity_is_refused_when_it_is_decoded() -> None:
    text = b'{"actionId":"ui.activate","target":{"ref":{"by":"stableId","value":"x"},"allowAmbiguous":true}}'
    with pytest.raises(msgspec.ValidationError, match="allowAmbiguous"):
        msgspec.json.decode(text, type=ActionRequestPayload)
