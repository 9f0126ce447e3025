"""The files of a new package: they build as they are, and ambiguous values are quoted."""

from __future__ import annotations

import yaml

from uiap.authoring.build import build
from uiap.authoring.from_discovery.starter import starter_files, yaml_file
from uiap.spec.authoring import BuildContext


def test_a_new_package_builds_without_errors() -> None:
    built = build(starter_files("videoland"), context=BuildContext(), now="2026-01-01T00:00:00Z")
    assert [str(one) for one in built.errors] == []
    assert built.package is not None and "videoland" in built.package.spec.package_id


def test_text_that_yaml_could_read_as_another_type_is_quoted() -> None:
    document = {"a": "yes", "b": "1.0", "c": "plain", "d": ["on", "x y"], "e": {"f": None, "g": True}}
    text = yaml_file("deep/file.uiap.yaml", document)
    assert yaml.safe_load(text) == document
    assert text.startswith("# yaml-language-server: $schema=../")
