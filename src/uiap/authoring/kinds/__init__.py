"""The eleven manifest kinds by name. A new kind needs one module and one row here."""

from __future__ import annotations

from collections.abc import Mapping

from uiap.authoring.kinds import (
    actions,
    app,
    bindings,
    capabilities,
    discovery_import,
    locale_pack,
    overlay,
    package,
    policy_set,
    review_set,
    workflow_catalog,
)
from uiap.authoring.kinds.kind import ManifestKind

KINDS: Mapping[str, ManifestKind] = {
    module.KIND.name: module.KIND
    for module in (
        package,
        app,
        capabilities,
        bindings,
        actions,
        policy_set,
        workflow_catalog,
        locale_pack,
        overlay,
        review_set,
        discovery_import,
    )
}
