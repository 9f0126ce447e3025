"""The package of Videoland: validation, overlays, review and gates, up to a signed prod bundle."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.authoring.folders import NOW, messages
from uiap.authoring.analysis.explain import explain
from uiap.authoring.build import Built
from uiap.cli.authoring import BuildOptions, run_build
from uiap.spec.authoring import AnnotationMatcher, BuildContext

ROOT = Path(__file__).parents[2] / "apps" / "videoland"
PROD = BuildContext(channel="prod", environment="prod", locale="en")


def videoland(context: BuildContext) -> Built:
    return run_build(ROOT / "uiap", BuildOptions(context, at=NOW))


@pytest.mark.requirement("AUTH-9", "AUTH-12")
@pytest.mark.parametrize(
    "context", [BuildContext(channel="staging"), PROD, BuildContext(channel="prod", tenant_id="acme")]
)
def test_the_package_is_valid_and_passes_its_gates(context: BuildContext) -> None:
    result = videoland(context)
    assert result.data and not [d for d in result.diagnostics if d.severity != "info"], messages(result)


@pytest.mark.requirement("AUTH-5.8a", "AUTH-8")
def test_prod_is_stricter_than_staging_and_the_tenant_is_stricter_than_prod() -> None:
    staging, prod, acme = (
        videoland(context).bundle
        for context in (BuildContext(channel="staging"), PROD, BuildContext(channel="prod", tenant_id="acme"))
    )
    assert staging and prod and acme
    effects = [b.policies[0].document.defaults.on_unknown_action for b in (staging, prod, acme)]  # type: ignore[index]
    assert effects == ["confirm", "deny", "deny"]
    rules = [{r.id: r.effect for r in b.policies[0].document.rules or ()} for b in (prod, acme)]  # type: ignore[index]
    assert [r["publishing-asks"] for r in rules] == ["confirm", "deny"]


@pytest.mark.requirement("AUTH-9")
def test_without_reviews_prod_is_refused(tmp_path: Path) -> None:
    for path in (ROOT / "uiap").rglob("*.yaml"):
        target = tmp_path / path.relative_to(ROOT / "uiap")
        target.parent.mkdir(exist_ok=True)
        text = path.read_text("utf-8")
        target.write_text(re.sub(r"(?s)  decisions:.*", "  decisions: []\n", text), "utf-8")
    refused = run_build(tmp_path, BuildOptions(PROD, at=NOW)).refusals
    assert [(d.code, d.file) for d in refused] == [
        ("gate_review_state", "bindings/elements.uiap.yaml"),
        ("gate_review_state", "workflows/onboarding.uiap.yaml"),
    ]


def test_the_signed_prod_bundle_is_trusted_only_with_its_key() -> None:
    pytest.importorskip("cryptography")
    import msgspec

    from uiap.authoring.bundles.signature import TrustedKey, Untrusted, key_id_of, public_key_of, sign, verify

    data, key = videoland(PROD).data, bytes(range(32))
    public = public_key_of(key)
    trusted = {key_id_of(public): TrustedKey(public_key=public)}
    signature = msgspec.json.encode(sign(data, key))
    assert verify(data, signature, trusted, now=NOW).package_id == "videoland.uiap"
    with pytest.raises(Untrusted):
        verify(data.replace(b'"deny"', b'"allow"'), signature, trusted, now=NOW)


def test_a_value_is_explained_with_the_line_that_set_it() -> None:
    found = explain(videoland(PROD), "/policies/default/document/defaults/onUnknownAction")
    assert found.value == "deny"
    assert [(s.by, s.file) for s in found.steps] == [
        ("manifest", "policies/default.uiap.yaml"),
        ("overlay", "overlays/prod.uiap.yaml"),
    ]


def test_every_annotation_the_package_names_is_in_the_pages() -> None:
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "static/js").rglob("*.js"))
    bundle = videoland(PROD).bundle
    assert bundle is not None and bundle.bindings
    for element in bundle.bindings.elements or ():
        for matcher in element.match:
            if isinstance(matcher, AnnotationMatcher):
                prefix = matcher.value.rpartition(".")[0]
                assert f'"{matcher.value}"' in source or f"`{prefix}.${{" in source, matcher.value
