"""Composition root: the only place that names every app."""
