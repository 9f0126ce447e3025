"""The command line interface. Each command is one module, imported when it runs."""
