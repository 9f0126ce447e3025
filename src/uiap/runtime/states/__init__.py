"""The handlers of an action: one module per state, plain functions `(action, event) -> [command]`.

`lifecycle.TABLE` joins them to the events. A function makes at most one move between states.
"""
