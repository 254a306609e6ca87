"""The bundled engine: documents in, statements with evidence out, over HTTP. A process and a database of its own."""
