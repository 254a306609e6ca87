"""Many hands on one installation: two consoles, two engine APIs, three workers and a follower over one PostgreSQL.

``python -m tests.hands [--minutes 60] [--seed 7]``; see ``bin/soak --hands``. People import and rule, agents ask and
work, while processes are ended hard, stopped for seconds, started under other clocks, and the database stalls. At the
end everything that was acknowledged is there once, and nothing else.
"""
