"""Backups of the console and its managed engine: asked for, made, listed, taken away, let go, restored."""
