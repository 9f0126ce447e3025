"""A package as one page people read: what was found, how it hangs together, what needs review."""

from __future__ import annotations

from uiap.spec.discovery import DiscoveryPackage


def report(package: DiscoveryPackage) -> str:
    return f"<!doctype html><title>{package.run.run_id}</title>"
