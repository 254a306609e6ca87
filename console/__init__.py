"""What people decide: people, projects, bindings, audit, every page and the engine's supervisor."""
