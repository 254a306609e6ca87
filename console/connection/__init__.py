"""The engine seen from the console: settings, state, providers and the supervisor of a managed engine."""
