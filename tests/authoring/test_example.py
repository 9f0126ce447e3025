"""The example package of the authoring specification, completed with the manifests that it lists."""

from __future__ import annotations

import pytest

from tests.authoring.folders import built, codes, folder, messages

BASE = {"uiap.shared.base": {"0.1.3": folder("shared-base")}}


@pytest.mark.requirement("AUTH-12d")
@pytest.mark.requirement("AUTH-7", "AUTH-9", "AUTH-12")
def test_the_example_builds_for_staging() -> None:
    result = built(folder("videoland-example"), imports=BASE, channel="staging")
    assert codes(result, "error", "refusal", "warning") == [], messages(result)
    assert result.bundle is not None
    assert result.bundle.manifest_index == (
        "base:actions.core",
        "app.core",
        "bindings.routes",
        "bindings.elements",
        "actions.core",
        "policies.default",
        "workflows.onboarding",
        "locales.common",
        "reviews.approvals",
    )
    assert [a.id for a in result.bundle.actions or ()] == ["session.signOut", "video.create"]
    (workflow,) = result.bundle.workflows or ()
    assert workflow.version == "0.1.0"
    (policy,) = result.bundle.policies or ()
    assert policy.document.defaults.on_unknown_action == "confirm"


@pytest.mark.requirement("AUTH-9")
def test_the_example_is_refused_for_prod_by_its_gates() -> None:
    result = built(folder("videoland-example"), imports=BASE, channel="prod")
    assert result.bundle is None
    assert result.data == b""
    assert codes(result, "error") == []
    refused = [(d.code, d.file, d.pointer) for d in result.refusals]
    assert refused == [
        ("gate_review_state", "bindings/elements.uiap.yaml", "/metadata/reviewState"),
        ("gate_review_state", "locales/common.uiap.yaml", "/metadata/reviewState"),
    ]


@pytest.mark.requirement("AUTH-15")
@pytest.mark.requirement("AUTH-5.8a", "AUTH-5.9", "AUTH-9")
def test_once_reviewed_the_example_builds_for_prod_with_its_overlay() -> None:
    files = folder("videoland-example")
    for name in ("bindings/elements.uiap.yaml", "locales/common.uiap.yaml"):
        files[name] = files[name].replace("reviewState: in_review", "reviewState: approved")
    result = built(files, imports=BASE, channel="prod")
    assert result.bundle is not None, messages(result)
    (workflow,) = result.bundle.workflows or ()
    assert (workflow.version, workflow.interaction_modes) == ("0.1.1", ("guide", "assist"))
    (policy,) = result.bundle.policies or ()
    assert policy.document.defaults.on_unknown_action == "deny"


@pytest.mark.requirement("AUTH-5.7")
@pytest.mark.parametrize(
    ("locale", "title"),
    [("en", "Create your first video"), ("no", "Lag din første video"), ("de-CH", "Erstes Video erstellen")],
)
def test_texts_are_resolved_in_the_locale_of_the_build(locale: str, title: str) -> None:
    result = built(folder("videoland-example"), imports=BASE, channel="staging", locale=locale)
    assert result.bundle is not None, messages(result)
    (workflow,) = result.bundle.workflows or ()
    assert workflow.title == title
    assert b'"fallback"' not in result.data
