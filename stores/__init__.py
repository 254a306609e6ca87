"""What console and engine both need of a database: reading where it is, and moving from one to another.

Each has a database of its own and neither knows the other's; this package knows neither of them.
"""
