"""Authoring: manifests in, reviewed and reproducible bundles out.

Pure: input is texts by path, output is values. Reading folders and registries belongs to the doors above.
"""

from uiap.authoring.build import Built, build
from uiap.authoring.diagnostic import Diagnostic

__all__ = ["Built", "Diagnostic", "build"]
