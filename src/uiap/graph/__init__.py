"""The PageGraph of one tab: the current state, its changes, searches, and the outline that a model reads.

Pure: it takes snapshots and deltas and returns values. It knows no browser, clock, session or policy. Import from
the modules: `store`, `changes`, `diff`, `query`, `identity`, `names`, `fingerprint`, `nested`, `view`, `outline`.
"""
