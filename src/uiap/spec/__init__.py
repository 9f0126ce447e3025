"""What the UIAP documents say: types and tables, one module per document.

No behaviour lives here, and nothing here knows a clock, a file or a socket.
Python names are snake_case, wire names are the documents' own; an optional member that was not sent is
`UNSET`.
"""
