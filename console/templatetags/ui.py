"""Template words of the console: icons and nothing that decides."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """An icon of the sprite. It is never the only carrier of a meaning, so it is hidden from readers."""
    return format_html(
        '<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        extra,
        static("icons.svg"),
        name,
    )
