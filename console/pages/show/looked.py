"""When the detector last compared, and what it did not: an empty list means something only beside this."""

from dataclasses import dataclass

from django.utils.translation import gettext

from console.pages.show.text import visible_line
from console.pages.show.times import NEVER, Moment, moment
from console.wording import plural
from knowledge.records import Base


@dataclass(frozen=True, slots=True)
class Looked:
    """``at`` is empty when it never compared anything: that is *not checked*, which is not *no conflicts*."""

    at: Moment = NEVER
    words: str = ""
    skipped: str = ""


def looked(base: Base | None) -> Looked:
    if base is None or base.last_pass.at is None:
        return Looked()
    last = base.last_pass
    reasons = ", ".join(f"{count:,} {visible_line(reason.replace('_', ' '))}" for reason, count in last.reasons)
    skipped = gettext("skipped {skipped:,}").format(skipped=last.skipped) + (f": {reasons}" if reasons else "")
    return Looked(moment(last.at), plural(last.pairs, "pair", "pairs"), skipped)
