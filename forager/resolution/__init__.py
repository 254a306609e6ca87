"""What belongs together and what cannot both hold: entities, copies, conflicts, suggestions. Pure; no database."""
