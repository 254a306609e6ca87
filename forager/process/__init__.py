"""The engine as processes: the store's lock, serving, working, and ending well."""
