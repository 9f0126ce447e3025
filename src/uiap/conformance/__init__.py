"""The conformance door: the requirement ledger, and (later) the suite others can run against any executor."""
