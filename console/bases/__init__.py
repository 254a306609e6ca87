"""What people do to a knowledge base through the engine: import, run jobs, rule, export. Each act is audited."""
