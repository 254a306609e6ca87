"""The searches a person kept."""

from urllib.parse import urlencode

from console.people.models import User
from console.projects.models import Project
from console.searches.models import SavedSearch


def searches_of(user: User, project: Project) -> list[SavedSearch]:
    """By name."""
    return list(SavedSearch.objects.filter(user=user, project=project))


def address_of(search: SavedSearch) -> str:
    """The query string that asks the same again."""
    return urlencode({"q": search.query, **search.filters})
