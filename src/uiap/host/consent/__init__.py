"""Consent of people: principals, confirmations, grants, obligations, and how a person is asked."""
