"""The types and tables of the UIAP documents, one module per document.

Data types alone, without behaviour, clock, files or sockets. Python names are snake_case, wire names are those of the
documents. An optional member that was not sent is `UNSET`.
"""
