"""Template words of the console: icons, what a message can undo, and nothing that decides."""

import json

from django import template
from django.contrib.messages.storage.base import Message
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


@register.filter
def undo(message: Message) -> dict[str, str]:
    """What a toast can take back, as the view left it with the message; empty for one that undoes nothing."""
    return dict(json.loads(message.extra_tags or "{}")) if (message.extra_tags or "").startswith("{") else {}
