"""When to start a process again that ended by itself, and when to give up. Pure: time is handed in."""

from dataclasses import dataclass, field

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 30.0
WINDOW_SECONDS = 600.0
TOO_OFTEN = 5


@dataclass(slots=True)
class Backoff:
    """Waits 1 s, 2 s, 4 s … up to 30 s; five ends within ten minutes are one too many."""

    ends: list[float] = field(default_factory=list)

    def ended(self, now: float) -> float | None:
        """Seconds to wait before the next start, or None to give up."""
        self.ends = [each for each in self.ends if now - each < WINDOW_SECONDS]
        self.ends.append(now)
        if len(self.ends) >= TOO_OFTEN:
            return None
        doublings: int = len(self.ends) - 1
        return min(FIRST_SECONDS * float(2**doublings), LONGEST_SECONDS)
