"""Reading people."""

from console.people.models import User


def find_person(pk: int) -> User | None:
    return User.objects.filter(pk=pk).first()


def everyone() -> list[User]:
    return list(User.objects.prefetch_related("memberships__project"))
