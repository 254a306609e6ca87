"""Who may do what: roles, permissions and membership. Pure; the table is the test."""

from enum import StrEnum


class Role(StrEnum):
    VIEWER = "viewer"
    REVIEWER = "reviewer"
    MANAGER = "manager"
    ADMINISTRATOR = "administrator"


class Permission(StrEnum):
    READ_KNOWLEDGE = "read_knowledge"
    EXPORT_KNOWLEDGE = "export_knowledge"
    PROPOSE_REVIEW = "propose_review"
    WORK_MISSIONS = "work_missions"
    REVIEW_KNOWLEDGE = "review_knowledge"
    MANAGE_KNOWLEDGE = "manage_knowledge"
    MANAGE_SETTINGS = "manage_settings"


class Door(StrEnum):
    """What a route asks for when it asks for no permission."""

    ANYONE = "anyone"
    SIGNED_IN = "signed in"
    AGENT = "agent token"


type Access = Permission | Door

_READ = frozenset({Permission.READ_KNOWLEDGE})
_REVIEW = _READ | {Permission.EXPORT_KNOWLEDGE, Permission.PROPOSE_REVIEW, Permission.REVIEW_KNOWLEDGE}
_MANAGE = _REVIEW | {Permission.WORK_MISSIONS, Permission.MANAGE_KNOWLEDGE}
_EVERYWHERE = frozenset({Permission.MANAGE_SETTINGS})

BY_ROLE: dict[Role, frozenset[Permission]] = {
    Role.VIEWER: _READ,
    Role.REVIEWER: _REVIEW,
    Role.MANAGER: _MANAGE,
    Role.ADMINISTRATOR: _MANAGE | _EVERYWHERE,
}


def is_everywhere(permission: Permission) -> bool:
    """Of the whole console, whatever the project."""
    return permission in _EVERYWHERE


def over_shared(permissions: frozenset[Permission]) -> frozenset[Permission]:
    """What is left of them over a base that is shared by a binding of the workspace or of all: reading."""
    return permissions & (_READ | _EVERYWHERE)


def granted(role: Role, *, member: bool) -> frozenset[Permission]:
    """A role counts inside a project one belongs to; only the settings of the console need no membership."""
    return BY_ROLE[role] if member else BY_ROLE[role] & _EVERYWHERE
