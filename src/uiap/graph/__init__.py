"""The page as data: the current graph of one tab, its changes, questions to it, and the text a model reads.

Pure: deltas arrive, values are returned. Knows no browser, no clock, no session and no policy. Import from the
modules: `store`, `changes`, `diff`, `query`, `identity`, `names`, `fingerprint`, `nested`, `view`, `outline`.
"""
