"""What the tools of missions and proposals take and answer."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from knowledge.tools.arguments import Arguments, PackageRef, StatementRef
from knowledge.tools.shapes import Answer, FindingShape, Shape

type MissionRef = Annotated[
    str, StringConstraints(pattern=r"^msn_[0-9a-f]{32}$"), Field(description="The id of a mission.")
]
type Fence = Annotated[int, Field(ge=1, le=1_000_000, description="The number that came with the claim.")]
type Line = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[^\x00-\x1f\x7f]*$")]
type Ruling = Literal["choose_side", "both", "neither", "not_a_conflict"]


class MissionsArguments(Arguments):
    limit: int = Field(20, ge=1, le=100, description="How many missions at most.")


class ClaimArguments(Arguments):
    mission: MissionRef | Literal[""] = Field("", description="Which one; empty is the oldest that may be claimed.")
    worker: Line = Field(
        "",
        max_length=80,
        description="A name of the caller's own for this worker. Claiming again under the same name, after a crash "
        "or a lost answer, gives the same claim.",
    )


class RenewArguments(Arguments):
    mission: MissionRef
    fence: Fence


class FinishArguments(Arguments):
    mission: MissionRef
    fence: Fence
    outcome: Literal["done", "failed"]
    result: str = Field(
        min_length=1,
        max_length=50_000,
        pattern=r"^[^\x00]*$",
        description="The answer with its citations, or why there can be none.",
    )
    packages: list[PackageRef] = Field([], max_length=50, description="The packages it rests on.")


class ReviewArguments(Arguments):
    conflict: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,199}$", description="The id of the conflict.")
    package: PackageRef
    ruling: Ruling
    statement: StatementRef | Literal[""] = Field(
        "", description="With choose_side: a statement of the side that holds."
    )
    told_apart_by: Literal["", "time", "unit", "place", "entity"] = Field(
        "", description="With both: what tells the sides apart."
    )
    told_apart: Line = Field("", max_length=200, description="With both: it, named.")
    reason: str = Field(min_length=1, max_length=1500, pattern=r"^[^\x00]*$", description="Why; a person reads it.")


class AmountShape(Shape):
    calls: int
    facts: int = Field(description="Statements handed out; one that is handed out twice counts twice.")
    bytes: int = Field(description="Of the answers' data as JSON.")


class MissionShape(Shape):
    id: str
    title: str
    action: str = Field(description="answer or study")
    questions: list[str]
    documents: list[str] = Field(description="Paths of the documents it is about.")
    state: str = Field(description="queued, claimed, done, failed or cancelled")
    budget: AmountShape
    spent: AmountShape
    tries_left: int


class MissionsAnswer(Answer):
    items: list[MissionShape]


class ClaimAnswer(Answer):
    mission: MissionShape | None = Field(description="null: nothing can be claimed now.")
    fence: int = Field(description="Goes along with renew and finish.")
    lease_until: str = Field(description="Renew before, or it is given to another.")
    lease_seconds: int


class FinishAnswer(Answer):
    """The result as it is kept; its citations held to its packages by words alone."""

    mission: str
    state: str
    grounding: str
    holds: bool = Field(description="Something was cited, and nothing was found wrong with what cites.")
    cited_and_admitted: list[str]
    cited_never_admitted: list[str]
    unsourced: list[str]
    findings: list[FindingShape]


class ReviewAnswer(Answer):
    proposal: str
    state: str = Field(description="open, applying, applied, declined or overtaken")
    ruling: str = Field(description="As it was proposed first; a second one on the same evidence is the same.")
    base_changed: Literal[False]
    told: str
