"""The knowledge capability: scope, the engine client, context assembly and the retrieval contract.

No tables, no HTML; importable without a database. Only ``knowledge.engine`` knows the wire.
"""
