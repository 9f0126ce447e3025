"""Success signals: one module per family of signals, listed in `registry`, and the watch that observes a tab.

Pure: graphs and events are given, verdicts are returned. Deciding whether an action succeeded is left to the runtime.
"""
