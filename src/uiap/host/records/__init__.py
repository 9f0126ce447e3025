"""Durable records: store, writer, journal, ledger, audit log and traces."""
