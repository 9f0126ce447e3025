"""Checks of the assembled content: references, reviews, workflows and release gates."""
