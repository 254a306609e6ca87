"""Values changed by a script in a folder of Markdown, to be found again: ``python -m bench.handbook FOLDER``.

Half of the changes stand in a second version of their file, half in sentences copied into memos. Prints which changed
values stand against the old ones in a conflict, and every conflict, to be read by eye: only a person can say which of
them are right.
"""

import argparse
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forager.resolution.understanding import Understanding, understand

KINDS = ("quantity", "percent", "money", "number", "date")
SHORTEST, LONGEST = 40, 260
PER_MEMO = 4
SMALL = 3
LEADS = ("For the record: ", "As agreed with the team, ", "Please note that ", "Reminder: ", "Q4 memo. ")


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence of a file with one value changed; ``raw`` is the value as written, ``now`` what it became."""

    name: str
    sentence: str
    raw: str
    now: str

    @property
    def changed(self) -> str:
        return self.sentence.replace(self.raw, self.now, 1)


def changes(files: Mapping[str, bytes], count: int, seed: int) -> list[Change]:
    read = understand(dict(files))
    found = list(dict.fromkeys(_changeable(read)))
    random.Random(seed).shuffle(found)  # noqa: S311 - a repeatable choice
    return found[:count]


def _changeable(read: Understanding) -> Iterator[Change]:
    for name, said in read.said.items():
        for one in said:
            sentence = read.documents[name].text[one.start : one.end]
            if one.standing.support != "direct_fact" or not SHORTEST < len(sentence) < LONGEST or "|" in sentence:
                continue
            raws = [c.raw for c in one.claims if c.type in KINDS and c.raw in sentence and re.search(r"\d", c.raw)]
            if raws:
                yield Change(name, sentence, raws[0], _another(raws[0]))


def _another(raw: str) -> str:
    def other(found: re.Match[str]) -> str:
        number = int(found.group())
        return str(2 * number + 1 if len(found.group()) <= SMALL else number + 2)

    return re.sub(r"\d+", other, raw, count=1)


def documents(files: Mapping[str, bytes], made: Sequence[Change]) -> dict[str, bytes]:
    """The files as they are, second versions of those with every other change, and memos with the rest."""
    second = {change.name: files[change.name].decode() for change in made[::2]}
    for change in made[::2]:
        second[change.name] = second[change.name].replace(change.sentence, change.changed, 1)
    memos = [LEADS[at % len(LEADS)] + change.changed for at, change in enumerate(made[1::2])]
    written = {
        f"memo-{at}.md": "# Notes from the meeting\n\n" + "\n\n".join(memos[at : at + PER_MEMO])
        for at in range(0, len(memos), PER_MEMO)
    }
    return {**files, **{k: v.encode() for k, v in ({f"v2-{n}": t for n, t in second.items()} | written).items()}}


def is_found(change: Change, read: Understanding) -> bool:
    """One conflict has the old value and the new one on different sides, each from a sentence like this one."""
    words = set(re.findall(r"\w+", change.sentence.split("](")[0])) | set(re.findall(r"\w+", change.sentence[-60:]))
    return any(
        {raw for raw in (change.raw, change.now) for side in c.sides if _says(side.members, raw, words)}
        == {change.raw, change.now}
        for c in read.conflicts
    )


def _says(members: Sequence[object], raw: str, words: set[str]) -> bool:
    number = re.search(r"\d[\d,.]*\d|\d", raw)
    statements = [str(getattr(member, "statement", "")) for member in members]
    return any(
        number is not None and number.group() in text and len(set(re.findall(r"\w+", text)) & words) > len(words) / 2
        for text in statements
    )


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--seed", type=int, default=11)
    ask.add_argument("--count", type=int, default=20)
    given = ask.parse_args()
    files = {path.name: path.read_bytes() for path in sorted(given.folder.glob("*.md"))}
    made = changes(files, given.count, given.seed)
    read = understand(documents(files, made))
    for change in made:
        _say(
            f"{'found' if is_found(change, read) else 'MISSED'}  {change.raw} -> {change.now}  {change.sentence[:110]}"
        )
    _say(f"\n{sum(is_found(c, read) for c in made)} of {len(made)} changed values found; conflicts shown:")
    for at, conflict in enumerate(read.conflicts, 1):
        _say(f"\n{at}. {conflict.description}")
        for side in conflict.sides:
            for member in side.members[:2]:
                _say(f"   {side.value} | {member.origin.path} | {member.statement[:150]}")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
