"""The action machine: the lifecycle of one verified action. Pure: it knows no browser and never waits."""
