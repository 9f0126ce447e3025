"""The host: the only package that waits. It feeds events to machines and carries out their commands."""
