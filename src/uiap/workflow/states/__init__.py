"""One module per step type or state: plain functions `(run, event) -> list[Command]`."""
