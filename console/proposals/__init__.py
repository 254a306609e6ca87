"""Rulings that agents propose: read by people beside the evidence, and applied by the engine or not at all."""
