"""The MCP door: UIAP for every client that speaks the Model Context Protocol.

It holds one session like any other agent and has no way in that others lack. Needs `uiap[mcp]`; only `server`, `stdio`
and `http` import that library.
"""
