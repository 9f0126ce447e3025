"""The MCP server: UIAP for every client that speaks the Model Context Protocol.

It opens one session like any other agent and has no extra privileges. Needs `uiap[mcp]`; only `server`, `resources`,
`prompts`, `stdio` and `http` import that library.
"""
