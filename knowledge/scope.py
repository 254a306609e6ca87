"""Whose knowledge a call may read. Resolved once, required by every provider method.

``Unresolved`` is a refusal, not a wildcard: an unscoped call cannot be written.
"""

from dataclasses import dataclass
from enum import StrEnum

from knowledge.vocabulary import Band


class Level(StrEnum):
    """Most specific first."""

    MISSION = "mission"
    PROJECT = "project"
    WORKSPACE = "workspace"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class KnowledgeScope:
    """``base_id`` is the engine's ``proj_…``; ``slug`` names the project in citations.

    ``ceiling`` is the most confidential band its reader may see.
    """

    level: Level
    base_id: str
    slug: str
    ceiling: Band = Band.TENANT

    def allows(self, band: Band) -> bool:
        """A global scope, or one with a general ceiling, reads general knowledge only; others read both."""
        return band is Band.GENERAL or (self.level is not Level.GLOBAL and self.ceiling is Band.TENANT)


@dataclass(frozen=True, slots=True)
class Unresolved:
    """No scope could be resolved; ``reason`` says what a person can do about it."""

    reason: str
