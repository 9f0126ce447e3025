"""Execution of actions: carries out the commands of action machines on a page."""
