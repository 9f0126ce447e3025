"""Success signals as observable predicates: one file per family, joined in `registry.py`."""
