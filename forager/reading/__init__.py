"""Reading strangers' bytes in a process of its own, which may crash, hang or bloat without harm to anyone else."""
