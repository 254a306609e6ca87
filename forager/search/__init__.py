"""Ranking: one full-text table a base, the routes and their fusion. The only room that knows the database's dialect."""
