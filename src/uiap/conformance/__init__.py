"""The requirement ledger of the specifications, and the tests that cite it."""
