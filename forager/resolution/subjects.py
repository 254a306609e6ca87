"""A subject under any of its names is the same subject: keys are compared under the entity's own name."""

from collections.abc import Iterable
from dataclasses import replace

from forager.extraction import frames, lexicon
from forager.extraction.model import Claim


class Subjects:
    """``names`` are pairs of (name, the entity's own name)."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        every = list(names)
        self._own = {frames.slug(name): frames.slug(own) for name, own in every}
        self._named = {lexicon.fold(name): lexicon.fold(own) for name, own in every}

    def resolved(self, key: str) -> str:
        subject, bar, attribute = key.partition("|")
        return f"{self._own.get(subject, subject)}{bar}{attribute}" if key else ""

    def named(self, claim: Claim) -> Claim:
        """A claim whose value is a name, with the entity's own name for it: “KW” and “K. Wojcik” are one person."""
        if claim.type != "name":
            return claim
        own = self._named.get(lexicon.fold(claim.raw), claim.value)
        return replace(claim, value=own)
