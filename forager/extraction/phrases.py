"""A list of words and phrases to be found in text: whole words only, the longest first, whatever the case.

One long alternation is tried at every place of a text, and that was most of the time reading took. A phrase can only
stand where its first word or sign does, so the words of a text are looked up instead; they are found once for all lists
that are asked about it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

RUN = re.compile(r"\w+|[^\w\s]")
TEXTS = 512
"""How many texts are remembered; a sentence and its parts are asked about by every list, one after another."""


@lru_cache(maxsize=TEXTS)
def runs(text: str) -> frozenset[str]:
    """The words and signs of a text, folded."""
    return frozenset(run.casefold() for run in RUN.findall(text))


def first_run(phrase: str) -> str:
    """Raises ``IndexError`` for a phrase of nothing but blanks."""
    return str(RUN.findall(phrase)[0]).casefold()


class Phrases:
    """Asked like a compiled pattern, and answers with the matches of one."""

    __slots__ = ("_by_run", "_patterns", "_runs")

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_run: dict[str, list[str]] = defaultdict(list)
        for phrase in sorted({str(p).strip() for p in phrases} - {""}, key=lambda p: (-len(p), p)):
            self._by_run[first_run(phrase)].append(phrase)
        self._runs = frozenset(self._by_run)
        self._patterns: dict[str, re.Pattern[str]] = {}

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Left to right, none overlapping."""
        return iter(()) if self._runs.isdisjoint(runs(text)) else self._matches(text)

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        end = 0
        for place in RUN.finditer(text):
            run, start = place.group().casefold(), place.start()
            if start >= end and run in self._runs and (match := self._beginning(run).match(text, start)):
                end = match.end()
                yield match

    def search(self, text: str) -> re.Match[str] | None:
        return next(self.finditer(text), None)

    def match(self, text: str) -> re.Match[str] | None:
        """One that stands at the very beginning."""
        found = self.search(text)
        return found if found is not None and found.start() == 0 else None

    def sub(self, instead: str, text: str) -> str:
        at, kept = 0, []
        for match in self.finditer(text):
            kept += [text[at : match.start()], instead]
            at = match.end()
        return "".join(kept) + text[at:] if kept else text

    def _beginning(self, run: str) -> re.Pattern[str]:
        if run not in self._patterns:
            body = "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in self._by_run[run])
            self._patterns[run] = re.compile(rf"(?<![\w'’])(?:{body})(?![\w])", re.IGNORECASE)
        return self._patterns[run]
