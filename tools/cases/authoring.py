"""Soak cases of the compiler: published suites, one digest, generated packages. Their code is in tests/authoring."""

from __future__ import annotations

import os
import subprocess
import sys

from tools.cases.case import ROOT, Case, Figures, skipped_units


def run_official(unit: str) -> Figures:
    from tools.official import MATERIAL, MaterialMissing, texts

    from tests.authoring.official import SUITES

    material = MATERIAL[unit]
    try:
        return {"material": f"{material.package} {material.version}", **SUITES[unit](texts)}
    except MaterialMissing as reason:
        return {"skipped": str(reason)}


def judge_official(all_figures: dict[str, Figures]) -> list[str]:
    wrong = [f"{unit}: {found['which']}" for unit, found in all_figures.items() if found.get("wrong")]
    return skipped_units(all_figures) + wrong


def run_reproduced(unit: str) -> Figures:
    from tests.authoring.reproduce import NoPython, digests

    try:
        found = list(digests(unit))
    except NoPython as reason:
        return {"skipped": str(reason)}
    return {"builds": len(found), "digests": len(set(found)), "digest": found[0]}


def judge_reproduced(all_figures: dict[str, Figures]) -> list[str]:
    digests = {figures["digest"] for figures in all_figures.values() if "digest" in figures}
    several = [
        f"{unit}: {f['digests']} digests" for unit, f in all_figures.items() if f.get("digests", 1) != 1
    ]
    return (
        skipped_units(all_figures)
        + several
        + ([f"{len(digests)} digests in all"] if len(digests) > 1 else [])
    )


PACKAGES = 10_000
GENERATED = {
    "overlays": "tests/authoring/test_against_reference.py::test_overlays_agree_with_the_reference",
    "merges": "tests/authoring/test_against_reference.py::test_merges_agree_with_the_reference",
    "canonical": "tests/authoring/test_canonical.py::test_every_value_is_encoded_as_in_rfc_8785",
}


def run_generated(unit: str) -> Figures:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "--timeout", "0", GENERATED[unit]]
    env = {**os.environ, "UIAP_SOAK_N": str(PACKAGES)}
    child = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    if child.returncode:
        raise SystemExit(f"a difference was found:\n{child.stdout[-4000:]}")
    return {"generated": PACKAGES, "differences": 0}


CASES: dict[str, Case] = {
    "A6": Case(
        "Reproducible bundles",
        "The same package gives one digest for every Python version, hash seed, locale, time zone and file order.",
        "34 builds for each Python version, each in its own process",
        ("3.11", "3.12", "3.13"),
        run_reproduced,
        judge_reproduced,
    ),
    "A8": Case(
        "Generated packages against a reference compiler",
        "The compiler and a simple reference implementation agree, and the file order does not change the digest.",
        f"{PACKAGES:,} generated packages for each unit",
        tuple(GENERATED),
        run_generated,
    ),
    "OFFICIAL": Case(
        "Published test suites",
        "The parsers agree with the published suites for YAML, JSON Patch, version ranges and Ed25519.",
        "every case of each suite once; each agrees, is refused for a stated reason, or is wrong",
        ("yaml", "json-patch", "semver", "wycheproof"),
        run_official,
        judge_official,
    ),
}
