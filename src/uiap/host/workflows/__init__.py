"""Workflow runs in the host: carries out the commands of workflow machines, in memory or durably."""
