"""The HTTP contract. One registry of endpoints gives the URLs, the access rules and the OpenAPI document."""
