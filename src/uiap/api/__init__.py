"""The Python API. The package `uiap` exports its public names, such as `uiap.open`."""
