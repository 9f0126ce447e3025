"""Principals and their grants. A caller's claim proves nothing; only an admission gives grants."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from msgspec import UNSET

from uiap.host.bundles.bundle import Bundle
from uiap.policy.builtin import Rules
from uiap.spec.policy import POLICY_GRANTS, PolicyGrant, PolicyPrincipal, PrincipalType

_READS_SECRETS: frozenset[PolicyGrant] = frozenset({"read.sensitive", "read.secret"})
DEFAULT_GRANTS: Mapping[PrincipalType, tuple[PolicyGrant, ...]] = MappingProxyType(
    {
        "user": POLICY_GRANTS,
        # an agent may try everything, so that the rules decide; it never reads secrets
        "agent": tuple(grant for grant in POLICY_GRANTS if grant not in _READS_SECRETS),
        "bridge": ("observe", "guide"),
        "observer": ("observe",),
        "system": ("observe",),
    }
)
"""The grants of a principal whose admission names none, by its type."""
NOBODY = PolicyPrincipal(type="agent", id="unknown")


def effective_principal(principal: PolicyPrincipal | None, rules: Rules = "standard") -> PolicyPrincipal:
    """Return the principal that policy sees.

    Under `trusted` rules a caller acts for the person who opened the session, with no grant that it was not given.
    """
    known = NOBODY if principal is None else principal
    if rules == "trusted" and known.type == "agent":
        known = msgspec.structs.replace(known, type="user")
    if known.grants is UNSET:
        known = msgspec.structs.replace(known, grants=DEFAULT_GRANTS[known.type])
    return known


def principal_from(given: PolicyPrincipal | str) -> PolicyPrincipal:
    """Return the principal for `uiap.open(principal=…)`: a principal, a person's name, or `agent:NAME`."""
    if isinstance(given, PolicyPrincipal):
        return given
    kind, _, name = given.partition(":")
    if name and kind in DEFAULT_GRANTS:
        return PolicyPrincipal(type=kind, id=name)  # type: ignore[arg-type]
    return PolicyPrincipal(type="user", id=given)


def principal_under(bundle: Bundle | None, principal: PolicyPrincipal) -> PolicyPrincipal:
    """Return the principal with the roles of the profile it runs under, and with no grant that this lacks."""
    profile = UNSET if bundle is None else bundle.running.principal_profile
    if bundle is None or profile is UNSET:
        return principal
    found = next(one for one in bundle.content.app.principal_profiles or () if one.id == profile)
    own = effective_principal(principal).grants or ()
    grants = tuple(one for one in own if found.grants is UNSET or one in found.grants)
    return msgspec.structs.replace(principal, roles=found.roles, grants=grants)
