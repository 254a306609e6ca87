"""How long a page of a disagreement was open before its ruling came, and how many keys and clicks it took.

The time is from the console's own clock: the page carries when it was made, signed, so that nobody can write another.
Keys and clicks can only be counted by the browser; without JavaScript they are not known, and said to be so.
"""

import time

from django.core import signing

SALT = "console.ruling.opened"
MOST_PRESSES = 10_000


def opened_now(conflict_id: str) -> str:
    """What the form carries along."""
    return signing.dumps([conflict_id, int(time.time())], salt=SALT)


def seconds_since(opened: str, conflict_id: str) -> int | None:
    """None when the form does not say, or says it of another disagreement."""
    try:
        about, at = signing.loads(opened, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return max(0, int(time.time()) - int(at)) if about == conflict_id else None


def presses_told(told: str) -> int | None:
    """None when no browser counted, or what came is no count."""
    is_count = told.isascii() and told.isdigit() and len(told) < 6 and 0 < int(told) <= MOST_PRESSES
    return int(told) if is_count else None
