"""Fixture web apps: real small applications that tests, demo and benchmarks run against."""
