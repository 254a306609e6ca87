"""Typed values in a sentence. ``scan.find`` runs the readers in order; a later one never overlaps an earlier one."""
