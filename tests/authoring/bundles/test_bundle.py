"""The digest of a bundle covers everything but itself."""

from __future__ import annotations

import msgspec
import pytest

from uiap.authoring.bundles.bundle import digest_matches, with_digest
from uiap.authoring.canonical import canonical
from uiap.digests import content_digest

BUNDLE = {"app": {"appId": "a"}, "packageId": "p", "version": "1.0.0", "buildContext": {}}


def test_the_digest_is_that_of_the_canonical_bundle_without_it() -> None:
    data = with_digest(BUNDLE)
    members = msgspec.json.decode(data)
    assert members.pop("digest") == content_digest(canonical(BUNDLE))
    assert members == BUNDLE
    assert data == canonical(msgspec.json.decode(data))


@pytest.mark.requirement("AUTH-12c")
def test_a_changed_bundle_does_not_match_its_digest() -> None:
    data = with_digest(BUNDLE)
    assert digest_matches(data)
    assert not digest_matches(data.replace(b"1.0.0", b"1.0.1"))
    assert digest_matches(canonical(BUNDLE)), "a bundle without a digest claims nothing"
