"""From a parsed document to statements: sentences, values, frames, support, names. Pure; no database."""
