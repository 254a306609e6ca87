"""The queue, two sides, the form of a ruling, what it would change, and the trail."""

from console.pages.review import QueueRow, Tab
from console.pages.review_forms import RulingForm
from console.pages.samples.documents import AT, statement
from console.pages.show.briefing import Figure, PreviewRow, WeightView
from console.pages.show.choices import ruling_choices
from console.pages.show.conflicts import ConflictRow, EventRow
from console.pages.show.differences import differing
from console.pages.show.entities import AliasView, CandidateSideView, EntityRow
from console.pages.show.labels import Tag
from console.pages.show.looked import Looked
from console.pages.show.sides import SideView, SourceLine
from console.phrases.queries import KEYS, STARTERS, KeyedPhrase

DATES = ("2026-03-03", "2026-04-10")
SENTENCES = ("The launch date for Project Falcon is March 3.", "The launch date for Project Falcon moved to April 10.")


def samples() -> dict[str, object]:
    sides = [_side(at) for at in range(2)]
    form = RulingForm({"ruling": "both", "notes": "", "digest": "x"}, people=["Mara", "Tomás"], auto_id="sample_r_%s")
    form.is_valid()
    return {
        "queue_rows": [_row("open"), _row("evidence"), _row("maybe")],
        "tabs": [
            Tab("Open", "#open", "5", True),
            Tab("Needs evidence", "#e", "1", False),
            Tab("Solved", "#s", "52", False),
        ],
        "looked_at": [Looked(AT, "1,318 pairs", "skipped 46: 41 no subject, 5 several values"), Looked()],
        "sides": sides,
        "ruling_form": form,
        "choices": ruling_choices(sides, "both", twins=False),
        "phrases": [KeyedPhrase(key, words, None) for key, words in zip(KEYS, STARTERS, strict=True)],
        "previews": _previews(),
        "figures": (
            Figure("14", "packages served", "with a side of this, in the last 30 days"),
            Figure("2", "agents read it", "planner-ant, writer-ant"),
            Figure("1", "exports hold a side", "of those still kept"),
        ),
        "trail": [
            EventRow("Reopened", "cf_1", "#", "resolved", "open", "Tomás Oduya", "A newer mail came.", AT),
            EventRow("One side holds", "cf_1", "#", "open", "resolved", "Mara Lindqvist", "The memo is signed.", AT),
        ],
        "candidate_sides": [_name("A", "Robert Smith"), _name("B", "Robert Smyth")],
    }


def _row(kind: str) -> QueueRow:
    tags = {
        "open": Tag("open", "neq", "Open"),
        "evidence": Tag("waiting", "clock", "Needs evidence"),
        "maybe": Tag("proposed", "dotted", "Maybe"),
    }
    row = ConflictRow(
        id=f"cf_{kind}",
        url="#",
        title="Launch date of Project Falcon",
        kind="Values differ",
        twins=False,
        maybe=kind == "maybe",
        values=DATES,
        rests_on="4 documents, 3 origins",
        found=AT,
        tag=tags[kind],
        assignee="Priya Raman" if kind == "evidence" else "",
        ruling="",
        pick=f"cf_{kind}=41d70b",
    )
    weight = WeightView("63.0", "14 × 0.50 × 9", "One and 13 times served, times uncertainty 0.50, times 9 days open")
    return QueueRow(row, weight, "#row", "Tomás Oduya" if kind == "open" else "")


def _side(at: int) -> SideView:
    source = SourceLine(
        name="02-schedule-update.eml",
        url="#",
        kind="Mail",
        date="18 Feb 2026",
        date_from="Date header",
        state=Tag("active", "disc", "Active"),
        version="9c02ab…e1",
        read=AT,
        older=at == 0,
        weight="Governs what others say; owner Robert Smith" if at else "Does not govern",
    )
    return SideView(
        id=f"side_{at}",
        letter="AB"[at],
        key=str(at + 1),
        value=differing(DATES, at),
        plain_value=DATES[at],
        statement=statement(f"ki_side{at}", Tag("disputed", "neq", "Disputed"), "disputed"),
        sentence=differing(SENTENCES, at),
        rests_on="3 documents, 2 origins",
        dated="18 Feb 2026",
        digest="41d70b…0b",
        more=(),
        sources=(source,),
    )


def _previews() -> tuple[PreviewRow, ...]:
    return (
        PreviewRow("side:side_0", "A holds", "1 statement becomes Superseded, 1 Current."),
        PreviewRow("both", "Both hold", "2 statements become Current."),
        PreviewRow("needs_evidence", "Needs evidence", "No statement changes its state."),
    )


def _name(letter: str, name: str) -> CandidateSideView:
    alias = AliasView("Bob", "A nickname of Robert", True, "Bob")
    entity = EntityRow(f"ent_{letter}", name, "#", "Person", (alias,) if letter == "A" else (), "4", "2")
    said = (statement(f"ki_name{letter}", Tag("current", "tick", "Current"), "active"),) if letter == "A" else ()
    return CandidateSideView(letter, entity, "2 statements, 4 mentions", said)
