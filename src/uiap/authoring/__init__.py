"""Authoring: build reviewed and reproducible bundles from manifests.

Pure: the input is file texts by path, the output is values. The CLI reads folders and registries.
"""

from uiap.authoring.build import Built, build
from uiap.authoring.diagnostic import Diagnostic

__all__ = ["Built", "Diagnostic", "build"]
