"""One module a format: bytes in, ``Document`` out. ``registry.parse`` picks the parser by content."""
