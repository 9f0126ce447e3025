"""The name of the rules in force; see `builtin`."""

from uiap.policy.builtin import Rules as Rules
