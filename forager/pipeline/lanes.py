"""Reads documents one after another, the next while the last is being written; a slow one waits for nobody.

A document that takes longer than a moment goes on in a lane of its own while the quick ones are read; further slow
ones come back when all quick ones are done. What is found never depends on which lane found it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from forager.model import blobs
from forager.model.blobs import Blob
from forager.model.models import Source
from forager.reading.messages import Request
from forager.reading.reader import Read, Reader, Reading

QUICK_SECONDS = 0.4
PULSE_SECONDS = 1.0
TRIES = 2


@dataclass(slots=True)
class InHand:
    source: Source
    request: Request
    reading: Reading[Blob]
    tries: int = 1


@dataclass(slots=True)
class Lanes:
    """``upcoming`` gives the next source with its request, None when there is none now; ``pulse`` is called while
    a slow one is waited for and raises when nobody wants it any more."""

    reader: Reader
    upcoming: Callable[[], tuple[Source, Request] | None]
    pulse: Callable[[], None]
    slow: InHand | None = None
    later: list[InHand] = field(default_factory=list)
    _quick: InHand | None = None
    _unwritten: InHand | None = None

    @property
    def in_hand(self) -> set[str]:
        """Sources that are being read or wait for the second round."""
        mine = [*self.later, *(one for one in (self.slow, self._quick, self._unwritten) if one is not None)]
        return {one.source.pk for one in mine}

    def quick_ones(self) -> Iterator[tuple[Source, Read[Blob]]]:
        """All that read in a moment, and a slow one that happens to be done meanwhile."""
        self._quick = self._next()
        while self._quick is not None:
            if self.slow is not None and self.slow.reading.done(0):
                done, self.slow = self.slow, None
                yield from self._settled(done)
            elif self._quick.reading.done(QUICK_SECONDS):
                done, self._quick = self._quick, None
                again = self._again(done)
                self._unwritten = None if again else done
                self._quick = again or self._next()
                if again is None:
                    yield self._result(done)
                    self._unwritten = None
                    self._quick = self._quick or self._next()  # what it holds may be new work
            else:
                self._put_aside(self._quick)
                self._quick = self._next()

    def slow_ones(self) -> Iterator[tuple[Source, Read[Blob]]]:
        """What took longer, each to its end."""
        while self.slow is not None or self.later:
            one = self.slow or self._started_again(self.later.pop())
            self.slow = one
            self._wait(one)
            self.slow = None
            yield from self._settled(one)

    def close(self) -> None:
        """Ends what is being read; nothing of it was written."""
        for one in (self.slow, self._quick):
            if one is not None:
                one.reading.give_up()
        self.slow = self._quick = None

    def _next(self) -> InHand | None:
        found = self.upcoming()
        if found is None:
            return None
        source, request = found
        return InHand(source, request, self.reader.start(request, blobs.write))

    def _put_aside(self, one: InHand) -> None:
        if self.slow is None:
            self.slow = one
        else:
            one.reading.give_up()
            self.later.append(one)

    def _settled(self, one: InHand) -> Iterator[tuple[Source, Read[Blob]]]:
        """A slow one's result, after as many tries as it has."""
        again = self._again(one)
        while again is not None:
            self._wait(again)
            one, again = again, self._again(again)
        yield self._result(one)

    def _wait(self, one: InHand) -> None:
        while not one.reading.done(PULSE_SECONDS):
            self.pulse()

    def _again(self, one: InHand) -> InHand | None:
        """A crash may have been chance: once more, in a fresh process."""
        if not one.reading.result.crashed or one.tries >= TRIES:
            return None
        again = self._started_again(one)
        again.tries = one.tries + 1
        return again

    def _started_again(self, one: InHand) -> InHand:
        return InHand(one.source, one.request, self.reader.start(one.request, blobs.write), one.tries)

    def _result(self, one: InHand) -> tuple[Source, Read[Blob]]:
        self.reader.finished(one.reading)
        return one.source, one.reading.result
