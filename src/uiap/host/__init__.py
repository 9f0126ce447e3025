"""The hall: the only place that waits. It feeds events to machines and carries out their commands."""
