"""Names of custom obligations that uiap fulfils itself."""

from __future__ import annotations

from typing import Final

SETTLED: Final = "uiap.requireSettled"
"""An action succeeds only if all work that it set going is known to have ended."""
