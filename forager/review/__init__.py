"""What people decided, and what stands because of it. Re-applied after every run."""
