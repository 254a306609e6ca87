"""The chart of ``bench.table``: what was measured against what was aimed at, as an SVG for light and dark."""

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from bench.table_targets import Row, Value, number

WIDTH, LEFT, RIGHT, TOP = 900, 270, 70, 78
BAR, GAP, BETWEEN = 11, 3, 10
FIRST, LAST = -1, 4
"""Powers of ten at both ends of the scale."""
LABEL = "What was measured on each database, with the aim beside it"
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .small { font-size: 11px; fill: #57606a; }
  .ground { fill: #ffffff; } .grid { stroke: #d0d7de; }
  .bar0 { fill: #0a6b5e; } .bar1 { fill: #7a5bb5; }
  .aim { stroke: #1f2328; stroke-width: 2; }
  .missed { fill: #b3261e; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small { fill: #9da7b3; } .ground { fill: #0d1117; } .grid { stroke: #3d444d; }
    .bar0 { fill: #4fb8a8; } .bar1 { fill: #b79df0; } .aim { stroke: #e6edf3; } .missed { fill: #ff9a8f; }
  }
"""


def svg(found: Sequence[Row], databases: Sequence[str], said: str) -> str:
    """Bars on a scale of powers of ten; a stroke marks the aim, “missed” stands where it is not reached."""
    each = len(databases) * (BAR + GAP) + BETWEEN
    height = TOP + len(found) * each + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{LABEL}">',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
        f'<text class="small" x="8" y="18">{escape(said)}</text>',
        *_legend(databases),
        *_grid(height),
    ]
    for at, row in enumerate(found):
        parts += _row(row, databases, TOP + at * each, each)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(databases: Sequence[str]) -> list[str]:
    parts = []
    for at, name in enumerate(databases):
        x = LEFT + at * 110
        parts.append(f'<rect class="bar{at}" x="{x}" y="32" width="{BAR}" height="{BAR}"/>')
        parts.append(f'<text x="{x + 16}" y="42">{escape(name)}</text>')
    x = LEFT + len(databases) * 110
    parts.append(f'<line class="aim" x1="{x}" x2="{x}" y1="31" y2="45"/><text x="{x + 8}" y="42">aim</text>')
    return parts


def _grid(height: int) -> list[str]:
    parts = []
    for power in range(FIRST, LAST + 1):
        x = _x(10.0**power)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 8}"/>')
        parts.append(f'<text class="small" x="{x:.1f}" y="{TOP - 14}" text-anchor="middle">{10.0**power:,g}</text>')
    return parts


def _row(row: Row, databases: Sequence[str], y: float, each: int) -> list[str]:
    middle = y + (each - BETWEEN) / 2 + 4
    parts = [f'<text x="{LEFT - 8}" y="{middle:.1f}" text-anchor="end">{escape(f"{row.name} ({row.unit})")}</text>']
    for at, name in enumerate(databases):
        parts += _bar(row.values[name], at, y + at * (BAR + GAP))
    return parts


def _bar(value: Value, at: int, y: float) -> list[str]:
    end = _x(value.measured)
    parts = [f'<rect class="bar{at}" x="{LEFT}" y="{y:.1f}" width="{max(end - LEFT, 1):.1f}" height="{BAR}"/>']
    beside = end
    if value.aim is not None:
        aim = _x(value.aim)
        beside = max(end, aim)
        parts.append(f'<line class="aim" x1="{aim:.1f}" x2="{aim:.1f}" y1="{y - 1:.1f}" y2="{y + BAR + 1:.1f}"/>')
    missed = ' <tspan class="missed">missed</tspan>' if value.met is False else ""
    told = f"{number(value.measured)}{missed}"
    parts.append(f'<text class="small" x="{beside + 5:.1f}" y="{y + BAR - 1:.1f}">{told}</text>')
    return parts


def _x(value: float) -> float:
    share = (math.log10(max(value, 10.0**FIRST)) - FIRST) / (LAST - FIRST)
    return LEFT + min(max(share, 0.0), 1.0) * (WIDTH - LEFT - RIGHT)
