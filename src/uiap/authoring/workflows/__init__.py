"""Rules of workflow definitions: static validation, and which changes need a new version."""
