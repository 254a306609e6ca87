"""Every word a template shows is marked for translation."""

from pathlib import Path

import pytest

from tests.structure.templates_read import in_file, unmarked

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


def test_there_are_templates_to_look_at() -> None:
    assert len(TEMPLATES) > 60


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_no_word_stands_outside_of_a_mark(path: Path) -> None:
    assert in_file(path) == [], 'Mark it with {% translate "…" %} or {% blocktranslate %}…{% endblocktranslate %}.'


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<p>Hello</p>", "Hello"),
        ("<p>\n{{ name }} was here</p>", "… was here"),
        ('<a aria-label="Close {{ it }}">×</a>', 'aria-label="Close …"'),
        ("<p>{% if a %}one{% endif %}</p>", "…one…"),
        ('<input type="submit" value="Send">', 'value="Send"'),
        ('{{ count|default:"none" }}', 'count|default:"none"'),
        ("{{ count }} {{ count|pluralize }}", "count|pluralize"),
        ('{% include "a.html" with question="One or two?" only %}', '"One or two?"'),
        ("{% comment %}no{% endcomment %} not", "……… not"),
    ],
)
def test_the_check_itself_finds_what_is_not_marked(source: str, words: str) -> None:
    assert words in [each.words for each in unmarked(source)]


@pytest.mark.parametrize(
    "source",
    [
        '<p>{% translate "Hello" %}</p>',
        "<p>{% blocktranslate count n=n %}{{ n }} day{% plural %}{{ n }} days{% endblocktranslate %}</p>",
        "<title>{% translate 'A' %} · {{ b }}</title>",
        '<p title="{{ why }}">{{ words }} <kbd>Esc</kbd> <code>sha256 {{ digest }}</code></p>',
        '{% include "a.html" with question=_("One or two?") tab="search" only %}',
        "{# Takes: words. #}{% comment %}not shown{% endcomment %}<!-- nor this -->",
        '<a href="?q={{ q|default:"" }}" class="btn">{{ go }}</a>',
    ],
)
def test_and_passes_what_is(source: str) -> None:
    assert unmarked(source) == []


def test_it_tells_the_line() -> None:
    assert unmarked("{% blocktranslate %}one\ntwo{% endblocktranslate %}\n\n<p>here</p>")[0].line == 4
