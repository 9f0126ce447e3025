"""Workflows: a reviewed definition, run step by step without a model. Pure; `lifecycle` explains how a run works."""
