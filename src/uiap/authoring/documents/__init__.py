"""Documents: from the text of a manifest file to a checked document."""
