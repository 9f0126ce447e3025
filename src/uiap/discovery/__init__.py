"""The discovery mapper: explores an application within bounds and reports its findings with evidence. Pure."""
