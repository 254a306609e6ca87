"""What was measured beside what was aimed at, and the table of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bench.table_measure import LOADING, Amounts, Figure, Figures

RAW = "raw full text"
LARGE = 100_000
"""The size that the aims in plain milliseconds are about."""


@dataclass(frozen=True, slots=True)
class Value:
    """``aim`` is a bound, None where nothing is aimed at; then nothing is met or missed."""

    measured: float
    aim: float | None = None
    is_least: bool = False

    @property
    def met(self) -> bool | None:
        if self.aim is None:
            return None
        return self.measured >= self.aim if self.is_least else self.measured <= self.aim


@dataclass(slots=True)
class Row:
    """One thing measured; ``values`` by database."""

    name: str
    unit: str
    rule: str = ""
    values: dict[str, Value] = field(default_factory=dict)


def rows(measured: Mapping[str, Figures], amounts: Amounts) -> list[Row]:
    found: list[Row] = []
    for size in (amounts.tenth, amounts.statements):
        found += _search(measured, size)
    found += _growth(measured, amounts)
    found += _pages(measured)
    for name in LOADING.values():
        least = 50.0 if name == LOADING["read"] else None
        rule = "at least 50" if least else ""
        found.append(_row(name, "a second", rule, measured, lambda f, n=name, a=least: Value(f[n].half, a, True)))
    return found


def _search(measured: Mapping[str, Figures], size: int) -> list[Row]:
    """Aims in plain milliseconds are about the large base alone."""

    def half(name: str) -> Callable[[Figures], float]:
        return lambda figures: figures[f"{size}: {name}"].half

    def most(name: str) -> Callable[[Figures], float]:
        return lambda figures: figures[f"{size}: {name}"].most

    def row(name: str, read: Callable[[Figures], float], aim: float, unit: str = "ms") -> Row:
        bound = aim if aim and size >= LARGE else None
        rule = number(aim) if bound else ""
        return _row(f"{size:,}: {name}", unit, rule, measured, lambda figures: Value(read(figures), bound))

    def beside_raw(name: str, read: Callable[[str], Callable[[Figures], float]], times: float, more: float) -> Row:
        def value(figures: Figures) -> Value:
            return Value(read("search")(figures), read(RAW)(figures) * times + more)

        return _row(f"{size:,}: {name}", "ms", f"raw × {times} + {more:g}", measured, value)

    return [
        row("raw full text, p50", half(RAW), 0),
        row("raw full text, p95", most(RAW), 0),
        beside_raw("search, p50", half, 1.3, 3),
        beside_raw("search, p95", most, 1.5, 6),
        row("common words alone, p95", most("search, common words"), 60),
        row("retrieve, p50", half("retrieve"), 25),
        row("retrieve, p95", most("retrieve"), 60),
        row("memory, filling included", half("peak memory, filling included"), 300, "MB"),
    ]


def _growth(measured: Mapping[str, Figures], amounts: Amounts) -> list[Row]:
    """From a tenth of the statements to all of them, by the median."""

    def times(name: str) -> Callable[[Figures], Value]:
        return lambda f: Value(f[f"{amounts.statements}: {name}"].half / f[f"{amounts.tenth}: {name}"].half, 10.0)

    told = f"from {amounts.tenth:,} to {amounts.statements:,}"
    return [_row(f"{name} {told}", "times", "10", measured, times(name)) for name in ("search", "retrieve")]


def _pages(measured: Mapping[str, Figures]) -> list[Row]:
    """Every page has the same aim; the slowest of them decides, a ruling with the page after it stands apart."""
    names = [name for name in next(iter(measured.values()), {}) if name.startswith("page: ")]
    acts = [name for name in names if name.startswith("page: a ruling")]
    shown = [name for name in names if name not in acts]

    def slowest(figures: Figures) -> Figure:
        return max((figures[name] for name in shown), key=lambda figure: figure.most)

    found = []
    if shown:
        found.append(_row("pages, middle of the medians", "ms", "", measured, lambda f: Value(_middle(f, shown))))
        found.append(_row("slowest page, p95", "ms", "150", measured, lambda f: Value(slowest(f).most, 150.0)))
    for name in acts:
        ruling = _row(f"{name.removeprefix('page: ')}, p50", "ms", "", measured, lambda f, n=name: Value(f[n].half))
        found.append(ruling)
    return found


def _middle(figures: Figures, names: Sequence[str]) -> float:
    halves = sorted(figures[name].half for name in names)
    return halves[len(halves) // 2]


def _row(name: str, unit: str, rule: str, measured: Mapping[str, Figures], read: Callable[[Figures], Value]) -> Row:
    return Row(name, unit, rule, {database: read(figures) for database, figures in measured.items()})


def markdown(found: Sequence[Row], databases: Sequence[str]) -> str:
    head = ["measured", "aim", *(part for name in databases for part in (name, "")), "unit"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in found:
        cells = [row.name, row.rule]
        for name in databases:
            cells += [number(row.values[name].measured), _verdict(row.values[name])]
        lines.append("| " + " | ".join([*cells, row.unit]) + " |")
    return "\n".join(lines)


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _verdict(value: Value) -> str:
    if value.met is None or value.aim is None:
        return ""
    return "met" if value.met else f"missed ({number(value.aim)})"
