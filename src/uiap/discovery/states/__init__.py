"""The handlers of a discovery run, by job: plain functions that change a `RunState` and return commands."""
