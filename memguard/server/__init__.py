"""MemGuard as a server of the Model Context Protocol; needs the extra ``mcp``.

``work.py`` does what the tools ask and knows no protocol; ``arguments.py`` says what a tool takes, to the
client as a schema and to us as a check; ``mcp.py`` joins both; ``transports.py`` opens standard input and
output or a port.
"""
