"""The primitive actions: one file each, gathered in one explicit list (`registry.py`)."""
