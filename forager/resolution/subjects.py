"""A subject under any of its names is the same subject: keys are compared under the entity's own name."""

from collections.abc import Iterable

from forager.extraction import frames


class Subjects:
    """``names`` are pairs of (name, the entity's own name)."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._own = {frames.slug(name): frames.slug(own) for name, own in names}

    def resolved(self, key: str) -> str:
        subject, bar, attribute = key.partition("|")
        return f"{self._own.get(subject, subject)}{bar}{attribute}" if key else ""
