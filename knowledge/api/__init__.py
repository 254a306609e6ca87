"""The tools as JSON over HTTP: the envelope with its codes, and the OpenAPI document. No server is in here."""
